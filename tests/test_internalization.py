"""Tasks that cannot be solved: a missing condition, a tool that is broken for good."""

import json

import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.poi_tools import COMPUTATIONS
from openagent_lib.shifts.internalization import FATAL_ERROR, FATAL_ERRORS, MISSING_CONDITION, VAGUE
from openagent_lib.shifts.shift import share

TASKS = make_tasks("test", 80)
POOLS = ("train", "test")


def needed(task):
    return {slot: words for slot, words in task.slots if slot in VAGUE}


@pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
def test_strength_is_the_share_of_conditions_deleted(strength):
    for task in TASKS:
        twin = MISSING_CONDITION.apply(task, strength)
        gone = [slot for slot, words in needed(task).items() if dict(twin.slots)[slot] != words]
        assert len(gone) == share(len(needed(task)), strength)


@pytest.mark.parametrize("pool", POOLS)
def test_a_deleted_condition_is_nowhere_in_the_query(pool):
    for task in TASKS:
        twin = MISSING_CONDITION.apply(task, pool=pool)
        assert not any(words in twin.query for words in needed(task).values() if len(words) > 1)
        assert twin.query[0] == twin.query[0].upper()
        assert twin.tools == task.tools
        assert twin.gold_chain == ()


def test_the_vague_words_of_the_pools_are_disjoint():
    for words in VAGUE.values():
        assert set(words["train"]).isdisjoint(words["test"])
    train, test = ({text for words in VAGUE.values() for text in words[pool]} for pool in POOLS)
    assert train.isdisjoint(test)


@pytest.mark.parametrize("pool", POOLS)
def test_vague_words_come_from_their_pool(pool):
    for task in TASKS:
        twin = MISSING_CONDITION.apply(task, pool=pool)
        assert all(words in VAGUE[slot][pool] for slot, words in needed(twin).items())


def test_every_shape_has_a_condition_to_delete():
    assert all(needed(task) for task in TASKS)


@pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
def test_strength_is_the_share_of_needed_look_ups_broken_for_good(strength):
    for task in TASKS:
        twin = FATAL_ERROR.apply(task, strength)
        functions = {call.function for call in task.gold_chain} - set(COMPUTATIONS)
        broken = {rule.function for rule in twin.channel.rules}
        assert broken <= functions
        assert len(broken) == len(twin.channel.rules) == share(len(functions), strength)
        assert all(rule.first is None for rule in twin.channel.rules)
        assert (twin.query, twin.tools) == (task.query, task.tools)


@pytest.mark.parametrize("pool", POOLS)
def test_the_fatal_texts_come_from_their_pool(pool):
    texts = {rule.template for task in TASKS for rule in FATAL_ERROR.apply(task, pool=pool).channel.rules}
    assert {json.loads(text)["error"] for text in texts} == set(FATAL_ERRORS[pool])


def test_the_pools_share_no_text_and_no_beginning():
    train, test = FATAL_ERRORS["train"], FATAL_ERRORS["test"]
    assert set(train).isdisjoint(test)
    assert {text.split()[0].lower() for text in train}.isdisjoint(text.split()[0].lower() for text in test)


def test_the_oracle_refuses_after_the_first_withheld_value_and_never_sees_the_answer():
    for task, environment in zip(TASKS, play(OracleAgent(), [FATAL_ERROR.apply(task) for task in TASKS]), strict=True):
        assert [event.anomalous for event in environment.events] == [True]
        observations = [message["content"] for message in environment.messages if message["role"] == "tool"]
        assert json.dumps({"value": task.gold_answer}) not in observations
