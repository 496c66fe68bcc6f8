"""The same tools under other names and documents."""

import re
from collections import Counter

import pytest
from shift_case import changed_tools, needed, oracle_episodes, pairs

from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain
from openagent_lib.shifts.perception_tool import (
    IDENTITY_ERASURE,
    NOISES,
    SEMANTIC_TRAP,
    SYMBOLIC_DRIFT,
    TOOL_NAME_NOISE,
    trap_partners,
)
from openagent_lib.shifts.shift import share

POI = get_domain("poi")
CATALOGUE_NAMES = {tool.name for tool in POI.catalogue.values()}
TEST_NOISE = {
    "digits for letters": r"[a-z0-9_]*[0134][a-z0-9_]*",
    "vowels left out": r"[a-z][^aeiou]*",
    "letters in mixed case": r"(?=.*[A-Z])[A-Za-z_]+",
    "a version": r"[a-z_]+-v[2-9]",
    "a namespace": r"(svc|api|core|ext|app)--[a-z_]+",
    "a hash": r"[a-z_]+--[0-9a-f]{4}",
}

renamers = pytest.mark.parametrize(
    "shift", [SYMBOLIC_DRIFT, IDENTITY_ERASURE, TOOL_NAME_NOISE], ids=lambda shift: shift.kind
)
each_pool = pytest.mark.parametrize("pool", POOLS)


@renamers
@each_pool
@pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
def test_strength_is_the_share_of_tools_renamed_and_only_names_change(shift, strength, pool):
    for task, twin in pairs(shift, strength, pool):
        changes = changed_tools(task, twin)
        assert len(changes) == share(len(task.tools), strength)
        assert all(fields == {"name"} for fields in changes.values())


@renamers
def test_the_tools_that_the_task_needs_are_renamed_first(shift):
    for strength in (0.25, 0.5):
        for task, twin in pairs(shift, strength):
            renamed = set(changed_tools(task, twin))
            assert renamed <= needed(task) or renamed >= needed(task)


@renamers
def test_no_new_name_is_a_name_of_the_closed_world(shift):
    for task, twin in pairs(shift):
        assert CATALOGUE_NAMES.isdisjoint(tool.name for tool in twin.tools), (task.query, twin.tools)


@renamers
def test_the_oracle_calls_the_new_names(shift):
    twins = [twin for _, twin in pairs(shift)]
    for twin, episode in zip(twins, oracle_episodes(twins), strict=True):
        assert [event.name for event in episode.events] == [twin.tool_for(c.function).name for c in twin.gold_chain]


@each_pool
def test_a_drifted_name_is_one_of_the_names_of_its_tool(pool):
    used = Counter()
    for _, twin in pairs(SYMBOLIC_DRIFT, pool=pool):
        for tool in twin.tools:
            assert tool.name in POI.texts[tool.function].names[pool]
            used[tool.name] += 1
    assert len(used) > 40


def test_an_erased_name_of_the_test_pool_has_the_form_of_the_paper():
    names = {tool.name for _, twin in pairs(IDENTITY_ERASURE) for tool in twin.tools}
    assert all(re.fullmatch(r"Tool_[a-z0-9]{4}", name) for name in names)
    assert len(names) > 400


def test_an_erased_name_of_the_train_pool_never_has_that_form():
    names = {tool.name for _, twin in pairs(IDENTITY_ERASURE, pool="train") for tool in twin.tools}
    assert all(re.fullmatch(r"[a-z][a-z0-9]{4,7}|[a-z][a-z0-9]{2}_[a-z0-9]{2,5}", name) for name in names)


def test_a_noisy_name_of_the_test_pool_is_of_one_of_its_kinds():
    assert set(TEST_NOISE) == {label for label, _ in NOISES.test}
    found = Counter()
    for _, twin in pairs(TOOL_NAME_NOISE):
        for tool in twin.tools:
            labels = [label for label, pattern in TEST_NOISE.items() if re.fullmatch(pattern, tool.name)]
            assert labels, tool.name
            found.update(labels)
    assert min(found[label] for label in TEST_NOISE) > 20


