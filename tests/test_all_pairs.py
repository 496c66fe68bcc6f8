"""Every task under every shift: what holds for the whole evaluation, checked on all of it."""

import json
import re
from collections import Counter
from itertools import product

import pytest

from openagent_lib.agents.scripted import GuesserAgent, OracleAgent, call_arguments
from openagent_lib.evaluation.outcome import is_success, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import CLOSED_TASKS, SHIFT_TASKS, make_suite
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.leak import candidates, prompt_texts
from openagent_lib.sandbox.proof import is_beyond_reach
from openagent_lib.sandbox.protocol import answers_match, format_call
from openagent_lib.sandbox.task import CLEAN
from openagent_lib.shifts.catalogue import SHIFTS
from openagent_lib.shifts.shift import TIERS

STRENGTHS = (0.5, 1.0)
KINDS = [shift.kind for shift in SHIFTS.values()]
HARNESS_WORDS = [
    *TIERS,
    *(kind.replace("_", joint) for kind in KINDS for joint in ("_", " ", "-", "")),
    *"shift perturb benchmark sandbox harness simulat synthetic fictional anonymi experiment dataset".split(),
    *"oracle gold tier decoy distract inverse invert adversar anomal robust twin drift solvable fatal".split(),
    *"evaluat episode trajector reward metric hidden paft grpo openagent #2".split(),
    *("closed set", "closed_set", "open world", "train pool", "test pool", "held out", "held-out"),
]
"""No piece of these may stand in anything that a model sees; none is a piece of a word that the worlds need."""


@pytest.fixture(scope="module")
def suite():
    return make_suite(CLOSED_TASKS, SHIFT_TASKS)


@pytest.fixture(scope="module")
def clean(suite):
    return {task.id: task for task in suite if task.shift == CLEAN}


@pytest.fixture(scope="module")
def twins(clean):
    """Return the twin of every clean task under every shift that applies, at every strength and from every pool."""
    return [
        shift.apply(task, strength, 0, pool)
        for shift, strength, pool, task in product(SHIFTS.values(), STRENGTHS, POOLS, clean.values())
        if shift.applies_to(task)
    ]


@pytest.fixture(scope="module")
def solved(suite):
    """Return the oracle's episode of every task of the suite."""
    return play(OracleAgent(), suite)


def failures(environments):
    return [e.task.query for e in environments if not is_success(e, outcome_of(e))]


def test_the_suite_holds_120_clean_tasks_and_38_twins_of_each_of_20_shifts(suite):
    expected = {CLEAN: 120} | dict.fromkeys(SHIFTS, 38)
    assert len(SHIFTS) == 20
    assert Counter(task.shift for task in suite) == expected
    assert len({task.id for task in suite}) == 880


def test_every_twin_has_its_own_clean_twin_in_the_suite(suite, clean):
    for name in SHIFTS:
        bases = [task.base_id for task in suite if task.shift == name]
        assert len(set(bases)) == 38
        assert set(bases) <= set(clean)


def test_twins_and_their_clean_twins_have_the_same_shape_and_split(suite, clean):
    for task in suite:
        twin = clean[task.twin_id]
        assert (task.shape, task.split, task.world_seed) == (twin.shape, "test", twin.world_seed)


def test_the_shapes_of_the_twins_have_the_shares_of_the_suitable_clean_tasks(suite, clean):
    for name, shift in SHIFTS.items():
        pool = [task.shape for task in clean.values() if shift.applies_to(task)]
        found = Counter(task.shape for task in suite if task.shift == name)
        for shape, count in Counter(pool).items():
            assert abs(found[shape] - count * 38 / len(pool)) < 1, (name, shape)


def test_the_oracle_solves_every_solvable_task_and_refuses_every_other_one(suite, solved):
    assert failures(solved) == []
    endings = {(task.is_solvable, episode.ending) for task, episode in zip(suite, solved, strict=True)}
    assert endings == {(True, "answered"), (False, "refused")}
    assert {task.shift for task in suite if not task.is_solvable} == {
        name for name, shift in SHIFTS.items() if not shift.is_solvable
    }


def test_the_oracle_makes_no_invalid_call(solved):
    assert [event for episode in solved for event in episode.events if event.error] == []


def test_the_oracle_solves_every_clean_task_under_every_shift_strength_and_pool(twins):
    episodes = play(OracleAgent(), twins)
    assert failures(episodes) == []
    assert not any(event.error for episode in episodes for event in episode.events)


def test_every_unsolvable_twin_is_beyond_reach_at_every_strength_and_from_every_pool(twins, clean):
    unsolvable = [twin for twin in twins if not twin.is_solvable]
    assert len(unsolvable) == 2 * len(STRENGTHS) * len(POOLS) * len(clean)
    assert [twin.query for twin in unsolvable if not is_beyond_reach(twin, clean[twin.base_id])] == []


