"""Episodes made readable: the clean and the shifted run of one task side by side, every step marked with what it does.

Model output is data: control characters are shown as codes, and everything that enters HTML is escaped.
"""

import html
import json
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from openagent_lib.sandbox.protocol import CALL_KEY, Call, parse_message, stated_call_key

MARKS = {
    "call": "→", "call again": "↻", "other arguments": "↷", "other tool": "↪", "several calls": "⇉", "malformed": "✗",
    "value": "=", "error": "!", "unusual": "?",
    "answer": "✓", "refusal": "⊘", "question": " ", "other": " ",
}  # fmt: skip
_STYLE = (
    "<style>.oac td,.oac th{vertical-align:top;text-align:left;width:50%;padding:4px 8px;border-bottom:1px solid #ddd}"
    ".oac pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:2px 0}.oac .changed{background:#fff4e0}"
    ".oac .event{color:#6b6b6b;font-size:85%}</style>"
)


@dataclass(frozen=True)
class Step:
    """One message of an episode.

    Attributes:
        speaker: `user`, `agent` or the tool's name.
        event: A key of `MARKS`: what the message does.
        text: The message, with control characters made visible.
    """

    speaker: str
    event: str
    text: str


def read_steps(messages: Sequence[dict]) -> list[Step]:
    """Return the steps of an episode without the system prompt, which says what a call must look like.

    A single call that follows an observation without a plain value is compared with the call before: `call again`
    repeats it, `other arguments` keeps the tool alone, `other tool` keeps the arguments alone.

    Args:
        messages: The `messages` of a record.
    """
    steps, call_key, call = [], CALL_KEY, None
    for message in messages:
        role, content = str(message.get("role")), str(message.get("content") or "")
        speaker, event = visible(role), "other"
        if role == "system":
            call_key = stated_call_key(content)
            continue
        if role == "assistant":
            previous = call if steps and steps[-1].event in ("error", "unusual") else None
            speaker, (event, call) = "agent", _agent_event(content, call_key, previous)
        elif role == "tool":
            speaker, event = visible(str(message.get("name") or "tool")), _observation_event(content)
        elif role == "user":
            event = "question"
        steps.append(Step(speaker, event, visible(content)))
    return steps


def visible(text: str) -> str:
    """Return the text with every non-printable character except newlines shown as its code."""
    return "".join(c if c == "\n" or c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def side_by_side_text(clean: dict, shifted: dict, width: int = 58) -> str:
    """Return two episodes in two columns of plain text; `≠` marks a step that differs from the clean one.

    Args:
        clean: Record of the clean task.
        shifted: Record of its shifted twin.
        width: Characters per column.
    """
    heads = _headline(clean), _headline(shifted)
    return two_columns(heads, [[_step_text(step) for step in pair] for pair in _paired_steps(clean, shifted)], width)


def two_columns(heads: tuple[str, str], pairs: Sequence[Sequence[str]], width: int = 58) -> str:
    """Return pairs of texts in two columns under their heads; `≠` marks a pair that differs.

    Args:
        heads: Head of the left and of the right column.
        pairs: A left and a right text each, wrapped where they are longer than a column.
        width: Characters per column.
    """
    lines = [*_pair_lines(*heads, width, " "), "─" * (2 * width + 3)]
    for left, right in pairs:
        lines += _pair_lines(left, right, width, " " if left == right else "≠")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def side_by_side_markdown(clean: dict, shifted: dict, width: int = 58) -> str:
    """Return `side_by_side_text` in a code fence that nothing in the text can close."""
    text = side_by_side_text(clean, shifted, width)
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text}{fence}\n"


def side_by_side_html(clean: dict, shifted: dict) -> str:
    """Return two episodes as an HTML table; all text is escaped, steps that differ are shaded."""
    rows = [f"<tr><th>{_escape(_headline(clean))}</th><th>{_escape(_headline(shifted))}</th></tr>"]
    for left, right in _paired_steps(clean, shifted):
        shade = "" if left == right else ' class="changed"'
        rows.append(f"<tr><td>{_step_html(left)}</td><td{shade}>{_step_html(right)}</td></tr>")
    return f'{_STYLE}<table class="oac">{"".join(rows)}</table>'


def _agent_event(text: str, call_key: str, previous: Call | None) -> tuple[str, Call | None]:
    """Return what a message does, and its call where it makes a single one."""
    message = parse_message(text, call_key)
    if message.malformed:
        return "malformed", None
    if not message.calls:
        return "refusal" if message.refused else "answer", None
    if len(message.calls) > 1:
        return "several calls", None
    (call,) = message.calls
    if call == previous:
        return "call again", call
    if previous and call.name == previous.name:
        return "other arguments", call
    return "other tool" if previous and call.arguments == previous.arguments else "call", call


def _observation_event(text: str) -> str:
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return "unusual"
    if isinstance(body, dict) and set(body) == {"value"} and isinstance(body["value"], str):
        return "value"
    return "error" if isinstance(body, dict) and "error" in body else "unusual"


def _headline(record: dict) -> str:
    counts = f"{record['n_calls']} calls, {record['n_tool_errors']} tool errors, {record['n_anomalies']} anomalies"
    return visible(f"{record['shift']}: {record['outcome']} ({counts})")


def _paired_steps(clean: dict, shifted: dict) -> list[tuple[Step | None, Step | None]]:
    """Return the steps in pairs, equal ones side by side, and additional ones before the step that they lead to."""
    left, right = read_steps(clean["messages"]), read_steps(shifted["messages"])
    pairs: list[tuple[Step | None, Step | None]] = []
    for _, start, end, other_start, other_end in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        one, other = left[start:end], right[other_start:other_end]
        pairs += zip_longest([None] * (len(other) - len(one)) + one, other)
    return pairs


def _step_text(step: Step | None) -> str:
    return "" if step is None else f"{MARKS[step.event]} {step.speaker} [{step.event}]\n{step.text}"


def _step_html(step: Step | None) -> str:
    if step is None:
        return ""
    head = f"{MARKS[step.event]} <b>{_escape(step.speaker)}</b> {_escape(step.event)}"
    return f'<span class="event">{head}</span><pre>{_escape(step.text)}</pre>'


def _escape(text: str) -> str:
    return html.escape(text, quote=True)


def _pair_lines(left: str, right: str, width: int, sign: str) -> list[str]:
    columns = [_wrap(text, width) for text in (left, right)]
    pairs = zip_longest(*columns, fillvalue="")
    return [f"{a:<{width}} {sign if number == 0 else ' '} {b}" for number, (a, b) in enumerate(pairs)]


def _wrap(text: str, width: int) -> list[str]:
    lines = []
    for line in text.split("\n"):
        lines += textwrap.wrap(line, width, replace_whitespace=False) or [""]
    return lines
