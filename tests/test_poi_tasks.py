"""The task generator: gold chains that hold, splits that share nothing, identities that never move."""

import itertools
import os
import re
import subprocess
import sys
from collections import Counter

import pytest

from openagent_lib import paths
from openagent_lib.sandbox.dataset import content_hash, make_tasks
from openagent_lib.sandbox.domains.poi import CATEGORIES, SPLITS, make_places
from openagent_lib.sandbox.domains.poi_tasks import MOST_TOOLS, SHAPES, is_invertible, make_task, run_chain
from openagent_lib.sandbox.domains.registry import domain_of

TASKS = {split: make_tasks(split, 200) for split in SPLITS}
ALL = [task for tasks in TASKS.values() for task in tasks]
GOLDEN = (
    ("train", 0, "0dd0ad87e7b1bb9a", "I buy 5 tickets for Renlo Hill. What do I pay in total?", "230"),
    ("train", 17, "1c0d8a6cb3b61ec3", "What is the distance between Hantor Corner and Kawes Gate?", "25"),
    ("dev", 3, "f80a285fdf5e3ddc", "What do 8 tickets for Sartor Court cost together?", "320"),
    ("test", 0, "e84e46ad4fbd673a", "What does Davel Hill cost after the discount?", "26.5"),
    ("test", 41, "7cac3751d7e0c30b", "Tell me the licence number of Dashivel Corner.", "UJ2012"),
)
GOLDEN_HASH = "5003332ed5c2dcdb6be6a79fa222bfeab30db4f7b49be2fb869840b6afe51160"


@pytest.mark.parametrize(("split", "index", "identity", "query", "answer"), GOLDEN)
def test_a_known_task_never_changes(split, index, identity, query, answer):
    task = make_task(split, index)
    assert (task.id, task.query, task.gold_answer) == (identity, query, answer)


def test_a_known_task_set_never_changes():
    assert content_hash(make_tasks("test", 50)) == GOLDEN_HASH


@pytest.mark.parametrize("hash_seed", ["0", "4711"])
def test_tasks_do_not_depend_on_the_hash_seed_of_python(hash_seed):
    code = "from openagent_lib.sandbox.dataset import *; print(content_hash(make_tasks('test', 50)))"
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(paths.ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == GOLDEN_HASH


@pytest.mark.parametrize("split", SPLITS)
def test_the_gold_chain_derives_the_answer_again_with_the_offered_tools_alone(split):
    for task in TASKS[split]:
        domain, values = domain_of(task), []
        for call in task.gold_chain:
            tool = task.tool_for(call.function)
            assert tool is not None, f"{task.query} needs {call.function}"
            arguments = call.resolve(values)
            assert set(arguments) == {parameter.slot for parameter in tool.parameters}
            assert "$" not in "".join(arguments.values())
            values.append(domain.run(call.function, arguments, tool.factor))
        assert values == run_chain(domain, task.gold_chain)
        assert values[-1] == task.gold_answer


def test_identities_are_unique_over_all_splits():
    assert len({task.id for task in ALL}) == len(ALL)


@pytest.mark.parametrize("split", SPLITS)
def test_a_task_is_decided_by_split_index_and_seeds_alone(split):
    assert make_task(split, 7) == make_task(split, 7)
    others = [make_task(split, 8), make_task(split, 7, seed=1), make_task(split, 7, world_seed=1)]
    assert make_task(split, 7).id not in {task.id for task in others}


def names_in(task):
    """Return the words that name entities in a query: the slots without attribute, category and count."""
    return {words for slot, words in task.slots if slot in ("place", "goal", "id", "where")}


def test_the_tasks_of_two_splits_share_no_entity():
    used = {split: set().union(*(names_in(task) for task in TASKS[split])) for split in SPLITS}
    own = {
        split: {value for place in make_places(split, 0) for value in (place.name, place.id, place.district)}
        for split in SPLITS
    }
    for left, right in itertools.permutations(SPLITS, 2):
        assert used[left] <= own[left]
        assert used[left].isdisjoint(own[right])


def test_no_query_names_a_place_of_another_split():
    pattern = re.compile(r"(?=\b([A-Z][a-z]+ [A-Z][a-z]+|P\d{4})\b)")
    for split, other in itertools.permutations(SPLITS, 2):
        foreign = {value for place in make_places(other, 0) for value in (place.name, place.id)}
        assert all(foreign.isdisjoint(pattern.findall(task.query)) for task in TASKS[split])


def test_no_template_serves_two_shapes():
    texts = [text for shape in SHAPES.values() for text in shape.templates]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("task", TASKS["test"][:40], ids=lambda task: task.id)
def test_a_query_is_its_template_with_the_slots_filled(task):
    assert task.query == task.template.format(**dict(task.slots))
    assert task.template in SHAPES[task.shape].templates
    assert "{" not in task.query


def test_every_shape_occurs_and_chains_have_one_to_four_calls():
    assert {task.shape for task in TASKS["test"]} == set(SHAPES)
    assert len(SHAPES) >= 3
    assert {len(task.gold_chain) for task in TASKS["test"]} == {1, 2, 3, 4}


def test_shapes_occur_in_proportion_to_their_weights():
    counts = Counter(make_task("train", index).shape for index in range(1500))
    total = sum(shape.weight for shape in SHAPES.values())
    for name, shape in SHAPES.items():
        assert abs(counts[name] / 1500 - shape.weight / total) < 0.05


def test_the_tools_are_few_distinct_and_hold_a_distractor():
    for task in ALL:
        functions = [tool.function for tool in task.tools]
        needed = {call.function for call in task.gold_chain}
        assert len(set(functions)) == len(functions) <= MOST_TOOLS
        assert len(functions) > len(needed)


def test_the_needed_tool_is_not_always_in_the_same_place():
    places = Counter(
        [tool.function for tool in task.tools].index(task.gold_chain[0].function) for task in TASKS["train"]
    )
    assert set(places) == set(range(MOST_TOOLS))


def test_only_look_ups_of_unique_values_can_be_inverted():
    for task in ALL:
        unique = task.gold_chain[-1].function in ("get_telephone", "get_licence")
        assert is_invertible(task) == (unique and task.shape in ("direct", "look_up"))


def test_categories_are_words_of_the_query_and_never_names():
    names = {place.name for split in SPLITS for place in make_places(split, 0)}
    assert names.isdisjoint(CATEGORIES)