def test_a_solvable_twin_is_never_beyond_reach(twins, clean):
    simple = [twin for twin in twins if twin.shift.startswith("perception") and twin.slots == clean[twin.base_id].slots]
    assert len(simple) > 1000
    assert not any(is_beyond_reach(twin, clean[twin.base_id]) for twin in simple)


@pytest.mark.parametrize("pool", POOLS)
def test_at_strength_zero_every_shift_is_the_identity_byte_for_byte(clean, pool):
    for task in clean.values():
        before = task.to_json()
        assert all(shift.apply(task, 0.0, 0, pool).to_json() == before for shift in SHIFTS.values())


def test_at_strength_zero_a_pair_of_shifts_is_what_one_of_them_is(clean):
    tasks = list({task.shape: task for task in clean.values()}.values())
    for task, first in product(tasks, SHIFTS.values()):
        twin = first.apply(task, 1.0) if first.applies_to(task) else task
        before, after = task.to_json(), twin.to_json()
        for second in SHIFTS.values():
            assert second.apply(first.apply(task, 0.0), 0.0).to_json() == before
            assert second.apply(twin, 0.0).to_json() == after
        again = first.apply(SHIFTS["interaction.null_message"].apply(task, 0.0), 1.0) if twin is not task else task
        assert again.to_json() == after


def test_tool_names_differ_within_a_task_and_are_names_that_endpoints_accept(suite, twins):
    for task in [*suite, *twins]:
        names = [tool.name for tool in task.tools]
        assert len(set(names)) == len(names), names
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names), names
        assert all(len(set(tool.argument_names)) == len(tool.argument_names) for tool in task.tools)


def harness_words(texts):
    """Return the harness words in texts, each with a text that holds it."""
    joined = "\n".join(texts).lower()
    return {word: next(text for text in texts if word in text.lower()) for word in set(HARNESS_WORDS) if word in joined}


def observations(episodes):
    return {m["content"] for episode in episodes for m in episode.messages if m["role"] == "tool"}


def test_no_prompt_and_no_observation_speaks_of_the_harness(suite, solved):
    prompts = {text for task in suite for text in prompt_texts(task)}
    assert len(prompts) > 900
    assert harness_words(prompts | observations(solved)) == {}


def test_no_prompt_and_no_observation_of_any_twin_speaks_of_the_harness(twins):
    prompts = {text for task in twins for text in prompt_texts(task)}
    assert harness_words(prompts | observations(play(OracleAgent(), twins))) == {}


def test_no_tool_and_no_argument_is_named_after_the_functions_behind_it(suite):
    for task in suite:
        for tool in task.tools:
            assert not re.search(r"[#>$]", " ".join((tool.name, *tool.argument_names)))
            assert not re.search(r"[#>$]|\{|\}", tool.document), tool.document
        assert not re.search(r"[#>${}\[\]]", task.query), task.query


def probe(task):
    """Return the texts of the environment on wrong calls of every tool of a task and on malformed messages."""
    environment = Environment(task, world_of(task), max_steps=10_000)
    environment.reset()
    for tool in task.tools:
        right = call_arguments(tool, {parameter.slot: "nonsense" for parameter in tool.parameters})
        wrong = [{}, {**right, "extra": "1"}, {**right, "code": "0"}]
        for text in ("nonsense", "", "1/0", "(", "9" * 90):
            wrong.append({key: text if key != "code" else right[key] for key in right})
        for arguments in wrong:
            environment.step(format_call(tool.name, arguments, task.call_key))
    call = format_call("nothing", {}, task.call_key)
    nested = call.replace("{}", '{"a": []}')
    for text in (call, nested, call * 9, "<tool_call>{</tool_call>", "<tool_call>{}</tool_call>", "</tool_call>"):
        environment.step(text)
        environment.step(call)
    return observations([environment])


def test_no_error_text_of_the_environment_speaks_of_the_harness(suite):
    texts = {text for task in suite for text in probe(task)}
    errors = {json.loads(text)["error"] for text in texts if text.startswith('{"error"')}
    assert len(errors) > 30
    assert harness_words(texts) == {}
    assert not any(re.search(r"[#>]|inverse", error) for error in errors)


def test_no_observation_shows_the_identity_of_a_task(suite, solved):
    for task, episode in zip(suite, solved, strict=True):
        seen = json.dumps([message["content"] for message in episode.messages])
        assert task.id not in seen
        assert task.twin_id not in seen


def test_no_answer_stands_in_the_prompt_of_any_task(suite, twins):
    for task in [*suite, *twins]:
        if task.is_solvable:
            assert not any(answers_match(piece, task.gold_answer) for piece in candidates(task)), task.query


def test_an_answer_copied_into_the_query_would_be_found(clean):
    for task in clean.values():
        leaky = task.with_shift(CLEAN, 0.0, query=f"{task.query} Is it {task.gold_answer}?")
        assert any(answers_match(piece, task.gold_answer) for piece in candidates(leaky)), task.gold_answer


def test_the_guesser_is_never_right(suite):
    for rank in range(12):
        assert not any(is_success(episode, outcome_of(episode)) for episode in play(GuesserAgent(rank), suite))
