"""Sentences with choices: every surface form, and drawing one of them."""

from collections import Counter
from random import Random

import pytest

from openagent_lib.sandbox.grammar import draw_form, fill, forms

TEMPLATE = "[Could|Can] you tell me the {attribute} of {name}[, please|]?"


def test_a_template_without_choices_is_its_only_form():
    assert forms("Where is {name}?") == ["Where is {name}?"]


def test_every_combination_of_choices_is_a_form_in_a_fixed_order():
    assert forms(TEMPLATE) == [
        "Could you tell me the {attribute} of {name}, please?",
        "Could you tell me the {attribute} of {name}?",
        "Can you tell me the {attribute} of {name}, please?",
        "Can you tell me the {attribute} of {name}?",
    ]


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a [b|] c", ["a b c", "a c"]),
        ("[b|] c", ["b c", "c"]),
        ("say [so|], please", ["say so, please", "say, please"]),
        ("what is it [now|] ?", ["what is it now?", "what is it?"]),
        ("a [b]", ["a b"]),
        ("[|]", ["", ""]),
    ],
)
def test_an_empty_part_leaves_no_gap(template, expected):
    assert forms(template) == expected


def test_a_draw_is_a_form_and_every_form_is_drawn():
    drawn = Counter(draw_form(TEMPLATE, Random(number)) for number in range(400))
    assert set(drawn) == set(forms(TEMPLATE))
    assert min(drawn.values()) > 50


def test_a_draw_leaves_no_gap_where_a_part_is_empty():
    template = "say [so|] [to me|], please"
    assert {draw_form(template, Random(number)) for number in range(40)} == set(forms(template))


def test_a_draw_depends_on_the_generator_alone():
    assert draw_form(TEMPLATE, Random(3)) == draw_form(TEMPLATE, Random(3))


@pytest.mark.parametrize(
    ("form", "slots", "text"),
    [
        ("{attribute} of {name}", {"attribute": "opening hours", "name": "Kalo Gate"}, "Opening hours of Kalo Gate"),
        ("where is {name}?", {"name": "Kalo Gate"}, "Where is Kalo Gate?"),
        ("{name}?", {"name": "P1"}, "P1?"),
    ],
)
def test_a_filled_form_begins_with_an_upper_case_letter(form, slots, text):
    assert fill(form, slots) == text


def test_what_fills_a_slot_is_not_read_as_a_template():
    assert fill("A {name}", {"name": "{id} [x|y]"}) == "A {id} [x|y]"


def test_a_slot_without_a_value_is_a_fault():
    with pytest.raises(KeyError):
        fill("{name} and {id}", {"name": "x"})
