"""Every folder of the project, named once, and the only way in which artefacts are written."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from openagent_lib.errors import DataError

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


def fill_blocks(path: Path, bodies: Mapping[str, str]) -> bool:
    """Fill the blocks `<!-- NAME -->` ... `<!-- /NAME -->` of a document.

    Args:
        path: The document.
        bodies: The text of each block by its name.

    Returns:
        Whether the file changed.

    Raises:
        DataError: A block is missing.
    """
    old = text = path.read_text(encoding="utf-8")
    for name, body in bodies.items():
        block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if not block.search(text):
            raise DataError(f"{path.name}: expected a block <!-- {name} -->, found none: restore it")
        text = block.sub(lambda match, body=body: f"{match[1]}{body.strip()}\n{match[2]}", text)
    if text != old:
        write_atomic(path, text)
    return text != old
