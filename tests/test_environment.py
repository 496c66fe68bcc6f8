"""Episodes: every ending, every invalid call, the channel's rules, and the step limit."""

import pytest

from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.domains.poi_tasks import SHAPES, make_task
from openagent_lib.sandbox.domains.registry import domain_of
from openagent_lib.sandbox.environment import MAX_MALFORMED, MAX_STEPS, Environment
from openagent_lib.sandbox.protocol import REFUSAL, SYSTEM_PROMPT, format_answer, format_call

BROKEN = "<tool_call>{</tool_call>"


def first_task(shape, with_tool="find_place"):
    """Return the first test task of a shape that offers a tool."""
    tasks = (make_task("test", index) for index in range(500))
    return next(task for task in tasks if task.shape == shape and task.tool_for(with_tool))


TASK = first_task("look_up", "get_telephone")
PLACE = dict(TASK.slots)["place"]
FIND = format_call("find_place", {"name": PLACE})


def start(task=TASK, **settings):
    environment = Environment(task, domain_of(task), **settings)
    environment.reset()
    return environment


def errors(environment):
    return [event.error for event in environment.events]


def test_an_episode_starts_with_the_system_prompt_and_the_query():
    environment = Environment(TASK, domain_of(TASK))
    assert environment.reset() == [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": TASK.query},
    ]
    assert not environment.is_done


def test_a_valid_call_returns_the_value():
    environment = start()
    place_id = domain_of(TASK).run("find_place", {"name": PLACE})
    expected = {"role": "tool", "name": "find_place", "content": f'{{"value": "{place_id}"}}'}
    assert environment.step(FIND) == [expected]
    assert environment.messages[-2:] == [{"role": "assistant", "content": FIND}, expected]
    assert errors(environment) == [None]


@pytest.mark.parametrize(
    ("text", "ending", "answer"),
    [
        (format_answer("P1"), "answered", "P1"), (REFUSAL, "refused", None), ("hello", "malformed", None),
        ("", "malformed", None), ('{"name": "find_place"}', "malformed", None), ("x" * 30_000, "malformed", None),
        (f"<answer>{REFUSAL}</answer>", "refused", None),
    ],
)  # fmt: skip
def test_a_message_without_a_call_ends_the_episode(text, ending, answer):
    environment = start()
    assert environment.step(text) == []
    assert (environment.is_done, environment.ending, environment.answer) == (True, ending, answer)
    assert environment.messages[-1] == {"role": "assistant", "content": text}
    assert environment.events == []


@pytest.mark.parametrize("text", [FIND, format_answer("1")])
def test_nothing_follows_an_ending(text):
    environment = start()
    environment.step(REFUSAL)
    with pytest.raises(RuntimeError, match="reset"):
        environment.step(text)


def test_an_episode_must_be_started():
    with pytest.raises(RuntimeError, match="reset"):
        Environment(TASK, domain_of(TASK)).step(FIND)


def test_reset_starts_anew():
    environment = start(TASK.with_shift("a.b", 1.0, channel=Channel((ChannelRule("broken", first=1),))))
    first = environment.step(FIND)
    environment.step(REFUSAL)
    environment.reset()
    assert (environment.ending, environment.answer, environment.events) == (None, None, [])
    assert len(environment.messages) == 2
    assert environment.step(FIND) == first == [{"role": "tool", "name": "find_place", "content": "broken"}]


UNKNOWN_TOOL = format_call("fly", {"name": PLACE})
INVALID = {
    "unknown tool": (UNKNOWN_TOOL, '{"error": "unknown tool fly"}'),
    "missing argument": (format_call("find_place", {}), '{"error": "expected arguments: name"}'),
    "other key": (format_call("find_place", {"title": PLACE}), '{"error": "expected arguments: name"}'),
    "extra key": (format_call("find_place", {"name": PLACE, "x": "1"}), '{"error": "expected arguments: name"}'),
    "missing code": (
        format_call("get_telephone", {"place_id": "P1"}),
        '{"error": "expected arguments: place_id, code"}',
    ),
    "wrong code": (format_call("get_telephone", {"place_id": "P1", "code": "XXXX"}), '{"error": "wrong code"}'),
    "not found": (format_call("find_place", {"name": "No Such"}), '{"error": "no such place"}'),
    "malformed": (BROKEN, '{"error": "call is not valid JSON"}'),
}
CLASSES = {
    "unknown tool": "unknown tool", "missing argument": "wrong arguments", "other key": "wrong arguments",
    "extra key": "wrong arguments", "missing code": "wrong arguments", "wrong code": "wrong code",
    "not found": "not found", "malformed": "malformed",
}  # fmt: skip


@pytest.mark.parametrize("kind", INVALID)
def test_an_invalid_call_has_its_class_and_its_text(kind):
    text, observation = INVALID[kind]
    environment = start()
    assert [message["content"] for message in environment.step(text)] == [observation]
    assert errors(environment) == [CLASSES[kind]]
    assert not environment.events[0].anomalous
    assert not environment.is_done


