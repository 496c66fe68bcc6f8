"""Gold trajectories: what the oracle does on a task, as conversational training rows."""

from collections.abc import Iterable

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.errors import DataError
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.protocol import CALL_KEY, parse_message
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import NAME_FIRST


def training_row(task: Task, key_order: str = NAME_FIRST) -> dict:
    """Return the gold trajectory of a task as a row with `messages` and `tools`.

    Args:
        task: A clean or shifted task.
        key_order: Order of the keys in the tools' schemas, see `Tool.schema`.

    Raises:
        DataError: The oracle does not solve the task.
    """
    return training_rows([task], key_order)[0]


def training_rows(tasks: Iterable[Task], key_order: str = NAME_FIRST) -> list[dict]:
    """Return one row for every task; see `training_row`."""
    return [_row(environment, key_order) for environment in play(OracleAgent(), list(tasks))]


def _row(environment, key_order: str) -> dict:
    task = environment.task
    if not is_success(environment, outcome_of(environment)):
        raise DataError(f"the oracle does not solve task {task.id} ({task.shift}): {task.query!r}")
    return {
        "messages": [_structured(message, task.call_key) for message in environment.messages],
        "tools": [tool.schema(key_order) for tool in task.tools],
        "task_id": task.id,
        "shift": task.shift,
    }


def _structured(message: dict, call_key: str) -> dict:
    """Return an assistant message with its calls in `tool_calls`, other messages unchanged.

    Chat templates know no other key than `arguments`: where the task asks for another one, the text stays as it is.
    """
    is_call = message["role"] == "assistant" and call_key == CALL_KEY
    calls = parse_message(message["content"]).calls if is_call else ()
    if not calls:
        return message
    tool_calls = [{"type": "function", "function": {"name": c.name, "arguments": dict(c.arguments)}} for c in calls]
    return {"role": "assistant", "content": "", "tool_calls": tool_calls}
