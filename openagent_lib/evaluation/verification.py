"""The proof that a benchmark on disk holds what it promises, check by check.

Paper: section 4.1, 6,050 training and 880 evaluation tasks, entities and patterns of the two are disjoint.
Assumption: what is checked beyond that.
"""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.errors import DataError, OpenAgentError
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import (
    CLOSED_TASKS,
    SHIFT_TASKS,
    TRAIN_TASKS,
    TaskSet,
    build_benchmark,
)
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.sandbox.dataset import write_tasks
from openagent_lib.sandbox.domains.registry import load_world
from openagent_lib.sandbox.environment import opening
from openagent_lib.sandbox.leak import answer_in_prompt
from openagent_lib.sandbox.proof import is_beyond_reach
from openagent_lib.sandbox.task import CLEAN, Task
from openagent_lib.shifts.catalogue import SHIFTS

OWN_VALUES = ("name", "id", "area", "contact", "permit")
"""What an entity of one split shares with none of another."""
_PIECE = re.compile(r"[\w./:-]*\w")
_SLOT = re.compile(r"\{\w+\}")


class CheckError(DataError):
    """A benchmark does not hold what it promises."""


@dataclass(frozen=True)
class Plan:
    """How a benchmark was made.

    Attributes:
        seed: Seed of its tasks.
        train: Training tasks.
        closed: Clean evaluation tasks.
        twins: Evaluation tasks for each shift.
    """

    seed: int = 0
    train: int = TRAIN_TASKS
    closed: int = CLOSED_TASKS
    twins: int = SHIFT_TASKS


@dataclass(frozen=True)
class Benchmark:
    """The tasks under test.

    Attributes:
        folder: Where their files lie.
        parts: The parts by name, `train` and `eval`.
        plan: How they were made.
    """

    folder: Path
    parts: dict[str, TaskSet]
    plan: Plan = Plan()

    @property
    def train(self) -> list[Task]:
        """Return the training tasks."""
        return self.parts["train"].tasks

    @property
    def evaluation(self) -> list[Task]:
        """Return the evaluation tasks."""
        return self.parts["eval"].tasks

    @property
    def tasks(self) -> list[Task]:
        """Return all tasks."""
        return self.train + self.evaluation

    @property
    def clean(self) -> dict[str, Task]:
        """Return the clean evaluation tasks by their identity."""
        return {task.id: task for task in self.evaluation if task.shift == CLEAN}


def verify(benchmark: Benchmark) -> Iterator[str]:
    """Run every check and yield one line for each that holds.

    Raises:
        CheckError: A check fails; no later check runs.
    """
    for name, check in CHECKS.items():
        try:
            yield _line(name, check(benchmark))
        except DataError as problem:
            raise CheckError(_line(name, str(problem))) from None


def check_content(benchmark: Benchmark) -> str:
    """Name the content hashes; reading the files has compared them with what these hold."""
    return ", ".join(f"{name} {part.hash}" for name, part in benchmark.parts.items())


def check_counts(benchmark: Benchmark) -> str:
    """Compare the numbers of tasks with the plan; no task and no clean query occurs twice."""
    plan = benchmark.plan
    expected = (plan.train, plan.closed + plan.twins * len(SHIFTS))
    found = (len(benchmark.train), len(benchmark.evaluation))
    _expect(found == expected, f"expected {_tasks(*expected)}, found {_tasks(*found)}")
    repeated = [name for name, count in Counter(task.id for task in benchmark.tasks).items() if count > 1]
    _expect(not repeated, f"expected different tasks, found {len(repeated)} more than once, such as {repeated[:1]}")
    for name, part in benchmark.parts.items():
        clean = [task.query for task in part.tasks if task.shift == CLEAN]
        repeats = len(clean) - len(set(clean))
        _expect(not repeats, f"{name}: expected different queries of clean tasks, found {repeats} repeated")
    return f"{_tasks(*found)}, no clean query twice"


