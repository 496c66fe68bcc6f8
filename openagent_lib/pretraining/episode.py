"""What an episode is: tools, questions, gold calls, and the conversation that they make."""

from dataclasses import dataclass

from openagent_lib.sandbox.protocol import SYSTEM_PROMPT


@dataclass(frozen=True)
class Step:
    """One call and what the tool returns to it.

    Attributes:
        name: Name of the tool.
        arguments: Pairs of key and value.
        observation: What the tool returns.
        is_mistake: Whether the call is a wrong one, there to learn what to do after it and never a target.
    """

    name: str
    arguments: tuple[tuple[str, str], ...]
    observation: str
    is_mistake: bool = False


@dataclass(frozen=True)
class Question:
    """One user question: its calls, and the final message (an answer or a refusal)."""

    query: str
    steps: tuple[Step, ...]
    final: str


@dataclass(frozen=True)
class Episode:
    """A conversation about one list of tools.

    Attributes:
        skill: What the episode exercises, one of `SKILLS`.
        tools: JSON schemas, `description` before `name`.
        outputs: For every tool, the attribute that it returns.
        questions: One question, or several look-ups in a row in early training.
    """

    skill: str
    tools: tuple[dict, ...]
    outputs: tuple[str, ...]
    questions: tuple[Question, ...]

    def messages(self) -> list[dict]:
        """Return the gold conversation in the form of the chat template."""
        rows = [{"role": "system", "content": SYSTEM_PROMPT}]
        for question in self.questions:
            rows.append({"role": "user", "content": question.query})
            for step in question.steps:
                call = {"name": step.name, "arguments": dict(step.arguments)}
                rows.append(
                    {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call}]}
                )
                rows.append({"role": "tool", "name": step.name, "content": step.observation})
            rows.append({"role": "assistant", "content": question.final})
        return rows
