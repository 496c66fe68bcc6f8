"""What a call must look like, and what is offered beside the tools."""

import re
from collections import Counter

import pytest
from shift_case import changed_tools, needed, oracle_episodes, pairs

from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.sandbox.protocol import system_prompt
from openagent_lib.shifts.patterns.tools import CALL_KEYS, CODE_PATTERNS, FOREIGN_TOOLS, PARAMETER_KEYS
from openagent_lib.shifts.perception_requirement import (
    DISTRACTOR_TOOLS,
    MOST_DISTRACTORS,
    SCHEMA_ADAPTABILITY,
    VERIFICATION_CODE,
)
from openagent_lib.shifts.shift import share

POI = get_domain("poi")
each_pool = pytest.mark.parametrize("pool", POOLS)
each_strength = pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])


@each_pool
@each_strength
def test_strength_is_the_share_of_tools_with_other_argument_names(strength, pool):
    for task, twin in pairs(SCHEMA_ADAPTABILITY, strength, pool):
        changes = changed_tools(task, twin)
        assert len(changes) == share(len(task.tools), strength)
        assert all(fields == {"parameters"} for fields in changes.values())
        assert set(changes) <= needed(task) or set(changes) >= needed(task)


@each_pool
def test_new_argument_names_belong_to_their_slots(pool):
    for task, twin in pairs(SCHEMA_ADAPTABILITY, 1.0, pool):
        for old, new in zip(task.tools, twin.tools, strict=True):
            assert [p.slot for p in new.parameters] == [p.slot for p in old.parameters]
            assert all(p.name in PARAMETER_KEYS[p.slot][pool] for p in new.parameters)


@each_pool
@each_strength
def test_the_key_of_a_call_changes_at_every_strength_and_the_prompt_says_so(strength, pool):
    keys = Counter(twin.call_key for _, twin in pairs(SCHEMA_ADAPTABILITY, strength, pool))
    assert set(keys) == set(CALL_KEYS[pool])
    assert all(f'"{key}"' in system_prompt(key) for key in keys)


def test_the_oracle_calls_with_the_stated_keys():
    for episode in oracle_episodes(twin for _, twin in pairs(SCHEMA_ADAPTABILITY)):
        tools = {tool.name: tool for tool in episode.task.tools}
        assert all(tuple(key for key, _ in e.arguments) == tools[e.name].argument_names for e in episode.events)
        calls = [m["content"] for m in episode.messages if m["role"] == "assistant"][:-1]
        assert all(f'"{episode.task.call_key}": {{' in call for call in calls)


@each_pool
@each_strength
def test_strength_is_the_share_of_tools_with_a_new_code(strength, pool):
    for task, twin in pairs(VERIFICATION_CODE, strength, pool):
        changes = changed_tools(task, twin)
        assert len(changes) == share(len(task.tools), strength)
        assert all(fields == {"code"} for fields in changes.values())
        assert set(changes) <= needed(task) or set(changes) >= needed(task)


def is_of(pattern, code):
    expression = "".join({"#": r"\d", "@": "[A-Z]"}.get(symbol, re.escape(symbol)) for symbol in pattern)
    return re.fullmatch(expression, code) is not None


@each_pool
def test_a_new_code_has_a_form_of_its_pool_and_of_no_other_and_its_document_states_it(pool):
    (other,) = set(POOLS) - {pool}
    for _, twin in pairs(VERIFICATION_CODE, 1.0, pool):
        for tool in twin.tools:
            assert any(is_of(pattern, tool.code) for pattern in CODE_PATTERNS[pool])
            assert not any(is_of(pattern, tool.code) for pattern in CODE_PATTERNS[other])
            assert f'"{tool.code}"' in tool.document


def test_the_oracle_passes_the_code_that_the_document_states():
    for episode in oracle_episodes(twin for _, twin in pairs(VERIFICATION_CODE)):
        codes = {tool.name: tool.code for tool in episode.task.tools}
        assert all(dict(event.arguments)["code"] == codes[event.name] for event in episode.events)


@each_pool
@each_strength
def test_strength_is_the_share_of_distractors_beside_the_unchanged_tools(strength, pool):
    for task, twin in pairs(DISTRACTOR_TOOLS, strength, pool):
        new = [tool for tool in twin.tools if tool not in task.tools]
        assert tuple(tool for tool in twin.tools if tool not in new) == task.tools
        assert len(new) == share(MOST_DISTRACTORS, strength)


@each_pool
def test_half_of_the_distractors_are_near_misses_and_half_are_foreign(pool):
    near, foreign = ({text.name for text in texts[pool]} for texts in (POI.decoys, FOREIGN_TOOLS))
    for _, twin in pairs(DISTRACTOR_TOOLS, 1.0, pool):
        names = {tool.name for tool in twin.tools}
        assert len(names & near) == len(names & foreign) == MOST_DISTRACTORS // 2


def test_a_distractor_gives_a_value_that_is_no_answer():
    for task, twin in pairs(DISTRACTOR_TOOLS):
        for tool in twin.tools:
            assert (tool.fixed_value is None) == (tool in task.tools)
            assert tool.fixed_value is None or re.fullmatch(r"[A-Z]{2}\d{3}", tool.fixed_value)
            assert tool.fixed_value != task.gold_answer


def test_the_oracle_leaves_the_distractors_alone():
    for episode in oracle_episodes(twin for _, twin in pairs(DISTRACTOR_TOOLS)):
        calls = [event.name for event in episode.events]
        assert calls == [episode.task.tool_for(call.function).name for call in episode.task.gold_chain]
