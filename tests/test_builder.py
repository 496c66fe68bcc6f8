"""The task generator: gold chains that hold, splits that share nothing, identities that never move."""

import itertools
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from openagent_lib import paths
from openagent_lib.sandbox.builder import MOST_TOOLS, chain_of, is_invertible, make_task, run_chain
from openagent_lib.sandbox.dataset import content_hash, make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, world_of
from openagent_lib.sandbox.grammar import forms
from openagent_lib.sandbox.graph import SHAPES
from openagent_lib.sandbox.protocol import system_prompt
from openagent_lib.sandbox.world import SPLITS, make_entities

KINDS = list(itertools.product(DOMAINS, SPLITS))
TASKS = {kind: make_tasks(kind[1], 200, domain=kind[0]) for kind in KINDS}
ALL = [task for tasks in TASKS.values() for task in tasks]
GOLDEN = (
    ("poi", "train", 0, "392486ec2097fdef", "I have a discount for Sarpon Court. What do I pay?", "27.5"),
    ("poi", "train", 17, "5460dec4ca1cf743", "By how much is P9061 more expensive than P2277?", "16"),
    (
        "poi", "dev", 3, "99604438dd2d6464",
        "I need the travel time between Belhanpon Court and Drotortor Bridge.", "96",
    ),
    (
        "poi", "test", 41, "01b258379b954066",
        "Would you kindly read me the telephone number listed under P0160?", "552-3754",
    ),
    (
        "medical", "test", 0, "2a51737010831017",
        "The early round starts soon, and the sheet for D-69332 still lacks its ward. Please complete it.", "Wimoswim",
    ),
)  # fmt: skip
GOLDEN_HASH = "0909f1bd80b15727c742c1afdade8feda76b282e72b92a3965ae276b82549145"

each_kind = pytest.mark.parametrize("kind", KINDS, ids="-".join)
each_domain = pytest.mark.parametrize("domain", DOMAINS)


@cache
def training_set(domain):
    return make_tasks("train", 6050, domain=domain)


@pytest.mark.parametrize(("domain", "split", "index", "identity", "query", "answer"), GOLDEN)
def test_a_known_task_never_changes(domain, split, index, identity, query, answer):
    task = make_task(split, index, domain=domain)
    assert (task.id, task.query, task.gold_answer) == (identity, query, answer)


@pytest.mark.parametrize("hash_seed", ["0", "1"])
def test_a_known_task_set_never_changes_whatever_the_hash_seed_of_python(hash_seed):
    code = "from openagent_lib.sandbox.dataset import *; print(content_hash(make_tasks('test', 50)))"
    environment = os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(paths.ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == content_hash(make_tasks("test", 50)) == GOLDEN_HASH


@each_kind
def test_the_gold_chain_derives_the_answer_again_with_the_offered_tools_alone(kind):
    for task in TASKS[kind]:
        world, values = world_of(task), []
        for call in task.gold_chain:
            tool = task.tool_for(call.function)
            assert tool is not None, f"{task.query} needs {call.function}"
            arguments = call.resolve(values)
            assert set(arguments) == {parameter.slot for parameter in tool.parameters}
            assert "$" not in "".join(arguments.values())
            values.append(world.run(call.function, arguments, tool.factor))
        assert values == run_chain(world, task.gold_chain, {tool.function: tool for tool in task.tools})
        assert values[-1] == task.gold_answer


def test_identities_are_unique_over_all_domains_and_splits():
    assert len({task.id for task in ALL}) == len(ALL)


@each_kind
def test_a_task_is_decided_by_domain_split_index_and_seeds_alone(kind):
    domain, split = kind
    task = make_task(split, 7, domain=domain)
    assert task == make_task(split, 7, 0, 0, domain)
    others = [make_task(split, 8, domain=domain), make_task(split, 7, 1, domain=domain)]
    others += [make_task(split, 7, 0, 1, domain)]
    assert task.id not in {other.id for other in others}


def test_a_task_does_not_depend_on_the_order_in_which_tasks_are_made():
    forwards = [make_task("train", index) for index in range(30)]
    assert [make_task("train", index) for index in reversed(range(30))] == forwards[::-1]


def test_a_task_carries_its_domain_split_and_world():
    task = make_task("dev", 2, world_seed=5, domain="medical")
    assert (task.domain, task.split, task.world_seed) == ("medical", "dev", 5)
    assert (task.shift, task.strength, task.base_id, task.is_solvable) == ("clean", 0.0, "", True)


def entity_names(task):
    """Return the words that name entities in a query."""
    return {text for slot, text in task.slots if slot in ("name", "other_name", "id", "other_id", "area")}


@each_domain
def test_the_tasks_of_two_splits_share_no_entity(domain):
    used = {split: set().union(*map(entity_names, TASKS[domain, split])) for split in SPLITS}
    own = {
        split: {
            text for item in make_entities(get_domain(domain), split, 0) for text in (item.name, item.id, item.area)
        }
        for split in SPLITS
    }
    for left, right in itertools.permutations(SPLITS, 2):
        assert used[left] <= own[left]
        assert used[left].isdisjoint(own[right])
        foreign = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, sorted(own[right])))})(?!\w)")
        assert not any(foreign.search(task.query) for task in TASKS[domain, left])


