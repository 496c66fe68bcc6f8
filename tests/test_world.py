"""The world of a domain: deterministic entities, disjoint splits, every function."""

import itertools
import math
import re
from random import Random

import pytest

from openagent_lib.errors import ToolFailure
from openagent_lib.sandbox.domains.registry import DOMAINS, get_domain, load_world
from openagent_lib.sandbox.graph import ATTRIBUTES, FUNCTIONS, RULES, UNIQUE_ATTRIBUTES
from openagent_lib.sandbox.world import (
    ENTITIES_PER_CATEGORY,
    SPLITS,
    draw_pattern,
    make_entities,
    merged_slots,
)

IDENTIFYING = ("name", "id", "contact", "permit")
WORLDS = {name: load_world(name, "test", 0) for name in DOMAINS}
BY_ID = ("nearest", *(f"get_{key}" for key in ATTRIBUTES), "inverse_find")

each_domain = pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS)
each_world = pytest.mark.parametrize("world", WORLDS.values(), ids=WORLDS)
each_split = pytest.mark.parametrize("split", SPLITS)


def squared(one, other):
    return (one.x - other.x) ** 2 + (one.y - other.y) ** 2


@each_domain
@each_split
def test_the_entities_depend_on_the_world_seed_alone(domain, split):
    assert make_entities(domain, split, 3) == make_entities(domain, split, 3)
    assert make_entities(domain, split, 3) != make_entities(domain, split, 4)


@each_domain
@each_split
def test_every_split_has_its_number_of_entities_per_category(domain, split):
    entities = make_entities(domain, split, 0)
    counts = {key: sum(entity.category == key for entity in entities) for key in domain.entities.categories}
    assert counts == dict.fromkeys(domain.entities.categories, ENTITIES_PER_CATEGORY[split])


@each_domain
@pytest.mark.parametrize("world_seed", [0, 1, 7])
@pytest.mark.parametrize("key", [*IDENTIFYING, "area"])
def test_the_splits_share_no_entity(domain, key, world_seed):
    values = {split: {getattr(item, key) for item in make_entities(domain, split, world_seed)} for split in SPLITS}
    assert all(values[left].isdisjoint(values[right]) for left, right in itertools.combinations(SPLITS, 2))


@each_domain
@pytest.mark.parametrize("world_seed", [0, 1, 7])
def test_no_area_is_the_first_word_of_a_name(domain, world_seed):
    entities = [item for split in SPLITS for item in make_entities(domain, split, world_seed)]
    assert {item.area for item in entities}.isdisjoint(item.name.split()[0] for item in entities)


@each_domain
@pytest.mark.parametrize("key", IDENTIFYING)
def test_what_identifies_an_entity_is_unique(domain, key):
    values = [getattr(item, key) for split in SPLITS for item in make_entities(domain, split, 0)]
    assert len(set(values)) == len(values)


@each_domain
def test_a_category_occurs_once_in_an_area(domain):
    addresses = [(item.category, item.area) for split in SPLITS for item in make_entities(domain, split, 0)]
    assert len(set(addresses)) == len(addresses)


def test_the_domains_share_no_entity():
    for key in (*IDENTIFYING, "area"):
        poi, medical = (
            {getattr(item, key) for split in SPLITS for item in make_entities(domain, split, 0)}
            for domain in DOMAINS.values()
        )
        assert poi.isdisjoint(medical)


FORMS = {
    "poi": {"name": r"[A-Z][a-z]+ [A-Z][a-z]+", "id": r"P\d{4}", "contact": r"\d{3}-\d{4}", "permit": r"[A-Z]{2}\d{4}"},
    "medical": {
        "name": r"[A-Z][a-z]+",
        "id": r"D-\d{5}",
        "contact": r"[A-Z]\d\d-\d{3}",
        "permit": r"\d\d/[A-Z]{2}\d\d",
    },
}


