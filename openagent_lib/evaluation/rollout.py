"""Many episodes advanced together."""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

from openagent_lib.agents.agent import Agent, Turn
from openagent_lib.agents.local import use_threads
from openagent_lib.errors import DataError
from openagent_lib.evaluation.outcome import event_counts, is_success, outcome_of
from openagent_lib.evaluation.records import record_key, tier_of
from openagent_lib.sandbox.environment import MAX_STEPS, Environment
from openagent_lib.sandbox.task import Task


@dataclass(frozen=True)
class Run:
    """What all records of one evaluation share.

    Attributes:
        recipe: The recipe, or the name of a scripted agent.
        step: Training step of the checkpoint, None for a final model.
        seed: Run seed.
        settings: Hash of everything else that decides the result: weights, decoding, step limit, code.
        backbone: Name of the backbone.
    """

    recipe: str
    step: int | None
    seed: int
    settings: str
    backbone: str

    def key(self, task: Task) -> str:
        """Return the key of a task's record."""
        return record_key(
            task=task.id,
            shift=task.shift,
            recipe=self.recipe,
            step=self.step,
            seed=self.seed,
            settings=self.settings,
            backbone=self.backbone,
        )


def play(agent: Agent, tasks: Sequence[Task], max_steps: int = MAX_STEPS) -> list[Environment]:
    """Play one episode of every task, all together; finished episodes leave the batch.

    Returns:
        The finished environments, in the order of the tasks.
    """
    environments = [Environment.for_task(task, max_steps) for task in tasks]
    for environment in environments:
        environment.reset()
    active = environments
    while active:
        texts = agent.act([Turn(environment.messages, environment.task) for environment in active])
        for environment, text in zip(active, texts, strict=True):
            environment.step(text)
        active = [environment for environment in active if not environment.is_done]
    return environments


def roll_out(
    agent: Agent, tasks: Sequence[Task], run: Run, done: set[str], batch_size: int, processes: int = 1
) -> Iterator[list[dict]]:
    """Play all tasks in fixed batches and yield the records of each batch that is owed.

    The batches depend on the tasks alone, so that a resumed evaluation repeats an interrupted batch exactly.

    Args:
        agent: Who acts.
        tasks: All tasks of the evaluation, in order.
        run: What the records share.
        done: Keys of records that exist.
        batch_size: Episodes advanced together.
        processes: Processes that share the batches and the cores, each with a copy of the agent: on a CPU two models of
            one thread each are faster than one of two threads. One where the agent's model is on a GPU.
    """
    batches = [tasks[start : start + batch_size] for start in range(0, len(tasks), batch_size)]
    owed = [batch for batch in batches if not all(run.key(task) in done for task in batch)]
    records = _in_processes if min(processes, len(owed)) > 1 and _is_on_cpu(agent) else _in_turn
    for rows in records(agent, owed, run, processes):
        yield [row for row in rows if row["key"] not in done]


def check_unbroken(records: Sequence[dict], recipe: str) -> None:
    """Check that the infrastructure broke no episode.

    Args:
        records: Records of an evaluation.
        recipe: The recipe's name, for the message.

    Raises:
        DataError: It broke some.
    """
    broken = [record for record in records if record["outcome"] == "error"]
    if broken:
        raise DataError(
            f"{len(broken)} of {len(records)} episodes of {recipe} were broken by the infrastructure "
            f"({broken[0].get('problem', 'unknown')}): run the same command again, records on disk are kept"
        )


def _is_on_cpu(agent: Agent) -> bool:
    model = getattr(agent, "model", None)
    return model is None or model.device.type == "cpu"


def _in_turn(agent: Agent, batches: Sequence[Sequence[Task]], run: Run, processes: int) -> Iterator[list[dict]]:
    return (_records_of(agent, run, batch) for batch in batches)


def _in_processes(agent: Agent, batches: Sequence[Sequence[Task]], run: Run, processes: int) -> Iterator[list[dict]]:
    threads = max(1, (os.cpu_count() or 1) // processes)
    pool = ProcessPoolExecutor(processes, get_context("spawn"), _start, (agent, run, threads))
    try:
        yield from pool.map(_records_here, batches)
    finally:
        pool.shutdown(cancel_futures=True)


_here: list[tuple[Agent, Run]] = []


def _start(agent: Agent, run: Run, threads: int) -> None:
    use_threads(threads)
    _here.append((agent, run))


def _records_here(batch: Sequence[Task]) -> list[dict]:
    ((agent, run),) = _here
    return _records_of(agent, run, batch)


def _records_of(agent: Agent, run: Run, tasks: Sequence[Task]) -> list[dict]:
    try:
        return [record_of(environment, run) for environment in play(agent, tasks)]
    except (OSError, RuntimeError, MemoryError) as problem:
        return [error_record(task, run, problem) for task in tasks]


def episodes(agent: Agent, tasks: Sequence[Task], seed: int = 0) -> list[dict]:
    """Play every task once, all together, and return the records without keeping them on disk."""
    run = Run(agent.name, None, seed, settings="", backbone="")
    return [record_of(environment, run) for environment in play(agent, tasks)]


def record_of(environment: Environment, run: Run) -> dict:
    """Return the record of a finished episode."""
    outcome = outcome_of(environment)
    return {
        **_head(environment.task, run),
        "outcome": outcome,
        "success": is_success(environment, outcome),
        **event_counts(environment),
        "answer": environment.answer,
        "messages": environment.messages,
    }


def error_record(task: Task, run: Run, problem: Exception) -> dict:
    """Return the record of an episode that the infrastructure broke; it is never scored as the model's."""
    text = f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else 'no message'}"
    counts = dict.fromkeys(("n_calls", "n_tool_errors", "n_anomalies", "n_explored"), 0)
    return {
        **_head(task, run),
        "outcome": "error",
        "success": False,
        **counts,
        "answer": None,
        "messages": [],
        "problem": text,
    }


def _head(task: Task, run: Run) -> dict:
    return {
        "key": run.key(task),
        "task_id": task.id,
        "base_task_id": task.twin_id,
        "shift": task.shift,
        "tier": tier_of(task.shift),
        "strength": task.strength,
        "recipe": run.recipe,
        "step": run.step,
        "seed": run.seed,
        "settings": run.settings,
        "backbone": run.backbone,
        "solvable": task.is_solvable,
        "gold_calls": len(task.gold_chain),
    }
