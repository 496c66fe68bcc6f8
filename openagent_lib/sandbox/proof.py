"""What can be found out at all with the tools that a task offers: the proof that a task cannot be solved.

A value counts as known when it stands in the query or when an offered tool that is not broken for good returns it for
known inputs. Computations are left out: they turn numbers into numbers and reveal nothing of the world.
"""

from itertools import product

from openagent_lib.errors import ToolFailure
from openagent_lib.sandbox.builder import run_chain
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.graph import COMPUTATIONS, FUNCTIONS
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Tool

Known = set[tuple[str, str]]


def known_values(task: Task) -> Known:
    """Return every pair of kind and value that calls can bring to light, the query's own values included."""
    world = world_of(task)
    broken = {rule.function for rule in task.channel.rules if rule.first is None and "{value}" not in rule.template}
    tools = [
        tool for tool in task.tools if tool.function in FUNCTIONS and tool.function not in (*COMPUTATIONS, *broken)
    ]
    known: Known = {(slot.removeprefix("other_"), text) for slot, text in task.slots if slot != "attribute"}
    while True:
        found = {item for tool in tools for item in _returns(tool, known, world)}
        if found <= known:
            return known
        known |= found


def needed_values(task: Task) -> list[tuple[str, str]]:
    """Return the pairs of kind and value that the look-ups of a clean task's chain bring to light, in order."""
    values = run_chain(world_of(task), task.gold_chain, {tool.function: tool for tool in task.tools})
    calls = zip(task.gold_chain, values, strict=True)
    return [(FUNCTIONS[call.function].returns, value) for call, value in calls if call.function not in COMPUTATIONS]


def is_beyond_reach(task: Task, clean: Task) -> bool:
    """Tell whether something that the clean twin needs can be found neither in the query nor by any calls.

    Args:
        task: A task that must be refused.
        clean: Its clean twin.
    """
    return bool(_lost(task, clean)) or not set(needed_values(clean)) <= known_values(task)


def _lost(task: Task, clean: Task) -> set[str]:
    """Return the conditions of the clean task that the query no longer states and no call brings back."""
    now, values = dict(task.slots), {text for _, text in known_values(task)}
    return {text for slot, text in clean.slots if now.get(slot) != text and text not in values}


def _returns(tool: Tool, known: Known, world) -> Known:
    function = FUNCTIONS[tool.function]
    inputs = [[text for kind, text in known if kind == wanted] for wanted in function.takes.values()]
    found: Known = set()
    for texts in product(*inputs):
        try:
            value = world.run(tool.function, dict(zip(function.takes, texts, strict=True)), tool.factor)
        except ToolFailure:
            continue
        found.add((function.returns, value))
    return found
