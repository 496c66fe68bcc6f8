"""What every shift must be: pure, repeatable, solvable by the oracle, and invisible as a shift to who acts."""

import dataclasses
import itertools
import json
import re

import jsonschema
import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.errors import ConfigError
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import answers_match, format_answer
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.catalogue import SHIFTS
from openagent_lib.shifts.shift import POOLS, TIERS, share

STRENGTHS = (0.0, 0.25, 0.5, 1.0)
TASKS = make_tasks("test", 120) + make_tasks("train", 60)
HARNESS_WORDS = (
    *TIERS, *(shift.kind for shift in SHIFTS.values()), *(shift.kind.replace("_", " ") for shift in SHIFTS.values()),
    "shift", "closed_set", "closed set", "open world", "perturb", "robust", "benchmark", "sandbox", "harness",
    "evaluat",
    "simulat", "oracle", "gold", "anomal", "adversar", "strength", "paft", "openagent", "train pool", "test pool",
    "dataset",
)  # fmt: skip

each_shift = pytest.mark.parametrize("shift", SHIFTS.values(), ids=list(SHIFTS))
each_strength = pytest.mark.parametrize("strength", STRENGTHS)
each_pool = pytest.mark.parametrize("pool", POOLS)


def suitable(shift, count=60):
    tasks = [task for task in TASKS if shift.applies_to(task)][:count]
    assert len(tasks) >= 20
    return tasks


def twins(shift, strength=1.0, pool="test", seed=0, count=60):
    return [shift.apply(task, strength, seed, pool) for task in suitable(shift, count)]


@each_shift
def test_a_shift_documents_itself(shift):
    assert shift.name == f"{shift.tier}.{shift.kind}"
    assert shift.tier in TIERS
    assert shift.dimension in ("dQ", "dA", "dO", "dD")
    assert "Paper:" in shift.definition
    assert shift.strength_meaning


@each_shift
def test_strength_zero_is_the_identity(shift):
    for task in TASKS:
        assert shift.apply(task, 0.0) is task


@each_shift
@each_pool
@each_strength
def test_a_shift_is_deterministic(shift, strength, pool):
    first = [twin.to_json() for twin in twins(shift, strength, pool)]
    assert [twin.to_json() for twin in twins(shift, strength, pool)] == first


@each_shift
@each_strength
def test_a_shift_does_not_depend_on_the_order_of_the_tasks(shift, strength):
    tasks = suitable(shift)
    forwards = {task.id: shift.apply(task, strength).id for task in tasks}
    backwards = {task.id: shift.apply(task, strength).id for task in reversed(tasks)}
    assert backwards == forwards


@each_shift
def test_another_seed_draws_otherwise_unless_nothing_is_drawn(shift):
    same = [a == b for a, b in zip(twins(shift, seed=0), twins(shift, seed=1), strict=True)]
    assert not all(same) or shift.name == "reasoning.logic_inversion"


@each_shift
@each_pool
@each_strength
def test_a_twin_is_a_valid_task(shift, strength, pool):
    for task, twin in zip(suitable(shift), twins(shift, strength, pool), strict=True):
        assert Task.from_json(twin.to_json()) == twin
        assert (twin.domain, twin.split, twin.world_seed) == (task.domain, task.split, task.world_seed)
        names = [tool.name for tool in twin.tools]
        assert len(set(names)) == len(names)
        for tool in twin.tools:
            body = tool.schema()["function"]
            jsonschema.Draft202012Validator.check_schema(body["parameters"])
            assert re.fullmatch(r"[A-Za-z0-9_]{1,64}", body["name"])
            assert body["description"].endswith(".")


@each_shift
@each_pool
@each_strength
def test_the_oracle_solves_or_rightly_refuses_every_twin(shift, strength, pool):
    tasks = twins(shift, strength, pool)
    for task, environment in zip(tasks, play(OracleAgent(), tasks), strict=True):
        assert is_success(environment, outcome_of(environment)), task.query
        assert all(event.error is None for event in environment.events)


@each_shift
@pytest.mark.parametrize("strength", STRENGTHS[1:])
def test_a_twin_names_its_clean_task_shift_and_strength(shift, strength):
    for task, twin in zip(suitable(shift), twins(shift, strength), strict=True):
        assert twin.base_id == task.id != twin.id
        assert (twin.shift, twin.strength) == (shift.name, strength)
        assert twin.is_solvable == shift.is_solvable
        assert (twin.gold_answer is None) == (not shift.is_solvable)


