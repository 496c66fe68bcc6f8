"""A task: a query, the tools offered, the observation channel, and what counts as solving it."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property

from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.protocol import CALL_KEY
from openagent_lib.sandbox.tool import Parameter, Tool

CLEAN = "clean"


@dataclass(frozen=True)
class GoldCall:
    """One call of the gold chain.

    Attributes:
        function: The hidden function to run.
        arguments: Pairs of slot and value. `$k` stands for the value that gold call k returned; a text may hold it
            beside other characters, as in `$1*3`.
    """

    function: str
    arguments: tuple[tuple[str, str], ...]

    def resolve(self, values: list[str]) -> dict[str, str]:
        """Return the arguments by slot with every `$k` replaced by the k-th value."""
        known = {str(index): value for index, value in enumerate(values)}
        return {
            slot: re.sub(r"\$(\d+)", lambda found: known.get(found[1], found[0]), text) for slot, text in self.arguments
        }


@dataclass(frozen=True)
class Task:
    """A clean or shifted task.

    Attributes:
        domain: Name of the domain.
        split: `train`, `dev` or `test`; the entities of the splits are disjoint.
        world_seed: Seed of the domain's entities.
        shape: Name of the chain shape.
        template: The surface form of the query, before its slots were filled.
        slots: Pairs of slot and the words that fill it in the query.
        query: What the user asks.
        tools: The tools offered, in order.
        gold_answer: The right answer, or None where the right thing is to refuse.
        gold_chain: The calls that lead to the answer.
        channel: How observations reach the agent.
        call_key: The key under which a call must pass its arguments.
        shift: `clean`, or the `tier.kind` of the shift that made it.
        strength: Strength of that shift in [0, 1].
        base_id: Identity of the clean twin, empty for a clean task.
    """

    domain: str
    split: str
    world_seed: int
    shape: str
    template: str
    slots: tuple[tuple[str, str], ...]
    query: str
    tools: tuple[Tool, ...]
    gold_answer: str | None
    gold_chain: tuple[GoldCall, ...]
    channel: Channel = field(default_factory=Channel)
    call_key: str = CALL_KEY
    shift: str = CLEAN
    strength: float = 0.0
    base_id: str = ""

    @property
    def is_solvable(self) -> bool:
        """Tell whether an answer exists; otherwise the task must be refused."""
        return self.gold_answer is not None

    @cached_property
    def id(self) -> str:
        """Return the identity: 16 hexadecimal digits of the hash of the content."""
        return hashlib.sha256(self.to_json().encode("utf-8")).hexdigest()[:16]

    @property
    def twin_id(self) -> str:
        """Return the identity of the clean twin, which for a clean task is its own."""
        return self.base_id or self.id

    def tool_for(self, function: str) -> Tool | None:
        """Return the offered tool that runs a hidden function, or None."""
        return next((tool for tool in self.tools if tool.function == function), None)

    def with_shift(self, name: str, strength: float, **changes: object) -> "Task":
        """Return the shifted twin of a task with some fields changed."""
        return replace(self, shift=name, strength=strength, base_id=self.twin_id, **changes)

    def to_json(self) -> str:
        """Return the canonical JSON text of the whole task."""
        return json.dumps(asdict(self), ensure_ascii=False, sort_keys=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Task":
        """Return the task that `to_json` wrote."""
        data = json.loads(text)
        data["slots"] = tuple(tuple(pair) for pair in data["slots"])
        data["tools"] = tuple(
            Tool(**{**tool, "parameters": tuple(Parameter(**item) for item in tool["parameters"])})
            for tool in data["tools"]
        )
        data["gold_chain"] = tuple(
            GoldCall(call["function"], tuple(tuple(pair) for pair in call["arguments"])) for call in data["gold_chain"]
        )
        data["channel"] = Channel(tuple(ChannelRule(**rule) for rule in data["channel"]["rules"]))
        return cls(**{item.name: data[item.name] for item in fields(cls)})
