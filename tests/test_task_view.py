"""A task before and after a shift: everything that differs is marked, and nothing else."""

import pytest

from openagent_lib.report.task_view import before_after_text
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import system_prompt
from openagent_lib.shifts.catalogue import SHIFTS

TASKS = make_tasks("test", 80)
WIDTH = 58


def pair(name):
    shift = SHIFTS[name]
    task = next(task for task in TASKS if shift.applies_to(task) and len(task.gold_chain) > 1)
    return task, shift.apply(task)


def columns(text):
    """Return the two columns as text without line breaks, and the right-hand starts of the marked lines."""
    lines = text.splitlines()
    left, right = (flat(" ".join(line[side] for line in lines)) for side in (slice(WIDTH), slice(WIDTH + 3, None)))
    return left, right, [line[WIDTH + 3 :] for line in lines if line[WIDTH + 1 : WIDTH + 2] == "≠"]


def flat(text):
    return " ".join(text.split())


def test_a_task_does_not_differ_from_itself():
    text = before_after_text(TASKS[0], TASKS[0])
    assert "≠" not in text
    assert "system prompt" not in text
    assert "return of" not in text


@pytest.mark.parametrize("name", SHIFTS)
def test_both_columns_hold_query_tools_documents_and_what_is_right(name):
    clean, shifted = pair(name)
    left, right, marked = columns(before_after_text(clean, shifted))
    assert marked
    assert right.startswith(f"{name} at 1 ")
    for column, task in ((left, clean), (right, shifted)):
        assert flat(f"query: {task.query}") in column
        assert column.endswith(f"expected: {task.gold_answer or 'refuse'}")
        for tool in task.tools:
            assert f"{tool.name}({', '.join(tool.argument_names)})" in column
            assert flat(tool.document) in column


@pytest.mark.parametrize("name", SHIFTS)
def test_exactly_what_differs_is_marked(name):
    clean, shifted = pair(name)
    marked = columns(before_after_text(clean, shifted))[2]
    assert any(line.startswith("query: ") for line in marked) == (clean.query != shifted.query)
    assert any(line.startswith("expected: ") for line in marked) == (clean.gold_answer != shifted.gold_answer)
    assert any(line.startswith("system prompt: ") for line in marked) == (clean.call_key != shifted.call_key)
    assert sum(line.startswith("return of ") for line in marked) == len(shifted.channel.rules)


def test_a_renamed_tool_stands_beside_its_old_name_and_its_document_is_not_marked():
    clean, shifted = pair("perception.identity_erasure")
    marked = columns(before_after_text(clean, shifted))[2]
    assert marked == [f"{tool.name}({', '.join(tool.argument_names)})" for tool in shifted.tools]


def test_an_inverted_tool_stands_beside_itself():
    clean, shifted = pair("reasoning.logic_inversion")
    text = before_after_text(clean, shifted)
    assert not [line for line in text.splitlines() if line.startswith(" " * WIDTH + " ≠")]


def test_the_key_of_calls_is_shown_by_the_system_prompt():
    clean, shifted = pair("perception.schema_adaptability")
    left, right, _ = columns(before_after_text(clean, shifted))
    assert system_prompt() in left
    assert system_prompt(shifted.call_key) in right


def test_a_channel_rule_names_the_tool_how_often_and_what_comes_back():
    clean, shifted = pair("interaction.null_message")
    right = columns(before_after_text(clean, shifted))[1]
    for rule in shifted.channel.rules:
        tool = shifted.tool_for(rule.function).name
        assert flat(f"return of {tool}, first 1 execution: {rule.template}") in right
    clean, shifted = pair("interaction.value_redirection")
    right = columns(before_after_text(clean, shifted))[1]
    rule = shifted.channel.rules[0]
    tool = shifted.tool_for(rule.function).name
    assert flat(f"return of {tool}, every execution with {rule.slot} {rule.old}: {rule.template}") in right
