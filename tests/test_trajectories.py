"""Gold trajectories as training rows."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from openagent_lib.errors import DataError
from openagent_lib.evaluation.suite import shifted_twins
from openagent_lib.evaluation.trajectories import training_row, training_rows
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import REFUSAL, SYSTEM_PROMPT, format_answer, parse_message, system_prompt
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = make_tasks("train", 30)


def test_a_row_is_the_gold_trajectory_with_structured_calls():
    task = next(task for task in TASKS if task.shape == "look_up")
    row = training_row(task)
    roles = [message["role"] for message in row["messages"]]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "tool", "assistant"]
    assert row["messages"][0]["content"] == SYSTEM_PROMPT
    call = row["messages"][2]
    assert call["content"] == ""
    assert call["tool_calls"] == [
        {"type": "function", "function": {"name": "find_place", "arguments": {"name": dict(task.slots)["name"]}}}
    ]
    assert row["messages"][-1] == {"role": "assistant", "content": format_answer(task.gold_answer)}
    assert (row["task_id"], row["shift"]) == (task.id, "clean")


@pytest.mark.parametrize("order", ["name_first", "description_first"])
def test_the_tools_are_in_the_order_of_the_backbone(order):
    row = training_row(TASKS[0], order)
    assert json.dumps(row["tools"]) == json.dumps([tool.schema(order) for tool in TASKS[0].tools])


def test_there_is_one_row_per_task_in_order():
    assert [row["task_id"] for row in training_rows(TASKS)] == [task.id for task in TASKS]
    assert training_rows([]) == []


@pytest.mark.parametrize("name", [name for name, shift in SHIFTS.items() if not shift.is_solvable])
def test_an_unsolvable_task_teaches_the_refusal(name):
    for row in training_rows(shifted_twins(TASKS, SHIFTS[name], 5, pool="train")):
        assert row["messages"][-1] == {"role": "assistant", "content": REFUSAL}


def test_a_passing_error_teaches_the_repeated_call():
    for row in training_rows(shifted_twins(TASKS, SHIFTS["interaction.error_message"], 5, pool="train")):
        calls = [message for message in row["messages"] if "tool_calls" in message]
        assert any(one == other for one, other in pairwise(calls))


def test_every_shift_has_a_gold_trajectory_in_both_domains():
    for domain in ("poi", "medical"):
        tasks = make_tasks("train", 60, domain=domain)
        twins = [twin for shift in SHIFTS.values() for twin in shifted_twins(tasks, shift, 5, pool="train")]
        assert [row["shift"] for row in training_rows(twins)] == [name for name in SHIFTS for _ in range(5)]


def test_another_key_for_arguments_stays_in_the_text_since_chat_templates_do_not_know_it():
    for twin in shifted_twins(TASKS, SHIFTS["perception.schema_adaptability"], 5, pool="train"):
        messages = training_row(twin)["messages"]
        assert messages[0]["content"] == system_prompt(twin.call_key) != SYSTEM_PROMPT
        assert not any("tool_calls" in message for message in messages)
        assert parse_message(messages[2]["content"], twin.call_key).calls


def test_a_task_that_the_oracle_cannot_solve_is_refused_in_one_line():
    broken = replace(TASKS[0], gold_answer="something else")
    with pytest.raises(DataError, match=f"the oracle does not solve task {broken.id}") as caught:
        training_rows([*TASKS[1:3], broken])
    assert len(str(caught.value).splitlines()) == 1
