"""Which tasks a benchmark holds."""

from collections import Counter
from dataclasses import replace

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.errors import ConfigError, DataError
from openagent_lib.evaluation.suite import (
    CLOSED_TASKS,
    SHIFT_TASKS,
    TRAIN_TASKS,
    TaskSet,
    build_benchmark,
    closed_set,
    make_closed_set,
    make_suite,
    read_benchmark,
    read_suite,
    shifted_twins,
    task_and_twin,
    write_benchmark,
    write_data,
)
from openagent_lib.sandbox.builder import is_invertible
from openagent_lib.sandbox.dataset import make_tasks, read_tasks, stored_hash
from openagent_lib.sandbox.environment import opening
from openagent_lib.sandbox.graph import SHAPES
from openagent_lib.shifts.catalogue import SHIFTS

PROFILE = replace(PROFILES["smoke"], train_tasks=30, eval_tasks=40, shift_tasks=6)
SUITE = make_suite(40, 6)
RELEASE = make_suite(CLOSED_TASKS, SHIFT_TASKS)


def test_the_release_has_the_sizes_of_the_paper():
    assert TRAIN_TASKS == 6050
    assert len(RELEASE) == 880
    assert Counter(task.shift for task in RELEASE) == {"clean": 120} | dict.fromkeys(SHIFTS, 38)
    assert len({task.id for task in RELEASE}) == 880


def test_every_profile_but_the_smallest_has_the_sizes_of_the_release():
    sizes = {name: (p.train_tasks, p.eval_tasks, p.shift_tasks) for name, p in PROFILES.items() if name != "smoke"}
    assert set(sizes.values()) == {(TRAIN_TASKS, CLOSED_TASKS, SHIFT_TASKS)}


def test_the_suite_is_the_closed_set_and_then_every_shift():
    assert SUITE[:40] == make_closed_set(40)
    assert [task.shift for task in SUITE[40:]] == [name for name in SHIFTS for _ in range(6)]


def test_the_closed_set_of_the_release_holds_every_shape_by_its_weight():
    assert Counter(task.shape for task in make_closed_set(120)) == {
        name: shape.weight for name, shape in SHAPES.items()
    }


@pytest.mark.parametrize("count", [1, 7, 20, 64, 121])
def test_a_closed_set_of_any_size_is_within_one_task_of_the_shares(count):
    found = Counter(task.shape for task in make_closed_set(count))
    assert found.total() == count
    for name, shape in SHAPES.items():
        assert abs(found[name] - count * shape.weight / 120) < 1


def test_four_fifths_of_the_look_ups_can_be_asked_the_other_way_round():
    for shape, quota in (("direct", 13), ("look_up", 26)):
        assert sum(is_invertible(task) for task in RELEASE[:120] if task.shape == shape) == quota


def test_the_closed_set_depends_on_the_seed_alone_and_is_shuffled():
    tasks = make_closed_set(40, 5)
    assert tasks == make_closed_set(40, 5)
    assert tasks != make_closed_set(40, 6)
    assert [task.shape for task in tasks] != sorted(task.shape for task in tasks)
    assert {task.split for task in tasks} == {"test"}


def test_every_twin_has_its_clean_task_in_the_closed_set():
    clean = {task.id: task for task in closed_set(RELEASE, 120)}
    for twin in RELEASE[120:]:
        assert twin == SHIFTS[twin.shift].apply(clean[twin.base_id], 1.0, 0, "test")


@pytest.mark.parametrize("name", SHIFTS)
def test_the_twins_of_a_shift_hold_the_shapes_that_it_applies_to_in_their_shares(name):
    suitable = [task.shape for task in RELEASE[:120] if SHIFTS[name].applies_to(task)]
    found = Counter(task.shape for task in RELEASE if task.shift == name)
    for shape, count in Counter(suitable).items():
        assert abs(found[shape] - 38 * count / len(suitable)) <= 1


def test_no_clean_task_has_two_twins_under_one_shift():
    assert all(count == 1 for count in Counter((task.shift, task.base_id) for task in RELEASE[120:]).values())