def test_no_noisy_name_of_the_train_pool_is_of_a_kind_of_the_test_pool():
    marks = [TEST_NOISE[label] for label in TEST_NOISE if label != "vowels left out"]
    for _, twin in pairs(TOOL_NAME_NOISE, pool="train"):
        for tool in twin.tools:
            assert not any(re.fullmatch(pattern, tool.name) for pattern in marks), tool.name
            assert re.search(r"[aeiou].*[aeiou]", tool.name)


@each_pool
def test_a_noisy_name_can_be_read_as_its_own_tool_and_no_other(pool):
    letters = {name: set(re.sub(r"[aeiou_]", "", name)) for name in CATALOGUE_NAMES}
    for task, twin in pairs(TOOL_NAME_NOISE, pool=pool):
        for old, new in zip(task.tools, twin.tools, strict=True):
            kept = set(new.name.lower()) & letters[old.name]
            assert len(kept) >= len(letters[old.name]) - 1, (old.name, new.name)


@each_pool
@pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
def test_a_trap_swaps_familiar_names_and_rewords_both_documents(strength, pool):
    for task, twin in pairs(SEMANTIC_TRAP, strength, pool):
        offered = {tool.function for tool in task.tools}
        for tool in twin.tools:
            text = POI.texts[tool.function]
            closed = POI.catalogue[tool.function]
            assert tool.name in CATALOGUE_NAMES
            if tool.name == closed.name:
                assert tool == closed
                assert tool.function in offered
                continue
            owner = next(other for other in POI.tools if other.name == tool.name).function
            assert owner in trap_partners("poi", tool.function, pool)
            assert twin.tool_for(owner).name == closed.name, "the owner of the name bears this tool's name"
            assert tool.description in {text.document(tool.factor, wording) for wording in text.descriptions[pool]}
            assert (tool.parameters, tool.code, tool.factor) == (closed.parameters, closed.code, closed.factor)


def test_a_trap_keeps_the_offered_tools_in_order_and_adds_partners_only():
    for task, twin in pairs(SEMANTIC_TRAP):
        functions = [tool.function for tool in twin.tools]
        offered = [tool.function for tool in task.tools]
        assert [function for function in functions if function in offered] == offered
        assert len(functions) <= 2 * len(offered)


@pytest.mark.parametrize("pool", POOLS)
def test_at_full_strength_no_needed_tool_keeps_its_name(pool):
    for task, twin in pairs(SEMANTIC_TRAP, pool=pool):
        for function in needed(task):
            assert twin.tool_for(function).name != POI.catalogue[function].name


def test_more_names_change_hands_with_more_strength():
    def swapped(strength):
        twins = [twin for _, twin in pairs(SEMANTIC_TRAP, strength)]
        return [sum(tool.name != POI.catalogue[tool.function].name for tool in twin.tools) for twin in twins]

    counts = [sum(swapped(strength)) for strength in (0.25, 0.5, 0.75, 1.0)]
    assert counts == sorted(set(counts))
    assert min(swapped(0.25)) == 2


@pytest.mark.parametrize("domain", ["poi", "medical"])
def test_a_pair_of_names_is_swapped_in_one_pool_only(domain):
    functions = list(get_domain(domain).catalogue)
    for function in functions:
        train, test = (set(trap_partners(domain, function, pool)) for pool in POOLS)
        assert train.isdisjoint(test)
        assert train | test == set(functions) - {function}
        assert all(function in trap_partners(domain, other, "test") for other in test)


def test_the_oracle_obeys_the_documents_and_not_the_names():
    twins = [twin for _, twin in pairs(SEMANTIC_TRAP)]
    for twin, episode in zip(twins, oracle_episodes(twins), strict=True):
        called = [event.name for event in episode.events]
        assert called == [twin.tool_for(call.function).name for call in twin.gold_chain]
        assert all(name != POI.catalogue[c.function].name for name, c in zip(called, twin.gold_chain, strict=True))