@each_shift
@each_pool
def test_nothing_that_an_agent_sees_tells_of_the_shift(shift, pool):
    for environment in play(OracleAgent(), twins(shift, pool=pool)):
        schemas = [tool.schema() for tool in environment.task.tools]
        seen = json.dumps([environment.messages, schemas], ensure_ascii=False).lower()
        words = " ".join(re.findall(r"[^\W_]+", seen))
        found = [word for word in HARNESS_WORDS if word in seen or word.replace("_", " ") in words]
        assert found == [], seen


@each_shift
def test_nothing_that_a_model_sees_differs_by_identities(shift):
    for twin in twins(shift):
        seen = json.dumps([twin.query, [tool.schema() for tool in twin.tools]])
        assert twin.id not in seen
        assert twin.base_id not in seen


class Guesser:
    """Answers with one run of words of the query after another, without any call."""

    name = "guesser"

    def act(self, turns):
        return [format_answer(turn.task.query) for turn in turns]


def runs_of_words(text):
    words = re.sub(r"[?.,:]", " ", text).split()
    ends = range(1, len(words) + 1)
    return {" ".join(words[start:end]) for start, end in itertools.product(range(len(words)), ends) if start < end}


@pytest.mark.parametrize("shift", [None, *SHIFTS.values()], ids=["clean", *SHIFTS])
def test_the_answer_cannot_be_read_from_the_query_without_calls(shift):
    tasks = TASKS if shift is None else [shift.apply(task) for task in TASKS if shift.applies_to(task)]
    tasks = [task for task in tasks if task.is_solvable and len(task.gold_chain) > 1]
    assert tasks or not shift.is_solvable
    for task in tasks:
        assert not any(answers_match(guess, task.gold_answer) for guess in runs_of_words(task.query)), task.query
    assert not any(is_success(end, outcome_of(end)) for end in play(Guesser(), tasks))


def test_the_answer_can_hardly_be_read_from_the_documents():
    tasks = [task for task in TASKS if len(task.gold_chain) > 1]
    texts = [" ".join(tool.document for tool in task.tools) for task in tasks]
    guesses = [re.findall(r"[\w.]*\w", text) for text in texts]
    lucky = [
        task.gold_answer
        for task, words in zip(tasks, guesses, strict=True)
        if any(answers_match(word, task.gold_answer) for word in words)
    ]
    assert len(lucky) <= 0.03 * len(tasks)
    assert all(len(answer) == 1 for answer in lucky), "only a one-digit number may coincide with one of the documents"


@each_shift
@pytest.mark.parametrize("strength", [-0.01, 1.01, float("nan"), float("inf"), -1.0, 2])
def test_a_strength_out_of_range_is_refused(shift, strength):
    with pytest.raises(ConfigError, match=r"strength of .* must be in \[0, 1\]") as caught:
        shift.apply(TASKS[0], strength)
    assert len(str(caught.value).splitlines()) == 1


@each_shift
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_an_unknown_pool_is_refused(shift, strength):
    with pytest.raises(ConfigError, match="pool of .* must be one of train, test, found 'dev'"):
        shift.apply(suitable(shift)[0], strength, pool="dev")


@each_shift
def test_a_task_that_it_does_not_apply_to_is_refused(shift):
    strangers = [task for task in TASKS if not shift.applies_to(task)]
    for task in strangers[:5]:
        with pytest.raises(ConfigError, match=f"does not apply to task {task.id}"):
            shift.apply(task)
    closed = dataclasses.replace(shift, applies_to=lambda task: False)
    with pytest.raises(ConfigError, match="does not apply"):
        closed.apply(TASKS[0])


@pytest.mark.parametrize(
    ("count", "strength", "expected"),
    [
        (4, 0.25, 1),
        (4, 0.26, 2),
        (4, 0.5, 2),
        (4, 1.0, 4),
        (5, 0.5, 3),
        (1, 0.01, 1),
        (3, 0.001, 1),
        (10, 0.3, 3),
        (10, 0.7, 7),
    ],
)
def test_a_share_is_rounded_up_and_at_least_one(count, strength, expected):
    assert share(count, strength) == expected
