"""Tier II, interaction: what comes back is not what it used to be. Paper: section 4.3, Figure 3."""

from dataclasses import replace
from random import Random

from openagent_lib.sandbox.builder import run_chain
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.domains.registry import get_domain, load_world, world_of
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.world import COPY_MARK, SPLITS
from openagent_lib.shifts.patterns.observations import (
    FORMATS,
    NULLS,
    TOOL_REDIRECTIONS,
    TRANSIENT_ERRORS,
    VALUE_REDIRECTIONS,
)
from openagent_lib.shifts.shift import Shift, inserted, needed_functions, share

REDIRECTED_SLOTS = ("id", "name")


def _reformat(task: Task, strength: float, random: Random, pool: str) -> Task:
    functions = needed_functions(task, strength, random)
    rules = tuple(ChannelRule(random.choice(FORMATS[pool]), function) for function in functions)
    return task.with_shift(FORMAT_SHIFT.name, strength, channel=Channel(rules))


def _fail(task: Task, strength: float, random: Random, pool: str) -> Task:
    rules = []
    for function in needed_functions(task, strength, random):
        text, failures = random.choice(TRANSIENT_ERRORS[pool])
        rules.append(ChannelRule(text, function, first=failures))
    return task.with_shift(ERROR_MESSAGE.name, strength, channel=Channel(tuple(rules)))


def _return_null(task: Task, strength: float, random: Random, pool: str) -> Task:
    functions = needed_functions(task, strength, random)
    rules = tuple(ChannelRule(random.choice(NULLS[pool]), function, first=1) for function in functions)
    return task.with_shift(NULL_MESSAGE.name, strength, channel=Channel(rules))


def _redirect_value(task: Task, strength: float, random: Random, pool: str) -> Task:
    values = run_chain(world_of(task), task.gold_chain, get_domain(task.domain).catalogue)
    arguments = {
        (call.function, slot, text)
        for index, call in enumerate(task.gold_chain)
        for slot, text in call.resolve(values[:index]).items()
        if slot in REDIRECTED_SLOTS
    }
    chosen = random.sample(sorted(arguments), share(len(arguments), strength))
    rules = []
    for function, slot, old in chosen:
        new = _renumbered(old, task, random)
        text = random.choice(VALUE_REDIRECTIONS[pool]).replace("{old}", old).replace("{new}", new)
        rules.append(ChannelRule(text, function, slot=slot, old=old, new=new))
    return task.with_shift(VALUE_REDIRECTION.name, strength, channel=Channel(tuple(rules)))


def _renumbered(old: str, task: Task, random: Random) -> str:
    """Return a value of the same form that names nothing in any split: other digits, or other vowels without digits."""
    worlds = [load_world(task.domain, split, task.world_seed) for split in SPLITS]
    taken = {text for world in worlds for entity in world.entities for text in (entity.id, entity.name)}
    symbols = "0123456789" if any(symbol.isdigit() for symbol in old) else "aeiou"
    while True:
        new = "".join(random.choice(symbols) if symbol in symbols else symbol for symbol in old)
        if new not in taken:
            return new


def _redirect_tool(task: Task, strength: float, random: Random, pool: str) -> Task:
    texts, names = get_domain(task.domain).texts, {tool.name for tool in task.tools}
    rules, new = [], []
    for function in needed_functions(task, strength, random):
        tool, text = task.tool_for(function), texts[function]
        name = random.choice([name for name in text.names[pool] if name not in names])
        names.add(name)
        copy = f"{function}{COPY_MARK}2"
        document = text.document(tool.factor, random.choice(text.descriptions[pool]))
        new.append(replace(tool, name=name, description=document, function=copy))
        message = random.choice(TOOL_REDIRECTIONS[pool]).replace("{tool}", name)
        rules.append(ChannelRule(message, function, substitute=copy))
    return task.with_shift(
        TOOL_REDIRECTION.name,
        strength,
        channel=Channel(tuple(rules)),
        tools=inserted(task.tools, new, random),
    )


FORMAT_SHIFT = Shift(
    tier="interaction",
    kind="format_shift",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A tool returns the same value in another format. Paper: Figure 3, `{value: xxx}` becomes "
    '"The value is xxx". Assumption: the other formats.',
    expected="read the value and carry on",
    strength_meaning="share of the needed tools whose returns are written otherwise",
    transform=_reformat,
    patterns=lambda pool: FORMATS[pool],
)
ERROR_MESSAGE = Shift(
    tier="interaction",
    kind="error_message",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A tool returns an error that passes, after as many calls as it says. Paper: Figure 3. Assumption: that "
    "it passes, and what it says.",
    expected="notice it and call again instead of inventing a value",
    strength_meaning="share of the needed tools that fail at first",
    transform=_fail,
    patterns=lambda pool: tuple(text for text, _ in TRANSIENT_ERRORS[pool]),
)
NULL_MESSAGE = Shift(
    tier="interaction",
    kind="null_message",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A tool's first return is empty. Paper: section 3.2 (None), Figure 3. Assumption: the next one is not.",
    expected="notice it and call again instead of inventing a value",
    strength_meaning="share of the needed tools that return nothing at first",
    transform=_return_null,
    patterns=lambda pool: NULLS[pool],
)
VALUE_REDIRECTION = Shift(
    tier="interaction",
    kind="value_redirection",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A return says that an argument is out of date and which value stands for it now. Paper: Figure 3, "
    '"Para change". Assumption: identifiers and names are renumbered.',
    expected="call again with the value that the return names",
    strength_meaning="share of the identifiers and names in the chain that are redirected",
    transform=_redirect_value,
    patterns=lambda pool: VALUE_REDIRECTIONS[pool],
)
TOOL_REDIRECTION = Shift(
    tier="interaction",
    kind="tool_redirection",
    dimension="dO",
    is_solvable=True,
    metric="accuracy",
    definition="A tool fails and its message names another offered tool that takes its place. Paper: Figure 3. "
    "Assumption: the substitute is offered from the start, under another name and in other words.",
    expected="switch to the tool that the return names",
    strength_meaning="share of the needed tools that are replaced",
    transform=_redirect_tool,
    patterns=lambda pool: TOOL_REDIRECTIONS[pool],
)
