"""The observation channel: which rule disturbs a call, what it shows, and which arguments a call means."""

import json

import pytest

from openagent_lib.sandbox.channel import Channel, ChannelRule

NORMAL = ('{"value": "7"}', False)
ARGUMENTS = {"id": "P1"}


def seen(channel, function="f", executions=0, by_slot=ARGUMENTS, value="7"):
    """Return what the agent sees of an execution, and whether it is anomalous."""
    return channel.observe(channel.rule_for(function, executions, by_slot), value)


def test_without_rules_the_return_is_normal():
    assert seen(Channel()) == NORMAL


def test_a_rule_with_first_one_disturbs_the_first_execution_only():
    channel = Channel((ChannelRule("broken", "f", first=1),))
    assert [seen(channel, executions=count) for count in range(3)] == [("broken", True), NORMAL, NORMAL]


def test_a_rule_without_first_disturbs_every_execution():
    channel = Channel((ChannelRule("broken", "f"),))
    assert [seen(channel, executions=count) for count in (0, 1, 99)] == [("broken", True)] * 3


def test_a_rule_with_first_zero_disturbs_nothing():
    assert seen(Channel((ChannelRule("broken", "f", first=0),))) == NORMAL


@pytest.mark.parametrize("function", ["g", "f#2", "inverse_f", "f>g"])
def test_a_rule_of_another_function_is_not_applied(function):
    assert seen(Channel((ChannelRule("broken", "f"),)), function) == NORMAL


def test_a_rule_without_function_disturbs_every_function():
    channel = Channel((ChannelRule("broken"),))
    assert seen(channel) == seen(channel, "g", 5) == ("broken", True)


def test_a_template_with_the_value_passes_it_on_and_is_not_anomalous():
    assert seen(Channel((ChannelRule("<v>{value}</v>"),))) == ("<v>7</v>", False)


def test_other_braces_in_a_template_stay_as_they_are():
    template = json.dumps({"result": {"data": "{value}", "n": "{0}"}})
    assert seen(Channel((ChannelRule(template),)))[0] == '{"result": {"data": "7", "n": "{0}"}}'


@pytest.mark.parametrize(("executions", "expected"), [(0, "first"), (1, "second"), (2, "second")])
def test_the_first_matching_rule_counts(executions, expected):
    channel = Channel((ChannelRule("first", "f", first=1), ChannelRule("second", "f"), ChannelRule("third", "f")))
    assert seen(channel, executions=executions)[0] == expected


MOVED = Channel((ChannelRule("use P9", "f", slot="id", old="P1", new="P9"),))


@pytest.mark.parametrize(
    ("function", "by_slot", "expected"),
    [
        ("f", {"id": "P1"}, ("use P9", True)),
        ("f", {"id": "P9"}, NORMAL),
        ("f", {"id": "P2"}, NORMAL),
        ("f", {"name": "P1"}, NORMAL),
        ("g", {"id": "P1"}, NORMAL),
    ],
)
def test_a_redirected_value_disturbs_the_calls_that_pass_it_and_no_others(function, by_slot, expected):
    assert seen(MOVED, function, by_slot=by_slot) == expected


def test_a_redirected_value_is_refused_however_often_it_is_passed():
    assert [seen(MOVED, executions=count) for count in (0, 1, 9)] == [("use P9", True)] * 3


@pytest.mark.parametrize(
    ("function", "by_slot", "meant"),
    [
        ("f", {"id": "P9"}, {"id": "P1"}),
        ("f", {"id": "P9", "other_id": "P9"}, {"id": "P1", "other_id": "P9"}),
        ("f", {"id": "P2"}, {"id": "P2"}),
        ("g", {"id": "P9"}, {"id": "P9"}),
    ],
)
def test_the_new_value_stands_for_the_old_one_in_its_slot_of_its_function(function, by_slot, meant):
    assert MOVED.meant(function, by_slot) == meant


def test_several_values_can_be_redirected():
    rules = tuple(ChannelRule("moved", "f", slot="id", old=f"P{k}", new=f"P{k + 5}") for k in (1, 2))
    assert [Channel(rules).meant("f", {"id": text})["id"] for text in ("P6", "P7", "P1")] == ["P1", "P2", "P1"]


def test_a_rule_with_a_substitute_withholds_the_value_of_its_function_alone():
    channel = Channel((ChannelRule("use other", "f", substitute="f#2"),))
    assert seen(channel, "f") == ("use other", True)
    assert seen(channel, "f#2") == NORMAL
