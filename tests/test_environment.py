"""Episodes: every ending, every invalid call, the channel's rules, and the step limit."""

import pytest

from openagent_lib.sandbox.builder import make_task
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import MAX_MALFORMED, MAX_STEPS, Environment
from openagent_lib.sandbox.graph import SHAPES
from openagent_lib.sandbox.protocol import REFUSAL, SYSTEM_PROMPT, format_answer, format_call, system_prompt
from openagent_lib.sandbox.tool import Parameter, Tool

BROKEN = "<tool_call>{</tool_call>"


def first_task(shape, function):
    """Return the first test task of a shape that offers the tool of a function."""
    tasks = (make_task("test", index) for index in range(500))
    return next(task for task in tasks if task.shape == shape and task.tool_for(function))


TASK = first_task("look_up", "get_contact")
WORLD = world_of(TASK)
PLACE = dict(TASK.slots)["name"]
PLACE_ID = WORLD.run("find", {"name": PLACE})
FIND = format_call("find_place", {"name": PLACE})


def start(task=TASK, **settings):
    environment = Environment(task, world_of(task), **settings)
    environment.reset()
    return environment


def errors(environment):
    return [event.error for event in environment.events]


def test_an_episode_starts_with_the_system_prompt_and_the_query():
    environment = Environment(TASK, WORLD)
    assert environment.reset() == [
        {"role": "system", "content": SYSTEM_PROMPT},
        {"role": "user", "content": TASK.query},
    ]
    assert not environment.is_done


def test_a_valid_call_returns_the_value():
    environment = start()
    expected = {"role": "tool", "name": "find_place", "content": f'{{"value": "{PLACE_ID}"}}'}
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
        Environment(TASK, WORLD).step(FIND)


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
    "not found": (format_call("find_place", {"name": "No Such"}), '{"error": "no such name"}'),
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
        tool if tool.function != "find" else type(tool)("other", tool.description, tool.parameters, tool.function)
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
    environment = start(first_task("reduction", "reduce_amount"))
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
    longest = max(len(shape.chain) for shape in SHAPES.values())
    assert MAX_STEPS >= 3 * longest, "a call that fails twice and then the answer"


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


def with_rules(*rules):
    return TASK.with_shift("a.b", 1.0, channel=Channel(rules))


def disturbed(*rules):
    environment = start(with_rules(*rules))
    texts = [environment.step(FIND)[0]["content"] for _ in range(3)]
    return texts, [event.anomalous for event in environment.events]


def test_a_transient_rule_withholds_the_first_value_only():
    texts, anomalous = disturbed(ChannelRule("later", "find", first=1))
    assert texts[0] == "later"
    assert texts[1] == texts[2] != "later"
    assert anomalous == [True, False, False]


def test_a_permanent_rule_withholds_every_value():
    assert disturbed(ChannelRule("gone")) == (["gone"] * 3, [True] * 3)


def test_a_rule_that_rewrites_the_value_is_no_anomaly():
    texts, anomalous = disturbed(ChannelRule("<{value}>", "find"))
    assert texts[0].startswith("<P")
    assert anomalous == [False] * 3


def test_invalid_calls_do_not_count_as_executions():
    environment = start(with_rules(ChannelRule("later", "find", first=1)))
    environment.step(format_call("find_place", {"name": "No Such"}))
    environment.step(format_call("find_place", {}))
    assert environment.step(FIND)[0]["content"] == "later"


def test_the_channel_counts_every_function_for_itself():
    environment = start(with_rules(ChannelRule("later", first=1)))
    read = format_call("get_telephone", {"place_id": PLACE_ID, "code": TASK.tool_for("get_contact").code})
    texts = [environment.step(text)[0]["content"] for text in (FIND, FIND, read, read)]
    assert [text == "later" for text in texts] == [True, False, True, False]


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_fault_passes_after_as_many_calls_as_it_says(failures):
    environment = start(with_rules(ChannelRule("later", "find", first=failures)))
    texts = [environment.step(FIND)[0]["content"] for _ in range(failures + 2)]
    assert texts == ["later"] * failures + [f'{{"value": "{PLACE_ID}"}}'] * 2


