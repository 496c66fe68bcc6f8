"""The receipt of a stage: JSON that proves what was run, on what, and what came out."""

import hashlib
import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from openagent_lib.paths import write_atomic

VOLATILE = "volatile"


@dataclass(frozen=True)
class Identity:
    """Everything that a stage's result depends on. Two equal identities owe equal results.

    Attributes:
        code: Hash of the notebook's code cells, without comments.
        parameters: Parameters of the run, the run directory excepted.
        modules: Hash per library module that the code reaches.
        inputs: Hash per input artefact, by its path in the run directory.
        sources: Hash per input file of the repository.
        lock: Hash of the lock file.
    """

    code: str = ""
    parameters: dict[str, Any] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    lock: str = ""

    def key(self) -> str:
        """Return one hash over all parts."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode("utf-8")).hexdigest()


@dataclass(frozen=True)
class Receipt:
    """The proof of one stage.

    Attributes:
        stage: Name of the stage.
        identity: What the result depends on, as it was when the stage started.
        outputs: Hash per artefact, or the word `volatile` where only its existence counts.
        seed: Seed of the run.
        profile: Profile of the run.
        device: Device of the run, in words.
        versions: Versions of Python and of the main packages.
        seconds: Duration, wall clock.
        peak_memory_mb: Highest resident memory of the kernel.
        cells: Number of code cells executed.
    """

    stage: str
    identity: Identity
    outputs: dict[str, str]
    seed: int
    profile: str
    device: str
    versions: dict[str, str]
    seconds: float
    peak_memory_mb: float
    cells: int


def path_of(run_dir: Path, stage: str) -> Path:
    """Return where a stage's receipt lies."""
    return run_dir / "receipts" / f"{stage}.json"


def attempt_of(run_dir: Path, stage: str) -> Path:
    """Return where the mark of a started, unfinished stage lies."""
    return run_dir / "receipts" / f"{stage}.attempt.json"


def write(run_dir: Path, receipt: Receipt) -> None:
    """Write a receipt and take away the mark of the attempt."""
    write_atomic(path_of(run_dir, receipt.stage), json.dumps(asdict(receipt), indent=2, sort_keys=True) + "\n")
    attempt_of(run_dir, receipt.stage).unlink(missing_ok=True)


def read(run_dir: Path, stage: str) -> Receipt | None:
    """Return a stage's receipt, or nothing where there is none that can be read."""
    try:
        content = json.loads(path_of(run_dir, stage).read_text(encoding="utf-8"))
        content["identity"] = Identity(**content["identity"])
        return Receipt(**{entry.name: content[entry.name] for entry in fields(Receipt)})
    except (OSError, ValueError, KeyError, TypeError):
        return None


def begin(run_dir: Path, stage: str, identity: Identity, estimate: float | None) -> None:
    """Mark a stage as started and take away its old receipt: from here on it is stale until it is proven."""
    mark = {"identity": identity.key(), "estimate": estimate}
    write_atomic(attempt_of(run_dir, stage), json.dumps(mark) + "\n")
    path_of(run_dir, stage).unlink(missing_ok=True)


def attempt(run_dir: Path, stage: str) -> dict[str, Any]:
    """Return the mark of a started, unfinished stage; empty where there is none."""
    try:
        mark = json.loads(attempt_of(run_dir, stage).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return mark if isinstance(mark, dict) else {}
