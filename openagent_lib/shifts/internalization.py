"""Tier IV, internalization: tasks that cannot be solved and must be refused. Paper: section 4.5, Figure 3."""

from random import Random

from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.domains.poi_tools import COMPUTATIONS
from openagent_lib.sandbox.protocol import format_error
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.shift import Shift, share

FATAL_ERRORS: dict[str, tuple[str, ...]] = {
    "train": (
        "out of order for good",
        "this tool was shut down for ever",
        "broken beyond repair",
        "permanent failure, retrying is useless",
        "all data lost, it will not come back",
        "this function has been withdrawn",
    ),
    "test": (
        "HTTP 410: gone, this endpoint was retired",
        "disk destroyed, no backup exists",
        "unrecoverable fault, the operator gave up",
        "licence of the provider ended, access closed for all time",
        "decommissioned, there is no successor",
        "fatal corruption, results will never be available",
    ),
}
"""Texts of faults that never pass. Assumption: the paper's texts are unknown."""
VAGUE: dict[str, dict[str, tuple[str, ...]]] = {
    "place": {"train": ("that place", "the place"), "test": ("the spot we spoke about", "the usual one")},
    "goal": {"train": ("there", "the other place"), "test": ("the second stop", "where we went")},
    "id": {"train": ("as before", "of the place"), "test": ("on my note", "from last week")},
    "where": {"train": ("that area", "the area"), "test": ("my part of town", "the usual quarter")},
    "count": {"train": ("some", "the"), "test": ("a few", "several")},
}
"""Words that stand where a needed condition was deleted, by slot and pool. Assumption: ours."""


def _drop_condition(task: Task, strength: float, random: Random, pool: str) -> Task:
    slots = dict(task.slots)
    needed = [slot for slot in slots if slot in VAGUE]
    for slot in random.sample(needed, share(len(needed), strength)):
        slots[slot] = random.choice(VAGUE[slot][pool])
    return task.with_shift(
        MISSING_CONDITION.name,
        strength,
        query=_sentence(task.template.format(**slots)),
        slots=tuple(slots.items()),
        gold_answer=None,
        gold_chain=(),
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _break_tool(task: Task, strength: float, random: Random, pool: str) -> Task:
    functions = [name for name in dict.fromkeys(call.function for call in task.gold_chain) if name not in COMPUTATIONS]
    broken = random.sample(functions, share(len(functions), strength))
    rules = tuple(ChannelRule(format_error(random.choice(FATAL_ERRORS[pool])), function) for function in broken)
    return task.with_shift(FATAL_ERROR.name, strength, channel=Channel(rules), gold_answer=None)


MISSING_CONDITION = Shift(
    tier="internalization",
    kind="missing_condition",
    dimension="dQ",
    is_solvable=False,
    metric="refusal_rate",
    definition="A condition that the task needs is absent from the query. Paper: Figure 3. Assumption: vague words "
    "stand in its place.",
    strength_meaning="share of the needed conditions that are deleted, at least one",
    transform=_drop_condition,
)
FATAL_ERROR = Shift(
    tier="internalization",
    kind="fatal_error",
    dimension="dO",
    is_solvable=False,
    metric="refusal_rate",
    definition="A needed tool is broken for good: every execution fails and says so. Paper: Figure 3. Assumption: only "
    "look-ups break, since a computation could be done without its tool.",
    strength_meaning="share of the needed look-ups that are broken, at least one",
    transform=_break_tool,
)