def test_the_names_behind_the_tools_cannot_be_called():
    tools = tuple(
        tool if tool.function != "find_place" else type(tool)("other", tool.description, tool.parameters, tool.function)
        for tool in TASK.tools
    )
    environment = start(TASK.with_shift("a.b", 1.0, tools=tools))
    environment.step(FIND)
    environment.step(format_call("other", {"name": PLACE}))
    assert errors(environment) == ["unknown tool", None]


def test_a_tool_that_is_not_offered_cannot_be_called():
    tools = tuple(tool for tool in TASK.tools if tool.name != "find_place")
    environment = start(TASK.with_shift("a.b", 1.0, tools=tools))
    environment.step(FIND)
    assert errors(environment) == ["unknown tool"]


def test_numbers_are_accepted_as_arguments():
    task = first_task("discount", "apply_discount")
    environment = start(task)
    reply = environment.step('<tool_call>{"name": "apply_discount", "arguments": {"amount": 30}}</tool_call>')
    assert reply[0]["content"] == '{"value": "15"}'


def test_several_calls_of_one_message_are_answered_in_order():
    environment = start()
    replies = environment.step(FIND + UNKNOWN_TOOL + BROKEN)
    assert [reply["name"] for reply in replies] == ["find_place", "fly", "unknown"]
    assert [event.step for event in environment.events] == [0, 0, 0]


def test_the_observation_of_a_hostile_name_can_be_read_by_a_tokenizer():
    environment = start()
    environment.step('<tool_call>{"name": "\\ud800", "arguments": {}}</tool_call>')
    environment.messages[-1]["content"].encode("utf-8")


def test_the_step_limit_exhausts_the_episode():
    environment = start(max_steps=3)
    for _ in range(2):
        environment.step(FIND)
    assert not environment.is_done
    environment.step(FIND)
    assert environment.ending == "exhausted"
    assert len(environment.events) == 3


def test_an_answer_in_the_last_step_still_counts():
    environment = start(max_steps=2)
    environment.step(FIND)
    environment.step(format_answer("1"))
    assert environment.ending == "answered"


def test_the_default_limit_leaves_room_for_the_longest_chain():
    assert MAX_STEPS >= 2 * 4 + 1
    assert len(SHAPES) >= 3


def test_three_malformed_messages_in_a_row_end_the_episode():
    environment = start()
    for _ in range(MAX_MALFORMED - 1):
        environment.step(BROKEN)
        assert not environment.is_done
    environment.step(BROKEN)
    assert environment.ending == "malformed"
    assert errors(environment) == ["malformed"] * 3


def test_a_well_formed_call_between_them_starts_the_count_anew():
    environment = start()
    for text in (BROKEN, BROKEN, FIND, BROKEN, BROKEN):
        environment.step(text)
    assert not environment.is_done


def test_an_unpaired_tag_is_answered_like_a_malformed_call():
    environment = start()
    reply = environment.step('<tool_call>{"name": "find_place", "arguments": {}}')
    assert reply[0]["content"] == '{"error": "unpaired tool_call tag"}'
    assert not environment.is_done


def disturbed(*rules):
    environment = start(TASK.with_shift("a.b", 1.0, channel=Channel(rules)))
    texts = [environment.step(FIND)[0]["content"] for _ in range(3)]
    return texts, [event.anomalous for event in environment.events]


def test_a_transient_rule_withholds_the_first_value_only():
    texts, anomalous = disturbed(ChannelRule("later", "find_place", first=1))
    assert texts[0] == "later"
    assert texts[1] == texts[2] != "later"
    assert anomalous == [True, False, False]


def test_a_permanent_rule_withholds_every_value():
    assert disturbed(ChannelRule("gone")) == (["gone"] * 3, [True] * 3)


def test_a_rule_that_rewrites_the_value_is_no_anomaly():
    texts, anomalous = disturbed(ChannelRule("<{value}>", "find_place"))
    assert texts[0].startswith("<P")
    assert anomalous == [False] * 3


def test_invalid_calls_do_not_count_as_executions():
    environment = start(TASK.with_shift("a.b", 1.0, channel=Channel((ChannelRule("later", "find_place", first=1),))))
    environment.step(format_call("find_place", {"name": "No Such"}))
    environment.step(format_call("find_place", {}))
    assert environment.step(FIND)[0]["content"] == "later"


def test_the_channel_counts_every_function_for_itself():
    environment = start(TASK.with_shift("a.b", 1.0, channel=Channel((ChannelRule("later", first=1),))))
    place_id = domain_of(TASK).run("find_place", {"name": PLACE})
    read = format_call("get_telephone", {"place_id": place_id, "code": TASK.tool_for("get_telephone").code})
    texts = [environment.step(text)[0]["content"] for text in (FIND, FIND, read, read)]
    assert [text == "later" for text in texts] == [True, False, True, False]
