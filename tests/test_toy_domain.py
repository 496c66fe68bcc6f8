"""A further domain is one module and one entry: nothing else of the library has to change."""

from dataclasses import replace

import pytest
from toy_domain import LIBRARY

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.errors import ConfigError
from openagent_lib.evaluation import verification
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import TaskSet, shifted_twins
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.evaluation.verification import Benchmark, Plan
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains import registry
from openagent_lib.sandbox.domains.poi.domain import POI
from openagent_lib.sandbox.environment import opening
from openagent_lib.sandbox.graph import FUNCTIONS, SHAPE_NAMES
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.world import make_entities
from openagent_lib.shifts.catalogue import SHIFTS

TWINS = 4


@pytest.fixture(autouse=True)
def library(monkeypatch):
    """Register the domain for one test."""
    monkeypatch.setitem(registry.DOMAINS, LIBRARY.name, LIBRARY)
    registry.load_world.cache_clear()
    yield LIBRARY
    registry.load_world.cache_clear()


@pytest.fixture
def tasks():
    return make_tasks("test", 120, domain="library")


def edges(domain):
    """Return which tool feeds which argument of which other one."""
    return {
        (one.name, other.name, slot)
        for one in domain.tools
        for other in domain.tools
        for slot, kind in FUNCTIONS[other.function].takes.items()
        if FUNCTIONS[one.function].returns == kind
    }


def test_its_graph_is_isomorphic_to_that_of_the_first_domain(library):
    renamed = {POI.texts[name].name: text.name for name, text in library.texts.items()}
    assert {(renamed[one], renamed[other], slot) for one, other, slot in edges(POI)} == edges(library)
    assert len(set(renamed.values())) == len(FUNCTIONS)
    assert not set(renamed) & set(renamed.values())


def test_its_tasks_have_every_shape_and_the_oracle_solves_them(tasks):
    assert {task.shape for task in tasks} == set(SHAPE_NAMES)
    assert {task.domain for task in tasks} == {"library"}
    assert all(environment.answer == environment.task.gold_answer for environment in play(OracleAgent(), tasks))


def test_a_task_survives_its_json(tasks):
    assert [Task.from_json(task.to_json()) for task in tasks] == tasks


@pytest.mark.parametrize("pool", ["train", "test"])
@pytest.mark.parametrize("name", SHIFTS)
def test_every_shift_works_on_it(name, pool, tasks):
    shift = SHIFTS[name]
    assert all(shift.apply(task, 0.0) is task for task in tasks)
    twins = [
        shift.apply(task, strength, 0, pool) for strength in (0.3, 1.0) for task in tasks if shift.applies_to(task)
    ]
    assert len(twins) >= 2 * TWINS
    assert all(twin.is_solvable == shift.is_solvable for twin in twins)
    for environment in play(OracleAgent(), twins):
        assert is_success(environment, outcome_of(environment)), environment.messages


def test_a_domain_with_too_few_syllables_is_one_clear_line():
    form = replace(LIBRARY.entities, syllables=("ka", "lo", "mi"))
    with pytest.raises(ConfigError, match="expected 630 different values .* found 36: widen the EntityFormat"):
        make_entities(replace(LIBRARY, entities=form), "train", 0)


def test_a_transfer_leaves_it_for_another_domain_and_enters_it_from_one(tasks):
    transfer = SHIFTS["internalization.domain_transfer"]
    last = list(registry.DOMAINS)[-2]
    assert transfer.apply(tasks[0]).domain == "poi"
    assert transfer.apply(make_tasks("test", 1, domain=last)[0]).domain == "library"


@pytest.fixture
def benchmark(tasks, tmp_path):
    train = make_tasks("train", 60, domain="library")
    suite = tasks + [twin for shift in SHIFTS.values() for twin in shifted_twins(tasks, shift, TWINS)]
    parts = {
        "train": TaskSet(train, [row["messages"] for row in training_rows(train)]),
        "eval": TaskSet(suite, [opening(task) for task in suite]),
    }
    return Benchmark(tmp_path, parts, Plan(train=60, closed=120, twins=TWINS))


def test_its_benchmark_is_verified_by_the_checks_of_the_release(benchmark):
    of_files = ("columns", "rebuild")
    for name, check in verification.CHECKS.items():
        if name not in of_files:
            assert check(benchmark)
