"""Tools that fit together in another way: merged, inverted, with another rule."""

import math

import pytest
from shift_case import CLEAN, changed, changed_tools, needed, oracle_episodes, pairs

from openagent_lib.sandbox.builder import run_chain
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain, world_of
from openagent_lib.sandbox.expression import format_number
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import FUNCTIONS, INVERTIBLE, RULES, SHAPES
from openagent_lib.sandbox.protocol import answers_match
from openagent_lib.shifts.patterns.tools import FACTORS, MERGED_DOCUMENTS, MERGED_NAMES
from openagent_lib.shifts.reasoning import (
    LOGIC_INVERSION,
    RULE_REASONING,
    TRACE_SIMPLIFICATION,
    has_rule,
    is_mergeable,
)

POI = get_domain("poi")
each_pool = pytest.mark.parametrize("pool", POOLS)


def merged(twin):
    return [tool for tool in twin.tools if ">" in tool.function]


@each_pool
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_the_chain_gets_shorter_and_its_answer_stays(strength, pool):
    for task, twin in pairs(TRACE_SIMPLIFICATION, strength, pool):
        assert changed(task, twin) == {"tools", "gold_chain"}
        assert len(twin.gold_chain) < len(task.gold_chain)
        tools = {tool.function: tool for tool in twin.tools}
        assert run_chain(world_of(twin), twin.gold_chain, tools)[-1] == task.gold_answer


def merged_in_chain(twin):
    return [tool for tool in merged(twin) if tool.function in needed(twin)]


@each_pool
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_one_pair_of_the_chain_is_merged_and_a_share_of_the_look_ups_beside_it(strength, pool):
    for task, twin in pairs(TRACE_SIMPLIFICATION, strength, pool):
        assert len(merged_in_chain(twin)) == 1
        takes_an_id = {name for name in FUNCTIONS if set(FUNCTIONS[name].takes.values()) == {"id"}}
        others = {tool.function for tool in task.tools} & takes_an_id - needed(task)
        beside = {tool.function.removeprefix("find>") for tool in merged(twin)} & others
        assert len(beside) == len(merged(twin)) - 1
        assert len(beside) == (len(others) if strength == 1.0 else min(1, len(others)))


def test_the_oracle_takes_the_shorter_chain():
    twins = [twin for _, twin in pairs(TRACE_SIMPLIFICATION)]
    for twin, episode in zip(twins, oracle_episodes(twins), strict=True):
        assert len(episode.events) == len(twin.gold_chain)
        assert {tool.name for tool in merged_in_chain(twin)} <= {event.name for event in episode.events}


def test_the_merged_tools_are_withdrawn_and_all_others_stay():
    for task, twin in pairs(TRACE_SIMPLIFICATION):
        of_chain = {part for tool in merged_in_chain(twin) for part in tool.function.split(">")}
        beside = {tool.function.removeprefix("find>") for tool in merged(twin)} - needed(task)
        gone = [tool.function for tool in task.tools if tool not in twin.tools]
        assert set(gone) - beside == of_chain - needed(twin)
        assert [tool for tool in twin.tools if tool in task.tools] == [t for t in task.tools if t.function not in gone]
        assert len(twin.tools) == len(task.tools) - len(gone) + len(merged(twin))


@each_pool
def test_a_merged_tool_is_named_and_described_from_its_pool(pool):
    for _, twin in pairs(TRACE_SIMPLIFICATION, 1.0, pool):
        for tool in merged(twin):
            one, other = (POI.texts[part] for part in tool.function.split(">"))
            assert tool.name in {pattern.format(a=one.name, b=other.name) for pattern in MERGED_NAMES[pool]}
            frames = [pattern.partition("{")[0] for pattern in MERGED_DOCUMENTS[pool]]
            assert any(tool.description.startswith(frame) for frame in frames)
            assert other.returns in tool.description
            assert one.takes in tool.description


def test_a_merged_rule_still_states_its_factor_and_a_merged_code_is_still_demanded():
    factors = codes = 0
    for _, twin in pairs(TRACE_SIMPLIFICATION):
        for tool in merged(twin):
            one, other = (POI.texts[part] for part in tool.function.split(">"))
            assert tool.factor == other.factor
            assert tool.factor is None or f"Multiplies by {tool.factor:g}." in tool.description
            assert tool.code == (other.code or one.code)
            factors, codes = factors + (tool.factor is not None), codes + (tool.code is not None)
    assert factors > 5
    assert codes > 5


def test_only_a_chain_with_a_private_link_can_be_merged():
    mergeable = {task.shape for task in CLEAN if is_mergeable(task)}
    assert mergeable == set(SHAPES) - {"direct", "difference"}