def check_composition(benchmark: Benchmark) -> str:
    """Compare the division of the evaluation tasks with the plan; all training tasks are clean."""
    plan = benchmark.plan
    expected = {CLEAN: plan.closed} | dict.fromkeys(SHIFTS, plan.twins)
    found = Counter(task.shift for task in benchmark.evaluation)
    for name in expected | found:
        _expect(
            found[name] == expected.get(name, 0), f"{name}: expected {expected.get(name, 0)} tasks, found {found[name]}"
        )
    for split, tasks in (("train", benchmark.train), ("test", benchmark.evaluation)):
        for task in tasks:
            strength = float(task.shift != CLEAN)
            _expect(task.strength == strength, f"task {task.id}: expected strength {strength}, found {task.strength}")
            _expect(task.split == split, f"task {task.id}: expected entities of split {split}, found {task.split}")
    shifted = sum(task.shift != CLEAN for task in benchmark.train)
    _expect(not shifted, f"expected clean training tasks, found {shifted} shifted ones")
    return f"{plan.closed} clean, {plan.twins} for each of {len(SHIFTS)} shifts, all training tasks clean"


def check_pairing(benchmark: Benchmark) -> str:
    """Find the clean twin of every shifted task: in the suite, of the same shape, one that the shift applies to."""
    clean = benchmark.clean
    twins = [task for task in benchmark.evaluation if task.shift != CLEAN]
    for twin in twins:
        _expect(
            twin.base_id in clean, f"task {twin.id}: expected its clean twin among the tasks, found no {twin.base_id}"
        )
        base, shift = clean[twin.base_id], SHIFTS[twin.shift]
        _expect(
            base.shape == twin.shape, f"task {twin.id}: expected shape {base.shape} of its twin, found {twin.shape}"
        )
        _expect(shift.applies_to(base), f"task {twin.id}: expected a twin that {shift.name} applies to")
        _expect(
            twin.is_solvable == shift.is_solvable,
            f"task {twin.id}: expected solvable {shift.is_solvable} under {shift.name}, found {twin.is_solvable}",
        )
    return f"{len(twins):,} shifted tasks have their clean twin among {len(clean)}"


def check_entities(benchmark: Benchmark) -> str:
    """Look for the own values of test entities in training tasks and trajectories, and the other way round."""
    texts = {"train": _pieces(benchmark.parts["train"]), "test": _pieces(benchmark.parts["eval"])}
    checked = 0
    for split, other in (("train", "test"), ("test", "train")):
        worlds = {(task.domain, task.world_seed) for task in benchmark.tasks}
        values = {
            getattr(entity, key)
            for domain, world_seed in worlds
            for entity in load_world(domain, split, world_seed).entities
            for key in OWN_VALUES
        }
        common = sorted(values & texts[other])
        _expect(not common, f"expected no entity of {split} in tasks of {other}, found {len(common)}: {common[:3]}")
        checked += len(values)
    return f"{checked:,} names, ids, areas, contacts and permits occur on one side only"


def check_templates(benchmark: Benchmark) -> str:
    """Compare the query templates of training and evaluation, slots masked."""
    forms = [{_masked(task.template) for task in tasks} for tasks in (benchmark.train, benchmark.evaluation)]
    common = sorted(forms[0] & forms[1])
    _expect(not common, f"expected disjoint query templates, found {len(common)} shared: {common[:2]}")
    return f"{len(forms[0]):,} query templates in train, {len(forms[1]):,} in eval, none in both"


def check_prompts(benchmark: Benchmark) -> str:
    """Look for the answer of every task in its prompt."""
    for task in benchmark.tasks:
        _expect(
            not answer_in_prompt(task),
            f"task {task.id} ({task.shift}): the answer {task.gold_answer!r} is in the prompt",
        )
    return f"no answer stands in the prompts of {len(benchmark.tasks):,} tasks"


def check_answers(benchmark: Benchmark) -> str:
    """Derive every answer again: the oracle plays each task in its environment."""
    solvable = [task for task in benchmark.tasks if task.is_solvable]
    for task in solvable:
        ending, answer = _played(task)
        _expect(
            (ending, answer) == ("answered", task.gold_answer),
            f"task {task.id} ({task.shift}): expected the answer {task.gold_answer!r}, found {answer!r} ({ending})",
        )
    return f"{len(solvable):,} answers derived again by the oracle"


