"""One episode of one task: reads the agent's messages, runs tools, returns observations."""

from dataclasses import dataclass, field

from openagent_lib.errors import ToolFailure
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.protocol import Call, format_error, parse_message, system_prompt
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import CODE_PARAMETER, Tool
from openagent_lib.sandbox.world import World

MAX_STEPS = 12
MAX_MALFORMED = 3


def opening(task: Task) -> list[dict]:
    """Return the messages that an episode of a task starts with."""
    return [
        {"role": "system", "content": system_prompt(task.call_key)},
        {"role": "user", "content": task.query},
    ]


@dataclass(frozen=True)
class Event:
    """What happened to one call.

    Attributes:
        step: Index of the assistant message, from 0.
        name: The tool name that the call used; empty for a malformed call.
        arguments: The arguments of the call, as passed.
        error: Why the call is invalid (`malformed`, `unknown tool`, `wrong arguments`, `wrong code`,
            `not found`), or None for a valid one.
        anomalous: Whether the channel withheld the value of a valid call.
        observation: The text that the agent received.
    """

    step: int
    name: str
    arguments: tuple[tuple[str, str], ...]
    error: str | None
    anomalous: bool
    observation: str


@dataclass
class Environment:
    """Runs one episode.

    Example:
        >>> from openagent_lib.sandbox.dataset import make_tasks
        >>> def model(messages, tools):  # any function from a conversation to the next message
        ...     return "I can't complete this task."
        >>> environment = Environment.for_task(make_tasks("test", 1)[0])
        >>> messages = environment.reset()
        >>> while not environment.is_done:
        ...     text = model(messages, environment.tools)
        ...     messages += [{"role": "assistant", "content": text}, *environment.step(text)]
        >>> environment.ending
        'refused'

    Attributes:
        task: The task, clean or shifted.
        world: The entities that the task's tools act on.
        max_steps: Most assistant messages in an episode. Assumption: the paper's limit is unknown.
        messages: The history so far, in chat form.
        events: One event per call so far.
        ending: `answered`, `refused`, `malformed` or `exhausted` once the episode is over, else None. A message without
            call, answer and refusal ends it as `malformed`; so do three messages with a malformed call in a row.
        answer: The final answer, where there is one.
    """

    task: Task
    world: World
    max_steps: int = MAX_STEPS
    messages: list[dict] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    ending: str | None = None
    answer: str | None = None
    _steps: int = 0
    _malformed: int = 0
    _executions: dict[str, int] = field(default_factory=dict)

    @classmethod
    def for_task(cls, task: Task, max_steps: int = MAX_STEPS) -> "Environment":
        """Return the environment of a task in its own world."""
        return cls(task, world_of(task), max_steps)

    def reset(self) -> list[dict]:
        """Start the episode anew and return its first messages."""
        self.messages = opening(self.task)
        self.events, self.ending, self.answer = [], None, None
        self._steps, self._malformed, self._executions = 0, 0, {}
        return list(self.messages)

    @property
    def tools(self) -> list[dict]:
        """Return the JSON schemas of the tools offered, as OpenAI-compatible endpoints take them."""
        return [tool.schema() for tool in self.task.tools]

    @property
    def is_done(self) -> bool:
        """Tell whether the episode is over."""
        return self.ending is not None

    def step(self, text: str) -> list[dict]:
        """Take one assistant message and return the observations that answer it.

        Args:
            text: The raw message. Any text is allowed; nothing in it is ever evaluated.

        Returns:
            The new `tool` messages; empty when the episode is over.

        Raises:
            RuntimeError: The episode is over, or `reset` was never called.
        """
        if self.is_done or not self.messages:
            raise RuntimeError("the episode is over or was never started: call reset() first")
        self.messages.append({"role": "assistant", "content": text})
        message = parse_message(text, self.task.call_key)
        if not message.calls and self._ends(message.answer, message.refused, bool(message.malformed), text):
            return []
        observations = [self._execute(call) for call in message.calls]
        observations += [self._reject("", (), "malformed", reason) for reason in message.malformed]
        self.messages += observations
        self._steps += 1
        self._malformed = self._malformed + 1 if message.malformed else 0
        if self._malformed >= MAX_MALFORMED:
            self.ending = "malformed"
        elif self._steps >= self.max_steps:
            self.ending = "exhausted"
        return observations

    def _ends(self, answer: str | None, refused: bool, malformed: bool, text: str) -> bool:
        if answer is not None:
            self.ending, self.answer = "answered", answer
        elif refused:
            self.ending = "refused"
        elif malformed and "tool_call>" not in text:
            self.ending = "malformed"
        return self.is_done

    def _execute(self, call: Call) -> dict:
        tool = next((tool for tool in self.task.tools if tool.name == call.name), None)
        if tool is None:
            return self._reject(call.name, call.arguments, "unknown tool", f"unknown tool {call.name[:40]}")
        arguments = dict(call.arguments)
        if sorted(arguments) != sorted(tool.argument_names) or len(arguments) != len(call.arguments):
            expected = ", ".join(tool.argument_names)
            return self._reject(call.name, call.arguments, "wrong arguments", f"expected arguments: {expected}")
        if tool.code is not None and arguments[CODE_PARAMETER] != tool.code:
            return self._reject(call.name, call.arguments, "wrong code", "wrong code")
        return self._run(tool, call)

    def _run(self, tool: Tool, call: Call) -> dict:
        arguments, channel = dict(call.arguments), self.task.channel
        by_slot = {parameter.slot: arguments[parameter.name] for parameter in tool.parameters}
        executions = self._executions.get(tool.function, 0)
        rule = channel.rule_for(tool.function, executions, by_slot)
        try:
            value = tool.fixed_value or self.world.run(
                tool.function, channel.meant(tool.function, by_slot), tool.factor
            )
        except ToolFailure as failure:
            return self._reject(call.name, call.arguments, "not found", str(failure))
        self._executions[tool.function] = executions + 1
        observation, anomalous = channel.observe(rule, value)
        return self._record(Event(self._steps, call.name, call.arguments, None, anomalous, observation))

    def _reject(self, name: str, arguments: tuple[tuple[str, str], ...], error: str, text: str) -> dict:
        return self._record(Event(self._steps, name, arguments, error, False, format_error(text)))

    def _record(self, event: Event) -> dict:
        self.events.append(event)
        return {"role": "tool", "name": event.name or "unknown", "content": event.observation}
