"""A tool as the agent sees it."""

from dataclasses import replace

import jsonschema
import pytest

from openagent_lib.sandbox.tool import CODE_PARAMETER, KEY_ORDERS, Parameter, Tool

TOOL = Tool("find", "Takes a name.", (Parameter("title", "name"), Parameter("zone", "area")), "find")
CODED = replace(TOOL, code="K7Q2")


def test_without_a_code_the_document_is_the_description():
    assert TOOL.document == "Takes a name."
    assert TOOL.argument_names == ("title", "zone")


def test_a_code_ends_the_document_and_adds_an_argument():
    assert CODED.document == 'Takes a name. Requires code "K7Q2".'
    assert CODED.argument_names == ("title", "zone", CODE_PARAMETER)


@pytest.mark.parametrize("order", KEY_ORDERS)
@pytest.mark.parametrize("tool", [TOOL, CODED])
def test_the_schema_is_valid_and_requires_every_argument(tool, order):
    body = tool.schema(order)["function"]
    jsonschema.Draft202012Validator.check_schema(body["parameters"])
    jsonschema.validate(dict.fromkeys(tool.argument_names, "x"), body["parameters"])
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"title": "x"}, body["parameters"])
    assert list(body["parameters"]["properties"]) == list(tool.argument_names)


def test_the_key_order_is_a_choice_of_the_backbone():
    assert list(TOOL.schema()["function"]) == ["name", "description", "parameters"]
    assert list(TOOL.schema("description_first")["function"]) == ["description", "name", "parameters"]
    assert TOOL.schema() == TOOL.schema("description_first")


def test_the_schema_hides_function_slots_factor_and_fixed_value():
    text = str(replace(TOOL, function="inverse_find", factor=0.125, fixed_value="K12").schema())
    assert "inverse_find" not in text
    assert "K12" not in text
    assert "area" not in text
    assert "0.125" not in text
