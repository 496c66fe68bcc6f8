"""A calculator for the four operations that never evaluates code."""

import re
from decimal import Decimal, DivisionByZero, InvalidOperation

from openagent_lib.errors import ToolFailure

MAX_LENGTH = 80
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d+)?)|(.))")


def evaluate_expression(text: str) -> Decimal:
    """Return the value of an arithmetic expression with `+ - * / ( )` over decimal numbers.

    Args:
        text: At most 80 characters.

    Raises:
        ToolFailure: The text is longer, is not such an expression, or divides by zero.
    """
    if len(text) > MAX_LENGTH:
        raise ToolFailure(f"expression longer than {MAX_LENGTH} characters")
    tokens = [number or symbol for number, symbol in _TOKEN.findall(text.strip())]
    try:
        value, rest = _sum(tokens)
    except (IndexError, InvalidOperation, DivisionByZero):
        raise ToolFailure("not an arithmetic expression") from None
    if rest:
        raise ToolFailure("not an arithmetic expression")
    return value


def format_number(number: float) -> str:
    """Return a number with at most two decimals and without trailing zeros."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _sum(tokens: list[str]) -> tuple[Decimal, list[str]]:
    value, tokens = _product(tokens)
    while tokens and tokens[0] in "+-":
        sign, (term, rest) = tokens[0], _product(tokens[1:])
        value, tokens = (value + term if sign == "+" else value - term), rest
    return value, tokens


def _product(tokens: list[str]) -> tuple[Decimal, list[str]]:
    value, tokens = _atom(tokens)
    while tokens and tokens[0] in "*/":
        sign, (factor, rest) = tokens[0], _atom(tokens[1:])
        value, tokens = (value * factor if sign == "*" else value / factor), rest
    return value, tokens


def _atom(tokens: list[str]) -> tuple[Decimal, list[str]]:
    head, rest = tokens[0], tokens[1:]
    if head == "-":
        value, rest = _atom(rest)
        return -value, rest
    if head == "(":
        value, rest = _sum(rest)
        if rest[0] != ")":
            raise InvalidOperation
        return value, rest[1:]
    return Decimal(head), rest
