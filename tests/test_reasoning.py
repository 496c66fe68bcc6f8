"""Inverted look-ups: inputs and outputs change places, names and codes stay."""

import re

import pytest

from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.poi_tasks import INVERTED_ID_QUERIES, INVERTED_QUERIES, SHAPES
from openagent_lib.shifts.reasoning import LOGIC_INVERSION

TASKS = [task for task in make_tasks("test", 200) if LOGIC_INVERSION.applies_to(task)]


@pytest.mark.parametrize("pool", ["train", "test"])
def test_the_old_answer_is_asked_for_its_place(pool):
    for task in TASKS:
        twin = LOGIC_INVERSION.apply(task, pool=pool)
        assert task.gold_answer in twin.query
        place = dict(task.slots).get("place")
        assert twin.gold_answer == (place or dict(task.slots)["id"])
        assert twin.gold_answer not in twin.query


def test_the_chain_runs_the_other_way_with_the_tools_of_the_clean_task():
    for task in TASKS:
        twin = LOGIC_INVERSION.apply(task)
        assert [tool.name for tool in twin.tools] == [tool.name for tool in task.tools]
        assert [tool.code for tool in twin.tools] == [tool.code for tool in task.tools]
        names = [twin.tool_for(call.function).name for call in twin.gold_chain]
        assert names == [task.tool_for(call.function).name for call in reversed(task.gold_chain)]


def test_the_documents_of_inverted_tools_say_so():
    for task in TASKS:
        twin = LOGIC_INVERSION.apply(task)
        for call in twin.gold_chain:
            tool = twin.tool_for(call.function)
            assert re.search(r"and returns the (place id|name of the place)\.", tool.document)


@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_strength_is_the_share_of_the_other_look_ups_inverted(strength):
    for task in TASKS:
        twin = LOGIC_INVERSION.apply(task, strength)
        needed = {call.function for call in task.gold_chain}
        others = [
            (old, new)
            for old, new in zip(task.tools, twin.tools, strict=True)
            if old.function in ("find_place", "get_telephone", "get_licence") and old.function not in needed
        ]
        changed = sum(old.function != new.function for old, new in others)
        assert changed == (len(others) if strength == 1.0 else min(1, len(others)))


def test_the_pools_ask_in_other_words():
    queries = {pool: {LOGIC_INVERSION.apply(task, pool=pool).template for task in TASKS} for pool in ("train", "test")}
    assert queries["train"].isdisjoint(queries["test"])
    known = {text for shape in SHAPES.values() for text in shape.templates}
    assert known.isdisjoint(INVERTED_QUERIES + INVERTED_ID_QUERIES)
