"""Which tasks a benchmark holds: training tasks, the closed set, and for each shift the twins of some of its tasks.

Paper: section 4.1, 6,050 training and 880 evaluation tasks. Assumption: how the 880 divide, since the paper's division
was not seen: 120 clean tasks and 38 twins for each of 20 shifts.
"""

from dataclasses import dataclass
from pathlib import Path

from openagent_lib.config import Profile
from openagent_lib.errors import ConfigError, DataError
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.paths import TASKS
from openagent_lib.randomness import rng
from openagent_lib.sandbox.builder import is_invertible, make_task
from openagent_lib.sandbox.dataset import content_hash, make_tasks, read_rows, read_tasks, write_tasks
from openagent_lib.sandbox.environment import opening
from openagent_lib.sandbox.graph import SHAPES
from openagent_lib.sandbox.task import CLEAN, Task
from openagent_lib.shifts.catalogue import SHIFTS, get_shift
from openagent_lib.shifts.shift import Shift

TRAIN_TASKS = 6050
CLOSED_TASKS = 120
SHIFT_TASKS = 38
PARTS = ("train", "eval")
INVERTIBLE_SHARE = 0.8


@dataclass(frozen=True)
class TaskSet:
    """Tasks and, for each, a conversation: the whole trajectory, or the messages that its episode starts with."""

    tasks: list[Task]
    conversations: list[list[dict]]

    @property
    def hash(self) -> str:
        """Return the content hash, which the Parquet file carries too."""
        return content_hash(self.tasks, self.conversations)


def make_closed_set(count: int, seed: int = 0) -> list[Task]:
    """Return clean evaluation tasks in a seeded order, every shape in its share.

    Of the shapes that can be inverted, 80 % are tasks that look up a value which names one entity, as in training; so
    `reasoning.logic_inversion` finds enough of them.
    """
    quotas = _quotas(count)
    chosen: dict[str, Task] = {}
    index = 0
    while sum(quotas.values()):
        task = make_task("test", index, seed)
        index += 1
        kind = (task.shape, is_invertible(task))
        if quotas.get(kind, 0) and task.id not in chosen:
            quotas[kind] -= 1
            chosen[task.id] = task
    tasks = list(chosen.values())
    rng("closed set", seed).shuffle(tasks)
    return tasks


def shifted_twins(tasks: list[Task], shift: Shift, count: int, seed: int = 0, pool: str = "test") -> list[Task]:
    """Return the twins, at strength 1, of `count` tasks that a shift applies to, its shapes in their shares.

    Raises:
        ConfigError: The shift applies to fewer tasks.
    """
    suitable = [task for task in tasks if shift.applies_to(task)]
    if len(suitable) < count:
        raise ConfigError(
            f"expected {count} tasks that {shift.name} applies to, found {len(suitable)} of {len(tasks)}: "
            "ask for fewer twins or more clean tasks"
        )
    random = rng("twins", seed, shift.name)
    order = sorted(suitable, key=lambda task: (task.shape, random.random()))
    start = random.random()
    picked = [order[int((start + place) * len(order) / count)] for place in range(count)]
    return [shift.apply(task, 1.0, seed, pool) for task in sorted(picked, key=tasks.index)]


def make_suite(clean_count: int, shift_count: int, seed: int = 0) -> list[Task]:
    """Return the evaluation tasks: clean ones, then the shifted twins, shift by shift."""
    clean = make_closed_set(clean_count, seed)
    return clean + [twin for shift in SHIFTS.values() for twin in shifted_twins(clean, shift, shift_count, seed)]


def closed_set(suite: list[Task], count: int) -> list[Task]:
    """Return the first `count` clean tasks of a suite."""
    return [task for task in suite if task.shift == CLEAN][:count]


def build_benchmark(
    seed: int = 0, train: int = TRAIN_TASKS, closed: int = CLOSED_TASKS, twins: int = SHIFT_TASKS
) -> dict[str, TaskSet]:
    """Return the parts of a benchmark by name: `train` with the oracle's trajectories, `eval` with openings.

    Needs the standard library only.

    Args:
        seed: Seed of the tasks.
        train: Training tasks. Paper: 6,050.
        closed: Clean evaluation tasks.
        twins: Evaluation tasks for each shift.
    """
    tasks, suite = make_tasks("train", train, seed), make_suite(closed, twins, seed)
    return {
        "train": TaskSet(tasks, [row["messages"] for row in training_rows(tasks)]),
        "eval": TaskSet(suite, [opening(task) for task in suite]),
    }


