"""Chain shapes, query templates and the seeded task generator of the points-of-interest world.

Assumption: the paper's templates and shapes are unknown; ours are chains of 1 to 4 calls, one of them branching, two
of them computing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from openagent_lib.randomness import rng
from openagent_lib.sandbox.domains.poi import LOOK_UPS, UNIQUE_LOOK_UPS, Place, PoiDomain
from openagent_lib.sandbox.domains.poi_tools import CATALOGUE, PHRASES
from openagent_lib.sandbox.domains.registry import load_domain
from openagent_lib.sandbox.task import GoldCall, Task
from openagent_lib.sandbox.tool import Tool

MOST_TOOLS = 5
LOOK_UP_WEIGHTS = {"telephone": 3, "licence": 3, "opening_hours": 1, "district": 1, "price": 1}
INVERTED_QUERIES = (
    "Which place has the {attribute} {value}?",
    "{value} is the {attribute} of which place?",
)
INVERTED_ID_QUERIES = (
    "Which place id has the {attribute} {value}?",
    "{value} is the {attribute} of which place id?",
)


@dataclass(frozen=True)
class Shape:
    """A chain shape.

    Attributes:
        name: `tier`-free name, shown in tables.
        weight: Relative frequency among tasks.
        templates: Query templates, the same for all splits: other wording is a shift, not the closed set.
        build: Draws slots and gold chain for one task from a random generator and a domain.
    """

    name: str
    weight: int
    templates: tuple[str, ...]
    build: Callable[[Random, PoiDomain], tuple[dict[str, str], list[GoldCall]]]


def _pick(random: Random, domain: PoiDomain) -> Place:
    return random.choice(domain.places)


def _attribute(random: Random) -> str:
    return random.choices(LOOK_UPS, [LOOK_UP_WEIGHTS[key] for key in LOOK_UPS])[0]


def _call(function: str, **arguments: str) -> GoldCall:
    return GoldCall(function, tuple(arguments.items()))


def _direct(random: Random, domain: PoiDomain):
    place, key = _pick(random, domain), _attribute(random)
    return {"attribute": PHRASES[key], "id": place.id}, [_call(f"get_{key}", place_id=place.id)]


def _look_up(random: Random, domain: PoiDomain):
    place, key = _pick(random, domain), _attribute(random)
    chain = [_call("find_place", name=place.name), _call(f"get_{key}", place_id="$0")]
    return {"attribute": PHRASES[key], "place": place.name}, chain


def _search(random: Random, domain: PoiDomain):
    place = _pick(random, domain)
    key = random.choices(("telephone", "licence", "opening_hours", "price"), (3, 3, 1, 1))[0]
    chain = [
        _call("search_places", category=place.category, district=place.district),
        _call("find_place", name="$0"),
        _call(f"get_{key}", place_id="$1"),
    ]
    return {"attribute": PHRASES[key], "category": place.category, "where": place.district}, chain


def _discount(random: Random, domain: PoiDomain):
    place = _pick(random, domain)
    chain = [
        _call("find_place", name=place.name),
        _call("get_price", place_id="$0"),
        _call("apply_discount", amount="$1"),
    ]
    return {"place": place.name}, chain


def _total(random: Random, domain: PoiDomain):
    place, count = _pick(random, domain), str(random.randint(2, 9))
    chain = [
        _call("find_place", name=place.name),
        _call("get_price", place_id="$0"),
        _call("calculate", expression=f"$1*{count}"),
    ]
    return {"place": place.name, "count": count}, chain


def _distance(random: Random, domain: PoiDomain):
    origin, goal = random.sample(domain.places, 2)
    chain = [
        _call("find_place", name=origin.name),
        _call("find_place", name=goal.name),
        _call("compute_distance", origin_id="$0", destination_id="$1"),
    ]
    return {"place": origin.name, "goal": goal.name}, chain


def _travel(random: Random, domain: PoiDomain):
    slots, chain = _distance(random, domain)
    return slots, [*chain, _call("estimate_travel_time", distance="$2")]


SHAPES: dict[str, Shape] = {
    shape.name: shape
    for shape in (
        Shape(
            "direct",
            3,
            (
                "What is the {attribute} of the place with the id {id}?",
                "Tell me the {attribute} of place id {id}.",
                "I need the {attribute} that belongs to place id {id}.",
                "Place id {id}: what is its {attribute}?",
            ),
            _direct,
        ),
        Shape(
            "look_up",
            5,
            (
                "What is the {attribute} of {place}?",
                "Tell me the {attribute} of {place}.",
                "I need the {attribute} that belongs to {place}.",
                "{place}: what is its {attribute}?",
            ),
            _look_up,
        ),
        Shape(
            "search",
            3,
            (
                "What is the {attribute} of the {category} in {where}?",
                "Tell me the {attribute} of the {category} in {where}.",
                "There is a {category} in {where}. What is its {attribute}?",
            ),
            _search,
        ),
        Shape(
            "discount",
            3,
            (
                "What does {place} cost after the discount?",
                "Tell me the discount price of {place}.",
                "I have a discount for {place}. What do I pay?",
            ),
            _discount,
        ),
        Shape(
            "total",
            3,
            (
                "What do {count} tickets for {place} cost together?",
                "Tell me the total price of {count} tickets for {place}.",
                "I buy {count} tickets for {place}. What do I pay in total?",
            ),
            _total,
        ),
        Shape(
            "distance",
            3,
            (
                "How far is it from {place} to {goal}?",
                "Tell me the distance from {place} to {goal}.",
                "What is the distance between {place} and {goal}?",
            ),
            _distance,
        ),
        Shape(
            "travel",
            3,
            (
                "How long does it take from {place} to {goal}?",
                "Tell me the travel time from {place} to {goal}.",
                "What is the travel time between {place} and {goal}?",
            ),
            _travel,
        ),
    )
}


def make_task(split: str, index: int, seed: int = 0, world_seed: int = 0) -> Task:
    """Return the clean task number `index` of a split.

    Args:
        split: `train`, `dev` or `test`.
        index: Number of the task, from 0.
        seed: Seed of the draw.
        world_seed: Seed of the entities.
    """
    random = rng("poi task", split, index, seed, world_seed)
    domain = load_domain("poi", split, world_seed)
    shape = random.choices(list(SHAPES.values()), [item.weight for item in SHAPES.values()])[0]
    slots, chain = shape.build(random, domain)
    template = random.choice(shape.templates)
    return Task(
        domain="poi",
        split=split,
        world_seed=world_seed,
        shape=shape.name,
        template=template,
        slots=tuple(slots.items()),
        query=template.format(**slots),
        tools=_offer(random, chain),
        gold_answer=run_chain(domain, chain)[-1],
        gold_chain=tuple(chain),
    )


def run_chain(domain: PoiDomain, chain: list[GoldCall] | tuple[GoldCall, ...]) -> list[str]:
    """Return the value of every call of a chain of catalogue functions."""
    values: list[str] = []
    for call in chain:
        tool = CATALOGUE.get(call.function)
        values.append(domain.run(call.function, call.resolve(values), tool.factor if tool else None))
    return values


def is_invertible(task: Task) -> bool:
    """Tell whether a task looks up a value that names one place, so that it can be asked the other way round."""
    return task.shape in ("direct", "look_up") and task.gold_chain[-1].function in {
        f"get_{key}" for key in UNIQUE_LOOK_UPS
    }


def _offer(random: Random, chain: list[GoldCall]) -> tuple[Tool, ...]:
    functions = list(dict.fromkeys(call.function for call in chain))
    others = [function for function in CATALOGUE if function not in functions]
    functions += random.sample(others, random.randint(1, MOST_TOOLS - len(functions)) if len(functions) < 5 else 0)
    random.shuffle(functions)
    return tuple(CATALOGUE[function] for function in functions)
