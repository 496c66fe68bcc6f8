"""Scripted agents: each fails or succeeds in its own, known way."""

from collections import Counter

import pytest

from openagent_lib.agents.agent import Turn
from openagent_lib.agents.scripted import MOST_TRIES, SCRIPTED, OracleAgent, call_arguments, scripted_agent
from openagent_lib.errors import ConfigError
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.environment import MAX_STEPS
from openagent_lib.sandbox.protocol import parse_message
from openagent_lib.shifts.catalogue import SHIFTS, shifted_twins

CLEAN = make_tasks("test", 60)
UNSOLVABLE = shifted_twins(CLEAN, SHIFTS["internalization.missing_condition"], 20)


def outcomes(name, tasks):
    return Counter(outcome_of(environment) for environment in play(scripted_agent(name), tasks))


@pytest.mark.parametrize("name", SCRIPTED)
def test_an_agent_carries_its_name(name):
    assert scripted_agent(name).name == name


def test_an_unknown_agent_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'oracle'"):
        scripted_agent("oracel")


def test_the_oracle_is_always_right_and_makes_the_gold_calls_only():
    for environment in play(OracleAgent(), CLEAN):
        assert outcome_of(environment) == "correct"
        assert len(environment.events) == len(environment.task.gold_chain)


def test_the_first_tool_agent_is_always_wrong_in_two_messages():
    environments = play(scripted_agent("first_tool"), CLEAN)
    assert {outcome_of(environment) for environment in environments} == {"wrong"}
    assert {len(environment.messages) for environment in environments} == {5}


def test_the_malformed_agent_is_malformed():
    assert outcomes("malformed", CLEAN + UNSOLVABLE) == {"malformed": 80}


def test_the_refuser_is_right_on_unsolvable_tasks_only():
    environments = play(scripted_agent("refuser"), CLEAN + UNSOLVABLE)
    assert {outcome_of(environment) for environment in environments} == {"refused"}
    assert [is_success(environment, "refused") for environment in environments] == [False] * 60 + [True] * 20
    assert not any(environment.events for environment in environments)


def test_the_looper_is_exhausted_after_the_step_limit():
    environments = play(scripted_agent("looper"), CLEAN[:10])
    assert {outcome_of(environment) for environment in environments} == {"exhausted"}
    assert {len(environment.events) for environment in environments} == {MAX_STEPS}


@pytest.mark.parametrize("name", SCRIPTED)
def test_an_agent_gives_one_message_per_turn(name):
    turns = [Turn([{"role": "user", "content": task.query}], task) for task in CLEAN[:7]]
    assert len(scripted_agent(name).act(turns)) == 7
    assert scripted_agent(name).act([]) == []


@pytest.mark.parametrize("failures", [1, 2])
def test_the_oracle_repeats_a_call_whose_value_is_withheld(failures):
    channel = Channel((ChannelRule('{"error": "later"}', first=failures),))
    task = CLEAN[0].with_shift("a.b", 1.0, channel=channel)
    (environment,) = play(OracleAgent(), [task])
    assert failures < MOST_TRIES
    assert outcome_of(environment) == "correct"
    functions = len({call.function for call in task.gold_chain})
    assert len(environment.events) == len(task.gold_chain) + failures * functions


def test_the_oracle_gives_up_on_a_call_that_never_succeeds():
    task = CLEAN[0].with_shift("a.b", 1.0, channel=Channel((ChannelRule('{"error": "later"}'),)))
    (environment,) = play(OracleAgent(), [task])
    assert outcome_of(environment) == "refused"
    assert len(environment.events) == MOST_TRIES


@pytest.mark.parametrize("template", ["<v>{value}</v>", '{{"data": {{"v": {value}}}}}', "value = {value};", "{value}"])
def test_the_oracle_reads_a_value_in_another_form(template):
    tasks = [task.with_shift("a.b", 1.0, channel=Channel((ChannelRule(template),))) for task in CLEAN]
    for environment in play(OracleAgent(), tasks):
        assert outcome_of(environment) == "correct"
        assert len(environment.events) == len(environment.task.gold_chain)


def test_the_oracle_takes_no_number_out_of_a_longer_one():
    price = next(task for task in CLEAN if task.gold_chain[-1].function == "get_price")
    channel = Channel((ChannelRule(f'{{"info": "1{price.gold_answer}"}}', "get_price"),))
    (environment,) = play(OracleAgent(), [price.with_shift("a.b", 1.0, channel=channel)])
    assert outcome_of(environment) == "refused"


def test_a_call_uses_the_current_keys_and_the_code():
    task = next(task for task in CLEAN if task.tool_for("get_price"))
    tool = task.tool_for("get_price")
    assert call_arguments(tool, {"place_id": "P1"}) == {"place_id": "P1", "code": tool.code}


def test_every_message_of_the_oracle_is_well_formed():
    for environment in play(OracleAgent(), CLEAN):
        texts = [message["content"] for message in environment.messages if message["role"] == "assistant"]
        assert not any(parse_message(text).malformed for text in texts)
