"""What every shift must be: documented, pure, repeatable, drawn from one pool, and labelled in its twin alone."""

import dataclasses
import re
from random import Random

import jsonschema
import pytest
from shift_case import CLEAN, changed, pairs, suitable

from openagent_lib.errors import ConfigError
from openagent_lib.sandbox.leak import answer_in_prompt
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.catalogue import SHIFTS
from openagent_lib.shifts.shift import MOST_DRAWS, POOLS, TIERS, chosen_tools, inserted, needed_functions, share

STRENGTHS = (0.25, 0.5, 1.0)
FEW = 25
MAY_CHANGE = {
    "instruction_blurring": {"query", "template", "slots"},
    "information_redundancy": {"query"},
    "schema_adaptability": {"tools", "call_key"},
    "symbolic_drift": {"tools"},
    "semantic_trap": {"tools"},
    "identity_erasure": {"tools"},
    "distractor_tools": {"tools"},
    "tool_name_noise": {"tools"},
    "verification_code": {"tools"},
    "format_shift": {"channel"},
    "error_message": {"channel"},
    "null_message": {"channel"},
    "value_redirection": {"channel"},
    "tool_redirection": {"channel", "tools"},
    "trace_simplification": {"tools", "gold_chain"},
    "logic_inversion": {"query", "template", "slots", "tools", "gold_answer", "gold_chain"},
    "rule_reasoning": {"tools", "gold_answer"},
    "missing_condition": {"query", "slots", "gold_answer", "gold_chain"},
    "fatal_error": {"channel", "gold_answer"},
    "domain_transfer": {"domain", "query", "template", "slots", "tools", "gold_answer", "gold_chain"},
}

each_shift = pytest.mark.parametrize("shift", SHIFTS.values(), ids=list(SHIFTS))
each_strength = pytest.mark.parametrize("strength", STRENGTHS)
each_pool = pytest.mark.parametrize("pool", POOLS)


@each_shift
def test_a_shift_documents_itself(shift):
    assert shift.name == f"{shift.tier}.{shift.kind}"
    assert shift.tier in TIERS
    assert shift.dimension in ("dQ", "dA", "dO", "dD")
    assert shift.metric == ("accuracy" if shift.is_solvable else "refusal_rate")
    assert "Paper:" in shift.definition
    assert shift.strength_meaning
    assert shift.expected


@each_shift
@each_pool
def test_a_shift_changes_its_own_fields_and_nothing_else(shift, pool):
    allowed = MAY_CHANGE[shift.kind]
    for strength in STRENGTHS:
        found = [changed(task, twin) for task, twin in pairs(shift, strength, pool, FEW)]
        assert all(fields <= allowed for fields in found)
        assert all(found), "every twin differs from its clean twin"
    assert set().union(*found) == allowed


@each_shift
@each_strength
def test_a_twin_names_its_clean_task_shift_and_strength(shift, strength):
    for task, twin in pairs(shift, strength, count=FEW):
        assert twin.base_id == task.id != twin.id
        assert (twin.shift, twin.strength) == (shift.name, strength)
        assert twin.is_solvable == shift.is_solvable


@each_shift
@each_pool
def test_a_twin_depends_on_its_task_the_seed_and_the_pool_and_on_no_other_draw(shift, pool):
    tasks = suitable(shift)[:FEW]
    first = {task.id: shift.apply(task, 1.0, 3, pool).to_json() for task in tasks}
    for task in reversed(tasks):
        SHIFTS["perception.identity_erasure"].apply(task, 0.5, 3, pool)
        copy = Task.from_json(task.to_json())
        assert shift.apply(copy, 1.0, 3, pool).to_json() == first[task.id]


@each_shift
def test_another_seed_draws_otherwise(shift):
    assert any(shift.apply(task, seed=0) != shift.apply(task, seed=1) for task in suitable(shift)[:FEW])


@each_shift
def test_the_pools_share_no_pattern(shift):
    train, test = ({pattern.casefold() for pattern in shift.patterns(pool)} for pool in POOLS)
    assert train.isdisjoint(test)
    assert train
    assert test


@each_shift
@each_pool
def test_a_twin_survives_its_json_and_its_tools_have_valid_schemas(shift, pool):
    for task in suitable(shift)[:FEW]:
        twin = shift.apply(task, pool=pool)
        assert Task.from_json(twin.to_json()) == twin
        for tool in twin.tools:
            body = tool.schema()["function"]
            jsonschema.Draft202012Validator.check_schema(body["parameters"])
            assert re.search(r"[.?]$", body["description"])


