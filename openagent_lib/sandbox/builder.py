"""The seeded generator of clean tasks: a shape, entities, a query, and the tools offered.

Assumption: the paper's shapes, templates and numbers of tools are unknown; ours are chains of 1 to 4 calls, some of
them branching, some of them computing.
"""

import re
from collections.abc import Mapping, Sequence
from random import Random

from openagent_lib.randomness import rng
from openagent_lib.sandbox.domains.registry import load_world
from openagent_lib.sandbox.grammar import draw_form, fill
from openagent_lib.sandbox.graph import SHAPES, UNIQUE_ATTRIBUTES, Shape
from openagent_lib.sandbox.leak import answer_in_prompt
from openagent_lib.sandbox.task import GoldCall, Task
from openagent_lib.sandbox.tool import Tool
from openagent_lib.sandbox.world import World

MOST_TOOLS = 5
ATTRIBUTE_WEIGHTS = {"contact": 6, "permit": 6, "window": 1, "area": 1, "amount": 1}
_SLOT = re.compile(r"\{(\w+)\}")


def make_task(split: str, index: int, seed: int = 0, world_seed: int = 0, domain: str = "poi") -> Task:
    """Return the clean task number `index` of a split.

    Args:
        split: `train`, `dev` or `test`; its entities meet those of no other split. The query templates of `test` are
            its own, `dev` shares those of `train`.
        index: Number of the task, from 0.
        seed: Seed of the draw.
        world_seed: Seed of the entities.
        domain: Name of the domain.
    """
    random, world = rng("task", domain, split, index, seed, world_seed), load_world(domain, split, world_seed)
    shape = random.choices(list(SHAPES.values()), [item.weight for item in SHAPES.values()])[0]
    while True:
        task = draw_task(random, world, shape, "test" if split == "test" else "train", split, world_seed)
        if not answer_in_prompt(task):
            return task


def run_chain(world: World, chain: Sequence[GoldCall], tools: Mapping[str, Tool]) -> list[str]:
    """Return the value of every call of a chain.

    Args:
        world: The entities.
        chain: The calls.
        tools: The tools by function, which know the factors of rules.
    """
    values: list[str] = []
    for call in chain:
        values.append(world.run(call.function, call.resolve(values), tools[call.function].factor))
    return values


def chain_of(shape: Shape, slots: Mapping[str, str], attribute: str | None) -> tuple[GoldCall, ...]:
    """Return the gold chain of a shape over the slots of a query.

    Args:
        shape: The shape.
        slots: Values by slot.
        attribute: The attribute asked for, None where the shape asks for none.
    """
    calls = []
    for function, arguments in shape.chain:
        filled = {slot: _SLOT.sub(lambda found: slots[found[1]], text) for slot, text in arguments.items()}
        calls.append(GoldCall(function.replace("*", attribute or "*"), tuple(filled.items())))
    return tuple(calls)


def draw_task(
    random: Random,
    world: World,
    shape: Shape,
    pool: str,
    split: str,
    world_seed: int,
    attribute: str | None = None,
    offered: Sequence[str] = (),
) -> Task:
    """Return a clean task of a shape.

    Args:
        random: Where the draw comes from.
        world: The entities.
        shape: The shape.
        pool: The pool of query templates, `train` or `test`.
        split: The split of the entities.
        world_seed: Seed of the entities.
        attribute: The attribute asked for; drawn when None.
        offered: The functions of the tools offered, in order; drawn when empty.
    """
    domain = world.domain
    if shape.attributes and attribute is None:
        attribute = random.choices(shape.attributes, [ATTRIBUTE_WEIGHTS[key] for key in shape.attributes])[0]
    slots = _slots(random, world, shape, domain.attributes[attribute] if attribute else None)
    chain = chain_of(shape, slots, attribute)
    form = draw_form(random.choice(domain.queries[shape.name][pool]), random)
    return Task(
        domain=domain.name,
        split=split,
        world_seed=world_seed,
        shape=shape.name,
        template=form,
        slots=tuple(slots.items()),
        query=fill(form, slots),
        tools=tuple(domain.catalogue[name] for name in offered or _offer(random, chain, domain.catalogue)),
        gold_answer=run_chain(world, chain, domain.catalogue)[-1],
        gold_chain=chain,
    )


def _slots(random: Random, world: World, shape: Shape, attribute: str | None) -> dict[str, str]:
    first, second = random.sample(world.entities, 2)
    while first.amount == second.amount or (first.x, first.y) == (second.x, second.y):
        first, second = random.sample(world.entities, 2)
    if shape.name == "difference" and int(first.amount) < int(second.amount):
        first, second = second, first
    values = {
        "attribute": attribute,
        "name": first.name,
        "id": first.id,
        "category": first.category,
        "area": first.area,
        "other_name": second.name,
        "other_id": second.id,
        "count": str(random.randint(2, 9)),
    }
    wanted = {name for _, arguments in shape.chain for text in arguments.values() for name in _SLOT.findall(text)}
    return {name: text for name, text in values.items() if name in wanted or (name == "attribute" and text)}


def _offer(random: Random, chain: Sequence[GoldCall], catalogue: Mapping[str, Tool]) -> list[str]:
    functions = list(dict.fromkeys(call.function for call in chain))
    others = [function for function in catalogue if function not in functions]
    functions += random.sample(others, random.randint(1, MOST_TOOLS - len(functions)))
    random.shuffle(functions)
    return functions


def is_invertible(task: Task) -> bool:
    """Tell whether a task looks up a value that names one entity, so that it can be asked the other way round."""
    unique = {f"get_{key}" for key in UNIQUE_ATTRIBUTES}
    return task.shape in ("direct", "look_up") and task.gold_chain[-1].function in unique
