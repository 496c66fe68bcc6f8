"""The sandbox as a class whose methods are the tools, the form that TRL's `environment_factory` takes.

Assumption: all of this; the paper names no interface.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace

from openagent_lib.errors import DataError
from openagent_lib.sandbox.domain import Domain, ToolText
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.protocol import CALL_KEY, answers_match, format_call, format_error
from openagent_lib.sandbox.task import Task


def environment_class(domain: str = "poi") -> type:
    """Return a class with one method for each tool of a domain's closed world, for TRL's `environment_factory`.

    A method has the name, the arguments and the document of its tool and returns the observation. `reset(task=...)`
    starts the episode of a task; further columns of its row are ignored. The attribute `environment` is the
    `Environment` behind it, the same as everywhere else, with two differences that this form of calling brings: every
    call counts as a step of its own, and calls that TRL does not pass on (unknown tools, broken JSON) leave no trace.

    The prompt shows every method, so every tool of the closed world is offered, not only the tools of the task. There
    is no `get_reward`: TRL calls it without the final message, which no method sees. Pass `sandbox_reward` instead.

    Example:
        Given a list `tasks` of `Task`::

            rows = [{"prompt": opening(task), "task": task.to_json()} for task in tasks]
            GRPOTrainer(
                model,
                reward_funcs=sandbox_reward,
                train_dataset=Dataset.from_list(rows),
                environment_factory=environment_class("poi"),
            )

    Args:
        domain: Name of the domain.

    Raises:
        ConfigError: No domain has this name.
    """
    words = get_domain(domain)
    methods = {text.name: _method(text) for text in words.tools}
    return type(f"{domain.capitalize()}Environment", (_ToolEnvironment,), {"_domain": words, **methods})


def sandbox_reward(completions: Sequence[list[dict]], environments: Sequence, **_) -> list[float]:
    """Return 1 for every episode that ends in the right answer, else 0: a reward function for TRL.

    Args:
        completions: The messages of each episode, from the first one of the assistant.
        environments: The instance of an `environment_class` that each episode ran on.
    """
    rewards = []
    for each, completion in zip(environments, completions, strict=True):
        finish(each.environment, completion)
        answer, gold = each.environment.answer, each.environment.task.gold_answer
        rewards.append(float(gold is not None and answers_match(answer, gold)))
    return rewards


def finish(environment: Environment, completion: Sequence[dict]) -> None:
    """Give an environment the final message of its episode, which no tool has seen; needed before it is judged.

    An episode whose last message calls a tool was cut off there and stays open.
    """
    last = completion[-1]
    if not environment.is_done and last["role"] == "assistant" and not last.get("tool_calls"):
        environment.step(last["content"])


class _ToolEnvironment:
    _domain: Domain
    environment: Environment | None = None

    def reset(self, task: str = "", **_: object) -> None:
        """Start the episode of a task.

        Args:
            task: Its canonical JSON text, as in the column `task` of the task files.

        Raises:
            DataError: There is no task, or it has no answer or other tools than the closed world.
        """
        if not task:
            raise DataError("expected a task in the column task, found none: pass Task.to_json() in every row")
        self.environment = Environment.for_task(_in_closed_world(Task.from_json(task), self._domain))
        self.environment.reset()

    def _call(self, name: str, arguments: dict[str, object]) -> str:
        if self.environment is None or self.environment.is_done:
            return format_error("the episode is over")
        return self.environment.step(format_call(name, arguments))[0]["content"]


def _in_closed_world(task: Task, domain: Domain) -> Task:
    """Return a task with every tool of the closed world; a task that these would change is an error."""
    tools = tuple(domain.catalogue.values())
    is_closed = task.domain == domain.name and set(task.tools) <= set(tools) and task.call_key == CALL_KEY
    if not is_closed or not task.is_solvable:
        raise DataError(
            f"expected a task of {domain.name} with an answer and the tools of the closed world, "
            f"found {task.shift} of {task.domain}: drop the row"
        )
    return replace(task, tools=tools)


def _method(text: ToolText) -> Callable[..., str]:
    tool = text.tool()

    def method(self: _ToolEnvironment, /, **arguments: str) -> str:
        return self._call(tool.name, arguments)

    instance = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
    keys = [inspect.Parameter(key, inspect.Parameter.KEYWORD_ONLY, annotation=str) for key in tool.argument_names]
    method.__name__ = method.__qualname__ = tool.name
    method.__signature__ = inspect.Signature([instance, *keys])
    method.__annotations__ = dict.fromkeys(tool.argument_names, str)
    notes = "".join(f"\n    {key}: The {key.replace('_', ' ')}." for key in tool.argument_names)
    method.__doc__ = f"{tool.document}\n\nArgs:{notes}\n\nReturns:\n    The observation, which holds {text.returns}."
    return method
