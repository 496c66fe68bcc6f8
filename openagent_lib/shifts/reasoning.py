"""Tier III, reasoning: the tools fit together in another way. Paper: section 4.4, Figure 3."""

import math
import re
from dataclasses import replace
from random import Random

from openagent_lib.sandbox.builder import is_invertible, run_chain
from openagent_lib.sandbox.domains.registry import get_domain, world_of
from openagent_lib.sandbox.grammar import draw_form, fill
from openagent_lib.sandbox.graph import FUNCTIONS, INVERTIBLE, RULES
from openagent_lib.sandbox.task import GoldCall, Task
from openagent_lib.sandbox.tool import Parameter, Tool
from openagent_lib.sandbox.world import INVERSE_MARK, MERGE_MARK, merged_slots
from openagent_lib.shifts.patterns.tools import FACTORS, MERGED_DOCUMENTS, MERGED_NAMES
from openagent_lib.shifts.shift import Shift, inserted, share

_REFERENCE = re.compile(r"\$(\d+)")


def _feeds(task: Task, index: int) -> list[int]:
    """Return the calls that feed every input of call `index` and nothing else, empty where there are none such."""
    call = task.gold_chain[index]
    sources = [_REFERENCE.fullmatch(text) for _, text in call.arguments]
    if not all(sources):
        return []
    feeding = [int(source[1]) for source in sources]
    used = [
        int(number) for other in task.gold_chain for _, text in other.arguments for number in _REFERENCE.findall(text)
    ]
    functions = {task.gold_chain[source].function for source in feeding}
    is_private = all(used.count(source) == 1 for source in feeding)
    return feeding if len(functions) == 1 and is_private else []


def is_mergeable(task: Task) -> bool:
    """Tell whether two calls of a task's chain can become one."""
    return any(_feeds(task, index) for index in range(len(task.gold_chain)))


