"""Evaluation records: append-only JSON lines that survive a kill at any byte and never lose or repeat an episode."""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from openagent_lib.errors import DataError
from openagent_lib.evaluation.outcome import OUTCOMES
from openagent_lib.paths import write_atomic
from openagent_lib.sandbox.task import CLEAN

if TYPE_CHECKING:
    import pandas as pd

TIERS = ("closed_set", "perception", "interaction", "reasoning", "internalization")
FRAME_COLUMNS = (
    "recipe", "step", "seed", "shift", "tier", "strength", "base_task_id", "task_id", "solvable", "outcome", "success",
    "n_calls", "n_tool_errors", "n_anomalies", "n_explored", "gold_calls", "answer", "backbone", "settings", "key",
)  # fmt: skip
SORT_COLUMNS = ("recipe", "step", "shift", "strength", "base_task_id", "seed", "key")
NO_STEP = -1


@dataclass(frozen=True)
class Scan:
    """What one reading of a record file found.

    Attributes:
        rows: Complete rows in file order; a key may occur more than once.
        good_bytes: Length of the prefix that ends with the last newline.
        torn: Whether bytes follow the last newline (an interrupted write).
        foreign: Number of complete lines that are not records; they are ignored and left in place.
    """

    rows: tuple[dict, ...]
    good_bytes: int
    torn: bool
    foreign: int


def tier_of(shift: str) -> str:
    """Return the tier of a shift by its `tier.kind`, `closed_set` for `clean`."""
    return TIERS[0] if shift == CLEAN else shift.partition(".")[0]


def record_key(**parts: object) -> str:
    """Return the identity of an episode: SHA-256 of its parts as canonical JSON.

    Args:
        **parts: Everything that decides the result (task hash, shift, recipe, seed, settings hash ...).
            The order does not matter; the JSON type does (`1` and `1.0` are different).

    Raises:
        DataError: A part cannot be written as JSON.
    """
    try:
        text = json.dumps(parts, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise DataError(f"record key: expected parts that are JSON values, found {error}; pass plain values") from error
    return hashlib.sha256(text.encode("ascii")).hexdigest()


class RecordStore:
    """One append-only file of records.

    A line counts only when it ends with a newline, so a row that was being written when the process died is owed again.
    Of several rows with one key the first that is not an infrastructure error counts.

    Args:
        path: The JSON-lines file; it need not exist yet.
    """

    def __init__(self, path: Path | str):
        self.path = Path(path)

    def scan(self) -> Scan:
        """Read the file once; a torn tail and foreign lines are reported, never raised."""
        data = self.path.read_bytes() if self.path.exists() else b""
        good_bytes = data.rfind(b"\n") + 1
        lines = [line for line in data[:good_bytes].split(b"\n") if line.strip()]
        rows = [row for row in map(_parse_row, lines) if row is not None]
        return Scan(tuple(rows), good_bytes, good_bytes < len(data), len(lines) - len(rows))

    def done(self) -> set[str]:
        """Return the keys that need no further work; rows with outcome `error` are owed again."""
        return {row["key"] for row in self.scan().rows if row["outcome"] != "error"}

    def load(self) -> list[dict]:
        """Return one row per key, in order of first appearance; an `error` row only if nothing better exists."""
        best: dict[str, dict] = {}
        for row in self.scan().rows:
            known = best.get(row["key"])
            if known is None or known["outcome"] == "error":
                best[row["key"]] = row
        return list(best.values())

    def repair(self) -> bool:
        """Cut a torn tail off by writing the good prefix to a temporary file and renaming it.

        Returns:
            Whether there was a torn tail.
        """
        scan = self.scan()
        if scan.torn:
            write_atomic(self.path, self.path.read_bytes()[: scan.good_bytes])
        return scan.torn

    def append(self, rows: Iterable[dict]) -> None:
        """Write rows at the end in one write, flush, and wait until they are on disk.

        Raises:
            DataError: A row has no `key`, an unknown `outcome`, or a value that is not JSON; nothing is written then.
        """
        payload = b"".join(_encode_row(row) for row in rows)
        if not payload:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not _ends_cleanly(self.path):
            self.repair()
        with open(self.path, "ab") as handle:
            handle.write(payload)
            handle.flush()
            os.fsync(handle.fileno())


def _ends_cleanly(path: Path) -> bool:
    if not path.exists() or path.stat().st_size == 0:
        return True
    with open(path, "rb") as handle:
        handle.seek(-1, os.SEEK_END)
        return handle.read(1) == b"\n"


def _parse_row(line: bytes) -> dict | None:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if isinstance(row, dict) and isinstance(row.get("key"), str) and row.get("outcome") in OUTCOMES:
        return row
    return None


def _encode_row(row: dict) -> bytes:
    if not isinstance(row.get("key"), str) or row.get("outcome") not in OUTCOMES:
        found = f"key {row.get('key')!r}, outcome {row.get('outcome')!r}"
        raise DataError(f"record: expected a text key and one of {', '.join(OUTCOMES)}, found {found}; fix the row")
    try:
        return json.dumps(row, allow_nan=False).encode("ascii") + b"\n"
    except (TypeError, ValueError) as error:
        raise DataError(f"record {row['key']}: expected JSON values, found {error}; use plain types") from error


def records_frame(rows: Iterable[dict]) -> "pd.DataFrame":
    """Return records as a frame without their trajectories, in one fixed order.

    Args:
        rows: Records; other fields are dropped.

    Returns:
        Columns `FRAME_COLUMNS`; `step` is an integer, `NO_STEP` (-1) for a final model.

    Raises:
        DataError: A row lacks a field.
    """
    import pandas as pd

    rows, columns = list(rows), list(FRAME_COLUMNS)
    for row in rows:
        missing = sorted(set(columns) - set(row))
        if missing:
            raise DataError(f"record {row.get('key')}: expected field {missing[0]!r}, found none; evaluate again")
    cells = [[_plain(row[column]) for column in columns] for row in rows]
    frame = pd.DataFrame(cells, columns=columns)
    frame["step"] = pd.Series([NO_STEP if row["step"] is None else row["step"] for row in rows], dtype="int64")
    return frame.sort_values(list(SORT_COLUMNS), kind="stable", ignore_index=True)


def _plain(value: object) -> object:
    """Return text without lone surrogates, which a model may write and no frame can hold."""
    return value.encode("utf-8", "backslashreplace").decode("utf-8") if isinstance(value, str) else value


def load_frame(*paths: Path | str) -> "pd.DataFrame":
    """Return the records of several files as one frame (see `records_frame`).

    Where a recipe, step and seed was evaluated under several settings (after a new training, for example), only the
    settings of the last line written count.

    Raises:
        DataError: A file does not exist.
    """
    rows: list[dict] = []
    for path in map(Path, paths):
        if not path.exists():
            raise DataError(f"expected records at {path}, found no file; run the evaluation (notebook 09) first")
        rows += _latest_settings(RecordStore(path))
    return records_frame(rows)


def _latest_settings(store: RecordStore) -> list[dict]:
    latest = {_arm(row): row.get("settings") for row in store.scan().rows}
    return [row for row in store.load() if row.get("settings") == latest[_arm(row)]]


def _arm(row: dict) -> tuple:
    return row.get("recipe"), row.get("step"), row.get("seed")