@each_pool
def test_an_inverted_query_gives_the_old_answer_and_asks_for_what_was_given(pool):
    for task, twin in pairs(LOGIC_INVERSION, 1.0, pool):
        given = dict(task.slots).get("name") or dict(task.slots)["id"]
        assert task.gold_answer in twin.query
        assert given not in twin.query
        assert twin.gold_answer == given
        assert twin.template in {f for p in POI.inverted_queries[task.shape][pool] for f in forms(p)}


def test_the_chain_is_inverted_in_reverse_order_under_the_old_names_and_codes():
    for task, twin in pairs(LOGIC_INVERSION):
        assert [tool.name for tool in twin.tools] == [tool.name for tool in task.tools]
        assert [tool.code for tool in twin.tools] == [tool.code for tool in task.tools]
        names = [twin.tool_for(call.function).name for call in twin.gold_chain]
        assert names == [task.tool_for(call.function).name for call in reversed(task.gold_chain)]


@each_pool
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_strength_is_the_share_of_the_other_look_ups_inverted(strength, pool):
    for task, twin in pairs(LOGIC_INVERSION, strength, pool):
        inverted = {old.function for old, new in zip(task.tools, twin.tools, strict=True) if old != new}
        others = {tool.function for tool in task.tools if tool.function in INVERTIBLE} - needed(task)
        assert needed(task) <= inverted <= needed(task) | others
        assert len(inverted - needed(task)) == (len(others) if strength == 1.0 else min(1, len(others)))


@each_pool
def test_an_inverted_document_comes_from_its_pool_with_the_new_argument(pool):
    for task, twin in pairs(LOGIC_INVERSION, 1.0, pool):
        for old, new in zip(task.tools, twin.tools, strict=True):
            if old != new:
                text = POI.inverted[old.function]
                assert new.description in text.descriptions[pool]
                assert new.argument_names[0] == text.key
                assert new.function == f"inverse_{old.function}"


def test_the_oracle_follows_the_inverted_order():
    for task, twin in pairs(LOGIC_INVERSION):
        (episode,) = oracle_episodes([twin])
        assert [event.name for event in episode.events] == [
            task.tool_for(call.function).name for call in reversed(task.gold_chain)
        ]


def test_only_look_ups_of_unique_values_can_be_inverted():
    for task in CLEAN:
        unique = task.gold_chain[-1].function in ("get_contact", "get_permit")
        assert LOGIC_INVERSION.applies_to(task) == (unique and task.shape in ("direct", "look_up"))


@each_pool
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_only_the_rules_of_the_chain_get_another_factor_which_their_documents_state(strength, pool):
    for task, twin in pairs(RULE_REASONING, strength, pool):
        changes = changed_tools(task, twin)
        assert set(changes) == needed(task) & set(RULES)
        assert all(fields == {"factor", "description"} for fields in changes.values())
        for function in changes:
            old, new = task.tool_for(function), twin.tool_for(function)
            assert new.factor != old.factor
            assert new.factor in FACTORS[pool]
            assert new.description == POI.texts[function].document(new.factor)
            assert f"{new.factor:g}" in new.description


@each_pool
def test_the_answer_is_the_value_by_the_new_factor(pool):
    for task, twin in pairs(RULE_REASONING, 1.0, pool):
        tools = {tool.function: tool for tool in twin.tools}
        *_, operand, _ = run_chain(world_of(task), task.gold_chain, tools)
        expected = float(operand) * tools[task.gold_chain[-1].function].factor
        assert answers_match(twin.gold_answer, format_number(expected))
        assert twin.gold_answer != task.gold_answer


def test_the_oracle_answers_by_the_new_factor():
    for episode in oracle_episodes(twin for _, twin in pairs(RULE_REASONING)):
        assert episode.answer == episode.task.gold_answer


@each_pool
def test_the_factor_moves_further_with_more_strength(pool):
    def distance(strength):
        moved = [
            abs(math.log(twin.tool_for(name).factor / task.tool_for(name).factor))
            for task, twin in pairs(RULE_REASONING, strength, pool)
            for name in needed(task) & set(RULES)
        ]
        return sum(moved) / len(moved)

    distances = [distance(strength) for strength in (0.1, 0.4, 0.7, 1.0)]
    assert distances == sorted(distances)
    assert distances[-1] > 3 * distances[0]


def test_only_chains_with_a_rule_can_get_another_one():
    assert {task.shape for task in CLEAN if has_rule(task)} == {"reduction", "conversion", "duration"}
