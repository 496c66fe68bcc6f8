"""Scripted agents: for tests, for teaching, and as sanity rows in the tables."""

import json
import re
from collections import Counter
from collections.abc import Sequence

from openagent_lib.agents.agent import Turn
from openagent_lib.errors import unknown_name
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.leak import candidates
from openagent_lib.sandbox.protocol import CALL_KEY, REFUSAL, format_answer, format_call
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import CODE_PARAMETER, Tool


def call_text(tool: Tool, by_slot: dict[str, str], call_key: str = CALL_KEY) -> str:
    """Return the call of a tool under its current names, with its code, from arguments by slot."""
    return format_call(tool.name, call_arguments(tool, by_slot), call_key)


def call_arguments(tool: Tool, by_slot: dict[str, str]) -> dict[str, str]:
    """Return the arguments of a call under the tool's current keys, with its code."""
    arguments = {parameter.name: by_slot[parameter.slot] for parameter in tool.parameters}
    if tool.code is not None:
        arguments[CODE_PARAMETER] = tool.code
    return arguments


class OracleAgent:
    """Follows the gold chain; knows the task, but goes on only when an observation holds the value that it needs.

    It does what a careful reader of the observations would do: calls again after a fault that passes, with the new
    value or with the other tool where the observation names one. It refuses when a task has no answer: at once where a
    condition is missing, after the first withheld value where a tool is broken.
    """

    name = "oracle"

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the next message of the gold trajectory for every turn."""
        return [self._next(turn.task, [m["content"] for m in turn.messages if m["role"] == "tool"]) for turn in turns]

    def _next(self, task: Task, observations: list[str]) -> str:
        world, values, waiting, executions = world_of(task), [], list(observations), Counter()
        for call in task.gold_chain:
            function, by_slot = call.function, call.resolve(values)
            value = None
            while value is None:
                tool = task.tool_for(function)
                if not waiting:
                    return call_text(tool, by_slot, task.call_key)
                observation = waiting.pop(0)
                rule = task.channel.rule_for(function, executions[function], by_slot)
                executions[function] += 1
                if rule is None or "{value}" in rule.template:
                    value = world.run(function, task.channel.meant(function, by_slot), tool.factor)
                    if not _holds(observation, value):
                        return REFUSAL
                elif not task.is_solvable:
                    return REFUSAL
                elif rule.slot:
                    by_slot = {**by_slot, rule.slot: rule.new}
                else:
                    function = rule.substitute or function
            values.append(value)
        return format_answer(values[-1]) if task.is_solvable else REFUSAL


def _holds(observation: str, value: str) -> bool:
    """Tell whether an observation passes a value on, in whatever format."""
    return re.search(rf"(?<![\w.]){re.escape(value)}(?!\w)", observation) is not None


class FrozenAgent:
    """Replays from memory what was right on the clean twin of a task: its names, codes and order, never the documents.

    The caricature of a policy that has overfitted to trajectories: perfect in the closed set by construction.
    Paper: section 5, trajectory overfitting. Assumption: this agent.
    """

    name = "frozen"

    def __init__(self, clean: Sequence[Task]):
        """Remember the clean tasks."""
        self._memory = {task.id: task for task in clean}

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the remembered call, or the answer once all calls were made."""
        return [self._next(self._memory[turn.task.twin_id], turn.messages) for turn in turns]

    def _next(self, task: Task, messages: Sequence[dict]) -> str:
        values = [_read_value(message["content"]) for message in messages if message["role"] == "tool"]
        if len(values) >= len(task.gold_chain):
            return format_answer(values[-1])
        call = task.gold_chain[len(values)]
        return call_text(task.tool_for(call.function), call.resolve(values))


def _read_value(observation: str) -> str:
    try:
        return str(json.loads(observation)["value"])
    except (ValueError, KeyError, TypeError):
        return observation


class FirstToolAgent:
    """Calls the first offered tool with the query as every argument, then answers with what came back."""

    name = "first_tool"

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return a call first, then an answer that repeats the observation."""
        return [self._next(turn) for turn in turns]

    def _next(self, turn: Turn) -> str:
        if turn.messages[-1]["role"] == "tool":
            return format_answer(turn.messages[-1]["content"])
        tool = turn.task.tools[0]
        return call_text(tool, {parameter.slot: turn.task.query for parameter in tool.parameters})


class GuesserAgent:
    """Answers at once with a piece of the prompt: proves that no answer can be read off it.

    Attributes:
        rank: Which of the pieces, counted from the last one that holds a digit or a capital letter.
    """

    name = "guesser"

    def __init__(self, rank: int = 0):
        """Choose the piece."""
        self.rank = rank

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return an answer for every turn."""
        return [format_answer(self._guess(turn.task)) for turn in turns]

    def _guess(self, task: Task) -> str:
        pieces = [text for text in candidates(task) if text != text.lower() or any(map(str.isdigit, text))]
        return pieces[-1 - self.rank % len(pieces)]


class MalformedAgent:
    """Writes calls that are not valid JSON, for ever."""

    name = "malformed"

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the same broken call for every turn."""
        return ["<tool_call>\n{name: find_place, arguments\n</tool_call>" for _ in turns]


class RefuserAgent:
    """Refuses every task at once."""

    name = "refuser"

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the refusal for every turn."""
        return [REFUSAL for _ in turns]


class LooperAgent:
    """Calls the first offered tool again and again, and never answers."""

    name = "looper"

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the same call for every turn."""
        return [call_text(turn.task.tools[0], {p.slot: "?" for p in turn.task.tools[0].parameters}) for turn in turns]


ScriptedAgent = OracleAgent | FirstToolAgent | GuesserAgent | MalformedAgent | RefuserAgent | LooperAgent
SCRIPTED = {
    agent.name: agent
    for agent in (OracleAgent, FirstToolAgent, GuesserAgent, MalformedAgent, RefuserAgent, LooperAgent)
}


def scripted_agent(name: str) -> ScriptedAgent:
    """Return a scripted agent by name.

    Raises:
        ConfigError: No scripted agent has this name.
    """
    if name not in SCRIPTED:
        raise unknown_name("scripted agent", name, SCRIPTED)
    return SCRIPTED[name]()
