"""Errors that pass."""

import json

import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.interaction import ERROR_MESSAGE, TRANSIENT_ERRORS
from openagent_lib.shifts.internalization import FATAL_ERRORS

TASKS = make_tasks("test", 60)


def failing(twin):
    return [rule.function for rule in twin.channel.rules]


def test_only_the_channel_changes():
    for task in TASKS:
        twin = ERROR_MESSAGE.apply(task)
        assert (twin.query, twin.tools, twin.gold_answer, twin.gold_chain) == (
            task.query, task.tools, task.gold_answer, task.gold_chain,
        )  # fmt: skip


def test_at_full_strength_every_needed_tool_fails_once():
    for task in TASKS:
        twin = ERROR_MESSAGE.apply(task)
        assert failing(twin) == list(dict.fromkeys(call.function for call in task.gold_chain))
        assert all(rule.first == 1 for rule in twin.channel.rules)


@pytest.mark.parametrize("strength", [0.01, 0.25, 0.5])
def test_strength_is_the_chance_of_each_needed_tool_to_fail_but_one_always_does(strength):
    tasks = [task for task in TASKS if len({call.function for call in task.gold_chain}) >= 3]
    counts = [len(failing(ERROR_MESSAGE.apply(task, strength, seed))) for task in tasks for seed in range(20)]
    assert min(counts) == 1
    expected = 3 * strength + (1 - strength) ** 3
    assert abs(sum(counts) / len(counts) - expected) < 0.15


@pytest.mark.parametrize("pool", ["train", "test"])
def test_the_texts_come_from_their_pool_and_are_error_observations(pool):
    texts = {rule.template for task in TASKS for rule in ERROR_MESSAGE.apply(task, pool=pool).channel.rules}
    assert {json.loads(text)["error"] for text in texts} == set(TRANSIENT_ERRORS[pool])


def test_the_pools_share_no_text_and_no_beginning():
    train, test = TRANSIENT_ERRORS["train"], TRANSIENT_ERRORS["test"]
    assert set(train).isdisjoint(test)
    assert {text.split()[0].lower() for text in train}.isdisjoint(text.split()[0].lower() for text in test)


def test_no_passing_error_reads_like_a_lasting_one():
    passing = {text for pool in TRANSIENT_ERRORS.values() for text in pool}
    lasting = {text for pool in FATAL_ERRORS.values() for text in pool}
    assert passing.isdisjoint(lasting)


def test_the_same_call_succeeds_the_second_time():
    for environment in play(OracleAgent(), [ERROR_MESSAGE.apply(task) for task in TASKS]):
        for index, event in enumerate(environment.events):
            if event.anomalous:
                following = environment.events[index + 1]
                assert (following.name, following.arguments) == (event.name, event.arguments)
                assert not following.anomalous
        assert sum(event.anomalous for event in environment.events) == len(environment.task.channel.rules)
