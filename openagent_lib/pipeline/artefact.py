"""Artefacts on disk: finding them, hashing them, proving that they open."""

import csv
import hashlib
import json
import shutil
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

from openagent_lib.errors import DataError


def expand(folder: Path, patterns: Iterable[str]) -> dict[str, Path]:
    """Return the files that the globs match, by their path relative to the folder, sorted."""
    found = {}
    for pattern in patterns:
        for path in folder.glob(pattern):
            if path.is_file() and not path.name.startswith("."):
                found[path.relative_to(folder).as_posix()] = path
    return dict(sorted(found.items()))


def unmatched(folder: Path, patterns: Iterable[str]) -> list[str]:
    """Return the globs that match no file."""
    return [pattern for pattern in patterns if not expand(folder, [pattern])]


@lru_cache(maxsize=4096)
def _digest(path: Path, size: int, changed: int) -> str:
    with open(path, "rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def digest(path: Path) -> str:
    """Return the SHA-256 of a file's content, read once per state of the file."""
    status = path.stat()
    return _digest(path, status.st_size, status.st_mtime_ns)


def digests(folder: Path, patterns: Iterable[str]) -> dict[str, str]:
    """Return the hash of every file that the globs match."""
    return {name: digest(path) for name, path in expand(folder, patterns).items()}


def remove(folder: Path, patterns: Iterable[str]) -> None:
    """Remove the files and folders that the globs match."""
    for pattern in patterns:
        for path in list(folder.glob(pattern)):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _check_jsonl(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise ValueError("its last line is torn")
    for line in text.splitlines():
        json.loads(line)


def _check_parquet(path: Path) -> None:
    import pyarrow.parquet

    if pyarrow.parquet.ParquetFile(path).metadata.num_rows == 0:
        raise ValueError("it holds no row")


def _check_png(path: Path) -> None:
    from PIL import Image

    with Image.open(path) as image:
        image.verify()


def _check_csv(path: Path) -> None:
    with open(path, newline="", encoding="utf-8") as handle:
        if len({len(row) for row in csv.reader(handle) if row}) != 1:
            raise ValueError("its rows differ in length")


def _check_safetensors(path: Path) -> None:
    data_size = path.stat().st_size - 8
    with open(path, "rb") as handle:
        length = int.from_bytes(handle.read(8), "little")
        if length > data_size:
            raise ValueError("its header is longer than the file")
        header = json.loads(handle.read(length))
    ends = [entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"]
    if max(ends, default=0) != data_size - length:
        raise ValueError("its size does not match its header")


CHECKS: dict[str, Callable[[Path], object]] = {
    ".json": lambda path: json.loads(path.read_text(encoding="utf-8")),
    ".jsonl": _check_jsonl,
    ".parquet": _check_parquet,
    ".png": _check_png,
    ".svg": lambda path: ElementTree.fromstring(path.read_bytes()),
    ".csv": _check_csv,
    ".safetensors": _check_safetensors,
}


def validate(path: Path) -> None:
    """Prove that a file is there, is not empty and opens as what its suffix says.

    Raises:
        DataError: It is missing, empty or corrupt.
    """
    expected = f"expected {path.name} to open as {path.suffix or 'a file'}"
    if not path.is_file() or path.stat().st_size == 0:
        raise DataError(f"{expected}, found {'an empty file' if path.exists() else 'nothing'} at {path}")
    try:
        CHECKS.get(path.suffix, lambda _: None)(path)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise DataError(f"{expected}, found a corrupt file ({reason}): delete it and run again") from error
