"""The observation channel."""

import json

import pytest

from openagent_lib.sandbox.channel import Channel, ChannelRule

NORMAL = ('{"value": "7"}', False)


def test_without_rules_the_return_is_normal():
    assert Channel().observe("f", "7", 0) == NORMAL


def test_a_rule_with_first_one_disturbs_the_first_execution_only():
    channel = Channel((ChannelRule("broken", "f", first=1),))
    assert [channel.observe("f", "7", count) for count in range(3)] == [("broken", True), NORMAL, NORMAL]


def test_a_rule_without_first_disturbs_every_execution():
    channel = Channel((ChannelRule("broken", "f"),))
    assert [channel.observe("f", "7", count) for count in (0, 1, 99)] == [("broken", True)] * 3


def test_a_rule_with_first_zero_disturbs_nothing():
    assert Channel((ChannelRule("broken", "f", first=0),)).observe("f", "7", 0) == NORMAL


def test_a_rule_of_another_function_is_not_applied():
    assert Channel((ChannelRule("broken", "g"),)).observe("f", "7", 0) == NORMAL


def test_a_rule_without_function_disturbs_every_function():
    channel = Channel((ChannelRule("broken"),))
    assert channel.observe("f", "7", 0) == channel.observe("g", "8", 5) == ("broken", True)


def test_a_template_with_the_value_passes_it_on_and_is_not_anomalous():
    assert Channel((ChannelRule("<v>{value}</v>"),)).observe("f", "7", 0) == ("<v>7</v>", False)


def test_other_braces_in_a_template_stay_as_they_are():
    template = json.dumps({"result": {"data": "{value}", "n": "{0}"}})
    assert Channel((ChannelRule(template),)).observe("f", "7", 0)[0] == '{"result": {"data": "7", "n": "{0}"}}'


@pytest.mark.parametrize(("executions", "expected"), [(0, "first"), (1, "second"), (2, "second")])
def test_the_first_matching_rule_counts(executions, expected):
    channel = Channel((ChannelRule("first", "f", first=1), ChannelRule("second", "f"), ChannelRule("third", "f")))
    assert channel.observe("f", "7", executions)[0] == expected
