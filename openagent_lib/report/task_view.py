"""A task before and after a shift, in two columns: what an agent is given, and what counts as right."""

from openagent_lib.report.trajectory_view import two_columns, visible
from openagent_lib.sandbox.channel import ChannelRule
from openagent_lib.sandbox.protocol import system_prompt
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import Tool
from openagent_lib.sandbox.world import INVERSE_MARK


def before_after_text(clean_task: Task, shifted_task: Task) -> str:
    """Return a clean and a shifted task in two columns of plain text; `≠` marks a line that differs.

    Shown are the system prompt where it differs, the query, the tools with their arguments and documents (verification
    code included), the rules of the observation channel, and what is right. A tool stands beside the one that runs the
    same function, whatever their names and places.

    Args:
        clean_task: The clean twin.
        shifted_task: The task under a shift.
    """
    tasks = clean_task, shifted_task
    prompts, tools = [system_prompt(task.call_key) for task in tasks], [_by_function(task) for task in tasks]
    pairs = [[f"system prompt: {text}" for text in prompts], ["", ""]] if prompts[0] != prompts[1] else []
    pairs.append([f"query: {task.query}" for task in tasks])
    for function in {**tools[0], **tools[1]}:
        pairs += [["", ""], *_tool_pairs(*(one.get(function) for one in tools))]
    rules = [[f"return of {rule_text(rule, task)}" for rule in task.channel.rules] for task in tasks]
    longest = max(map(len, rules))
    pairs += [["", ""]] if longest else []
    pairs += [[one[at] if at < len(one) else "" for one in rules] for at in range(longest)]
    pairs += [["", ""], [f"expected: {task.gold_answer if task.is_solvable else 'refuse'}" for task in tasks]]
    heads = tuple("clean" if task.strength == 0 else f"{task.shift} at {task.strength:g}" for task in tasks)
    return two_columns(heads, [[visible(text) for text in pair] for pair in pairs])


def _by_function(task: Task) -> dict[str, Tool]:
    """Return the tools by the function that they run; one that runs it the other way round counts as the same."""
    return {tool.function.removeprefix(INVERSE_MARK): tool for tool in task.tools}


def _tool_pairs(left: Tool | None, right: Tool | None) -> list[list[str]]:
    """Return one pair of lines for name and arguments, and one for the document."""
    heads = [f"{tool.name}({', '.join(tool.argument_names)})" if tool else "" for tool in (left, right)]
    return [heads, [tool.document if tool else "" for tool in (left, right)]]


def rule_text(rule: ChannelRule, task: Task) -> str:
    """Return which returns a rule of the channel disturbs, and the text that stands in for them."""
    tool = task.tool_for(rule.function) if rule.function else None
    name = tool.name if tool else rule.function or "every tool"
    when = "every execution" if rule.first is None else f"first {rule.first} execution{'s' if rule.first > 1 else ''}"
    where = f" with {rule.slot} {rule.old}" if rule.slot else ""
    return f"{name}, {when}{where}: {rule.template}"
