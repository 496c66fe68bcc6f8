"""The dependency graph G that all domains share: functions with typed inputs and outputs, and chains over them.

Paper: section 3.2 (a latent structure of nodes and dependencies), section 4.1 (look-ups and computation questions).
Assumption: the functions, the shapes and their weights are ours.
"""

from collections.abc import Mapping
from dataclasses import dataclass

ATTRIBUTES = ("contact", "permit", "window", "area", "amount")
UNIQUE_ATTRIBUTES = ("contact", "permit")


@dataclass(frozen=True)
class Function:
    """A node of the graph.

    Attributes:
        name: Its name, hidden from agents.
        takes: Kind of value by slot.
        returns: Kind of the value that it returns.
        is_computation: Whether it computes from numbers alone, so that arithmetic can stand in for it.
        is_rule: Whether it multiplies by the factor of its tool.
    """

    name: str
    takes: Mapping[str, str]
    returns: str
    is_computation: bool = False
    is_rule: bool = False


FUNCTIONS: dict[str, Function] = {
    function.name: function
    for function in (
        Function("find", {"name": "name"}, "id"),
        Function("search", {"category": "category", "area": "area"}, "name"),
        Function("nearest", {"id": "id"}, "id"),
        *(Function(f"get_{key}", {"id": "id"}, key) for key in ATTRIBUTES),
        Function("gap", {"id": "id", "other_id": "id"}, "gap"),
        Function("convert_gap", {"gap": "gap"}, "converted gap", is_computation=True, is_rule=True),
        Function("reduce_amount", {"amount": "amount"}, "reduced amount", is_computation=True, is_rule=True),
        Function("convert_amount", {"amount": "amount"}, "converted amount", is_computation=True, is_rule=True),
        Function("calculate", {"expression": "expression"}, "number", is_computation=True),
    )
}
COMPUTATIONS = tuple(function.name for function in FUNCTIONS.values() if function.is_computation)
RULES = tuple(function.name for function in FUNCTIONS.values() if function.is_rule)
INVERTIBLE = ("find", *(f"get_{key}" for key in UNIQUE_ATTRIBUTES))


@dataclass(frozen=True)
class Shape:
    """A form of chain.

    Attributes:
        name: Its name, shown in tables.
        weight: Tasks of this shape among 120.
        chain: Pairs of function and arguments by slot; `$k` is the value of call k, `{slot}` a slot of the query,
            `get_*` one of the attributes.
        attributes: The attributes that it may ask for.
    """

    name: str
    weight: int
    chain: tuple[tuple[str, Mapping[str, str]], ...]
    attributes: tuple[str, ...] = ()


_FIND = ("find", {"name": "{name}"})
_FIND_OTHER = ("find", {"name": "{other_name}"})
_GAP = ("gap", {"id": "$0", "other_id": "$1"})
_AMOUNT = ("get_amount", {"id": "$0"})
SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape("direct", 16, (("get_*", {"id": "{id}"}),), ATTRIBUTES),
        Shape("look_up", 32, (_FIND, ("get_*", {"id": "$0"})), ATTRIBUTES),
        Shape(
            "search",
            8,
            (
                ("search", {"category": "{category}", "area": "{area}"}),
                ("find", {"name": "$0"}),
                ("get_*", {"id": "$1"}),
            ),
            ("contact", "permit", "window", "amount"),
        ),
        Shape("nearest", 7, (_FIND, ("nearest", {"id": "$0"}), ("get_*", {"id": "$1"})), ATTRIBUTES),
        Shape("reduction", 13, (_FIND, _AMOUNT, ("reduce_amount", {"amount": "$1"}))),
        Shape("conversion", 13, (_FIND, _AMOUNT, ("convert_amount", {"amount": "$1"}))),
        Shape("total", 6, (_FIND, _AMOUNT, ("calculate", {"expression": "$1*{count}"}))),
        Shape(
            "difference",
            6,
            (
                ("get_amount", {"id": "{id}"}),
                ("get_amount", {"id": "{other_id}"}),
                ("calculate", {"expression": "$0-$1"}),
            ),
        ),
        Shape("gap", 6, (_FIND, _FIND_OTHER, _GAP)),
        Shape("duration", 13, (_FIND, _FIND_OTHER, _GAP, ("convert_gap", {"gap": "$2"}))),
    )
}
SHAPE_NAMES = tuple(SHAPES)