@each_kind
def test_a_query_is_a_form_of_its_shape_and_pool_with_the_slots_filled(kind):
    domain, split = kind
    for task in TASKS[kind]:
        templates = get_domain(domain).queries[task.shape]["test" if split == "test" else "train"]
        assert task.template in {form for template in templates for form in forms(template)}
        filled = task.template.format_map(dict(task.slots))
        assert task.query == filled[:1].upper() + filled[1:]
        assert "{" not in task.query


@each_kind
def test_every_shape_occurs_and_chains_have_one_to_four_calls(kind):
    assert {task.shape for task in TASKS[kind]} == set(SHAPES)
    assert {len(task.gold_chain) for task in TASKS[kind]} == {1, 2, 3, 4}


@each_domain
def test_shapes_occur_in_proportion_to_their_weights(domain):
    counts = Counter(task.shape for task in training_set(domain))
    for name, shape in SHAPES.items():
        assert abs(counts[name] / 6050 - shape.weight / 120) < 0.02


@each_domain
def test_no_query_repeats_among_as_many_tasks_as_are_trained_on(domain):
    assert len({task.query for task in training_set(domain)}) == 6050


@each_domain
def test_every_attribute_and_every_tool_occurs(domain):
    words = get_domain(domain)
    assert {dict(task.slots).get("attribute") for task in training_set(domain)} == {*words.attributes.values(), None}
    assert {tool.function for task in TASKS[domain, "test"] for tool in task.tools} == set(words.catalogue)


def test_at_most_five_tools_are_offered_and_at_least_one_is_not_needed():
    for task in ALL:
        functions = [tool.function for tool in task.tools]
        needed = {call.function for call in task.gold_chain}
        assert len(set(functions)) == len(functions) <= MOST_TOOLS == 5
        assert len(functions) > len(needed)


@each_domain
def test_the_needed_tool_is_not_always_in_the_same_place(domain):
    places = Counter(
        [tool.function for tool in task.tools].index(task.gold_chain[0].function) for task in TASKS[domain, "train"]
    )
    assert set(places) == set(range(MOST_TOOLS))


@each_domain
def test_a_difference_is_positive(domain):
    found = [task for task in training_set(domain) if task.shape == "difference"]
    assert len(found) > 100
    assert all(int(task.gold_answer) > 0 for task in found)


@each_domain
def test_the_two_ends_of_a_gap_are_apart(domain):
    found = [task for task in training_set(domain) if task.shape in ("gap", "duration")]
    assert len(found) > 100
    assert all(float(task.gold_answer) > 0 for task in found)


@each_domain
def test_the_answer_never_stands_in_the_prompt(domain):
    for task in (*training_set(domain), *TASKS[domain, "dev"], *TASKS[domain, "test"]):
        schemas = " ".join(f"{tool.name} {tool.document} {' '.join(tool.argument_names)}" for tool in task.tools)
        prompt = f"{system_prompt()} {task.query} {schemas}"
        answer = re.escape(task.gold_answer)
        assert not re.search(rf"(?<![\w.:-]){answer}(?![\w:-]|\.\d)", prompt, re.IGNORECASE), task.query


def test_only_look_ups_of_unique_values_can_be_inverted():
    for task in ALL:
        unique = task.gold_chain[-1].function in ("get_contact", "get_permit")
        assert is_invertible(task) == (unique and task.shape in ("direct", "look_up"))
    assert {is_invertible(task) for task in ALL} == {True, False}


def test_a_chain_takes_slots_attribute_and_earlier_values():
    chain = chain_of(SHAPES["nearest"], {"name": "Kalo Gate", "attribute": "x"}, "area")
    assert [(call.function, call.arguments) for call in chain] == [
        ("find", (("name", "Kalo Gate"),)),
        ("nearest", (("id", "$0"),)),
        ("get_area", (("id", "$1"),)),
    ]
    total = chain_of(SHAPES["total"], {"name": "Kalo Gate", "count": "3"}, None)
    assert total[-1].resolve(["P1", "20"]) == {"expression": "20*3"}
