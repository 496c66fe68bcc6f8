"""Numbers as tools write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openagent_lib.sandbox.domain import format_number


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (4.0, "4"),
        (4.5, "4.5"),
        (4.25, "4.25"),
        (4.256, "4.26"),
        (0.0, "0"),
        (100.0, "100"),
        (-3.0, "-3"),
        (1e6, "1000000"),
    ],
)
def test_a_number_has_at_most_two_decimals_and_no_trailing_zeros(number, text):
    assert format_number(number) == text


@given(st.integers(-(10**9), 10**9))
def test_whole_numbers_read_back(number):
    assert format_number(float(number)) == str(number)


@given(st.floats(-1e9, 1e9))
def test_every_number_reads_back_to_a_hundredth(number):
    text = format_number(number)
    assert abs(float(text) - number) <= 0.00501
    assert "e" not in text
    assert "." not in text or text[-1] not in "0."
