"""What comes back otherwise: other formats, faults that pass, empty returns, redirections."""

import re
from collections import Counter
from itertools import pairwise

import pytest
from shift_case import changed, needed, oracle_episodes, pairs, values

from openagent_lib.agents.scripted import call_text
from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain, load_world, world_of
from openagent_lib.sandbox.environment import MAX_STEPS, Environment
from openagent_lib.sandbox.protocol import format_value
from openagent_lib.sandbox.world import SPLITS
from openagent_lib.shifts.interaction import (
    ERROR_MESSAGE,
    FORMAT_SHIFT,
    NULL_MESSAGE,
    TOOL_REDIRECTION,
    VALUE_REDIRECTION,
)
from openagent_lib.shifts.patterns.observations import (
    FORMATS,
    NULLS,
    TOOL_REDIRECTIONS,
    TRANSIENT_ERRORS,
    VALUE_REDIRECTIONS,
)
from openagent_lib.shifts.shift import share

POI = get_domain("poi")
each_pool = pytest.mark.parametrize("pool", POOLS)
each_strength = pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
by_function = pytest.mark.parametrize(
    "shift", [FORMAT_SHIFT, ERROR_MESSAGE, NULL_MESSAGE, TOOL_REDIRECTION], ids=lambda shift: shift.kind
)


def first_call(task, times):
    """Make the first gold call of a task again and again and return the events."""
    environment = Environment(task, world_of(task))
    environment.reset()
    call = task.gold_chain[0]
    for _ in range(times):
        environment.step(call_text(task.tool_for(call.function), call.resolve([]), task.call_key))
    return environment.events


def streaks(events):
    """Return the events in runs: each run ends with the first one that passes its value on."""
    runs, run = [], []
    for event in events:
        run.append(event)
        if not event.anomalous:
            runs.append(run)
            run = []
    assert run == []
    return runs


@by_function
@each_pool
@each_strength
def test_strength_is_the_share_of_needed_tools_that_are_disturbed(shift, strength, pool):
    for task, twin in pairs(shift, strength, pool):
        disturbed = [rule.function for rule in twin.channel.rules]
        assert len(disturbed) == len(set(disturbed)) == share(len(needed(task)), strength)
        assert set(disturbed) <= needed(task)


@pytest.mark.parametrize("shift", [FORMAT_SHIFT, ERROR_MESSAGE, NULL_MESSAGE, VALUE_REDIRECTION], ids=lambda s: s.kind)
@each_pool
def test_only_the_channel_changes(shift, pool):
    for task, twin in pairs(shift, pool=pool):
        assert changed(task, twin) == {"channel"}


@each_pool
def test_another_format_holds_the_same_value_and_withholds_nothing(pool):
    tasks = [task for task, _ in pairs(FORMAT_SHIFT)]
    twins = [twin for _, twin in pairs(FORMAT_SHIFT, pool=pool)]
    for plain, other in zip(oracle_episodes(tasks), oracle_episodes(twins), strict=True):
        assert [values(event) for event in other.events] == [values(event) for event in plain.events]
        for before, after in zip(plain.events, other.events, strict=True):
            value = before.observation.removeprefix('{"value": "').removesuffix('"}')
            assert after.observation != before.observation
            assert after.observation in {text.replace("{value}", value) for text in FORMATS[pool]}
            assert not after.anomalous


@each_pool
def test_a_passing_error_is_repeated_exactly_as_often_as_its_message_says(pool):
    said = dict(TRANSIENT_ERRORS[pool])
    lengths = Counter()
    for episode in oracle_episodes(twin for _, twin in pairs(ERROR_MESSAGE, pool=pool)):
        rules = {rule.function for rule in episode.task.channel.rules}
        seen = set()
        for run in streaks(episode.events):
            (function,) = {tool.function for tool in episode.task.tools if tool.name == run[0].name}
            fails = said[run[0].observation] if function in rules - seen else 0
            assert len(run) == fails + 1
            assert len({(event.name, event.arguments) for event in run}) == 1, "the same call again"
            assert len({event.observation for event in run[:-1]}) <= 1
            seen.add(function)
            lengths[fails] += 1
    assert lengths[1] > 30
    assert lengths[2] > 10


@each_pool
def test_after_a_passing_error_the_tool_never_fails_again(pool):
    for _, twin in pairs(ERROR_MESSAGE, pool=pool, count=40):
        (fails,) = [rule.first for rule in twin.channel.rules if rule.function == twin.gold_chain[0].function]
        anomalous = [event.anomalous for event in first_call(twin, MAX_STEPS)]
        assert anomalous == [True] * fails + [False] * (MAX_STEPS - fails)


@each_pool
def test_an_empty_return_comes_once_and_holds_no_value(pool):
    for episode in oracle_episodes(twin for _, twin in pairs(NULL_MESSAGE, pool=pool)):
        empty = [event for event in episode.events if event.anomalous]
        assert len(empty) == len(episode.task.channel.rules) == len(needed(episode.task))
        assert all(event.observation in NULLS[pool] for event in empty)
        assert all(len({event.arguments for event in run}) == 1 for run in streaks(episode.events))
        assert all(len(run) <= 2 for run in streaks(episode.events))


