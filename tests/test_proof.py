"""The proof that a task cannot be solved: what can be found out, and what can not."""

from dataclasses import replace

import pytest

from openagent_lib.sandbox.builder import chain_of, make_task, run_chain
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, world_of
from openagent_lib.sandbox.graph import COMPUTATIONS, SHAPES
from openagent_lib.sandbox.proof import is_beyond_reach, known_values, needed_values
from openagent_lib.shifts.catalogue import SHIFTS

CATALOGUE = get_domain("poi").catalogue
CLEAN = {domain: make_tasks("test", 60, domain=domain) for domain in DOMAINS}
each_domain = pytest.mark.parametrize("domain", DOMAINS)


def task_of(shape, *offered, **slots):
    """Return a clean task of a shape with chosen tools and entities, asking for the contact."""
    task = next(task for task in map(lambda index: make_task("test", index), range(900)) if task.shape == shape)
    slots = dict(task.slots) | slots
    chain = chain_of(SHAPES[shape], slots, "contact" if SHAPES[shape].attributes else None)
    functions = dict.fromkeys([call.function for call in chain] + list(offered))
    return replace(
        task,
        slots=tuple(slots.items()),
        tools=tuple(CATALOGUE[function] for function in functions),
        gold_chain=chain,
        gold_answer=run_chain(world_of(task), chain, CATALOGUE)[-1],
    )


def refusing(task, *rules, **slots):
    """Return a twin without an answer, with some slots vague and some tools disturbed."""
    slots = tuple((dict(task.slots) | slots).items())
    return task.with_shift("a.b", 1.0, slots=slots, channel=Channel(rules), gold_answer=None)


LOOK_UP = task_of("look_up")
WORLD = world_of(LOOK_UP)
FIRST = WORLD.entities[0]
NEXT = WORLD.entity(WORLD.run("nearest", {"id": FIRST.id}))


@each_domain
def test_a_solvable_task_is_not_beyond_reach(domain):
    for task in CLEAN[domain]:
        assert not is_beyond_reach(task, task)
        assert set(needed_values(task)) <= known_values(task)


@each_domain
@pytest.mark.parametrize("name", [name for name, shift in SHIFTS.items() if not shift.is_solvable])
@pytest.mark.parametrize("strength", [0.25, 1.0])
def test_a_missing_condition_and_a_fatal_error_are_beyond_reach(domain, name, strength):
    shift = SHIFTS[name]
    twins = [(shift.apply(task, strength), task) for task in CLEAN[domain] if shift.applies_to(task)]
    assert len(twins) >= 40
    assert all(is_beyond_reach(twin, task) for twin, task in twins)


def test_the_needed_values_are_those_that_the_look_ups_return():
    task = task_of("duration")
    one, other = (WORLD.entity(dict(task.slots)[slot]) for slot in ("name", "other_name"))
    gap = WORLD.run("gap", {"id": one.id, "other_id": other.id})
    assert needed_values(task) == [("id", one.id), ("id", other.id), ("gap", gap)]
    assert "convert_gap" in COMPUTATIONS


def test_the_known_values_follow_from_the_query_through_every_offered_tool():
    task = task_of("look_up", "nearest", "get_area", name=FIRST.name)
    known = known_values(task)
    expected = {("name", FIRST.name), ("id", FIRST.id), ("contact", FIRST.contact), ("area", FIRST.area)}
    assert expected | {("id", NEXT.id), ("contact", NEXT.contact)} <= known
    assert ("permit", FIRST.permit) not in known, "no tool that reads it is offered"


def test_a_value_behind_a_broken_tool_is_unknown():
    task = refusing(LOOK_UP, ChannelRule("gone", "find"))
    assert known_values(task) == {("name", dict(task.slots)["name"])}
    assert is_beyond_reach(task, LOOK_UP)


def test_a_tool_that_is_not_offered_is_beyond_reach():
    task = replace(refusing(LOOK_UP), tools=LOOK_UP.tools[:1])
    assert is_beyond_reach(task, LOOK_UP)


@pytest.mark.parametrize(
    "rule",
    [
        ChannelRule("gone", "get_area"),
        ChannelRule("later", "find", first=2),
        ChannelRule("It is {value}.", "find"),
        ChannelRule("gone", "reduce_amount"),
    ],
    ids=["another tool", "a fault that passes", "another format", "a computation"],
)
def test_what_does_not_withhold_a_needed_look_up_leaves_the_task_within_reach(rule):
    clean = task_of("look_up", "get_area", "reduce_amount")
    assert not is_beyond_reach(refusing(clean, rule), clean)


def test_a_broken_computation_is_not_beyond_reach_since_arithmetic_stands_in_for_it():
    clean = task_of("reduction")
    assert not is_beyond_reach(refusing(clean, ChannelRule("gone", "reduce_amount")), clean)
    assert is_beyond_reach(refusing(clean, ChannelRule("gone", "get_amount")), clean)


@pytest.mark.parametrize("slot", ["name", "other_name"])
def test_one_vague_condition_of_two_is_enough(slot):
    clean = task_of("gap")
    assert is_beyond_reach(refusing(clean, **{slot: "that place"}), clean)


def test_a_vague_number_is_beyond_reach_though_no_look_up_needs_it():
    clean = task_of("total")
    assert is_beyond_reach(refusing(clean, count="a few"), clean)


def test_a_condition_that_a_call_brings_back_is_not_missing():
    clean = task_of("difference", "nearest", id=FIRST.id, other_id=NEXT.id)
    twin = refusing(clean, other_id="the other entry")
    assert not is_beyond_reach(twin, clean), "the nearest place happens to be the missing one"
    without = replace(twin, tools=tuple(tool for tool in twin.tools if tool.function != "nearest"))
    assert is_beyond_reach(without, clean)
