"""Trajectory views: what each step does, alignment, and that model output stays data."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.report import trajectory_view as view
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import (
    REFUSAL,
    format_answer,
    format_call,
    format_error,
    format_value,
    stated_call_key,
    system_prompt,
)
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = make_tasks("test", 60)

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
    assert events == ["question", "call", "error", "call again", "unusual", "refusal"]


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


@pytest.mark.parametrize("key", ["args", "params.*", "arguments"])
def test_a_call_is_read_with_the_key_that_the_system_prompt_states(key):
    assert stated_call_key(system_prompt(key)) == key
    start = {"role": "system", "content": system_prompt(key)}
    events = {
        used: view.read_steps([start, agent(format_call("find_id", {"name": "Alder"}, used))])[0].event
        for used in (key, "elsewhere")
    }
    assert events == {key: "call", "elsewhere": "malformed"}


def test_a_prompt_that_states_no_key_means_the_usual_one():
    assert stated_call_key("") == stated_call_key('Write "args" for fun.') == "arguments"


@pytest.mark.parametrize("observation", [format_error("down"), "Ask for Birch", ""])
def test_a_call_after_an_unusual_return_says_what_changed(observation):
    other = {
        CALL: "call again",
        format_call("find_id", {"name": "Birch"}): "other arguments",
        format_call("id_of", {"name": "Alder"}): "other tool",
        format_call("id_of", {"name": "Birch"}): "call",
        CALL + CALL: "several calls",
    }
    for text, event in other.items():
        assert view.read_steps([agent(CALL), tool(observation), agent(text)])[-1].event == event
        after_value = view.read_steps([agent(CALL), tool(format_value("P48")), agent(text)])[-1].event
        assert after_value == ("several calls" if event == "several calls" else "call")


def test_what_a_shift_adds_stands_before_the_step_that_it_leads_to():
    recovered = episode(
        agent(CALL), tool("Try again"), agent(CALL), tool(format_value("P48")), agent("<answer>P48</answer>")
    )
    text = view.side_by_side_text(CLEAN, recovered)
    assert [line[61:] for line in text.splitlines() if line[59:60] == "≠"] == [
        "? find_id [unusual]", "↻ agent [call again]",
    ]  # fmt: skip
    gone = view.side_by_side_text(recovered, CLEAN)
    assert [line[:20].rstrip() for line in gone.splitlines() if line[59:60] == "≠"] == [
        "? find_id [unusual]", "↻ agent [call again]",
    ]  # fmt: skip


def test_a_value_that_came_by_a_detour_stands_beside_the_value_that_came_at_once():
    detour = agent(format_call("id_of", {"name": "Alder"}))
    recovered = episode(
        agent(CALL), tool("Ask id_of"), detour, tool(format_value("P48"), "id_of"), CLEAN["messages"][-1]
    )
    lines = view.side_by_side_text(CLEAN, recovered).splitlines()
    assert [(line[:58].rstrip(), line[61:]) for line in lines if line[59:60] == "≠"] == [
        ("", "? find_id [unusual]"), ("", "↪ agent [other tool]"), ("= find_id [value]", "= id_of [value]"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", SHIFTS)
def test_no_step_of_the_oracle_looks_malformed_under_any_shift(name):
    shift = SHIFTS[name]
    task = next(task for task in TASKS if shift.applies_to(task) and len(task.gold_chain) > 1)
    (record,) = episodes(OracleAgent(), [shift.apply(task)])
    events = [step.event for step in view.read_steps(record["messages"])]
    assert not {"malformed", "other"} & set(events)
    told = {"interaction.value_redirection": "other arguments", "interaction.tool_redirection": "other tool",
            "interaction.error_message": "call again", "interaction.null_message": "call again"}  # fmt: skip
    assert told.get(name, "question") in events


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
        "! find_id [error]", "↻ agent [call again]", "? find_id [unusual]", "⊘ agent [refusal]",
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
