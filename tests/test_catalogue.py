"""The catalogue of shifts."""

from collections import Counter

import pytest

from openagent_lib.errors import ConfigError
from openagent_lib.shifts.catalogue import SHIFTS, get_shift
from openagent_lib.shifts.shift import TIERS


def test_every_tier_has_its_shifts_in_the_order_of_the_paper():
    tiers = [shift.tier for shift in SHIFTS.values()]
    assert tiers == sorted(tiers, key=TIERS.index)
    assert Counter(tiers) == {"perception": 9, "interaction": 5, "reasoning": 3, "internalization": 3}


def test_every_dimension_of_the_paper_moves_in_some_shift():
    assert {shift.dimension for shift in SHIFTS.values()} == {"dQ", "dA", "dO", "dD"}


def test_the_unsolvable_shifts_are_those_that_must_be_refused():
    unsolvable = [shift.kind for shift in SHIFTS.values() if not shift.is_solvable]
    assert unsolvable == ["missing_condition", "fatal_error"]


def test_no_kind_stands_in_two_tiers():
    kinds = [shift.kind for shift in SHIFTS.values()]
    assert len(set(kinds)) == len(kinds)


def test_a_shift_is_found_by_its_name():
    assert all(get_shift(name) is shift and shift.name == name for name, shift in SHIFTS.items())


def test_a_misspelt_shift_gets_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'perception.symbolic_drift'"):
        get_shift("perception.symbolic_drfit")
