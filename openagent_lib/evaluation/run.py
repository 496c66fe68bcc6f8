"""Evaluate one model or scripted agent on a list of tasks, resumably, with progress."""

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from openagent_lib.agents.agent import Agent
from openagent_lib.environment_variables import stage_key
from openagent_lib.evaluation.records import RecordStore
from openagent_lib.evaluation.rollout import Run, check_unbroken, roll_out
from openagent_lib.sandbox.environment import MAX_STEPS
from openagent_lib.sandbox.task import Task


def evaluate(
    agent: Agent,
    tasks: Sequence[Task],
    path: Path,
    *,
    recipe: str,
    seed: int,
    backbone: str,
    weights: str = "",
    step: int | None = None,
    batch_size: int = 64,
    processes: int = 1,
    say: Callable[[str], None] = print,
) -> list[dict]:
    """Play every task once and keep a record of each; records that exist are not made again.

    Args:
        agent: Who acts.
        tasks: The tasks, in order.
        path: The JSONL file of the records, appended to.
        recipe: The recipe's name in the records.
        seed: Run seed.
        backbone: Name of the backbone.
        weights: Hash of the model's weights, empty for scripted agents.
        step: Training step of the checkpoint, None for a final model.
        batch_size: Episodes advanced together.
        processes: Processes that share the batches, each with a copy of the agent.
        say: Receives a progress line about every ten seconds.

    Returns:
        The records of these tasks, in their order.

    Raises:
        DataError: The infrastructure broke some episodes; the others are kept, the same call makes the missing ones.
    """
    run = Run(recipe, step, seed, settings_hash(weights, batch_size), backbone)
    store = RecordStore(path)
    done, start, told, count = store.done(), time.monotonic(), time.monotonic(), 0
    for rows in roll_out(agent, tasks, run, done, batch_size, processes):
        store.append(rows)
        count += len(rows)
        if time.monotonic() - told > 10:
            told = time.monotonic()
            say(f"evaluate {recipe}: {count}/{len(tasks)} episodes, {told - start:.0f} s")
    by_key = {row["key"]: row for row in store.load()}
    records = [by_key[run.key(task)] for task in tasks]
    check_unbroken(records, recipe)
    return records


def settings_hash(weights: str, batch_size: int) -> str:
    """Return the hash of everything but task, recipe and seed that decides a record."""
    parts = {"weights": weights, "batch_size": batch_size, "max_steps": MAX_STEPS, "stage": stage_key()}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def weights_hash(source: Path | str) -> str:
    """Return the hash of the safetensors files of a model folder; the name itself where a hub keeps the model."""
    if not Path(source).is_dir():
        return str(source)
    digest = hashlib.sha256()
    for file in sorted(Path(source).glob("*.safetensors")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()
