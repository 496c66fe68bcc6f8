"""Renamed tools: the same world under other words."""

import re

import pytest

from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.poi_tools import CATALOGUE
from openagent_lib.shifts.perception import IDENTITY_ERASURE, SYMBOLIC_DRIFT, SYNONYMS
from openagent_lib.shifts.shift import share

TASKS = make_tasks("test", 60)
both = pytest.mark.parametrize("shift", [SYMBOLIC_DRIFT, IDENTITY_ERASURE], ids=lambda shift: shift.kind)


def renamed(task, twin):
    return [old for old, new in zip(task.tools, twin.tools, strict=True) if old.name != new.name]


@both
@pytest.mark.parametrize("strength", [0.25, 0.5, 1.0])
def test_strength_is_the_share_of_tools_renamed(shift, strength):
    for task in TASKS:
        assert len(renamed(task, shift.apply(task, strength))) == share(len(task.tools), strength)


@both
def test_the_tools_that_the_task_needs_are_renamed_first(shift):
    for task in TASKS:
        changed = {tool.function for tool in renamed(task, shift.apply(task, 0.25))}
        needed = {call.function for call in task.gold_chain}
        assert changed <= needed or changed > needed


@both
def test_only_names_change(shift):
    for task in TASKS:
        twin = shift.apply(task)
        assert (twin.query, twin.gold_answer, twin.gold_chain) == (task.query, task.gold_answer, task.gold_chain)
        assert twin.channel == task.channel
        for old, new in zip(task.tools, twin.tools, strict=True):
            assert (old.document, old.parameters, old.function, old.code) == (
                new.document, new.parameters, new.function, new.code,
            )  # fmt: skip


def test_the_pools_of_names_are_disjoint_and_hold_no_original_name():
    pools = {pool: {name for names in SYNONYMS.values() for name in names[pool]} for pool in ("train", "test")}
    assert pools["train"].isdisjoint(pools["test"])
    assert (pools["train"] | pools["test"]).isdisjoint(tool.name for tool in CATALOGUE.values())
    for pool, names in pools.items():
        assert len(names) == sum(len(words[pool]) for words in SYNONYMS.values()), "no name serves two tools"


def test_every_tool_has_other_names_in_both_pools():
    assert set(SYNONYMS) == set(CATALOGUE)
    assert all(names[pool] for names in SYNONYMS.values() for pool in ("train", "test"))


@pytest.mark.parametrize("pool", ["train", "test"])
def test_a_drifted_name_comes_from_its_pool(pool):
    for task in TASKS:
        for tool in SYMBOLIC_DRIFT.apply(task, pool=pool).tools:
            assert tool.name in SYNONYMS[tool.function][pool]


def test_an_erased_name_of_the_test_pool_has_the_form_of_the_paper():
    names = {tool.name for task in TASKS for tool in IDENTITY_ERASURE.apply(task).tools}
    assert all(re.fullmatch(r"Tool_[a-z0-9]{4}", name) for name in names)
    assert len(names) > 150


def test_an_erased_name_of_the_train_pool_never_has_that_form():
    names = {tool.name for task in TASKS for tool in IDENTITY_ERASURE.apply(task, pool="train").tools}
    assert not any(name.startswith("Tool_") for name in names)
    assert all(re.fullmatch(r"[a-z0-9_]{5,9}", name) for name in names)