@each_world
def test_values_have_their_documented_forms(world):
    form = world.domain.entities
    for entity in world.entities:
        for key, pattern in FORMS[world.domain.name].items():
            assert re.fullmatch(pattern, getattr(entity, key))
        assert re.fullmatch(r"[A-Z][a-z]+", entity.area)
        opening, closing = re.fullmatch(r"(\d{2}:\d{2})-(\d{2}:\d{2})", entity.window).groups()
        assert "06:00" <= opening < closing <= "22:30"
        assert form.amount[0] <= int(entity.amount) <= form.amount[1]
        assert 0 <= min(entity.x, entity.y) <= max(entity.x, entity.y) <= form.extent


def test_a_pattern_is_drawn_symbol_by_symbol():
    drawn = {draw_pattern("D-#/@x", Random(number)) for number in range(500)}
    assert all(re.fullmatch(r"D-\d/[A-HJ-NPR-Z]x", text) for text in drawn)
    assert {text[2] for text in drawn} == set("0123456789")
    assert {text[4] for text in drawn} == set("ABCDEFGHJKLMNPRSTUVWXYZ")


@each_world
def test_every_entity_is_found_by_name_address_and_id(world):
    for entity in world.entities:
        assert world.run("find", {"name": entity.name}) == entity.id
        assert world.run("search", {"category": entity.category, "area": entity.area}) == entity.name
        for key in ATTRIBUTES:
            assert world.run(f"get_{key}", {"id": entity.id}) == getattr(entity, key)
        assert world.entity(entity.name) is world.entity(entity.id) is entity


@each_world
def test_an_inverse_undoes_its_function(world):
    for entity in world.entities:
        assert world.run("inverse_find", {"id": entity.id}) == entity.name
        for key in UNIQUE_ATTRIBUTES:
            assert world.run(f"inverse_get_{key}", {key: getattr(entity, key)}) == entity.id


@each_world
def test_the_nearest_is_really_the_nearest_other_one(world):
    for entity in world.entities:
        found = world.entity(world.run("nearest", {"id": entity.id}))
        assert found is not entity
        others = [item for item in world.entities if item is not entity]
        assert squared(entity, found) == min(squared(entity, item) for item in others)
        ties = [item.id for item in others if squared(entity, item) == squared(entity, found)]
        assert found.id == min(ties), "of several the one with the least id"


@each_world
def test_the_gap_is_euclidean_in_whole_units_and_symmetric(world):
    one = world.entities[0]
    for other in world.entities:
        there = world.run("gap", {"id": one.id, "other_id": other.id})
        assert there == world.run("gap", {"id": other.id, "other_id": one.id})
        assert there == str(round(math.hypot(one.x - other.x, one.y - other.y)))


@each_world
@pytest.mark.parametrize("function", RULES)
@pytest.mark.parametrize(
    ("text", "factor", "value"), [("30", 0.5, "15"), ("5", 0.5, "2.5"), ("12", 3.0, "36"), ("2*4", 1.2, "9.6")]
)
def test_a_rule_multiplies_by_the_factor_of_its_tool(world, function, text, factor, value):
    (slot,) = FUNCTIONS[function].takes
    assert world.run(function, {slot: text}, factor) == value


@each_world
def test_the_calculator_evaluates(world):
    assert world.run("calculate", {"expression": "17*3"}) == "51"
    assert world.run("calculate", {"expression": "(7-2)/4"}) == "1.25"


@each_world
def test_a_merged_function_does_both_in_turn(world):
    one, other = world.entities[:2]
    assert world.run("find>get_contact", {"name": one.name}) == one.contact
    where = {"category": one.category, "area": one.area}
    assert world.run("search>find", where) == one.id
    names = {"name": one.name, "other_name": other.name}
    gap = world.run("gap", {"id": one.id, "other_id": other.id})
    assert world.run("find>gap", names) == gap
    assert world.run("gap>convert_gap", {"id": one.id, "other_id": other.id}, 3.0) == str(3 * int(gap))
    assert world.run("get_amount>reduce_amount", {"id": one.id}, 2.0) == str(2 * int(one.amount))