@each_pool
@each_strength
def test_strength_is_the_share_of_identifiers_and_names_redirected(strength, pool):
    full = {twin.base_id: twin.channel.rules for _, twin in pairs(VALUE_REDIRECTION, 1.0, pool)}
    for task, twin in pairs(VALUE_REDIRECTION, strength, pool):
        assert len(twin.channel.rules) == share(len(full[task.id]), strength)
        assert {rule.slot for rule in twin.channel.rules} <= {"id", "name"}


@each_pool
def test_the_oracle_calls_again_with_the_new_value(pool):
    for episode in oracle_episodes(twin for _, twin in pairs(VALUE_REDIRECTION, pool=pool)):
        rules = {rule.old: rule.new for rule in episode.task.channel.rules}
        redirected = 0
        for run in streaks(episode.events):
            for before, after in pairwise(run):
                differing = [(a, b) for a, b in zip(values(before), values(after), strict=True) if a != b]
                ((old, new),) = differing
                assert after.name == before.name
                assert rules[old] == new or (old, new) in {(r.old, r.new) for r in episode.task.channel.rules}
                assert old in before.observation
                assert new in before.observation
                redirected += 1
        assert redirected == len(episode.task.channel.rules)


@each_pool
def test_a_redirection_text_comes_from_its_pool_with_both_values_filled_in(pool):
    used = set()
    for _, twin in pairs(VALUE_REDIRECTION, pool=pool):
        for rule in twin.channel.rules:
            filled = {t.replace("{old}", rule.old).replace("{new}", rule.new): t for t in VALUE_REDIRECTIONS[pool]}
            used.add(filled[rule.template])
    assert used == set(VALUE_REDIRECTIONS[pool])


@each_pool
def test_a_new_value_has_the_form_of_the_old_one_and_names_nothing_in_any_split(pool):
    taken = {text for split in SPLITS for e in load_world("poi", split, 0).entities for text in (e.id, e.name)}
    for _, twin in pairs(VALUE_REDIRECTION, pool=pool):
        for rule in twin.channel.rules:
            assert re.sub(r"\d|[aeiou]", "?", rule.new) == re.sub(r"\d|[aeiou]", "?", rule.old)
            assert rule.new not in taken
            assert rule.old in taken


def test_the_old_value_never_works_and_the_new_one_works_at_once():
    tasks = [twin for _, twin in pairs(VALUE_REDIRECTION, count=40) if twin.gold_chain[0].function == "find"]
    for twin in tasks:
        assert all(event.anomalous for event in first_call(twin, MAX_STEPS))
        (rule,) = [r for r in twin.channel.rules if r.slot == "name" and r.old == dict(twin.slots)["name"]]
        environment = Environment(twin, world_of(twin))
        environment.reset()
        environment.step(call_text(twin.tool_for("find"), {"name": rule.new}))
        (event,) = environment.events
        assert event.observation == format_value(world_of(twin).run("find", {"name": rule.old}))


@each_pool
def test_the_oracle_switches_to_the_named_tool_with_the_same_values(pool):
    for episode in oracle_episodes(twin for _, twin in pairs(TOOL_REDIRECTION, pool=pool)):
        task = episode.task
        substitutes = {rule.function: task.tool_for(rule.substitute) for rule in task.channel.rules}
        for run in streaks(episode.events):
            before, after = run
            (function,) = [tool.function for tool in task.tools if tool.name == before.name]
            assert after.name == substitutes[function].name
            assert after.name in before.observation
            assert values(after) == values(before)


@each_pool
def test_the_substitute_is_offered_from_the_start_in_other_words(pool):
    for task, twin in pairs(TOOL_REDIRECTION, pool=pool):
        new = [tool for tool in twin.tools if tool not in task.tools]
        assert tuple(tool for tool in twin.tools if tool not in new) == task.tools
        assert {tool.function for tool in new} == {rule.substitute for rule in twin.channel.rules}
        for tool in new:
            text = POI.texts[tool.function.removesuffix("#2")]
            assert tool.name in text.names[pool]
            assert tool.description in {text.document(text.factor, wording) for wording in text.descriptions[pool]}
            assert (tool.parameters, tool.code, tool.factor) == (text.tool().parameters, text.code, text.factor)


def test_the_replaced_tool_never_works_again():
    for _, twin in pairs(TOOL_REDIRECTION, count=40):
        assert all(event.anomalous for event in first_call(twin, MAX_STEPS))


@each_pool
def test_a_tool_redirection_text_comes_from_its_pool(pool):
    texts = {re.escape(text).replace(r"\{tool\}", r"[\w-]+") for text in TOOL_REDIRECTIONS[pool]}
    for _, twin in pairs(TOOL_REDIRECTION, pool=pool):
        assert all(any(re.fullmatch(text, rule.template) for text in texts) for rule in twin.channel.rules)
