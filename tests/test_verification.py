"""A benchmark is verified check by check, and every check sees the damage that it is there for."""

from dataclasses import replace

import pytest

from openagent_lib.evaluation.suite import TaskSet, build_benchmark, read_benchmark
from openagent_lib.evaluation.verification import CHECKS, Benchmark, CheckError, Plan, verify
from openagent_lib.sandbox.channel import Channel
from openagent_lib.sandbox.dataset import write_tasks
from openagent_lib.sandbox.graph import COMPUTATIONS

PLAN = Plan(seed=2, train=30, closed=40, twins=3)
PARTS = build_benchmark(PLAN.seed, PLAN.train, PLAN.closed, PLAN.twins)


def written(folder, train=PARTS["train"], evaluation=PARTS["eval"], plan=PLAN):
    """Return a benchmark that lies in a folder with valid content hashes, whatever it holds."""
    for name, part in (("train", train), ("eval", evaluation)):
        write_tasks(folder / f"{name}.parquet", part.tasks, part.conversations)
    return Benchmark(folder, read_benchmark(folder), plan)


def changed(part, index, **changes):
    """Return a part with one task changed, the conversation as it was; its twins are still its twins."""
    old = part.tasks[index]
    new = replace(old, **changes)
    tasks = [replace(task, base_id=new.id) if task.base_id == old.id else task for task in part.tasks]
    tasks[index] = new
    return TaskSet(tasks, part.conversations)


def place(shift):
    return next(index for index, task in enumerate(PARTS["eval"].tasks) if task.shift == shift)


def test_a_sound_benchmark_passes_every_check(tmp_path):
    lines = list(verify(written(tmp_path)))
    assert [line.split()[0] for line in lines] == list(CHECKS)
    assert all("\n" not in line for line in lines)


def without_last(part):
    return TaskSet(part.tasks[:-1], part.conversations[:-1])


def with_other(part, index, other):
    tasks, conversations = list(part.tasks), list(part.conversations)
    tasks[index], conversations[index] = part.tasks[other], part.conversations[other]
    return TaskSet(tasks, conversations)


def with_conversation(part, index, text):
    conversations = list(part.conversations)
    conversations[index] = [*conversations[index][:-1], {**conversations[index][-1], "content": text}]
    return TaskSet(part.tasks, conversations)


TRAIN, EVAL = PARTS["train"], PARTS["eval"]
FIRST = next(task for task in TRAIN.tasks if task.shape == "look_up")
OTHER = next(task for task in EVAL.tasks if task.shape != EVAL.tasks[45].shape and task.shift == "clean")
FATAL, MISSING = place("internalization.fatal_error"), place("internalization.missing_condition")
LOOK_UP = next(call.function for call in EVAL.tasks[FATAL].gold_chain if call.function not in COMPUTATIONS)
DAMAGES = {
    "a task lost": ("counts", {"evaluation": without_last(EVAL)}, "expected 30 .* 100 .*, found 30 .* 99"),
    "a task twice": ("counts", {"train": with_other(TRAIN, 3, 4)}, "found 1 more than once"),
    "a query twice": ("counts", {"train": changed(TRAIN, 3, query=TRAIN.tasks[4].query)}, "train: .* found 1 repeated"),
    "a twin in place of a clean task": ("counts", {"evaluation": with_other(EVAL, 0, 60)}, "more than once"),
    "a shift with another name": (
        "composition",
        {"evaluation": changed(EVAL, 40, shift="perception.symbolic_drift")},
        "instruction_blurring: expected 3 tasks, found 2",
    ),
    "another strength": ("composition", {"evaluation": changed(EVAL, 40, strength=0.5)}, "expected strength 1.0"),
    "entities of another split": ("composition", {"train": changed(TRAIN, 0, split="test")}, "expected entities"),
    "a shifted training task": (
        "composition",
        {"train": changed(TRAIN, 0, shift="interaction.null_message")},
        "expected strength 1.0|expected clean",
    ),
    "a twin without its clean task": ("pairing", {"evaluation": changed(EVAL, 45, base_id="0" * 16)}, "found no 0000"),
    "a twin of another task": ("pairing", {"evaluation": changed(EVAL, 45, base_id=OTHER.id)}, "expected shape"),
    "an answer where none should be": (
        "pairing",
        {"evaluation": changed(EVAL, FATAL, gold_answer="7")},
        "expected solvable False",
    ),
    "an entity of the training world": (
        "entities",
        {
            "evaluation": changed(
                EVAL, 0, query=f"Where is {dict(FIRST.slots).get('name', dict(FIRST.slots).get('id'))}?"
            )
        },
        "no entity of train in tasks of test, found 1",
    ),
    "a template of training": ("templates", {"evaluation": changed(EVAL, 0, template=FIRST.template)}, "1 shared"),
    "a template in other letters": (
        "templates",
        {"evaluation": changed(EVAL, 0, template=FIRST.template.upper().replace("{NAME}", "{name}"))},
        "1 shared",
    ),
    "an answer in the prompt": (
        "prompts",
        {"evaluation": changed(EVAL, 0, query=f"Is it {EVAL.tasks[0].gold_answer}?")},
        "is in the prompt",
    ),
    "a wrong answer": ("answers", {"evaluation": changed(EVAL, 5, gold_answer="wrong")}, "expected the answer 'wrong'"),
    "a wrong answer in training": ("answers", {"train": changed(TRAIN, 5, gold_answer="wrong")}, "the answer 'wrong'"),
    "a chain that leads elsewhere": ("answers", {"train": changed(TRAIN, 5, gold_chain=())}, "IndexError"),
    "a broken tool that works again": (
        "refusals",
        {"evaluation": changed(EVAL, FATAL, channel=Channel())},
        "expected a task that no calls can solve",
    ),
    "a trajectory that is not the oracle's": (
        "conversations",
        {"train": with_conversation(TRAIN, 4, "<answer>x</answer>")},
        "not the one of its episode",
    ),
    "an opening with another query": (
        "conversations",
        {"evaluation": with_conversation(EVAL, 4, "Hello?")},
        "not the one of its episode",
    ),
    "tasks of another seed": ("rebuild", {"plan": replace(PLAN, seed=3)}, "expected content hash .* of seed 3"),
    "tasks in another order": (
        "rebuild",
        {"train": TaskSet(TRAIN.tasks[::-1], TRAIN.conversations[::-1])},
        "expected content hash",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_seen_by_the_check_that_is_there_for_it(damage, tmp_path):
    name, parts, message = DAMAGES[damage]
    with pytest.raises(CheckError, match=rf"^{name} +.*({message})") as caught:
        list(verify(written(tmp_path, **parts)))
    assert len(str(caught.value).splitlines()) == 1


def test_a_column_that_contradicts_its_task_is_seen(tmp_path):
    import pyarrow
    from pyarrow import parquet

    benchmark = written(tmp_path)
    path = tmp_path / "eval.parquet"
    table = parquet.read_table(path)
    answers = pyarrow.array(["x", *table.column("gold_answer").to_pylist()[1:]])
    parquet.write_table(table.set_column(table.column_names.index("gold_answer"), "gold_answer", answers), path)
    with pytest.raises(CheckError, match="others in gold_answer"):
        list(verify(replace(benchmark, parts=read_benchmark(tmp_path))))


def test_checks_before_the_failing_one_are_reported(tmp_path):
    lines = []
    with pytest.raises(CheckError):
        for line in verify(written(tmp_path, evaluation=changed(EVAL, 5, gold_answer="wrong"))):
            lines.append(line.split()[0])
    assert lines == list(CHECKS)[: list(CHECKS).index("answers")]
