"""The task set of a run: generation, Parquet files, and the proof that they hold what they should."""

import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path

from openagent_lib.errors import DataError
from openagent_lib.paths import write_atomic
from openagent_lib.sandbox.domains.poi_tasks import make_task
from openagent_lib.sandbox.task import Task

COLUMNS = ("task_id", "base_id", "split", "domain", "shape", "shift", "strength", "query", "solvable", "gold_answer")


def make_tasks(split: str, count: int, seed: int = 0, world_seed: int = 0) -> list[Task]:
    """Return `count` different clean tasks of a split, the same ones for the same seeds."""
    tasks: dict[str, Task] = {}
    index = 0
    while len(tasks) < count:
        task = make_task(split, index, seed, world_seed)
        tasks.setdefault(task.id, task)
        index += 1
    return list(tasks.values())


def content_hash(tasks: Iterable[Task]) -> str:
    """Return the SHA-256 of the canonical JSON of all tasks, in order."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.to_json().encode("utf-8") + b"\n")
    return digest.hexdigest()


def write_tasks(path: Path, tasks: list[Task]) -> Path:
    """Write tasks as Parquet: readable columns, `tools` as JSON schema, and `task` with the whole content.

    Args:
        path: Target file, replaced atomically.
        tasks: The tasks, in order.
    """
    import pyarrow
    from pyarrow import parquet

    rows = [_row(task) for task in tasks]
    table = pyarrow.Table.from_pylist(rows).replace_schema_metadata({"content_hash": content_hash(tasks)})
    buffer = io.BytesIO()
    parquet.write_table(table, buffer, compression="zstd")
    return write_atomic(path, buffer.getvalue())


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of a Parquet file written by `write_tasks`.

    Raises:
        DataError: The file is missing, is not such a file, or its content does not match its content hash.
    """
    import pyarrow
    from pyarrow import parquet

    if not Path(path).is_file():
        raise DataError(f"expected a task file at {path}, found none: run the stage 01_build_sandbox (make reproduce)")
    try:
        table = parquet.read_table(path)
        tasks = [Task.from_json(text) for text in table.column("task").to_pylist()]
        expected = (table.schema.metadata or {}).get(b"content_hash", b"").decode()
    except (pyarrow.ArrowInvalid, OSError, KeyError, ValueError, TypeError) as problem:
        detail = str(problem).splitlines()[0]
        raise DataError(f"{path} is not a readable task file ({detail}): delete it and run make reproduce") from None
    if content_hash(tasks) != expected:
        raise DataError(f"{path} does not match its own content hash: delete it and run make reproduce")
    return tasks


def _row(task: Task) -> dict:
    values = (
        task.id,
        task.base_id,
        task.split,
        task.domain,
        task.shape,
        task.shift,
        task.strength,
        task.query,
        task.is_solvable,
        task.gold_answer,
    )
    row = dict(zip(COLUMNS, values, strict=True))
    row["tools"] = json.dumps([tool.schema() for tool in task.tools], ensure_ascii=False)
    row["task"] = task.to_json()
    return row
