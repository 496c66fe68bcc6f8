"""Tasks: identity, round trip, gold calls."""

from dataclasses import replace

import pytest

from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.task import CLEAN, GoldCall, Task

TASKS = make_tasks("test", 30)
TASK = TASKS[0]


@pytest.mark.parametrize("task", TASKS[:10], ids=lambda task: task.shape)
def test_a_task_survives_the_round_trip_through_json(task):
    again = Task.from_json(task.to_json())
    assert again == task
    assert again.id == task.id


def test_a_shifted_task_survives_the_round_trip_through_json():
    rules = (
        ChannelRule("a", "f", 1),
        ChannelRule("b {value}"),
        ChannelRule("c", "f", slot="id", old="1", new="2"),
        ChannelRule("d", "f", substitute="f#2"),
    )
    tools = (replace(TASK.tools[0], code="K7", factor=0.5, fixed_value="x"), *TASK.tools[1:])
    changes = {"tools": tools, "call_key": "args", "gold_answer": None, "gold_chain": ()}
    task = TASK.with_shift("tier.kind", 0.5, channel=Channel(rules), **changes)
    again = Task.from_json(task.to_json())
    assert again == task
    assert not again.is_solvable


def test_the_id_changes_with_anything_that_changes_the_task():
    changes = (
        {"query": TASK.query + " "}, {"gold_answer": "x"}, {"tools": TASK.tools[1:]}, {"tools": TASK.tools[::-1]},
        {"channel": Channel((ChannelRule("a"),))}, {"world_seed": 1}, {"gold_chain": TASK.gold_chain[1:]},
        {"call_key": "args"}, {"domain": "medical"}, {"channel": Channel((ChannelRule("a", slot="id"),))},
    )  # fmt: skip
    ids = {TASK.with_shift(CLEAN, 0.0, **change).id for change in changes}
    assert len(ids | {TASK.id}) == len(changes) + 1


def test_a_twin_names_its_clean_task_and_keeps_it_over_a_second_shift():
    twin = TASK.with_shift("a.b", 0.5, query="?")
    assert twin.twin_id == twin.base_id == TASK.id != twin.id
    assert twin.with_shift("c.d", 1.0, query="!").base_id == TASK.id
    assert TASK.twin_id == TASK.id


def test_a_tool_is_found_by_its_hidden_function():
    tool = TASK.tools[-1]
    assert TASK.tool_for(tool.function) is tool
    assert TASK.tool_for("no_such_function") is None


def test_gold_arguments_take_the_values_of_earlier_calls():
    call = GoldCall("f", (("a", "$0"), ("b", "$1*3"), ("c", "plain")))
    assert call.resolve(["P1", "20"]) == {"a": "P1", "b": "20*3", "c": "plain"}


def test_references_of_long_chains_are_kept_apart():
    values = [f"P{index}" for index in range(12)]
    call = GoldCall("f", (("a", "$1"), ("b", "$11"), ("c", "$1*$10")))
    assert call.resolve(values) == {"a": "P1", "b": "P11", "c": "P1*P10"}


def test_a_value_that_looks_like_a_reference_is_not_replaced_again():
    assert GoldCall("f", (("a", "$0"),)).resolve(["$1", "x"]) == {"a": "$1"}
