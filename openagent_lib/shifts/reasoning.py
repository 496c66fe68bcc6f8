"""Tier III, reasoning: the same tools in another order. Paper: section 4.4, Figure 3."""

from random import Random

from openagent_lib.sandbox.domains.poi import UNIQUE_LOOK_UPS
from openagent_lib.sandbox.domains.poi_tasks import INVERTED_ID_QUERIES, INVERTED_QUERIES, is_invertible
from openagent_lib.sandbox.domains.poi_tools import PHRASES, inverted_tool
from openagent_lib.sandbox.domains.registry import domain_of
from openagent_lib.sandbox.task import GoldCall, Task
from openagent_lib.shifts.shift import Shift, share


def _invert(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Ask for the name (or the id) that belongs to a value, with every tool of the chain inverted."""
    key = task.gold_chain[-1].function.removeprefix("get_")
    place_id = dict(task.slots).get("id")
    if place_id is None:
        place_id = domain_of(task).run("find_place", {"name": dict(task.slots)["place"]})
    chain = [GoldCall(f"place_with_{key}", ((key, task.gold_answer),))]
    queries, answer = INVERTED_ID_QUERIES, place_id
    if task.shape == "look_up":
        chain.append(GoldCall("name_of_place", (("place_id", "$0"),)))
        queries, answer = INVERTED_QUERIES, dict(task.slots)["place"]
    template = queries[0 if pool == "train" else 1]
    slots = {"attribute": PHRASES[key], "value": task.gold_answer}
    return task.with_shift(
        LOGIC_INVERSION.name,
        strength,
        template=template,
        slots=tuple(slots.items()),
        query=template.format(**slots),
        tools=_inverted_tools(task, strength, random),
        gold_answer=answer,
        gold_chain=tuple(chain),
    )


def _inverted_tools(task: Task, strength: float, random: Random) -> tuple:
    """Return the tools with the chain inverted, and a share of the other invertible ones with it."""
    needed = {call.function for call in task.gold_chain}
    look_ups = ("find_place", *(f"get_{key}" for key in UNIQUE_LOOK_UPS))
    invertible = [tool.function for tool in task.tools if tool.function in look_ups]
    others = [function for function in invertible if function not in needed]
    random.shuffle(others)
    chosen = needed | set(others[: share(len(others), strength)] if others else ())
    return tuple(inverted_tool(tool.function) if tool.function in chosen else tool for tool in task.tools)


LOGIC_INVERSION = Shift(
    tier="reasoning",
    kind="logic_inversion",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="Inputs and outputs of the look-ups are swapped and so is their order; the documents say so. "
    "Paper: Figure 3, Name -> Tel. becomes Tel. -> Name. Assumption: names and codes are kept.",
    strength_meaning="share of the offered look-ups outside the chain that are inverted with it",
    transform=_invert,
    applies_to=is_invertible,
)
