"""One task as plain text: the query, the tools, the gold chain with its values, the answer, and the channel."""

from openagent_lib.report.task_view import rule_text
from openagent_lib.report.trajectory_view import visible
from openagent_lib.sandbox.builder import run_chain
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.protocol import CALL_KEY
from openagent_lib.sandbox.task import Task


def task_text(task: Task) -> str:
    """Return everything about a task, what agents never see included."""
    twin = f", twin of {task.base_id}" if task.base_id else ""
    rules = [rule_text(rule, task) for rule in task.channel.rules]
    lines = [
        f"task {task.id}: {task.shift}, {task.domain}, {task.split}, {task.shape}{twin}",
        f"query: {task.query}",
        *([f"calls: arguments under the key {task.call_key}"] if task.call_key != CALL_KEY else []),
        *_block("tools", [f"{tool.name}({', '.join(tool.argument_names)}): {tool.document}" for tool in task.tools]),
        *_block("gold chain", _chain(task)),
        f"answer: {task.gold_answer if task.is_solvable else 'none, the right thing is to refuse'}",
        *(_block("returns", rules) if rules else ["returns: as they are"]),
    ]
    return visible("\n".join(lines))


def _block(head: str, lines: list[str]) -> list[str]:
    return [f"{head}:{'' if lines else ' none'}", *(f"  {line}" for line in lines)]


def _chain(task: Task) -> list[str]:
    """Return one line per gold call: the tool, its arguments by slot, and the value."""
    values = run_chain(world_of(task), task.gold_chain, {tool.function: tool for tool in task.tools})
    lines = []
    for index, (call, value) in enumerate(zip(task.gold_chain, values, strict=True)):
        arguments = ", ".join(f"{slot}={text}" for slot, text in call.resolve(values[:index]).items())
        lines.append(f"{index + 1}. {task.tool_for(call.function).name}({arguments}) = {value}")
    return lines
