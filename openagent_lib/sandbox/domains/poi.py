"""The points-of-interest world: anonymised places, and the functions that tools run on them.

Paper: section 4.1, geographic POI look-ups plus computation questions; Figure 3 (Name -> Tel., a rule that multiplies).
Assumption: entities, functions and value formats.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from openagent_lib.errors import ToolFailure
from openagent_lib.randomness import rng
from openagent_lib.sandbox.domain import format_number
from openagent_lib.sandbox.expression import evaluate_expression

SPLITS = ("train", "dev", "test")
CATEGORIES = ("museum", "library", "bakery", "cinema", "pharmacy", "hotel", "market", "garden")
KINDS = ("Bridge", "Square", "Tower", "Station", "Park", "Gate", "Hill", "Court", "Corner", "Yard")
SYLLABLES = tuple("ka lo mi ren tor vel da shi pon gra bel nu sar fi dro han wes cal mun jor".split())
PLACES_PER_CATEGORY = {"train": 40, "dev": 10, "test": 20}
DISCOUNT_FACTOR = 0.5
MINUTES_PER_KILOMETRE = 3.0
LOOK_UPS = ("telephone", "licence", "opening_hours", "district", "price")
UNIQUE_LOOK_UPS = ("telephone", "licence")


@dataclass(frozen=True)
class Place:
    """One anonymised point of interest.

    Attributes:
        name: Two words, unique over all splits.
        id: `P` and four digits, unique over all splits.
        category: One of the eight categories.
        district: An invented word; a category occurs once in a district.
        telephone: Seven digits with a dash, unique.
        licence: Two letters and four digits, unique.
        opening_hours: `HH:MM-HH:MM`.
        price: Entry price, a whole number from 4 to 60.
        x: Kilometres east, a whole number from 0 to 40.
        y: Kilometres north, a whole number from 0 to 40.
    """

    name: str
    id: str
    category: str
    district: str
    telephone: str
    licence: str
    opening_hours: str
    price: str
    x: int
    y: int


def make_places(split: str, world_seed: int) -> tuple[Place, ...]:
    """Return the places of one split; names, ids, districts, telephones and licences are disjoint between splits."""
    random = rng("poi", world_seed)
    total = sum(PLACES_PER_CATEGORY.values())
    words = _unique(random, total, lambda: "".join(random.choice(SYLLABLES) for _ in range(random.choice((2, 3)))))
    districts = [word.capitalize() for word in words]
    count = total * len(CATEGORIES)
    names = _unique(random, count, lambda: f"{_word(random)} {random.choice(KINDS)}")
    ids = _unique(random, count, lambda: f"P{random.randrange(1000, 10000)}")
    telephones = _unique(random, count, lambda: f"{random.randrange(200, 1000)}-{random.randrange(10000):04d}")
    licences = _unique(random, count, lambda: f"{_letter(random)}{_letter(random)}{random.randrange(1000, 10000)}")
    places: dict[str, list[Place]] = {name: [] for name in SPLITS}
    owners = [name for name in SPLITS for _ in range(PLACES_PER_CATEGORY[name])]
    for index in range(count):
        district = index % total
        opening, closing = random.randrange(6, 12), random.randrange(15, 23)
        hours = f"{opening:02d}:{random.choice(('00', '15', '30', '45'))}-{closing:02d}:{random.choice(('00', '30'))}"
        place = Place(
            names[index],
            ids[index],
            CATEGORIES[index // total],
            districts[district],
            telephones[index],
            licences[index],
            hours,
            str(random.randrange(4, 61)),
            random.randrange(41),
            random.randrange(41),
        )
        places[owners[district]].append(place)
    return tuple(places[split])


class PoiDomain:
    """The places of one split and the functions over them."""

    name = "poi"

    def __init__(self, split: str, world_seed: int) -> None:
        """Make the places of a split (`train`, `dev` or `test`)."""
        self.places = make_places(split, world_seed)
        self._by_name = {place.name: place for place in self.places}
        self._by_id = {place.id: place for place in self.places}
        self._by_address = {(place.category, place.district): place for place in self.places}
        self._by_value = {(key, getattr(place, key)): place for place in self.places for key in UNIQUE_LOOK_UPS}

    def run(self, function: str, arguments: Mapping[str, str], factor: float | None = None) -> str:
        """Run a function; see `Domain.run`."""
        if function == "find_place":
            return _found(self._by_name, arguments["name"], "place").id
        if function == "search_places":
            return _found(self._by_address, (arguments["category"], arguments["district"]), "place").name
        if function == "name_of_place":
            return self._place(arguments["place_id"]).name
        if function.startswith("get_"):
            return str(getattr(self._place(arguments["place_id"]), function.removeprefix("get_")))
        if function.startswith("place_with_"):
            key = function.removeprefix("place_with_")
            return _found(self._by_value, (key, arguments[key]), "place").id
        return self._compute(function, arguments, factor)

    def _compute(self, function: str, arguments: Mapping[str, str], factor: float | None) -> str:
        if function == "apply_discount":
            return format_number(_number(arguments["amount"]) * factor)
        if function == "estimate_travel_time":
            return format_number(_number(arguments["distance"]) * factor)
        if function == "compute_distance":
            origin, goal = self._place(arguments["origin_id"]), self._place(arguments["destination_id"])
            return format_number(round(math.hypot(origin.x - goal.x, origin.y - goal.y)))
        if function == "calculate":
            return format_number(float(evaluate_expression(arguments["expression"])))
        raise KeyError(f"poi has no function {function!r}")

    def _place(self, place_id: str) -> Place:
        return _found(self._by_id, place_id, "place id")


def _found(table: Mapping, key: object, kind: str) -> Place:
    if key not in table:
        raise ToolFailure(f"no such {kind}")
    return table[key]


def _number(text: str) -> float:
    return float(evaluate_expression(text))


def _word(random) -> str:
    return "".join(random.choice(SYLLABLES) for _ in range(random.choice((2, 2, 3)))).capitalize()


def _letter(random) -> str:
    return random.choice("ABCDEFGHJKLMNPRSTUVWXYZ")


def _unique(random, count: int, draw) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[draw()] = None
    return list(found)