def test_too_many_twins_are_one_clear_line():
    tasks = make_closed_set(20)
    with pytest.raises(
        ConfigError, match=r"expected 21 tasks that .*error_message applies to, found 20 of 20"
    ) as caught:
        shifted_twins(tasks, SHIFTS["interaction.error_message"], 21)
    assert len(str(caught.value).splitlines()) == 1


def test_the_suite_depends_on_the_seed_alone():
    assert make_suite(40, 6) == SUITE
    assert make_suite(40, 6, seed=1) != SUITE


def test_the_curve_takes_the_first_clean_tasks():
    assert closed_set(SUITE, 5) == SUITE[:5]
    assert closed_set(list(reversed(SUITE)), 100) == list(reversed(SUITE[:40]))


def test_the_data_of_a_run_are_written_and_read_back(tmp_path):
    train, suite = write_data(PROFILE, 3, tmp_path)
    assert train == read_tasks(tmp_path / "data" / "train.parquet") == make_tasks("train", 30, 3)
    assert suite == read_suite(tmp_path) == make_suite(40, 6, 3)
    assert {task.split for task in train} == {"train"}
    assert {task.split for task in suite} == {"test"}


def test_a_benchmark_on_disk_is_the_one_that_was_built(tmp_path):
    write_benchmark(tmp_path, 3, 30, 40, 6)
    parts = read_benchmark(tmp_path)
    assert parts == build_benchmark(3, 30, 40, 6)
    for name, part in parts.items():
        assert part.hash == stored_hash(tmp_path / f"{name}.parquet")


def test_training_tasks_carry_trajectories_and_evaluation_tasks_openings():
    parts = build_benchmark(0, 20, 20, 2)
    for messages in parts["train"].conversations:
        assert messages[-1]["content"].startswith("<answer>")
    assert parts["eval"].conversations == [opening(task) for task in parts["eval"].tasks]


def test_the_hash_of_a_part_covers_tasks_and_conversations():
    part = build_benchmark(0, 20, 20, 2)["train"]
    assert TaskSet(part.tasks, part.conversations[::-1]).hash != part.hash
    assert TaskSet(part.tasks[::-1], part.conversations).hash != part.hash


def test_a_missing_suite_is_one_clear_line(tmp_path):
    with pytest.raises(DataError, match="eval.parquet, found none") as caught:
        read_suite(tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_benchmark_names_the_command_that_makes_it(tmp_path):
    with pytest.raises(DataError, match=rf"train.parquet, found none: .*openagent_lib data build --out {tmp_path}$"):
        read_benchmark(tmp_path)


def test_a_task_is_found_by_number_and_by_identity():
    assert task_and_twin(SUITE, "3") == (SUITE[3], None)
    assert task_and_twin(SUITE, SUITE[50].id) == (SUITE[50], None)
    assert task_and_twin(SUITE, SUITE[50].base_id)[0].id == SUITE[50].base_id


@pytest.mark.parametrize("name", SHIFTS)
def test_a_twin_is_found_by_number_by_identity_and_by_its_clean_task(name):
    twin = [task for task in SUITE if task.shift == name][4]
    for wanted in ("4", twin.id, twin.base_id):
        clean, found = task_and_twin(SUITE, wanted, name)
        assert found == twin
        assert clean.id == twin.base_id


def test_a_training_task_is_shifted_with_the_train_pool():
    tasks = make_tasks("train", 20)
    clean, twin = task_and_twin(tasks, "2", "interaction.error_message")
    assert clean == tasks[2]
    assert twin == SHIFTS["interaction.error_message"].apply(clean, 1.0, 0, "train")


@pytest.mark.parametrize(("wanted", "shift"), [("99999", ""), ("6", "interaction.null_message"), ("abc", "")])
def test_a_task_that_is_not_there_is_one_clear_line(wanted, shift):
    with pytest.raises(ConfigError, match=rf"a number from 0 to \d+, found '{wanted}'"):
        task_and_twin(SUITE, wanted, shift)
