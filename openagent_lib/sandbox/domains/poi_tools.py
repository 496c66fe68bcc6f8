"""The tool catalogue of the points-of-interest world. Assumption: names, documents and codes are ours."""

from openagent_lib.sandbox.domains.poi import DISCOUNT_FACTOR, MINUTES_PER_KILOMETRE, UNIQUE_LOOK_UPS
from openagent_lib.sandbox.tool import Parameter, Tool

PHRASES = {
    "telephone": "telephone number",
    "licence": "licence number",
    "opening_hours": "opening hours",
    "district": "district",
    "price": "entry price",
}


def _tool(name: str, description: str, *slots: str, code: str | None = None, factor: float | None = None) -> Tool:
    return Tool(name, description, tuple(Parameter(slot, slot) for slot in slots), name, code, factor)


CATALOGUE: dict[str, Tool] = {
    tool.function: tool
    for tool in (
        _tool("find_place", "Takes the name of a place and returns its place id.", "name"),
        _tool(
            "search_places",
            "Takes a category and a district and returns the name of the place there.",
            "category",
            "district",
        ),
        _tool("get_telephone", "Takes a place id and returns the telephone number.", "place_id", code="K7Q2"),
        _tool("get_licence", "Takes a place id and returns the licence number.", "place_id"),
        _tool("get_opening_hours", "Takes a place id and returns the opening hours.", "place_id"),
        _tool("get_district", "Takes a place id and returns the district.", "place_id"),
        _tool("get_price", "Takes a place id and returns the entry price.", "place_id", code="M3X9"),
        _tool(
            "apply_discount",
            f"Takes an amount and returns the reduced amount, which is amount x {DISCOUNT_FACTOR:g}.",
            "amount",
            factor=DISCOUNT_FACTOR,
        ),
        _tool("calculate", "Takes an arithmetic expression such as 3*4 and returns its value.", "expression"),
        _tool(
            "compute_distance",
            "Takes two place ids and returns the distance between the places in kilometres.",
            "origin_id",
            "destination_id",
        ),
        _tool(
            "estimate_travel_time",
            f"Takes a distance and returns the travel time in minutes, which is distance x {MINUTES_PER_KILOMETRE:g}.",
            "distance",
            factor=MINUTES_PER_KILOMETRE,
        ),
    )
}


COMPUTATIONS = ("apply_discount", "calculate", "estimate_travel_time")
"""Functions that compute from numbers alone, so that another tool or arithmetic can stand in for them."""


def inverted_tool(function: str) -> Tool:
    """Return a tool with its input and output swapped under its old name.

    `get_telephone` and `get_licence` then take the number and return the place id; `find_place` takes the id and
    returns the name. Paper: Figure 3, Name -> Tel. becomes Tel. -> Name. Assumption: that names are kept.
    """
    tool = CATALOGUE[function]
    if function == "find_place":
        description = "Takes a place id and returns the name of the place."
        return Tool(tool.name, description, (Parameter("place_id", "place_id"),), "name_of_place")
    key = function.removeprefix("get_")
    if key not in UNIQUE_LOOK_UPS:
        raise KeyError(f"{function} cannot be inverted: its value does not name one place")
    description = f"Takes a {PHRASES[key]} and returns the place id."
    return Tool(tool.name, description, (Parameter(key, key),), f"place_with_{key}", tool.code)
