"""What messages mean: calls, final answers, refusals, and everything that is none of them.

Assumption: the paper shows the `<tool_call>` tag pair and the `{value: ...}` return (Paper: Figure 3); the system
prompt, the answer tag, the matcher and the refusal detector are ours.
"""

import json
import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

SYSTEM_PROMPT = (
    "Answer the question with the tools you are given. Read each tool's description before you call it. "
    "Give the result as <answer>...</answer>. If the task cannot be completed, say so instead of guessing."
)
CALL_KEY = "arguments"
CALL_KEY_NOTE = 'In every tool call write the key "{key}" in place of "arguments".'
REFUSAL = "I can't complete this task."
MAX_MESSAGE_CHARACTERS = 20_000
MAX_CALLS_PER_MESSAGE = 8

_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_BARE_CALL = re.compile(r'\{\s*"(?:name|function|arguments|args)"\s*:')
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_UNIT = re.compile(r"(?<=[\d.]) ?(?!(?:k|dozen|hundred|thousand|million|billion)$)[^\W\d_]{1,20}$")
_CANNOT = (
    r"(?:can ?not|can't|could not|couldn't|unable to|not able to|(?:is|it's) impossible to|not possible to|no way to)"
)
_GOAL = (
    r"(?:complete|answer|do|find|determine|solve|help|give|provide|finish|fulfil|continue|proceed|say|know|tell"
    r"|be (?:completed|answered|done|found|determined|solved|given))"
)
_NEGATED_ABILITY = rf"\b{_CANNOT}\b.{{0,40}}?\b{_GOAL}\b"
_DECLINED = r"\bI(?:'ll| will| must| have to)? (?:refuse|decline)\b(?! to give up)"
_UNKNOWN = r"\b(?:I|we) (?:do not|don't) (?:know|have (?:enough|sufficient|the))\b"
_TOO_LITTLE = r"\b(?:not enough|insufficient|too little) (?:information|data|detail|context)"
_REFUSAL = re.compile("|".join((_NEGATED_ABILITY, _DECLINED, _UNKNOWN, _TOO_LITTLE)), re.IGNORECASE | re.DOTALL)
_GOES_ON = re.compile(
    r"\b(?:(?:so|then|instead),? I(?:'ll| will| have)?|let me) "
    r"(?:look|use|try|search|call|ask|check|calculat|comput|found|got|took|read)"
    r"|\bbut I(?: have)? (?:found|got)\b|\b(?:answer|result) is:? \S*\d",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Call:
    """A well-formed tool call: a name and scalar arguments, not yet checked against the offered tools."""

    name: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Message:
    """What one assistant message says.

    Attributes:
        calls: The well-formed calls, in order.
        malformed: One reason for every piece that looks like a call and is none.
        answer: The text of the final answer, or None.
        refused: Whether the message refuses the task.
    """

    calls: tuple[Call, ...] = ()
    malformed: tuple[str, ...] = ()
    answer: str | None = None
    refused: bool = False


def system_prompt(call_key: str = CALL_KEY) -> str:
    """Return the system prompt; it says so where a call's key for its arguments is not `arguments`."""
    return SYSTEM_PROMPT if call_key == CALL_KEY else f"{SYSTEM_PROMPT} {CALL_KEY_NOTE.format(key=call_key)}"


def stated_call_key(system_text: str) -> str:
    """Return the key for a call's arguments that a system prompt states, `arguments` where it states none."""
    before, after = map(re.escape, CALL_KEY_NOTE.split("{key}"))
    stated = re.search(f'{before}([^"]+){after}', system_text)
    return stated[1] if stated else CALL_KEY


def format_call(name: str, arguments: dict[str, str], call_key: str = CALL_KEY) -> str:
    """Return the canonical text of a call, equal to what Qwen2.5's chat template prints for it."""
    body = json.dumps(arguments, ensure_ascii=False)
    return f'<tool_call>\n{{"name": "{name}", "{call_key}": {body}}}\n</tool_call>'


def format_answer(value: str) -> str:
    """Return the canonical final message."""
    return f"<answer>{value}</answer>"


def format_value(value: str) -> str:
    """Return a normal observation. Paper: Figure 3, the shape `{value: xxx}`."""
    return json.dumps({"value": value}, ensure_ascii=False)


def format_error(text: str) -> str:
    """Return an error observation; lone surrogates, which no tokenizer reads, are written as escapes."""
    return json.dumps({"error": text.encode("utf-8", "backslashreplace").decode("utf-8")}, ensure_ascii=False)


def is_refusal(text: str) -> bool:
    """Tell whether a text says that the task cannot be done.

    Assumption: it does when it negates an ability (`can't`, `unable to`, ...) within 40 characters before a verb of
    completing or answering, declines, or says that it does not know or that the information does not suffice; unless it
    goes on after that, with another attempt or with a result.
    """
    text = text.replace("\u2019", "'")
    ends = [found.end() for found in _REFUSAL.finditer(text)]
    return bool(ends) and _GOES_ON.search(text, ends[-1]) is None


def parse_message(text: str, call_key: str = CALL_KEY) -> Message:
    """Read one assistant message; never raises, whatever the text.

    Calls win over an answer in the same message. A message without call, answer and refusal is malformed.

    Args:
        text: The raw message.
        call_key: The only key under which a call may pass its arguments.
    """
    if len(text) > MAX_MESSAGE_CHARACTERS:
        return Message(malformed=(f"message longer than {MAX_MESSAGE_CHARACTERS} characters",))
    if "tool_call>" in text:
        end = text.rfind("</tool_call>") + len("</tool_call>")
        calls, reasons = _read_blocks(_CALL.findall(text, 0, end), call_key)
        if "tool_call>" in _CALL.sub(" ", text[:end]) + text[end:]:
            reasons.append("unpaired tool_call tag")
        return Message(calls=tuple(calls), malformed=tuple(reasons))
    answers = _ANSWER.findall(text, 0, text.rfind("</answer>") + len("</answer>"))
    if answers:
        answer = answers[-1].strip()
        return Message(refused=True) if is_refusal(answer) else Message(answer=answer)
    if _BARE_CALL.search(text):
        return Message(malformed=("call outside of tool_call tags",))
    if is_refusal(text):
        return Message(refused=True)
    return Message(malformed=("no tool call, no answer tag and no refusal",))


def answers_match(given: str | None, gold: str) -> bool:
    """Compare an answer with the gold answer: equal numbers, or equal text up to case, spacing and quotes.

    Assumption: the paper's matcher is unknown. Numbers are equal in every spelling (`25`, `25.0`, `"25"`, `1,250`), and
    where the gold answer is a bare number, one word behind a given number is taken for its unit, whichever it is
    (`25 km`, `12.5 crowns`); words that multiply it (`thousand`) are not. Text must be the same.

    Args:
        given: The answer of an agent, None where there is none.
        gold: The right answer.
    """
    if given is None:
        return False
    left, right = _normalise(given), _normalise(gold)
    if left == right:
        return True
    number = _number(right)
    return number is not None and number in (_number(left), _number(_UNIT.sub("", left)))


def _read_blocks(blocks: list[str], call_key: str) -> tuple[list[Call], list[str]]:
    calls: list[Call] = []
    reasons: list[str] = []
    for block in blocks[:MAX_CALLS_PER_MESSAGE]:
        try:
            calls.append(_read_call(block, call_key))
        except ValueError as problem:
            reasons.append(str(problem))
    if len(blocks) > MAX_CALLS_PER_MESSAGE:
        reasons.append(f"more than {MAX_CALLS_PER_MESSAGE} calls in one message")
    return calls, reasons


def _read_call(block: str, call_key: str) -> Call:
    try:
        body = json.loads(block)
    except (ValueError, RecursionError):
        raise ValueError("call is not valid JSON") from None
    if not isinstance(body, dict) or not isinstance(body.get("name"), str):
        raise ValueError('call needs a "name"')
    arguments = body.get(call_key)
    if not isinstance(arguments, dict) or set(body) != {"name", call_key}:
        raise ValueError(f'call needs exactly "name" and "{call_key}"')
    if not all(isinstance(value, str | int | float) for value in arguments.values()):
        raise ValueError("argument values must be strings or numbers")
    return Call(body["name"], tuple((key, _scalar(value)) for key, value in arguments.items()))


def _scalar(value: str | int | float) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _normalise(text: str) -> str:
    return " ".join(text.split()).lstrip(" \"'").rstrip(" .\"'").casefold()


def _number(text: str) -> Decimal | None:
    try:
        number = Decimal(text.replace(",", "") if _THOUSANDS.fullmatch(text) else text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
