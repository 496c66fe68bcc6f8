"""Which tasks an evaluation holds."""

from dataclasses import replace

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.evaluation.suite import closed_set, make_suite, tier_of
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.catalogue import SHIFTS

PROFILE = replace(PROFILES["smoke"], eval_tasks=40, shift_tasks=6)
SUITE = make_suite(PROFILE, 0)


def test_the_suite_is_the_closed_set_and_then_every_shift():
    assert SUITE[:40] == make_tasks("test", 40, 0)
    assert [task.shift for task in SUITE[40:]] == [name for name in SHIFTS for _ in range(6)]


def test_every_twin_has_its_clean_task_in_the_closed_set():
    clean = {task.id for task in closed_set(SUITE, 40)}
    assert {task.twin_id for task in SUITE} == clean
    assert len({task.id for task in SUITE}) == len(SUITE)


def test_the_suite_depends_on_the_seed_alone():
    assert make_suite(PROFILE, 0) == SUITE
    assert make_suite(PROFILE, 1) != SUITE


def test_the_curve_takes_the_first_clean_tasks():
    assert closed_set(SUITE, 5) == SUITE[:5]
    assert closed_set(list(reversed(SUITE)), 100) == list(reversed(SUITE[:40]))


@pytest.mark.parametrize("name", SHIFTS)
def test_a_tier_is_the_first_part_of_the_shift(name):
    task = next(task for task in SUITE if task.shift == name)
    assert tier_of(task) == name.partition(".")[0]
    assert tier_of(SUITE[0]) == "closed_set"