MOVED = ChannelRule("it is called Nobo Gate now", "find", slot="name", old=PLACE, new="Nobo Gate")
NEW = format_call("find_place", {"name": "Nobo Gate"})


def test_a_redirected_value_is_refused_until_the_new_one_is_passed():
    environment = start(with_rules(MOVED))
    texts = [environment.step(text)[0]["content"] for text in (FIND, FIND, NEW)]
    assert texts == [MOVED.template, MOVED.template, f'{{"value": "{PLACE_ID}"}}']
    assert errors(environment) == [None] * 3
    assert [event.anomalous for event in environment.events] == [True, True, False]


def test_the_new_value_means_nothing_without_the_redirection():
    environment = start()
    environment.step(NEW)
    assert errors(environment) == ["not found"]


def test_other_values_are_not_touched_by_a_redirection():
    other = next(entity for entity in WORLD.entities if entity.name != PLACE)
    environment = start(with_rules(MOVED))
    reply = environment.step(format_call("find_place", {"name": other.name}))
    assert reply[0]["content"] == f'{{"value": "{other.id}"}}'


def with_copy(*rules):
    """Return the task with a second tool for `find`, named `search_register`."""
    find = TASK.tool_for("find")
    copy = Tool("search_register", find.description, find.parameters, "find#2")
    return TASK.with_shift("a.b", 1.0, tools=(*TASK.tools, copy), channel=Channel(rules))


def test_a_redirected_tool_fails_for_good_and_its_substitute_returns_the_value():
    environment = start(with_copy(ChannelRule("call search_register", "find", substitute="find#2")))
    copied = format_call("search_register", {"name": PLACE})
    texts = [environment.step(text)[0]["content"] for text in (FIND, FIND, copied, FIND)]
    assert texts == ["call search_register"] * 2 + [f'{{"value": "{PLACE_ID}"}}'] + ["call search_register"]
    assert [event.anomalous for event in environment.events] == [True, True, False, True]


def test_a_copy_counts_its_executions_for_itself():
    environment = start(with_copy(ChannelRule("later", first=1)))
    copied = format_call("search_register", {"name": PLACE})
    texts = [environment.step(text)[0]["content"] for text in (FIND, copied, FIND, copied)]
    assert [text == "later" for text in texts] == [True, True, False, False]


BESIDE = Tool(
    "get_fax", "Returns a fax number.", (Parameter("place_id", "place_id"),), "decoy_get_fax", None, None, "F7"
)


def test_a_tool_beside_the_point_returns_its_value_whatever_it_is_asked():
    environment = start(TASK.with_shift("a.b", 1.0, tools=(*TASK.tools, BESIDE)))
    replies = [environment.step(format_call("get_fax", {"place_id": text})) for text in (PLACE_ID, "", "nonsense")]
    assert [reply[0]["content"] for reply in replies] == ['{"value": "F7"}'] * 3
    environment.step(format_call("get_fax", {"name": PLACE}))
    assert errors(environment) == [None] * 3 + ["wrong arguments"]


@pytest.mark.parametrize("key", ["args", "input"])
def test_a_call_must_pass_its_arguments_under_the_key_that_the_prompt_states(key):
    task = TASK.with_shift("a.b", 1.0, call_key=key)
    environment = Environment(task, WORLD)
    assert environment.reset()[0]["content"] == system_prompt(key) != SYSTEM_PROMPT
    assert f'"{key}"' in system_prompt(key)
    environment.step(FIND)
    environment.step(format_call("find_place", {"name": PLACE}, key))
    assert errors(environment) == ["malformed", None]
    assert environment.events[0].observation == f'{{"error": "call needs exactly \\"name\\" and \\"{key}\\""}}'


def test_new_argument_names_take_the_place_of_the_old_ones():
    tools = tuple(
        Tool(tool.name, tool.description, (Parameter("title", "name"),), "find") if tool.function == "find" else tool
        for tool in TASK.tools
    )
    environment = start(TASK.with_shift("a.b", 1.0, tools=tools))
    environment.step(FIND)
    reply = environment.step(format_call("find_place", {"title": PLACE}))
    assert errors(environment) == ["wrong arguments", None]
    assert reply[0]["content"] == f'{{"value": "{PLACE_ID}"}}'
