"""The entities of a domain, and the functions of the graph that tools run on them.

Paper: section 4.1, geographic look-ups plus computation questions over anonymised entities; Figure 3 (Name -> Tel., a
rule that multiplies). Assumption: entities, functions and value formats.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random

from openagent_lib.errors import ConfigError, ToolFailure
from openagent_lib.randomness import rng
from openagent_lib.sandbox.domain import Domain, EntityFormat
from openagent_lib.sandbox.expression import evaluate_expression, format_number
from openagent_lib.sandbox.graph import ATTRIBUTES, FUNCTIONS, RULES, UNIQUE_ATTRIBUTES

SPLITS = ("train", "dev", "test")
ENTITIES_PER_CATEGORY = {"train": 40, "dev": 10, "test": 20}
MOST_DRAWS = 100
COPY_MARK = "#"
MERGE_MARK = ">"
INVERSE_MARK = "inverse_"


@dataclass(frozen=True)
class Entity:
    """One anonymised thing of a domain: a place, a drug.

    Attributes:
        name: Invented, unique over all splits.
        id: Unique over all splits.
        category: One of the domain's categories.
        area: An invented word; a category occurs once in an area.
        contact: Unique over all splits (a telephone number, a batch number).
        permit: Unique over all splits (a licence, an approval number).
        window: `HH:MM-HH:MM`.
        amount: A whole number in the domain's range.
        x: Whole units east, from 0 to the domain's extent.
        y: Whole units north, from 0 to the domain's extent.
    """

    name: str
    id: str
    category: str
    area: str
    contact: str
    permit: str
    window: str
    amount: str
    x: int
    y: int


def make_entities(domain: Domain, split: str, world_seed: int) -> tuple[Entity, ...]:
    """Return the entities of one split; names, ids, areas, contacts and permits are disjoint between splits."""
    random, form = rng("world", domain.name, world_seed), domain.entities
    areas_total = sum(ENTITIES_PER_CATEGORY.values())
    count = areas_total * len(form.categories)
    words = _different(random, areas_total + count, lambda: _word(random, form))
    areas, first_words = words[:areas_total], words[areas_total:]
    ids = _different(random, count, lambda: draw_pattern(form.id, random))
    contacts = _different(random, count, lambda: draw_pattern(form.contact, random))
    permits = _different(random, count, lambda: draw_pattern(form.permit, random))
    owners = [name for name in SPLITS for _ in range(ENTITIES_PER_CATEGORY[name])]
    entities: dict[str, list[Entity]] = {name: [] for name in SPLITS}
    for index in range(count):
        area = index % areas_total
        entity = Entity(
            name=_named(first_words[index], random.choice(form.endings)),
            id=ids[index],
            category=form.categories[index // areas_total],
            area=areas[area],
            contact=contacts[index],
            permit=permits[index],
            window=_window(random),
            amount=str(random.randint(*form.amount)),
            x=random.randint(0, form.extent),
            y=random.randint(0, form.extent),
        )
        entities[owners[area]].append(entity)
    return tuple(entities[split])


class World:
    """The entities of one split of a domain and the functions over them; deterministic, without changing state.

    A function is one of `graph.FUNCTIONS`, or made of them: `inverse_F` takes what F returns and returns what F takes,
    `F>G` feeds every input of G from F, `F#2` is a second copy of F.
    """

    def __init__(self, domain: Domain, split: str, world_seed: int) -> None:
        """Make the entities of a split (`train`, `dev` or `test`)."""
        self.domain = domain
        self.entities = make_entities(domain, split, world_seed)
        self._by_name = {entity.name: entity for entity in self.entities}
        self._by_id = {entity.id: entity for entity in self.entities}
        self._by_address = {(entity.category, entity.area): entity for entity in self.entities}
        self._by_value = {(key, getattr(item, key)): item for item in self.entities for key in UNIQUE_ATTRIBUTES}
        self._neighbours: dict[str, Entity] = {}

    def run(self, function: str, arguments: Mapping[str, str], factor: float | None = None) -> str:
        """Run a function on arguments keyed by slot.

        Args:
            function: Its name.
            arguments: Values by slot.
            factor: Factor of the tool's rule, where it has one.

        Returns:
            The value, as text.

        Raises:
            ToolFailure: The arguments name nothing that exists, or are not of the form that the function needs.
            KeyError: There is no such function.
        """
        function = function.partition(COPY_MARK)[0]
        if MERGE_MARK in function:
            return self._run_merged(function, arguments, factor)
        if function.startswith(INVERSE_MARK):
            return self._run_inverse(function.removeprefix(INVERSE_MARK), arguments)
        return self._functions[function](arguments, factor)

    def entity(self, key: str) -> Entity:
        """Return the entity with a name or an id.

        Raises:
            ToolFailure: There is none.
        """
        return self._by_name.get(key) or _found(self._by_id, key, "id")

    @cached_property
    def _functions(self) -> dict[str, Callable[[Mapping[str, str], float | None], str]]:
        look_ups = {f"get_{key}": self._look_up(key) for key in ATTRIBUTES}
        rules = {name: _rule(next(iter(FUNCTIONS[name].takes))) for name in RULES}
        return (
            look_ups
            | rules
            | {
                "find": lambda by, _: _found(self._by_name, by["name"], "name").id,
                "search": lambda by, _: _found(self._by_address, (by["category"], by["area"]), "entry").name,
                "nearest": lambda by, _: self._nearest(self._with_id(by["id"])).id,
                "gap": lambda by, _: format_number(_gap(self._with_id(by["id"]), self._with_id(by["other_id"]))),
                "calculate": lambda by, _: format_number(float(evaluate_expression(by["expression"]))),
            }
        )

    def _look_up(self, key: str) -> Callable[[Mapping[str, str], float | None], str]:
        return lambda by, _: getattr(self._with_id(by["id"]), key)

    def _with_id(self, key: str) -> Entity:
        return _found(self._by_id, key, "id")

    def _nearest(self, entity: Entity) -> Entity:
        if entity.id not in self._neighbours:
            others = (item for item in self.entities if item is not entity)
            key = lambda item: ((item.x - entity.x) ** 2 + (item.y - entity.y) ** 2, item.id)  # noqa: E731
            self._neighbours[entity.id] = min(others, key=key)
        return self._neighbours[entity.id]

    def _run_inverse(self, function: str, arguments: Mapping[str, str]) -> str:
        if function == "find":
            return self._with_id(arguments["id"]).name
        key = function.removeprefix("get_")
        return _found(self._by_value, (key, arguments[key]), self.domain.attributes[key]).id

    def _run_merged(self, function: str, arguments: Mapping[str, str], factor: float | None) -> str:
        first, second = function.split(MERGE_MARK)
        values = {}
        for prefix, slot in zip(("", "other_"), FUNCTIONS[second].takes, strict=False):
            inputs = {name: arguments[prefix + name] for name in FUNCTIONS[first].takes}
            values[slot] = self.run(first, inputs, factor)
        return self.run(second, values, factor)


def merged_slots(first: str, second: str) -> tuple[str, ...]:
    """Return the slots of the function `first>second`."""
    prefixes = ("", "other_")[: len(FUNCTIONS[second].takes)]
    return tuple(prefix + slot for prefix in prefixes for slot in FUNCTIONS[first].takes)


def draw_pattern(pattern: str, random: Random) -> str:
    """Return a text of a pattern: `#` becomes a digit, `@` a capital letter without I, O and Q; the rest stays."""
    digits, letters = "0123456789", "ABCDEFGHJKLMNPRSTUVWXYZ"
    return "".join(random.choice({"#": digits, "@": letters}.get(symbol, symbol)) for symbol in pattern)


def _gap(left: Entity, right: Entity) -> float:
    return round(math.hypot(left.x - right.x, left.y - right.y))


def _rule(slot: str) -> Callable[[Mapping[str, str], float | None], str]:
    return lambda by, factor: format_number(float(evaluate_expression(by[slot])) * factor)


def _found(table: Mapping, key: object, kind: str) -> Entity:
    if key not in table:
        raise ToolFailure(f"no such {kind}")
    return table[key]


def _word(random: Random, form: EntityFormat) -> str:
    return "".join(random.choice(form.syllables) for _ in range(random.choice((2, 3, 3)))).capitalize()


def _named(word: str, ending: str) -> str:
    return word + ending[1:] if ending.startswith("-") else f"{word} {ending}"


def _window(random: Random) -> str:
    opening, closing = random.randrange(6, 12), random.randrange(15, 23)
    start = f"{opening:02d}:{random.choice(('00', '15', '30', '45'))}"
    return f"{start}-{closing:02d}:{random.choice(('00', '30'))}"


def _different(random: Random, count: int, draw: Callable[[], str]) -> list[str]:
    found: dict[str, None] = {}
    for _ in range(MOST_DRAWS * count):
        found[draw()] = None
        if len(found) == count:
            return list(found)
    raise ConfigError(
        f"expected {count} different values such as {draw()!r}, found {len(found)}: widen the EntityFormat"
    )
