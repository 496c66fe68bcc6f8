"""Which tasks an evaluation holds."""

from dataclasses import replace

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.errors import DataError
from openagent_lib.evaluation.suite import closed_set, make_suite, read_suite, tier_of, write_data
from openagent_lib.sandbox.dataset import make_tasks, read_tasks
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


def test_the_data_of_a_run_are_written_and_read_back(tmp_path):
    train, suite = write_data(PROFILE, 3, tmp_path)
    assert train == read_tasks(tmp_path / "data" / "train.parquet") == make_tasks("train", PROFILE.train_tasks, 3)
    assert suite == read_suite(tmp_path) == make_suite(PROFILE, 3)
    assert {task.split for task in train} == {"train"}
    assert {task.split for task in suite} == {"test"}


def test_a_missing_suite_is_one_clear_line(tmp_path):
    with pytest.raises(DataError, match="eval.parquet, found none") as caught:
        read_suite(tmp_path)
    assert len(str(caught.value).splitlines()) == 1