def write_benchmark(
    folder: Path, seed: int = 0, train: int = TRAIN_TASKS, closed: int = CLOSED_TASKS, twins: int = SHIFT_TASKS
) -> tuple[list[Task], list[Task]]:
    """Write the parts of a benchmark to a folder as `train.parquet` and `eval.parquet`; see `build_benchmark`.

    Returns:
        The training tasks and the evaluation tasks.
    """
    parts = build_benchmark(seed, train, closed, twins)
    for name, part in parts.items():
        write_tasks(folder / f"{name}.parquet", part.tasks, part.conversations)
    return parts["train"].tasks, parts["eval"].tasks


def read_benchmark(folder: Path) -> dict[str, TaskSet]:
    """Return the parts of a benchmark that `write_benchmark` wrote.

    Raises:
        DataError: A file is missing, is no task file, or does not match its own content hash.
    """
    for name in PARTS:
        path = Path(folder) / f"{name}.parquet"
        if not path.is_file():
            raise DataError(f"expected the tasks at {path}, found none: {build_command(folder)}")
    return {name: TaskSet(*read_rows(Path(folder) / f"{name}.parquet")) for name in PARTS}


def task_and_twin(tasks: list[Task], wanted: str, shift: str = "") -> tuple[Task, Task | None]:
    """Return a task and, where a shift is named, its twin under it.

    Args:
        tasks: The tasks of one part. Where they hold no twins of the shift, the task is shifted with the train pool.
        wanted: Identity of the task or of its twin, or a number from 0: among the tasks, or those of the shift.
        shift: Name of a shift, or empty.

    Raises:
        ConfigError: There is no such shift or task, or the shift does not apply to it.
    """
    if not shift:
        return _pick(tasks, wanted, "the evaluation"), None
    kind = get_shift(shift)
    twins = [task for task in tasks if task.shift == shift]
    if not twins:
        task = _pick([task for task in tasks if kind.applies_to(task)], wanted, shift)
        return task, kind.apply(task, 1.0, pool="train")
    twin = _pick(twins, wanted, shift)
    return next(task for task in tasks if task.id == twin.base_id), twin


def _pick(tasks: list[Task], wanted: str, owner: str) -> Task:
    if wanted.isdecimal() and int(wanted) < len(tasks):
        return tasks[int(wanted)]
    for task in tasks:
        if wanted in (task.id, task.base_id):
            return task
    raise ConfigError(
        f"expected a task of {owner}: its identity or a number from 0 to {len(tasks) - 1}, found {wanted!r}: "
        "python -m openagent_lib data show 0"
    )


def build_command(folder: Path) -> str:
    """Return the command that writes a benchmark to a folder."""
    command = "python -m openagent_lib data build"
    return command if Path(folder).resolve() == TASKS else f"{command} --out {folder}"


def write_data(profile: Profile, seed: int, run_dir: Path) -> tuple[list[Task], list[Task]]:
    """Write the benchmark of a run, at the sizes of its profile, to `data/` in its folder; see `write_benchmark`."""
    return write_benchmark(run_dir / "data", seed, profile.train_tasks, profile.eval_tasks, profile.shift_tasks)


def read_suite(run_dir: Path) -> list[Task]:
    """Return the evaluation tasks of a run.

    Raises:
        DataError: The file is missing or corrupt.
    """
    return read_tasks(run_dir / "data" / "eval.parquet")


def _quotas(count: int) -> dict[tuple[str, bool], int]:
    """Return how many of `count` clean tasks are of each shape and invertible or not: largest remainders."""
    total = sum(shape.weight for shape in SHAPES.values())
    exact = {name: count * shape.weight / total for name, shape in SHAPES.items()}
    quotas = {name: int(share) for name, share in exact.items()}
    rest = sorted(exact, key=lambda name: (quotas[name] - exact[name], list(SHAPES).index(name)))
    for name in rest[: count - sum(quotas.values())]:
        quotas[name] += 1
    split = {}
    for name, quota in quotas.items():
        invertible = -(-round(quota * INVERTIBLE_SHARE * 10) // 10) if name in ("direct", "look_up") else 0
        split[name, True], split[name, False] = invertible, quota - invertible
    return split
