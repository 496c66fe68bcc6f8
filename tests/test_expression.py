"""The calculator: right, safe, and closed against everything that is not arithmetic."""

import builtins
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openagent_lib.errors import ToolFailure
from openagent_lib.sandbox.expression import MAX_LENGTH, evaluate_expression, format_number

EXACT = (
    ("1", 1), ("3*4", 12), ("2+3*4", 14), ("(2+3)*4", 20), ("10-4-3", 3), ("24/4/2", 3), ("2*-3", -6), ("--2", 2),
    ("-(1+2)*3", -9), (" 1 +\t2\n", 3), ("0.1+0.2", Fraction(3, 10)), ("7/2", Fraction(7, 2)), ("((((5))))", 5),
    ("1-2*3/4", Fraction(-1, 2)),
)  # fmt: skip
REJECTED = (
    "", " ", "1+", "*2", "(1", "1)", "()", "1 2", "1..2", "1.", ".5", "1e5", "2**3", "2//3", "7%2", "1_000", "1,000",
    "0x10",
    "nan", "inf", "Infinity", "NaN*1", "abc", "$0*3", "1+a", "__import__('os')", "print(1)", "lambda:1", "1;2", "1==1",
    "(1+2", ")1(", "1\x00", "²", "½", "1+\ud800", "√4", "'1'", "[1]", "{1}", "1 if 1 else 2", "\n", "+1",
)  # fmt: skip


@pytest.mark.parametrize(("text", "value"), EXACT)
def test_arithmetic_follows_precedence_from_left_to_right(text, value):
    assert Fraction(evaluate_expression(text)) == value


@pytest.mark.parametrize("text", REJECTED)
def test_anything_else_is_refused_as_a_tool_failure(text):
    with pytest.raises(ToolFailure):
        evaluate_expression(text)


@pytest.mark.parametrize("text", ["1/0", "0/0", "1/(2-2)", "5/(0*3)"])
def test_division_by_zero_is_refused(text):
    with pytest.raises(ToolFailure):
        evaluate_expression(text)


def test_the_length_limit_is_sharp():
    assert evaluate_expression("1" * MAX_LENGTH) == Decimal("1" * MAX_LENGTH)
    with pytest.raises(ToolFailure, match="longer than 80"):
        evaluate_expression("1" * (MAX_LENGTH + 1))


@pytest.mark.parametrize("text", ["(" * 80, "-" * 79 + "1", "(" * 39 + "1" + ")" * 39, "1" + "*9" * 39])
def test_the_deepest_texts_within_the_limit_end(text):
    try:
        evaluate_expression(text)
    except ToolFailure:
        assert text == "(" * 80


def test_nothing_is_ever_evaluated_as_code(monkeypatch):
    def forbidden(*arguments, **keywords):
        raise AssertionError("code was evaluated")

    monkeypatch.setattr(builtins, "eval", forbidden)
    monkeypatch.setattr(builtins, "exec", forbidden)
    monkeypatch.setattr(builtins, "compile", forbidden)
    assert evaluate_expression("2*(3+4)") == 14


def trees(depth):
    number = st.builds(lambda value: (str(value), Fraction(value)), st.integers(0, 99))
    if depth == 0:
        return number
    child = trees(depth - 1)
    pair = st.one_of(
        st.tuples(child, st.sampled_from("+-*"), child),
        st.tuples(child, st.just("/"), number),
    )
    return st.one_of(number, child.map(lambda item: (f"-({item[0]})", _negated(item[1]))), pair.map(_joined))


def _negated(value):
    return None if value is None else -value


def _joined(pair):
    (left, left_value), sign, (right, right_value) = pair
    text = f"({left}){sign}({right})"
    if left_value is None or right_value is None or (sign == "/" and right_value == 0):
        return text, None
    return text, {
        "+": lambda: left_value + right_value,
        "-": lambda: left_value - right_value,
        "*": lambda: left_value * right_value,
        "/": lambda: left_value / right_value,
    }[sign]()


@settings(max_examples=500)
@given(trees(3).filter(lambda item: len(item[0]) <= MAX_LENGTH))
def test_it_agrees_with_exact_fractions(item):
    text, expected = item
    if expected is None:
        with pytest.raises(ToolFailure):
            evaluate_expression(text)
        return
    try:
        found = Fraction(evaluate_expression(text))
    except ToolFailure:
        pytest.fail(f"refused {text}")
    assert abs(found - expected) <= Fraction(1, 10**9) * max(1, abs(expected))


@settings(max_examples=1000)
@given(st.one_of(st.text(max_size=90), st.text("0123456789+-*/(). ", max_size=90)))
def test_any_text_gives_a_number_or_a_tool_failure(text):
    try:
        assert evaluate_expression(text).is_finite()
    except ToolFailure as failure:
        assert len(str(failure).splitlines()) == 1


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
