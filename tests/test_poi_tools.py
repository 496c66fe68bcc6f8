"""The tool catalogue."""

import re

import pytest

from openagent_lib.sandbox.domains.poi import PoiDomain
from openagent_lib.sandbox.domains.poi_tools import CATALOGUE, inverted_tool

INVERTIBLE = ("find_place", "get_telephone", "get_licence")


def test_there_are_at_least_eight_tools_with_own_names_and_documents():
    assert len(CATALOGUE) >= 8
    assert len({tool.name for tool in CATALOGUE.values()}) == len(CATALOGUE)
    assert len({tool.description for tool in CATALOGUE.values()}) == len(CATALOGUE)


def test_some_tools_state_a_code_and_the_codes_differ():
    codes = [tool.code for tool in CATALOGUE.values() if tool.code]
    assert len(codes) >= 2
    assert len(set(codes)) == len(codes)
    assert all(f'"{tool.code}"' in tool.document for tool in CATALOGUE.values() if tool.code)


def test_a_multiplicative_rule_is_stated_in_the_document():
    ruled = [tool for tool in CATALOGUE.values() if tool.factor is not None]
    assert ruled
    assert all(re.search(rf"\bx {tool.factor:g}\b", tool.document) for tool in ruled)


@pytest.mark.parametrize("function", INVERTIBLE)
def test_an_inverted_tool_keeps_its_name_and_code_and_undoes_the_tool(function):
    tool, inverse = CATALOGUE[function], inverted_tool(function)
    assert (inverse.name, inverse.code) == (tool.name, tool.code)
    assert inverse.function != tool.function
    assert inverse.document != tool.document
    domain = PoiDomain("test", 0)
    start = domain.places[3].name if function == "find_place" else domain.places[3].id
    value = domain.run(tool.function, {tool.parameters[0].slot: start})
    assert domain.run(inverse.function, {inverse.parameters[0].slot: value}) == start


@pytest.mark.parametrize("function", sorted(set(CATALOGUE) - set(INVERTIBLE)))
def test_a_tool_whose_value_names_no_place_has_no_inverse(function):
    with pytest.raises(KeyError):
        inverted_tool(function)
