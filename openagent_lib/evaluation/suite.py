"""Which tasks an evaluation holds: the closed set, and for each shift the twins of some of its tasks."""

from pathlib import Path

from openagent_lib.config import Profile
from openagent_lib.sandbox.dataset import make_tasks, read_tasks, write_tasks
from openagent_lib.sandbox.task import CLEAN, Task
from openagent_lib.shifts.catalogue import SHIFTS, shifted_twins

CLOSED_SET = "closed_set"


def make_suite(profile: Profile, seed: int) -> list[Task]:
    """Return the evaluation tasks: clean ones, then the shifted twins, shift by shift."""
    clean = make_tasks("test", profile.eval_tasks, seed)
    twins = [twin for shift in SHIFTS.values() for twin in shifted_twins(clean, shift, profile.shift_tasks, seed)]
    return clean + twins


def closed_set(suite: list[Task], count: int) -> list[Task]:
    """Return the first `count` clean tasks of a suite."""
    return [task for task in suite if task.shift == CLEAN][:count]


def tier_of(task: Task) -> str:
    """Return the tier of a task's shift, `closed_set` for a clean task."""
    return CLOSED_SET if task.shift == CLEAN else task.shift.split(".")[0]


def write_data(profile: Profile, seed: int, run_dir: Path) -> tuple[list[Task], list[Task]]:
    """Write the training and the evaluation tasks of a run to `data/train.parquet` and `data/eval.parquet`.

    Returns:
        The training tasks and the evaluation tasks.
    """
    train, suite = make_tasks("train", profile.train_tasks, seed), make_suite(profile, seed)
    write_tasks(run_dir / "data" / "train.parquet", train)
    write_tasks(run_dir / "data" / "eval.parquet", suite)
    return train, suite


def read_suite(run_dir: Path) -> list[Task]:
    """Return the evaluation tasks of a run.

    Raises:
        DataError: The file is missing or corrupt.
    """
    return read_tasks(run_dir / "data" / "eval.parquet")
