"""Tasks that must be refused, and tasks of another domain."""

import re

import pytest
from shift_case import CLEAN, changed, needed, oracle_episodes, pairs

from openagent_lib.agents.scripted import call_text
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, world_of
from openagent_lib.sandbox.environment import MAX_STEPS, Environment
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import COMPUTATIONS
from openagent_lib.shifts.internalization import DOMAIN_TRANSFER, FATAL_ERROR, MISSING_CONDITION, other_domain
from openagent_lib.shifts.patterns.observations import FATAL_ERRORS
from openagent_lib.shifts.shift import share

POI, MEDICAL = get_domain("poi"), get_domain("medical")
each_pool = pytest.mark.parametrize("pool", POOLS)
each_strength = pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])


def conditions(task):
    return {slot: words for slot, words in task.slots if slot in POI.vague}


def deleted(task, twin):
    return {slot for slot, words in conditions(task).items() if dict(twin.slots)[slot] != words}


@each_pool
@each_strength
def test_strength_is_the_share_of_conditions_deleted(strength, pool):
    for task, twin in pairs(MISSING_CONDITION, strength, pool):
        assert changed(task, twin) == {"query", "slots", "gold_answer", "gold_chain"}
        assert len(deleted(task, twin)) == share(len(conditions(task)), strength) > 0


@each_pool
@each_strength
def test_a_deleted_condition_is_nowhere_in_the_query_and_the_others_are(strength, pool):
    for task, twin in pairs(MISSING_CONDITION, strength, pool):
        gone = deleted(task, twin)
        for slot, words in conditions(task).items():
            assert (re.search(rf"\b{re.escape(words)}\b", twin.query) is None) == (slot in gone), twin.query


@each_pool
def test_vague_words_of_the_pool_stand_in_its_place(pool):
    for task, twin in pairs(MISSING_CONDITION, 1.0, pool):
        for slot in deleted(task, twin):
            assert dict(twin.slots)[slot] in POI.vague[slot][pool]
            assert dict(twin.slots)[slot].casefold() in twin.query.casefold()


def test_the_oracle_refuses_a_missing_condition_without_a_call():
    for episode in oracle_episodes(twin for _, twin in pairs(MISSING_CONDITION)):
        assert (episode.ending, episode.events) == ("refused", [])


@each_pool
@each_strength
def test_strength_is_the_share_of_needed_look_ups_broken_for_good(strength, pool):
    for task, twin in pairs(FATAL_ERROR, strength, pool):
        assert changed(task, twin) == {"channel", "gold_answer"}
        look_ups = needed(task) - set(COMPUTATIONS)
        broken = [rule.function for rule in twin.channel.rules]
        assert len(broken) == len(set(broken)) == share(len(look_ups), strength)
        assert set(broken) <= look_ups
        assert {rule.template for rule in twin.channel.rules} <= set(FATAL_ERRORS[pool])


@each_pool
def test_a_broken_tool_never_works_however_often_it_is_called(pool):
    for _, twin in pairs(FATAL_ERROR, 1.0, pool, count=60):
        environment = Environment(twin, world_of(twin))
        environment.reset()
        call = twin.gold_chain[0]
        for _ in range(MAX_STEPS):
            environment.step(call_text(twin.tool_for(call.function), call.resolve([])))
        assert len(environment.events) == MAX_STEPS
        assert all(event.anomalous and event.error is None for event in environment.events)
        assert len({event.observation for event in environment.events}) == 1


@each_strength
def test_the_oracle_refuses_at_the_first_broken_tool_and_never_sees_the_answer(strength):
    both = pairs(FATAL_ERROR, strength)
    for (task, _), episode in zip(both, oracle_episodes(twin for _, twin in both), strict=True):
        assert episode.ending == "refused"
        assert [event.anomalous for event in episode.events] == [False] * (len(episode.events) - 1) + [True]
        assert not any(f'"{task.gold_answer}"' in event.observation for event in episode.events)


def test_tasks_are_transferred_to_the_next_domain():
    assert other_domain("poi") == "medical"
    assert {other_domain(name) for name in DOMAINS} == set(DOMAINS)


@each_pool
def test_a_transferred_task_keeps_the_structure_of_its_chain(pool):
    for task, twin in pairs(DOMAIN_TRANSFER, 1.0, pool):
        assert (twin.domain, twin.shape, twin.split) == ("medical", task.shape, task.split)
        assert [call.function for call in twin.gold_chain] == [call.function for call in task.gold_chain]
        assert [tool.function for tool in twin.tools] == [tool.function for tool in task.tools]
        assert twin.channel == task.channel
        assert twin.call_key == task.call_key


def is_of_pool(tool, pool):
    """Tell whether a medical tool bears the words of the closed medical world (test) or other ones (train)."""
    text, closed = MEDICAL.texts[tool.function], MEDICAL.catalogue[tool.function]
    if pool == "test":
        return tool == closed
    documents = {text.document(tool.factor, wording) for wording in text.descriptions.train}
    rest = (tool.parameters, tool.code, tool.factor) == (closed.parameters, closed.code, closed.factor)
    return tool.name in text.names.train and tool.description in documents and rest


@each_pool
def test_a_transferred_task_speaks_of_the_other_domain_only(pool):
    names = {entity.name for entity in world_of(CLEAN[0]).entities}
    for _, twin in pairs(DOMAIN_TRANSFER, 1.0, pool):
        assert all(is_of_pool(tool, pool) for tool in twin.tools)
        assert twin.template in {f for pattern in MEDICAL.queries[twin.shape][pool] for f in forms(pattern)}
        assert dict(twin.slots).get("attribute") in (None, *MEDICAL.attributes.values())
        assert not any(name in twin.query for name in names)
        seen = " ".join([twin.query, *(tool.document for tool in twin.tools)])
        assert not re.search(r"\b(places?|telephone|licence|district|entry price)\b", seen, re.IGNORECASE)


def test_the_observations_of_a_transferred_task_are_those_of_the_other_world():
    for episode in oracle_episodes(twin for _, twin in pairs(DOMAIN_TRANSFER)):
        ids = [e.observation for e in episode.events if e.name == MEDICAL.catalogue["find"].name]
        assert all(re.fullmatch(r'\{"value": "D-\d{5}"\}', text) for text in ids)


@each_strength
def test_strength_is_the_share_of_tools_that_bear_the_names_of_the_other_domain(strength):
    for task, twin in pairs(DOMAIN_TRANSFER, strength):
        new = {tool.function for tool in twin.tools if tool.name == MEDICAL.catalogue[tool.function].name}
        counterparts = {tool.function for tool in twin.tools if tool.name == POI.catalogue[tool.function].name}
        assert len(new) == share(len(task.tools), strength)
        assert new <= needed(task) or new >= needed(task)
        assert new | counterparts == {tool.function for tool in twin.tools}
        for tool in twin.tools:
            assert tool.description == MEDICAL.catalogue[tool.function].description


def test_every_strength_asks_the_same_question_in_the_other_domain():
    for task, twin in pairs(DOMAIN_TRANSFER, 0.25, count=40):
        assert DOMAIN_TRANSFER.apply(task, 1.0).query == twin.query
