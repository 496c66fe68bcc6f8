"""What an agent is: anything that maps histories to assistant messages, in batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from openagent_lib.sandbox.task import Task


@dataclass(frozen=True)
class Turn:
    """What an agent is asked to continue.

    Attributes:
        messages: The history in chat form, ending with a `user` or `tool` message.
        task: The task, whose offered tools the agent sees. Only scripted agents that say so may look at the rest.
    """

    messages: Sequence[dict]
    task: Task


class Agent(Protocol):
    """Anything that acts in the sandbox."""

    name: str

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the next assistant message for every turn, in order."""
        ...
