"""Tier IV, internalization: tasks that must be refused, and a new domain. Paper: section 4.5, Figure 3."""

from dataclasses import replace
from random import Random

from openagent_lib.sandbox.builder import draw_task
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, load_world
from openagent_lib.sandbox.grammar import fill
from openagent_lib.sandbox.graph import COMPUTATIONS, SHAPES
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Tool
from openagent_lib.shifts.patterns.observations import FATAL_ERRORS
from openagent_lib.shifts.shift import Shift, chosen_tools, needed_functions, share


def _drop_condition(task: Task, strength: float, random: Random, pool: str) -> Task:
    vague, slots = get_domain(task.domain).vague, dict(task.slots)
    needed = [slot for slot in slots if slot in vague]
    for slot in random.sample(needed, share(len(needed), strength)):
        slots[slot] = random.choice(vague[slot][pool])
    return task.with_shift(
        MISSING_CONDITION.name,
        strength,
        query=fill(task.template, slots),
        slots=tuple(slots.items()),
        gold_answer=None,
        gold_chain=(),
    )


def _vague_patterns(pool: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(pattern for patterns in get_domain("poi").vague.values() for pattern in patterns[pool]))


def _break_tool(task: Task, strength: float, random: Random, pool: str) -> Task:
    broken = needed_functions(task, strength, random, but=COMPUTATIONS)
    rules = tuple(ChannelRule(random.choice(FATAL_ERRORS[pool]), function) for function in broken)
    return task.with_shift(FATAL_ERROR.name, strength, channel=Channel(rules), gold_answer=None)


def other_domain(name: str) -> str:
    """Return the domain that tasks of a domain are transferred to: the next one in the registry."""
    names = list(DOMAINS)
    return names[(names.index(name) + 1) % len(names)]


def _transfer(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Draw a task of the same shape, attribute and tools from the other domain."""
    world = load_world(other_domain(task.domain), task.split, task.world_seed)
    attribute = task.gold_chain[-1].function.removeprefix("get_") if SHAPES[task.shape].attributes else None
    offered = [tool.function for tool in task.tools]
    twin = draw_task(random, world, SHAPES[task.shape], pool, task.split, task.world_seed, attribute, offered)
    renamed = {tool.function for tool in chosen_tools(twin, strength, random)}
    old = {tool.function: tool.name for tool in task.tools}
    tools = [_in_pool(tool, twin.domain, random, pool) for tool in twin.tools]
    tools = [tool if tool.function in renamed else replace(tool, name=old[tool.function]) for tool in tools]
    return replace(twin, tools=tuple(tools), shift=DOMAIN_TRANSFER.name, strength=strength, base_id=task.twin_id)


def _in_pool(tool: Tool, domain: str, random: Random, pool: str) -> Tool:
    """Return a tool of the new domain: as it is for evaluation, in other words for training."""
    if pool == "test":
        return tool
    text = get_domain(domain).texts[tool.function]
    document = text.document(tool.factor, random.choice(text.descriptions[pool]))
    return replace(tool, name=random.choice(text.names[pool]), description=document)


def _transfer_patterns(pool: str) -> tuple[str, ...]:
    domain = get_domain(other_domain("poi"))
    queries = [pattern for patterns in domain.queries.values() for pattern in patterns[pool]]
    if pool == "test":
        return (*queries, *(text.name for text in domain.tools), *(text.description for text in domain.tools))
    words = [pattern for text in domain.tools for pattern in (*text.names[pool], *text.descriptions[pool])]
    return (*queries, *words)


MISSING_CONDITION = Shift(
    tier="internalization",
    kind="missing_condition",
    dimension="dQ",
    is_solvable=False,
    metric="refusal_rate",
    definition="A condition that the task needs is absent from the query. Paper: Figure 3. Assumption: vague words "
    "stand in its place.",
    expected="refuse instead of inventing the condition",
    strength_meaning="share of the needed conditions that are deleted, at least one",
    transform=_drop_condition,
    patterns=_vague_patterns,
)
FATAL_ERROR = Shift(
    tier="internalization",
    kind="fatal_error",
    dimension="dO",
    is_solvable=False,
    metric="refusal_rate",
    definition="A needed tool is broken for good: every execution fails and says so. Paper: Figure 3. Assumption: only "
    "look-ups break, since a computation could be done without its tool.",
    expected="refuse instead of inventing the value",
    strength_meaning="share of the needed look-ups that are broken, at least one",
    transform=_break_tool,
    patterns=lambda pool: FATAL_ERRORS[pool],
)
DOMAIN_TRANSFER = Shift(
    tier="internalization",
    kind="domain_transfer",
    dimension="dD",
    is_solvable=True,
    metric="accuracy",
    definition="Query, tools and observations all move to a domain that was never seen, the chain keeps its structure. "
    "Paper: section 3.2, Figure 3 (geographic toolbox to medical toolbox). Assumption: the medical words; the train "
    "pool uses others than the evaluation.",
    expected="carry the structure of the chain over",
    strength_meaning="share of the tools, needed ones first, that bear the new domain's names; the others keep the "
    "name of their counterpart",
    transform=_transfer,
    patterns=_transfer_patterns,
)
