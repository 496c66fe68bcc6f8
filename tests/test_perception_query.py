"""The query in other words: blurred, and padded."""

import re

import pytest
from shift_case import CLEAN, changed, pairs

from openagent_lib.sandbox.domain import POOLS
from openagent_lib.sandbox.domains.registry import get_domain, world_of
from openagent_lib.sandbox.grammar import forms
from openagent_lib.shifts.patterns.queries import PADDING
from openagent_lib.shifts.perception_query import INFORMATION_REDUNDANCY, INSTRUCTION_BLURRING, MOST_SENTENCES

POI = get_domain("poi")
each_pool = pytest.mark.parametrize("pool", POOLS)


def blurred_forms(shape, pool):
    return {form for pattern in POI.blurred_queries[shape][pool] for form in forms(pattern)}


@each_pool
def test_half_a_blur_replaces_the_name_of_the_attribute_only(pool):
    tasks = [pair for pair in pairs(INSTRUCTION_BLURRING, 0.5, pool) if "attribute" in dict(pair[0].slots)]
    assert len(tasks) > 50
    for task, twin in tasks:
        assert changed(task, twin) == {"query", "slots"}
        key = next(key for key, phrase in POI.attributes.items() if phrase == dict(task.slots)["attribute"])
        hint = dict(twin.slots)["attribute"]
        assert hint in POI.blurred_attributes[key][pool]
        assert dict(twin.slots) == {**dict(task.slots), "attribute": hint}


@each_pool
def test_a_full_blur_replaces_the_sentence_too(pool):
    for task, twin in pairs(INSTRUCTION_BLURRING, 1.0, pool):
        assert twin.template in blurred_forms(task.shape, pool)


@each_pool
def test_a_blurred_query_names_every_condition_and_not_the_attribute(pool):
    for task, twin in pairs(INSTRUCTION_BLURRING, 1.0, pool):
        for slot, text in task.slots:
            assert (text in twin.query) == (slot != "attribute"), twin.query


def test_a_query_without_attribute_is_blurred_at_every_strength():
    for task, twin in pairs(INSTRUCTION_BLURRING, 0.25):
        assert twin.query != task.query


def padding(text, pool):
    """Return how many padding sentences of a pool a text is made of, or None where it holds anything else."""
    sentences = [form for pattern in PADDING[pool] for form in forms(pattern)]
    patterns = [re.escape(form).replace(r"\{entity\}", r"[A-Z]\w+ [A-Z]\w+") for form in sentences]
    whole = re.compile("|".join(patterns))
    count = len(whole.findall(text))
    return count if whole.sub("", text).strip() == "" else None


@each_pool
@pytest.mark.parametrize(("strength", "count"), [(0.25, 1), (0.5, 2), (0.75, 3), (1.0, MOST_SENTENCES)])
def test_strength_is_the_number_of_sentences_around_the_unchanged_question(strength, count, pool):
    for task, twin in pairs(INFORMATION_REDUNDANCY, strength, pool):
        before, question, after = twin.query.partition(task.query)
        assert question == task.query
        assert padding(f"{before} {after}", pool) == count, twin.query


def test_sentences_stand_before_and_after_the_question():
    starts = [twin.query.startswith(task.query) for task, twin in pairs(INFORMATION_REDUNDANCY, 0.25)]
    assert 0.3 < sum(starts) / len(starts) < 0.7


def test_no_padding_sentence_is_said_twice_and_none_speaks_of_what_is_asked():
    for task, twin in pairs(INFORMATION_REDUNDANCY, 1.0):
        sentences = re.split(r"(?<=[.!?]) ", twin.query.replace(task.query, ""))
        assert len(set(sentences)) == len(sentences)
        for _, text in task.slots:
            assert len(text) == 1 or twin.query.count(text) == task.query.count(text)


def test_padding_names_things_of_the_same_world():
    named = 0
    for task, twin in pairs(INFORMATION_REDUNDANCY, 1.0):
        names = {entity.name for entity in world_of(task).entities}
        extra = twin.query.replace(task.query, "")
        named += any(name in extra for name in names)
    assert named > len(CLEAN) / 4
