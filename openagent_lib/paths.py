"""Every folder of the project, named once, and the only way in which artefacts are written."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
BACKBONE = DATA / "backbone"
PAPER = DATA / "paper"
TASKS = DATA / "tasks"
DATA_CARD = DATA / "DATA_CARD.md"
NOTEBOOKS = ROOT / "notebooks"
FIGURES = ROOT / "figures"
RUNS = ROOT / "runs"
LOCK = ROOT / "requirements.lock"


def default_run_dir(profile: str, seed: int) -> Path:
    """Return the folder that holds everything one reproduction writes."""
    return RUNS / f"{profile}-s{seed}"


def write_atomic(path: Path | str, content: str | bytes) -> Path:
    """Write a file under a temporary name beside it, flush it to disk, then rename it.

    Args:
        path: Final path; its parent folders are made.
        content: Text (written as UTF-8, its line ends as they are) or bytes.

    Returns:
        The final path.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    data = content.encode("utf-8") if isinstance(content, str) else content
    with open(temporary, "wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(temporary, path)
    return path