def check_refusals(benchmark: Benchmark) -> str:
    """Prove that no calls solve the tasks without answer, and that the oracle refuses them."""
    clean, unsolvable = benchmark.clean, [task for task in benchmark.tasks if not task.is_solvable]
    for task in unsolvable:
        _expect(
            is_beyond_reach(task, clean[task.base_id]),
            f"task {task.id} ({task.shift}): expected a task that no calls can solve, found one that they can",
        )
        ending, _ = _played(task)
        _expect(ending == "refused", f"task {task.id} ({task.shift}): expected a refusal of the oracle, found {ending}")
    return f"{len(unsolvable)} tasks without answer proven unsolvable"


def check_conversations(benchmark: Benchmark) -> str:
    """Compare the stored conversations: the oracle's own for training, the opening of the episode for evaluation."""
    own = {
        "train": [row["messages"] for row in training_rows(benchmark.train)],
        "eval": [opening(task) for task in benchmark.evaluation],
    }
    for name, part in benchmark.parts.items():
        for task, expected, found in zip(part.tasks, own[name], part.conversations, strict=True):
            _expect(
                found == expected, f"task {task.id} ({name}): the stored conversation is not the one of its episode"
            )
    return f"{len(own['train']):,} trajectories are the oracle's, {len(own['eval'])} openings those of the episodes"


def check_columns(benchmark: Benchmark) -> str:
    """Compare every readable column with the content of the tasks."""
    from pyarrow import parquet

    names: list[str] = []
    for name, part in benchmark.parts.items():
        stored = parquet.read_table(benchmark.folder / f"{name}.parquet")
        with tempfile.TemporaryDirectory() as folder:
            table = parquet.read_table(write_tasks(Path(folder) / "again.parquet", part.tasks, part.conversations))
        names = table.column_names
        _expect(stored.column_names == names, f"{name}: expected the columns {names}, found {stored.column_names}")
        wrong = [column for column in names if not stored.column(column).equals(table.column(column))]
        _expect(not wrong, f"{name}: expected columns that agree with the tasks, found others in {', '.join(wrong)}")
    return f"{len(names)} columns agree with the tasks"


def check_rebuild(benchmark: Benchmark) -> str:
    """Build the benchmark again from its seed and compare the content hashes."""
    plan = benchmark.plan
    again = build_benchmark(plan.seed, plan.train, plan.closed, plan.twins)
    for name, part in benchmark.parts.items():
        _expect(
            again[name].hash == part.hash,
            f"{name}: expected content hash {again[name].hash} of seed {plan.seed}, found {part.hash}",
        )
    return f"seed {plan.seed} gives the same content hashes again"


CHECKS: dict[str, Callable[[Benchmark], str]] = {
    "content": check_content,
    "counts": check_counts,
    "composition": check_composition,
    "pairing": check_pairing,
    "entities": check_entities,
    "templates": check_templates,
    "prompts": check_prompts,
    "answers": check_answers,
    "refusals": check_refusals,
    "conversations": check_conversations,
    "columns": check_columns,
    "rebuild": check_rebuild,
}
"""Every check by name. Each returns what it found in one line, or raises CheckError."""


def _expect(holds: bool, problem: str) -> None:
    if not holds:
        raise CheckError(problem)


def _line(name: str, text: str) -> str:
    return f"{name:<14}{text}"


def _tasks(train: int, evaluation: int) -> str:
    return f"{train:,} training and {evaluation:,} evaluation tasks"


def _masked(template: str) -> str:
    return _SLOT.sub("{}", template).casefold()


def _played(task: Task) -> tuple[str | None, str | None]:
    """Return the ending and the answer of the oracle's episode; why it broke where the task makes no sense."""
    try:
        (environment,) = play(OracleAgent(), [task])
    except (OpenAgentError, LookupError, ValueError, AttributeError) as problem:
        return f"{type(problem).__name__}: {problem}", None
    return environment.ending, environment.answer


def _pieces(part: TaskSet) -> set[str]:
    """Return every run of one to three words in the tasks, all that agents never see included, and conversations."""
    found: set[str] = set()
    for task, messages in zip(part.tasks, part.conversations, strict=True):
        words = _PIECE.findall(f"{task.to_json()} {messages}".replace("\\n", " "))
        for length in (1, 2, 3):
            found.update(" ".join(words[at : at + length]) for at in range(len(words) - length + 1))
    return found
