"""Scripted agents: each fails or succeeds in its own, known way."""

from collections import Counter

import pytest

from openagent_lib.agents.agent import Turn
from openagent_lib.agents.scripted import (
    SCRIPTED,
    FrozenAgent,
    GuesserAgent,
    OracleAgent,
    call_arguments,
    scripted_agent,
)
from openagent_lib.errors import ConfigError
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import shifted_twins
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import MAX_STEPS
from openagent_lib.sandbox.protocol import parse_message
from openagent_lib.sandbox.tool import Tool
from openagent_lib.shifts.catalogue import SHIFTS

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


@pytest.mark.parametrize("domain", ["poi", "medical"])
def test_the_oracle_is_always_right_and_makes_the_gold_calls_only(domain):
    for environment in play(OracleAgent(), make_tasks("test", 60, domain=domain)):
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


def under(*rules, task=None, **changes):
    """Return the only episode of the oracle on a twin of a task whose channel has some rules."""
    twin = (task or LOOK_UP).with_shift("a.b", 1.0, channel=Channel(rules), **changes)
    (environment,) = play(OracleAgent(), [twin])
    return environment


def names_called(environment):
    return [event.name for event in environment.events]


LOOK_UP = next(task for task in CLEAN if task.shape == "look_up")
FIND, READ = (LOOK_UP.tool_for(call.function).name for call in LOOK_UP.gold_chain)
GAP = next(task for task in CLEAN if task.shape == "gap")


@pytest.mark.parametrize("failures", [1, 2])
def test_the_oracle_repeats_a_call_until_the_fault_has_passed(failures):
    environment = under(ChannelRule('{"error": "later"}', "find", first=failures))
    assert outcome_of(environment) == "correct"
    assert names_called(environment) == [FIND] * failures + [FIND, READ]


def test_the_oracle_gets_past_a_fault_of_every_tool():
    environment = under(ChannelRule("", first=1), task=GAP)
    assert outcome_of(environment) == "correct"
    find, gap = (GAP.tool_for(function).name for function in ("find", "gap"))
    assert names_called(environment) == [find, find, find, gap, gap], "a tool that is called twice fails once"


def test_the_oracle_passes_the_new_value_where_an_observation_names_one():
    old = dict(LOOK_UP.slots)["name"]
    environment = under(ChannelRule("now Nobo Gate", "find", slot="name", old=old, new="Nobo Gate"))
    assert outcome_of(environment) == "correct"
    assert names_called(environment) == [FIND, FIND, READ]
    assert [dict(event.arguments)["name"] for event in environment.events[:2]] == [old, "Nobo Gate"]


def test_the_oracle_passes_the_new_value_that_stands_for_an_earlier_result():
    read = LOOK_UP.gold_chain[-1].function
    found = world_of(LOOK_UP).run("find", {"name": dict(LOOK_UP.slots)["name"]})
    environment = under(ChannelRule("now P0", read, slot="id", old=found, new="P0"))
    assert outcome_of(environment) == "correct"
    assert [dict(event.arguments)["place_id"] for event in environment.events[1:]] == [found, "P0"]


def test_the_oracle_calls_the_tool_that_an_observation_names():
    find = LOOK_UP.tool_for("find")
    copy = Tool("other_register", find.description, find.parameters, "find#2", find.code)
    rules = [ChannelRule("use other_register", "find", substitute="find#2")]
    environment = under(*rules, tools=(*LOOK_UP.tools, copy))
    assert outcome_of(environment) == "correct"
    assert names_called(environment) == [FIND, "other_register", READ]


def test_the_oracle_refuses_after_the_first_withheld_value_where_there_is_no_answer():
    environment = under(ChannelRule("gone", "find"), gold_answer=None)
    assert outcome_of(environment) == "refused"
    assert names_called(environment) == [FIND]