@pytest.mark.parametrize(
    ("first", "second", "slots"),
    [
        ("find", "get_area", ("name",)),
        ("search", "find", ("category", "area")),
        ("find", "gap", ("name", "other_name")),
        ("gap", "convert_gap", ("id", "other_id")),
    ],
)
def test_a_merged_function_takes_the_inputs_of_the_first_for_every_input_of_the_second(first, second, slots):
    assert merged_slots(first, second) == slots


@each_world
def test_a_copy_does_what_the_function_does(world):
    entity = world.entities[0]
    assert world.run("find#2", {"name": entity.name}) == entity.id
    assert world.run("get_area#2", {"id": entity.id}) == entity.area
    assert world.run("reduce_amount#2", {"amount": "8"}, 0.5) == "4"


UNKNOWN = (
    *((function, {"id": "P0"}) for function in BY_ID),
    *((f"inverse_get_{key}", {key: "?"}) for key in UNIQUE_ATTRIBUTES),
    ("find", {"name": "No Such"}),
    ("find", {"name": ""}),
    ("find#2", {"name": "No Such"}),
    ("find>get_area", {"name": "No Such"}),
    ("find>gap", {"name": "No Such", "other_name": "No Such"}),
    ("search", {"category": "museum", "area": "Nowhere"}),
    ("gap", {"id": "P0", "other_id": "P0"}),
    ("calculate", {"expression": "x"}),
    ("reduce_amount", {"amount": "many"}),
    ("convert_amount", {"amount": "1/0"}),
    ("convert_gap", {"gap": ""}),
)


@each_world
@pytest.mark.parametrize(("function", "arguments"), UNKNOWN, ids=[f"{name}{by}" for name, by in UNKNOWN])
def test_arguments_that_name_nothing_are_a_tool_failure(world, function, arguments):
    with pytest.raises(ToolFailure) as caught:
        world.run(function, arguments, 2.0)
    assert len(str(caught.value).splitlines()) == 1


@each_world
def test_one_unknown_side_of_a_gap_is_a_tool_failure(world):
    for slots in (("id", "other_id"), ("other_id", "id")):
        with pytest.raises(ToolFailure):
            world.run("gap", dict(zip(slots, (world.entities[0].id, "P0"), strict=True)))


@each_world
def test_entities_of_another_split_or_domain_are_unknown(world):
    strangers = [make_entities(world.domain, "train", 0)[0]]
    strangers += [WORLDS[name].entities[0] for name in WORLDS if name != world.domain.name]
    for stranger in strangers:
        for function, arguments in (("find", {"name": stranger.name}), ("get_amount", {"id": stranger.id})):
            with pytest.raises(ToolFailure):
                world.run(function, arguments)
        with pytest.raises(ToolFailure):
            world.entity(stranger.name)


@pytest.mark.parametrize("function", ["fly", "", "inverse_fly", "find>fly", "get_name"])
def test_a_function_that_does_not_exist_is_a_fault_of_ours_and_no_tool_failure(function):
    with pytest.raises(KeyError):
        WORLDS["poi"].run(function, {"name": WORLDS["poi"].entities[0].name, "id": WORLDS["poi"].entities[0].id})


@each_world
def test_every_tool_of_the_catalogue_runs(world):
    one, other = world.entities[:2]
    values = {
        "name": one.name, "category": one.category, "area": one.area, "id": one.id, "other_id": other.id,
        "amount": "4", "gap": "2", "expression": "1",
    }  # fmt: skip
    for tool in world.domain.catalogue.values():
        arguments = {parameter.slot: values[parameter.slot] for parameter in tool.parameters}
        assert world.run(tool.function, arguments, tool.factor)


KNOWN = {
    "poi": ("Gradro Gate", "P5898", "Calgrabel", "254-6591", "FZ8733", "10:00-20:00", "6", 31, 15),
    "medical": ("Nozskozurol", "D-68207", "Rulrulrul", "T43-326", "88/XR41", "09:30-21:00", "138", 19, 14),
}


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_entity_never_changes(name):
    entity = make_entities(get_domain(name), "test", 0)[0]
    values = (entity.name, entity.id, entity.area, entity.contact, entity.permit, entity.window, entity.amount)
    assert (*values, entity.x, entity.y) == KNOWN[name]