@each_shift
def test_nothing_that_a_model_sees_differs_by_identities(shift):
    for _, twin in pairs(shift, count=FEW):
        seen = "\n".join([twin.query, *(f"{tool.name} {tool.document}" for tool in twin.tools)])
        assert twin.id not in seen
        assert twin.base_id not in seen


@each_shift
@pytest.mark.parametrize("strength", [-0.01, 1.01, float("nan"), float("inf"), -1.0, 2])
def test_a_strength_out_of_range_is_refused(shift, strength):
    with pytest.raises(ConfigError, match=r"strength of .* must be in \[0, 1\]") as caught:
        shift.apply(CLEAN[0], strength)
    assert len(str(caught.value).splitlines()) == 1


@each_shift
@pytest.mark.parametrize("strength", [0.0, 1.0])
def test_an_unknown_pool_is_refused(shift, strength):
    with pytest.raises(ConfigError, match="pool of .* must be one of train, test, found 'dev'"):
        shift.apply(suitable(shift)[0], strength, pool="dev")


@each_shift
def test_a_task_that_it_does_not_apply_to_is_refused(shift):
    strangers = [task for task in CLEAN if not shift.applies_to(task)]
    for task in strangers[:5]:
        with pytest.raises(ConfigError, match=f"does not apply to task {task.id}"):
            shift.apply(task)
    closed = dataclasses.replace(shift, applies_to=lambda task: False)
    with pytest.raises(ConfigError, match="does not apply"):
        closed.apply(CLEAN[0])


def telling(draws):
    """Return a shift that tells the answer in its first draws, and the list of its draws."""

    def tell(task, strength, random, pool):
        draws.append(random.random())
        told = len(draws) < 4
        return dataclasses.replace(task, query=f"{task.query} {task.gold_answer}" if told else f"Well. {task.query}")

    return dataclasses.replace(SHIFTS["perception.information_redundancy"], transform=tell)


def test_a_draw_that_tells_the_answer_is_drawn_again():
    draws = []
    twin = telling(draws).apply(CLEAN[0])
    assert len(set(draws)) == 4
    assert twin.query.startswith("Well. ")
    assert not answer_in_prompt(twin)


def test_a_shift_that_always_tells_the_answer_gives_up_with_one_line():
    shift = dataclasses.replace(
        SHIFTS["perception.information_redundancy"],
        transform=lambda task, *_: dataclasses.replace(task, query=f"{task.query} {task.gold_answer}"),
    )
    with pytest.raises(
        ConfigError, match=f"gives the answer of task {CLEAN[0].id} away in {MOST_DRAWS} draws"
    ) as caught:
        shift.apply(CLEAN[0])
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("count", "strength", "expected"),
    [
        (4, 0.25, 1),
        (4, 0.26, 2),
        (4, 0.5, 2),
        (4, 1.0, 4),
        (5, 0.5, 3),
        (1, 0.01, 1),
        (3, 0.001, 1),
        (10, 0.3, 3),
        (10, 0.7, 7),
    ],
)
def test_a_share_is_rounded_up_and_at_least_one(count, strength, expected):
    assert share(count, strength) == expected


@each_strength
def test_chosen_tools_are_a_share_of_the_offered_ones_with_the_needed_first(strength):
    for task in CLEAN:
        chosen = chosen_tools(task, strength, Random(0))
        gold = {call.function for call in task.gold_chain}
        assert len(chosen) == share(len(task.tools), strength)
        assert {tool.function for tool in chosen} <= gold or {tool.function for tool in chosen} >= gold


def test_needed_functions_are_a_share_of_the_chain_without_the_excepted_ones():
    task = next(task for task in CLEAN if task.shape == "duration")
    assert sorted(needed_functions(task, 1.0, Random(0))) == ["convert_gap", "find", "gap"]
    assert sorted(needed_functions(task, 1.0, Random(0), but=("convert_gap",))) == ["find", "gap"]
    assert len(needed_functions(task, 0.5, Random(0))) == 2


def test_inserted_tools_keep_the_order_of_the_old_ones():
    old, new = CLEAN[0].tools, [dataclasses.replace(tool, name=f"{tool.name}_2") for tool in CLEAN[1].tools]
    places = set()
    for seed in range(20):
        mixed = inserted(old, new, Random(seed))
        assert tuple(tool for tool in mixed if tool not in new) == old
        assert len(mixed) == len(old) + len(new)
        places.add(mixed.index(new[0]))
    assert len(places) > 2
