"""The catalogue of shifts."""

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.catalogue import SHIFTS, get_shift, shifted_twins
from openagent_lib.shifts.shift import TIERS

TASKS = make_tasks("test", 80)


def test_every_tier_has_a_shift_in_the_order_of_the_paper():
    tiers = [shift.tier for shift in SHIFTS.values()]
    assert set(tiers) == set(TIERS)
    assert tiers == sorted(tiers, key=TIERS.index)


def test_a_shift_is_found_by_its_name():
    assert all(get_shift(name) is shift and shift.name == name for name, shift in SHIFTS.items())


def test_a_misspelt_shift_gets_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'perception.symbolic_drift'"):
        get_shift("perception.symbolic_drfit")


@pytest.mark.parametrize("shift", SHIFTS.values(), ids=list(SHIFTS))
def test_twins_are_those_of_the_first_suitable_tasks(shift):
    found = shifted_twins(TASKS, shift, 7, seed=3)
    chosen = [task for task in TASKS if shift.applies_to(task)][:7]
    assert [twin.base_id for twin in found] == [task.id for task in chosen]
    assert found == [shift.apply(task, 1.0, 3, "test") for task in chosen]


def test_more_twins_than_suitable_tasks_are_all_there_are():
    shift = SHIFTS["reasoning.logic_inversion"]
    assert len(shifted_twins(TASKS, shift, 10_000)) == sum(shift.applies_to(task) for task in TASKS)
