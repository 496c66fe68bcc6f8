"""Trajectory views: what each step does, alignment, and that model output stays data."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openagent_lib.report import trajectory_view as view
from openagent_lib.sandbox.protocol import REFUSAL, format_answer, format_call, format_error, format_value

HOSTILE = "</pre></td><script>alert(1)</script>\"'&<img src=x onerror=alert(1)>"


def episode(*messages, shift="clean", outcome="correct"):
    start = [{"role": "system", "content": "hidden"}, {"role": "user", "content": "What is the id of Alder?"}]
    counts = {"n_calls": 1, "n_tool_errors": 0, "n_anomalies": 0}
    return {"shift": shift, "outcome": outcome, "messages": [*start, *messages], **counts}


def agent(text):
    return {"role": "assistant", "content": text}


def tool(text, name="find_id"):
    return {"role": "tool", "name": name, "content": text}


CALL = format_call("find_id", {"name": "Alder"})
CLEAN = episode(agent(CALL), tool(format_value("P48")), agent(format_answer("P48")))
BROKEN = episode(agent(CALL), tool(format_error("down")), agent(CALL), tool("None"), agent(REFUSAL),
                 shift="interaction.error_message", outcome="refused")  # fmt: skip


def test_every_step_is_marked_with_what_it_does():
    assert [step.event for step in view.read_steps(CLEAN["messages"])] == ["question", "call", "value", "answer"]
    events = [step.event for step in view.read_steps(BROKEN["messages"])]
    assert events == ["question", "call", "error", "call", "unusual", "refusal"]


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("<tool_call>{oops</tool_call>", "malformed"),
        ("just words", "malformed"),
        ("", "malformed"),
        (CALL + CALL, "several calls"),
    ],
)
def test_malformed_and_repeated_calls_are_told_apart(text, event):
    assert view.read_steps([agent(text)])[0].event == event


@pytest.mark.parametrize(
    "text", ['{"value": null}', "The value is P48", "", "[1]", "[" * 100_000, '{"value": "a", "more": 1}']
)
def test_observations_of_another_form_are_unusual(text):
    assert view.read_steps([tool(text)])[0].event == "unusual"


def test_the_system_prompt_is_left_out():
    assert "hidden" not in view.side_by_side_text(CLEAN, BROKEN) + view.side_by_side_html(CLEAN, BROKEN)


def test_columns_are_aligned_and_differences_marked():
    text = view.side_by_side_text(CLEAN, BROKEN, width=50)
    lines = text.splitlines()
    assert lines[0].startswith("clean: correct (1 calls")
    assert lines[0][53:].startswith("interaction.error_message: refused")
    assert [line[53:] for line in lines if line[51:52] == "≠"] == [
        "! find_id [error]", "→ agent [call]", "? find_id [unusual]", "⊘ agent [refusal]",
    ]  # fmt: skip
    assert all(len(line) <= 103 for line in lines)
    assert "≠" not in view.side_by_side_text(CLEAN, CLEAN)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.text = set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        assert all(name == "class" for name, _ in attrs)

    def handle_data(self, data):
        self.text += data


ALLOWED = {"style", "table", "tr", "th", "td", "span", "b", "pre"}


@pytest.mark.parametrize("place", ["user", "agent", "observation", "tool name", "role", "shift", "outcome"])
def test_hostile_text_is_escaped_wherever_it_comes_from(place):
    messages = {
        "user": {"role": "user", "content": HOSTILE}, "agent": agent(HOSTILE), "observation": tool(HOSTILE),
        "tool name": tool("x", name=HOSTILE), "role": {"role": HOSTILE, "content": "x"},
    }  # fmt: skip
    record = episode(messages[place]) if place in messages else {**episode(), place: HOSTILE}
    page = view.side_by_side_html(CLEAN, record)
    reader = Reader()
    reader.feed(page)
    assert reader.tags <= ALLOWED
    assert HOSTILE in reader.text
    assert "<script" not in page
    assert "<img" not in page


@given(st.text(st.characters(), max_size=60))
def test_any_text_is_shown_and_never_becomes_markup(text):
    record = episode(agent(text), tool(text))
    reader = Reader()
    reader.feed(view.side_by_side_html(record, record))
    assert reader.tags <= ALLOWED
    assert view.side_by_side_text(CLEAN, record).encode("utf-8")


def test_control_characters_cannot_act():
    assert view.visible("a\x1b[31m\r\u202e\u2028\x00\ud800é\nb") == "a\\x1b[31m\\r\\u202e\\u2028\\x00\\ud800é\nb"
    assert "\x1b" not in view.side_by_side_text(episode(agent("\x1b]0;x\x07")), CLEAN)


def test_nothing_closes_the_markdown_fence():
    text = view.side_by_side_markdown(episode(agent("````\n# free")), CLEAN)
    fence = text.split("text\n", 1)[0]
    assert fence == "`" * 5
    assert [line for line in text.splitlines() if line.startswith(fence)] == [f"{fence}text", fence]


def test_an_episode_without_messages_is_shown():
    broken = {**CLEAN, "messages": [], "outcome": "error"}
    assert "error" in view.side_by_side_text(CLEAN, broken)
    assert "error" in view.side_by_side_html(broken, CLEAN)