def test_the_oracle_refuses_at_once_where_a_condition_is_missing():
    for environment in play(OracleAgent(), UNSOLVABLE):
        assert outcome_of(environment) == "refused"
        assert environment.events == []


@pytest.mark.parametrize("template", ["<v>{value}</v>", '{"data": {"v": {value}}}', "value = {value};", "{value}"])
def test_the_oracle_reads_a_value_in_another_form(template):
    tasks = [task.with_shift("a.b", 1.0, channel=Channel((ChannelRule(template),))) for task in CLEAN]
    for environment in play(OracleAgent(), tasks):
        assert outcome_of(environment) == "correct"
        assert len(environment.events) == len(environment.task.gold_chain)


@pytest.mark.parametrize("template", ['{"info": "1{value}"}', "{value}0", "x{value}", "{value}x"])
def test_the_oracle_takes_no_value_out_of_a_longer_word(template):
    environment = under(ChannelRule(template, "find"))
    assert outcome_of(environment) == "refused"
    assert names_called(environment) == [FIND]


@pytest.mark.parametrize("name", SHIFTS)
@pytest.mark.parametrize("domain", ["poi", "medical"])
def test_the_oracle_succeeds_under_every_shift(domain, name):
    shift = SHIFTS[name]
    tasks = [task for task in make_tasks("test", 60, domain=domain) if shift.applies_to(task)]
    for environment in play(OracleAgent(), [shift.apply(task) for task in tasks]):
        assert is_success(environment, outcome_of(environment)), environment.messages
        assert len(environment.messages) <= 2 * MAX_STEPS


def test_a_call_uses_the_current_keys_and_the_code():
    tool = next(tool for task in CLEAN for tool in task.tools if tool.code)
    (parameter,) = tool.parameters
    assert call_arguments(tool, {parameter.slot: "P1"}) == {parameter.name: "P1", "code": tool.code}


def test_every_message_of_the_oracle_is_well_formed():
    for environment in play(OracleAgent(), CLEAN):
        texts = [message["content"] for message in environment.messages if message["role"] == "assistant"]
        assert not any(parse_message(text).malformed for text in texts)


@pytest.mark.parametrize("domain", ["poi", "medical"])
def test_the_guesser_is_never_right_whichever_piece_of_the_prompt_it_takes(domain):
    tasks, seen, rank = make_tasks("test", 60, domain=domain), set(), 0
    while True:
        environments = play(GuesserAgent(rank), tasks)
        assert not any(is_success(environment, outcome_of(environment)) for environment in environments)
        new = {(environment.task.id, environment.answer) for environment in environments} - seen
        if not new:
            break
        seen |= new
        rank += 1
    assert rank > 50


def test_the_guesser_takes_another_piece_at_every_rank():
    answers = {play(GuesserAgent(rank), CLEAN[:1])[0].answer for rank in range(8)}
    assert len(answers) == 8
    assert all(any(symbol.isupper() or symbol.isdigit() for symbol in answer) for answer in answers)


def test_the_frozen_agent_is_perfect_in_the_closed_set():
    environments = play(FrozenAgent(CLEAN), CLEAN)
    assert {outcome_of(environment) for environment in environments} == {"correct"}


@pytest.mark.parametrize(
    "name", ["perception.symbolic_drift", "perception.identity_erasure", "internalization.missing_condition"]
)
def test_the_frozen_agent_fails_where_names_change_or_an_answer_is_absent(name):
    twins = shifted_twins(CLEAN, SHIFTS[name], 20)
    environments = play(FrozenAgent(CLEAN), twins)
    assert not any(is_success(environment, outcome_of(environment)) for environment in environments)


def test_the_frozen_agent_calls_what_it_remembers_and_not_what_is_offered():
    twin = SHIFTS["perception.symbolic_drift"].apply(LOOK_UP)
    (environment,) = play(FrozenAgent([LOOK_UP]), [twin])
    assert names_called(environment)[0] == FIND
    assert environment.events[0].error == "unknown tool"
