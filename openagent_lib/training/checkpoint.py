"""Checkpoints that are proven whole before anything is resumed from them."""

import hashlib
import json
import shutil
from pathlib import Path

from openagent_lib.errors import CheckpointError
from openagent_lib.paths import write_atomic

MARKER = "complete.json"
RESUME_FILES = ("optimizer.pt", "scheduler.pt", "rng_state.pth", "training_args.bin")


def step_of(checkpoint: Path) -> int:
    """Return the step in a folder name `checkpoint-N`."""
    return int(checkpoint.name.rpartition("-")[2])


def checkpoints(out: Path) -> list[Path]:
    """Return the checkpoint folders of a training run, earliest first."""
    return sorted(out.glob("checkpoint-*"), key=step_of)


def mark_complete(folder: Path) -> None:
    """Write the hashes of all files of a checkpoint into it; a folder without them counts as never written."""
    hashes = {file.name: _hash(file) for file in sorted(folder.iterdir()) if file.is_file() and file.name != MARKER}
    write_atomic(folder / MARKER, json.dumps(hashes, indent=1, sort_keys=True))


def check_complete(folder: Path) -> None:
    """Check every file of a marked checkpoint.

    Raises:
        CheckpointError: A file is missing or does not have the hash that it was written with.
    """
    advice = f"delete {folder} and run the same command again, it resumes from the checkpoint before"
    try:
        hashes = json.loads((folder / MARKER).read_text())
    except (OSError, ValueError):
        hashes = None
    if not isinstance(hashes, dict) or not hashes:
        raise CheckpointError(f"corrupt checkpoint {folder.name}: expected a readable {MARKER}; {advice}")
    for name, expected in hashes.items():
        found = _hash(folder / name) if (folder / name).is_file() else "no file"
        if found != expected:
            text = f"corrupt checkpoint {folder.name}: expected {name} with hash {expected[:12]}, found {found[:12]}"
            raise CheckpointError(f"{text}; {advice}")


def latest_checkpoint(out: Path) -> Path | None:
    """Return the newest whole checkpoint, after deleting those whose writing was interrupted.

    Raises:
        CheckpointError: The newest marked checkpoint is corrupt.
    """
    for folder in checkpoints(out):
        if not (folder / MARKER).exists():
            shutil.rmtree(folder)
    found = checkpoints(out)
    if not found:
        return None
    check_complete(found[-1])
    return found[-1]


def drop_resume_state(out: Path) -> None:
    """Delete what only a resumption needs, once training has ended; the weights stay."""
    for folder in checkpoints(out):
        for name in RESUME_FILES:
            (folder / name).unlink(missing_ok=True)
        mark_complete(folder)


def _hash(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()
