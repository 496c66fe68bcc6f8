"""The points-of-interest world: deterministic entities, disjoint splits, every function."""

import itertools
import math
import re

import pytest

from openagent_lib.errors import ToolFailure
from openagent_lib.sandbox.domains.poi import CATEGORIES, PLACES_PER_CATEGORY, SPLITS, PoiDomain, make_places
from openagent_lib.sandbox.domains.poi_tools import CATALOGUE

DOMAIN = PoiDomain("test", 0)
PLACE = DOMAIN.places[0]
BY_ID = ("get_telephone", "get_licence", "get_opening_hours", "get_district", "get_price", "name_of_place")


def test_a_known_place_never_changes():
    place = make_places("test", 0)[0]
    assert (place.name, place.id, place.district) == ("Hanponsar Gate", "P8200", "Renwes")
    assert (place.telephone, place.licence, place.opening_hours) == ("339-7112", "RP4545", "06:00-15:00")
    assert (place.price, place.x, place.y) == ("6", 24, 6)


@pytest.mark.parametrize("split", SPLITS)
def test_the_places_depend_on_the_world_seed_alone(split):
    assert make_places(split, 3) == make_places(split, 3)
    assert make_places(split, 3) != make_places(split, 4)


@pytest.mark.parametrize("split", SPLITS)
def test_every_split_has_its_number_of_places_per_category(split):
    places = make_places(split, 0)
    counts = {category: sum(place.category == category for place in places) for category in CATEGORIES}
    assert counts == dict.fromkeys(CATEGORIES, PLACES_PER_CATEGORY[split])


@pytest.mark.parametrize("world_seed", [0, 1, 7])
@pytest.mark.parametrize("key", ["name", "id", "district", "telephone", "licence"])
def test_the_splits_share_no_entity(key, world_seed):
    values = {split: {getattr(place, key) for place in make_places(split, world_seed)} for split in SPLITS}
    assert all(values[left].isdisjoint(values[right]) for left, right in itertools.combinations(SPLITS, 2))


@pytest.mark.parametrize("key", ["name", "id", "telephone", "licence"])
def test_what_identifies_a_place_is_unique(key):
    values = [getattr(place, key) for split in SPLITS for place in make_places(split, 0)]
    assert len(set(values)) == len(values)


def test_a_category_occurs_once_in_a_district():
    addresses = [(place.category, place.district) for split in SPLITS for place in make_places(split, 0)]
    assert len(set(addresses)) == len(addresses)


def test_values_have_their_documented_forms():
    for place in DOMAIN.places:
        assert re.fullmatch(r"[A-Z][a-z]+ [A-Z][a-z]+", place.name)
        assert re.fullmatch(r"P\d{4}", place.id)
        assert re.fullmatch(r"\d{3}-\d{4}", place.telephone)
        assert re.fullmatch(r"[A-Z]{2}\d{4}", place.licence)
        assert re.fullmatch(r"\d{2}:\d{2}-\d{2}:\d{2}", place.opening_hours)
        assert 4 <= int(place.price) <= 60
        assert 0 <= min(place.x, place.y) <= max(place.x, place.y) <= 40


def test_a_place_is_found_by_its_name():
    assert DOMAIN.run("find_place", {"name": PLACE.name}) == PLACE.id


def test_a_place_is_found_by_category_and_district():
    found = DOMAIN.run("search_places", {"category": PLACE.category, "district": PLACE.district})
    assert found == PLACE.name


@pytest.mark.parametrize("function", BY_ID)
def test_an_attribute_is_read_by_place_id(function):
    key = "name" if function == "name_of_place" else function.removeprefix("get_")
    assert DOMAIN.run(function, {"place_id": PLACE.id}) == getattr(PLACE, key)


@pytest.mark.parametrize("key", ["telephone", "licence"])
def test_a_place_is_found_by_a_value_that_names_it(key):
    assert DOMAIN.run(f"place_with_{key}", {key: getattr(PLACE, key)}) == PLACE.id


@pytest.mark.parametrize(("amount", "value"), [("30", "15"), ("5", "2.5"), ("2*4", "4")])
def test_the_discount_multiplies_by_its_factor(amount, value):
    assert DOMAIN.run("apply_discount", {"amount": amount}, 0.5) == value


def test_the_travel_time_multiplies_by_its_factor():
    assert DOMAIN.run("estimate_travel_time", {"distance": "12"}, 3.0) == "36"


def test_the_calculator_evaluates():
    assert DOMAIN.run("calculate", {"expression": "17*3"}) == "51"


def test_the_distance_is_euclidean_in_whole_kilometres_and_symmetric():
    other = DOMAIN.places[5]
    there = DOMAIN.run("compute_distance", {"origin_id": PLACE.id, "destination_id": other.id})
    back = DOMAIN.run("compute_distance", {"origin_id": other.id, "destination_id": PLACE.id})
    assert there == back == str(round(math.hypot(PLACE.x - other.x, PLACE.y - other.y)))
    assert DOMAIN.run("compute_distance", {"origin_id": PLACE.id, "destination_id": PLACE.id}) == "0"


UNKNOWN = (
    [("find_place", {"name": "No Such Place"}), ("search_places", {"category": "museum", "district": "Nowhere"})]
    + [(function, {"place_id": "P0000"}) for function in BY_ID]
    + [(f"place_with_{key}", {key: "?"}) for key in ("telephone", "licence")]
    + [("compute_distance", {"origin_id": PLACE.id, "destination_id": "P0000"})]
    + [("calculate", {"expression": "x"}), ("apply_discount", {"amount": "many"})]
    + [("estimate_travel_time", {"distance": ""})]
)


@pytest.mark.parametrize(("function", "arguments"), UNKNOWN, ids=[name for name, _ in UNKNOWN])
def test_arguments_that_name_nothing_are_a_tool_failure(function, arguments):
    with pytest.raises(ToolFailure) as caught:
        DOMAIN.run(function, arguments, 2.0)
    assert len(str(caught.value).splitlines()) == 1


def test_entities_of_another_split_are_unknown():
    stranger = make_places("train", 0)[0]
    with pytest.raises(ToolFailure):
        DOMAIN.run("find_place", {"name": stranger.name})
    with pytest.raises(ToolFailure):
        DOMAIN.run("get_price", {"place_id": stranger.id})


def test_a_function_that_does_not_exist_is_a_fault_of_ours_and_no_tool_failure():
    with pytest.raises(KeyError):
        DOMAIN.run("fly", {})


def test_every_tool_of_the_catalogue_has_a_function():
    values = {
        "name": PLACE.name, "category": PLACE.category, "district": PLACE.district, "place_id": PLACE.id, "amount": "4",
        "expression": "1", "origin_id": PLACE.id, "destination_id": PLACE.id, "distance": "2",
    }  # fmt: skip
    for tool in CATALOGUE.values():
        arguments = {parameter.slot: values[parameter.slot] for parameter in tool.parameters}
        assert DOMAIN.run(tool.function, arguments, tool.factor)
