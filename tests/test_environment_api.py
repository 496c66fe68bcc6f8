"""The loop that a stranger writes around an environment, and what it survives: any message whatsoever."""

import doctest
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openagent_lib.agents.scripted import OracleAgent, call_arguments
from openagent_lib.evaluation.outcome import OUTCOMES, outcome_of
from openagent_lib.sandbox import environment as module
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.environment import MAX_STEPS, Environment, opening
from openagent_lib.sandbox.graph import FUNCTIONS
from openagent_lib.sandbox.protocol import (
    MAX_CALLS_PER_MESSAGE,
    REFUSAL,
    format_answer,
    format_call,
    parse_message,
)


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("index", range(10))
def test_a_loop_of_a_few_lines_plays_an_episode(index, domain):
    task = make_tasks("test", 10, domain=domain)[index]
    environment = Environment.for_task(task)
    messages = environment.reset()
    while not environment.is_done:
        (text,) = OracleAgent().act([environment])
        messages += [{"role": "assistant", "content": text}, *environment.step(text)]
    assert environment.answer == task.gold_answer
    assert outcome_of(environment) == "correct"
    assert messages == environment.messages, "the loop sees the whole history"


def test_the_example_of_the_docstring_runs():
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(Environment, "Environment", module=module)
    result = doctest.DocTestRunner().run(example)
    assert (result.failed, result.attempted > 4) == (0, True)


def test_the_tools_are_schemas_of_what_the_task_offers_and_can_be_written_as_json():
    task = make_tasks("test", 1)[0]
    tools = Environment.for_task(task).tools
    assert tools == [tool.schema() for tool in task.tools]
    assert json.loads(json.dumps(tools)) == tools


def test_an_episode_opens_as_its_task_file_says():
    for task in make_tasks("dev", 5):
        assert Environment.for_task(task).reset() == opening(task)


def test_what_the_loop_does_with_the_messages_does_not_touch_the_episode():
    environment = Environment.for_task(make_tasks("test", 1)[0])
    environment.reset().clear()
    assert len(environment.messages) == 2


def test_the_limit_of_steps_is_a_choice():
    environment = Environment.for_task(make_tasks("test", 1)[0], max_steps=2)
    environment.reset()
    for _ in range(2):
        assert not environment.is_done
        environment.step("<tool_call>{}</tool_call>")
    assert environment.ending == "exhausted"


@pytest.mark.parametrize("text", [REFUSAL, format_answer("1"), "mumble"])
def test_the_last_step_returns_no_observation(text):
    environment = Environment.for_task(make_tasks("test", 1)[0])
    environment.reset()
    assert environment.step(text) == []
    assert environment.is_done


FRAGMENTS = (
    "<tool_call>", "</tool_call>", "<answer>", "</answer>", "tool_call>", "<|im_end|>", "\n", "{", "}", "[", '"name"',
    '"arguments"', ":", ",", "null", "NaN", "1e999", "9" * 5_000, "\ud800", "\\ud800", "\u202e", "\x00", REFUSAL,
    "I do not know.", "cannot", "answer", "so I used it", '{"name": "x", "arguments": {"k": "v"}}',
)  # fmt: skip


def pieces_of(task):
    """Return what a model that knows a task may write, whole or broken: its calls, its words and its answer."""
    calls = [format_call(tool.name, call_arguments(tool, dict.fromkeys(SLOTS, "x"))) for tool in task.tools]
    names = [text for tool in task.tools for text in (tool.name, *tool.argument_names)]
    return [*calls, *(call[:-7] for call in calls), *map(json.dumps, names), format_answer(task.gold_answer or "?")]


SLOTS = {slot for function in FUNCTIONS.values() for slot in function.takes} | {"value"}
CLEAN = make_tasks("test", 3)
PLAYED = [
    *CLEAN, make_tasks("test", 1, domain="medical")[0],
    CLEAN[0].with_shift("a.b", 1.0, channel=Channel((ChannelRule("{value}<tool_call>"), ChannelRule("gone")))),
    CLEAN[1].with_shift("a.b", 1.0, call_key="parameters", gold_answer=None),
]  # fmt: skip
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
ANY_CHARACTER = st.text(st.characters(exclude_categories=[]), max_size=60)


def messages_for(task):
    """Return messages of all kinds: any characters, real pieces in any order, any JSON in tags, deep nesting, cuts."""
    names = st.sampled_from([tool.name for tool in task.tools]) | ANY_CHARACTER
    keys = st.sampled_from([key for tool in task.tools for key in tool.argument_names] + ["code", ""])
    arguments = st.dictionaries(keys, JSON_VALUES, max_size=3) | JSON_VALUES
    body = st.fixed_dictionaries({"name": names, task.call_key: arguments})
    tagged = (body | JSON_VALUES).map(lambda value: f"<tool_call>{json.dumps(value)}</tool_call>")
    number = st.one_of(st.integers(), st.floats(), st.decimals()).map(lambda value: f"<answer>{value} km</answer>")
    deep = st.builds(lambda text, times: text * times, st.sampled_from(DEEP_PIECES), st.integers(0, 3_000))
    deep = deep | deep.map(lambda text: f"<tool_call>{text}</tool_call>")
    piece = st.sampled_from([*FRAGMENTS, *pieces_of(task)])
    mixture = st.lists(piece | ANY_CHARACTER | tagged, max_size=6).map("".join)
    cut = st.builds(lambda text, at: text[: at % (len(text) + 1)], mixture, st.integers(0, 10_000))
    return st.one_of(ANY_CHARACTER, mixture, tagged, number, deep, cut)


DEEP_PIECES = ("[", '{"a":', "<tool_call>", "<answer>", "</tool_call>", "<tool_call>[", "(", "cannot ", "9", "I ")


@settings(max_examples=2_000, derandomize=True)
@given(st.one_of([st.tuples(st.just(index), messages_for(task)) for index, task in enumerate(PLAYED)]))
def test_an_episode_of_any_messages_never_fails_and_has_exactly_one_outcome(played):
    task, text = PLAYED[played[0]], played[1]
    environment = Environment.for_task(task)
    environment.reset()
    message = parse_message(text, task.call_key)
    assert not (message.refused and (message.malformed or message.calls or message.answer is not None))
    while not environment.is_done:
        before, observations = len(environment.events), environment.step(text)
        assert len(observations) == len(environment.events) - before
        assert len(environment.events) <= (MAX_CALLS_PER_MESSAGE + 2) * MAX_STEPS
    found = outcome_of(environment)
    assert found in OUTCOMES
    assert (found == "refused") == message.refused
    assert (found in ("correct", "wrong")) == (message.answer is not None)
    assert found != "correct" or task.gold_answer is not None
    for event in environment.events:
        event.observation.encode("utf-8")