def _merge(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Merge one pair of tools of the chain, and with it a share of the offered look-ups outside the chain."""
    index = random.choice([index for index in range(len(task.gold_chain)) if _feeds(task, index)])
    merged = _merged_call(task, index)
    chain, place = [], {}
    for number, call in enumerate(task.gold_chain):
        if number in _feeds(task, index):
            continue
        call = merged if number == index else call
        place[number] = len(chain)
        chain.append(GoldCall(call.function, tuple((slot, _moved(text, place)) for slot, text in call.arguments)))
    needed = {call.function for call in task.gold_chain}
    gone = set(merged.function.split(MERGE_MARK)) - {call.function for call in chain}
    others = [tool.function for tool in task.tools if tool.function not in needed and _takes_an_id(tool.function)]
    others = random.sample(others, share(len(others), strength)) if others else []
    tools = tuple(
        _merged_tool(task, f"find{MERGE_MARK}{tool.function}", random, pool) if tool.function in others else tool
        for tool in task.tools
        if tool.function not in gone
    )
    return task.with_shift(
        TRACE_SIMPLIFICATION.name,
        strength,
        tools=inserted(tools, [_merged_tool(task, merged.function, random, pool)], random),
        gold_chain=tuple(chain),
    )


def _takes_an_id(function: str) -> bool:
    return function in FUNCTIONS and set(FUNCTIONS[function].takes.values()) == {"id"}


def _moved(text: str, place: dict[int, int]) -> str:
    return _REFERENCE.sub(lambda found: f"${place[int(found[1])]}", text)


def _merged_call(task: Task, index: int) -> GoldCall:
    sources = [task.gold_chain[source] for source in _feeds(task, index)]
    first, second = sources[0].function, task.gold_chain[index].function
    texts = [text for source in sources for _, text in source.arguments]
    return GoldCall(f"{first}{MERGE_MARK}{second}", tuple(zip(merged_slots(first, second), texts, strict=True)))


def _merged_tool(task: Task, function: str, random: Random, pool: str) -> Tool:
    first, second = function.split(MERGE_MARK)
    texts = get_domain(task.domain).texts
    one, other = texts[first], texts[second]
    slots = merged_slots(first, second)
    keys = [key if number == 0 else f"other_{key}" for number in range(len(slots) // len(one.keys)) for key in one.keys]
    takes = one.takes if len(slots) == len(one.keys) else f"two values, each {one.takes}"
    document = random.choice(MERGED_DOCUMENTS[pool]).format(takes=takes, returns=other.returns)
    if other.factor is not None:
        document += f" Multiplies by {other.factor:g}."
    return Tool(
        name=random.choice(MERGED_NAMES[pool]).format(a=one.name, b=other.name),
        description=document,
        parameters=tuple(Parameter(key, slot) for key, slot in zip(keys, slots, strict=True)),
        function=function,
        code=other.code or one.code,
        factor=other.factor,
    )


def _invert(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Ask for the name (or the id) that belongs to a value, with every tool of the chain inverted."""
    domain, slots = get_domain(task.domain), dict(task.slots)
    entity = world_of(task).entity(slots.get("name") or slots["id"])
    look_up = task.gold_chain[-1].function
    key = look_up.removeprefix("get_")
    chain = [GoldCall(INVERSE_MARK + look_up, ((key, task.gold_answer),))]
    if task.shape == "look_up":
        chain.append(GoldCall(f"{INVERSE_MARK}find", (("id", "$0"),)))
    form = draw_form(random.choice(domain.inverted_queries[task.shape][pool]), random)
    slots = {"attribute": domain.attributes[key], "value": task.gold_answer}
    return task.with_shift(
        LOGIC_INVERSION.name,
        strength,
        template=form,
        slots=tuple(slots.items()),
        query=fill(form, slots),
        tools=_inverted_tools(task, strength, random, pool),
        gold_answer=entity.name if task.shape == "look_up" else entity.id,
        gold_chain=tuple(chain),
    )


def _inverted_tools(task: Task, strength: float, random: Random, pool: str) -> tuple[Tool, ...]:
    """Return the tools with the chain inverted, and a share of the other invertible ones with it."""
    chosen = {call.function for call in task.gold_chain}
    others = [tool.function for tool in task.tools if tool.function in INVERTIBLE and tool.function not in chosen]
    if others:
        chosen |= set(random.sample(others, share(len(others), strength)))
    return tuple(_inverted(tool, task.domain, random, pool) if tool.function in chosen else tool for tool in task.tools)


def _inverted(tool: Tool, domain: str, random: Random, pool: str) -> Tool:
    """Return a look-up with its input and output swapped, under its old name and with its old code."""
    text = get_domain(domain).inverted[tool.function]
    slot = "id" if tool.function == "find" else tool.function.removeprefix("get_")
    return replace(
        tool,
        description=random.choice(text.descriptions[pool]),
        parameters=(Parameter(text.key, slot),),
        function=INVERSE_MARK + tool.function,
    )


def _inverted_patterns(pool: str) -> tuple[str, ...]:
    poi = get_domain("poi")
    queries = [pattern for patterns in poi.inverted_queries.values() for pattern in patterns[pool]]
    documents = [pattern for text in poi.inverted.values() for pattern in text.descriptions[pool]]
    return (*queries, *documents)


def has_rule(task: Task) -> bool:
    """Tell whether a tool of the chain multiplies by a factor."""
    return any(call.function in RULES for call in task.gold_chain)


def _change_rule(task: Task, strength: float, random: Random, pool: str) -> Task:
    """Give every rule of the chain a new factor; the document states it."""
    texts = get_domain(task.domain).texts
    rules = {call.function for call in task.gold_chain} & set(RULES)
    tools = []
    for tool in task.tools:
        if tool.function in rules:
            factor = _other_factor(tool.factor, strength, random, pool)
            tool = replace(tool, factor=factor, description=texts[tool.function].document(factor))
        tools.append(tool)
    values = run_chain(world_of(task), task.gold_chain, {tool.function: tool for tool in tools})
    return task.with_shift(RULE_REASONING.name, strength, tools=tuple(tools), gold_answer=values[-1])


def _other_factor(factor: float, strength: float, random: Random, pool: str) -> float:
    """Return one of the three factors nearest to the given share of the way from the nearest to the farthest."""
    order = sorted(FACTORS[pool], key=lambda other: abs(math.log(other / factor)))
    middle = round(strength * (len(order) - 1))
    return random.choice(order[max(0, middle - 2) : middle + 1])


TRACE_SIMPLIFICATION = Shift(
    tier="reasoning",
    kind="trace_simplification",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="Two tools become one that does both, so that a shorter chain leads to the answer. Paper: Figure 3. "
    "Assumption: the two tools are withdrawn.",
    expected="take the shorter chain",
    strength_meaning="share of the offered look-ups outside the chain that take a name directly, as one pair of the "
    "chain does at every strength",
    transform=_merge,
    patterns=lambda pool: (*MERGED_DOCUMENTS[pool], *MERGED_NAMES[pool]),
    applies_to=is_mergeable,
)
LOGIC_INVERSION = Shift(
    tier="reasoning",
    kind="logic_inversion",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="Inputs and outputs of the look-ups are swapped and so is their order; the documents say so. "
    "Paper: Figure 3, Name -> Tel. becomes Tel. -> Name. Assumption: names and codes are kept.",
    expected="plan the chain anew in the order that the documents state",
    strength_meaning="share of the offered look-ups outside the chain that are inverted with it",
    transform=_invert,
    patterns=_inverted_patterns,
    applies_to=is_invertible,
)
RULE_REASONING = Shift(
    tier="reasoning",
    kind="rule_reasoning",
    dimension="dA",
    is_solvable=True,
    metric="accuracy",
    definition="A tool multiplies by another factor, as its document says. Paper: Figure 3, 0.5x becomes 0.2x. "
    "Assumption: the other factors.",
    expected="trust the rule and the value of today, not those of yesterday",
    strength_meaning="how far the factor moves, from the nearest to the farthest of the pool",
    transform=_change_rule,
    patterns=lambda pool: tuple(f"{factor:g}" for factor in FACTORS[pool]),
    applies_to=has_rule,
)
