"""Task sets: generation, Parquet files, and the proof that they hold what they should."""

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from openagent_lib.errors import DataError
from openagent_lib.paths import write_atomic
from openagent_lib.sandbox.builder import make_task
from openagent_lib.sandbox.environment import opening
from openagent_lib.sandbox.task import Task

COLUMNS = {
    "task_id": "string",
    "base_id": "string",
    "split": "string",
    "domain": "string",
    "shape": "string",
    "shift": "string",
    "strength": "float64",
    "query": "string",
    "solvable": "bool",
    "gold_answer": "string",
    "gold_calls": "int64",
}
"""The readable columns; `messages`, `tools` and `task` (the whole content as canonical JSON) follow them."""
REMEDY = "make reproduce, or for data/tasks python -m openagent_lib data build"


def make_tasks(split: str, count: int, seed: int = 0, world_seed: int = 0, domain: str = "poi") -> list[Task]:
    """Return `count` clean tasks of a split, no query twice, the same ones for the same seeds."""
    tasks: dict[str, Task] = {}
    index = 0
    while len(tasks) < count:
        task = make_task(split, index, seed, world_seed, domain)
        tasks.setdefault(task.query, task)
        index += 1
    return list(tasks.values())


def content_hash(tasks: Iterable[Task], conversations: Sequence[list[dict]] | None = None) -> str:
    """Return the SHA-256 of the canonical JSON of all tasks, in order, and of their conversations where given."""
    digest = hashlib.sha256()
    for task in tasks:
        digest.update(task.to_json().encode("utf-8") + b"\n")
    for messages in conversations or ():
        digest.update(json.dumps(messages, ensure_ascii=False, sort_keys=True).encode("utf-8") + b"\n")
    return digest.hexdigest()


def write_tasks(path: Path, tasks: list[Task], conversations: Sequence[list[dict]] | None = None) -> Path:
    """Write tasks as Parquet that `datasets.load_dataset` opens.

    The columns are `COLUMNS`, `messages` (a conversation in chat form), `tools` (JSON schemas as OpenAI-compatible
    endpoints take them) and `task` (the whole content, from which `read_tasks` makes the tasks again).

    Args:
        path: Target file, replaced atomically.
        tasks: The tasks, in order.
        conversations: One list of messages per task; the opening of its episode when None.
    """
    from datasets import Dataset, Features, Json, List, Value
    from pyarrow import parquet

    conversations = conversations or [opening(task) for task in tasks]
    features = Features(
        {name: Value(kind) for name, kind in COLUMNS.items()}
        | {"messages": List(Json()), "tools": List(Json()), "task": Value("string")}
    )
    rows = [_row(task, messages) for task, messages in zip(tasks, conversations, strict=True)]
    columns = {name: [row[name] for row in rows] for name in features}
    table = Dataset.from_dict(columns, features=features).data.table.combine_chunks()
    metadata = dict(table.schema.metadata or {}) | {b"content_hash": content_hash(tasks, conversations).encode()}
    buffer = io.BytesIO()
    parquet.write_table(table.replace_schema_metadata(metadata), buffer, compression="zstd", compression_level=15)
    return write_atomic(path, buffer.getvalue())


def read_tasks(path: Path) -> list[Task]:
    """Return the tasks of a Parquet file written by `write_tasks`.

    Raises:
        DataError: The file is missing, is not such a file, or its content does not match its content hash.
    """
    return read_rows(path)[0]


def read_rows(path: Path) -> tuple[list[Task], list[list[dict]]]:
    """Return the tasks and the conversations of a Parquet file; errors as `read_tasks`."""
    import pyarrow
    from pyarrow import parquet

    if not Path(path).is_file():
        raise DataError(f"expected a task file at {path}, found none: run {REMEDY}")
    try:
        table = parquet.read_table(path, columns=["task", "messages"])
        tasks = [Task.from_json(text) for text in table.column("task").to_pylist()]
        conversations = [[_loaded(item) for item in row] for row in table.column("messages").to_pylist()]
        expected = _hash_in(table.schema)
    except (pyarrow.ArrowInvalid, OSError, KeyError, ValueError, TypeError) as problem:
        detail = str(problem).splitlines()[0]
        raise DataError(f"{path} is not a readable task file ({detail}): delete it and run {REMEDY}") from None
    if content_hash(tasks, conversations) != expected:
        raise DataError(f"{path} does not match its own content hash: delete it and run {REMEDY}")
    return tasks, conversations


def stored_hash(path: Path) -> str:
    """Return the content hash that a Parquet file of tasks carries; empty where it carries none."""
    from pyarrow import parquet

    return _hash_in(parquet.read_schema(path))


def _hash_in(schema) -> str:
    return (schema.metadata or {}).get(b"content_hash", b"").decode()


def _loaded(item: object) -> dict:
    return json.loads(item) if isinstance(item, str) else item


def _row(task: Task, messages: list[dict]) -> dict:
    return {
        "task_id": task.id,
        "base_id": task.base_id,
        "split": task.split,
        "domain": task.domain,
        "shape": task.shape,
        "shift": task.shift,
        "strength": task.strength,
        "query": task.query,
        "solvable": task.is_solvable,
        "gold_answer": task.gold_answer,
        "gold_calls": len(task.gold_chain),
        "messages": messages,
        "tools": [tool.schema() for tool in task.tools],
        "task": task.to_json(),
    }
