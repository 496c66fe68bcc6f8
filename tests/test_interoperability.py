"""What OpenAI-compatible endpoints take: the tools of every evaluation task and of both closed worlds."""

import json
import re

import jsonschema
import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.suite import make_suite
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.tool import KEY_ORDERS

FUNCTION_TOOL = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
        "type": {"const": "function"},
        "function": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,64}$"},
                "description": {"type": "string", "minLength": 1, "maxLength": 1024},
                "parameters": {
                    "type": "object",
                    "properties": {
                        "type": {"const": "object"},
                        "properties": {
                            "type": "object",
                            "minProperties": 1,
                            "propertyNames": {"pattern": "^[a-zA-Z0-9_.-]{1,64}$"},
                            "additionalProperties": {
                                "type": "object",
                                "properties": {"type": {"enum": ["string", "number", "integer", "boolean"]}},
                                "required": ["type"],
                            },
                        },
                        "required": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
                        "additionalProperties": {"const": False},
                    },
                    "required": ["type", "properties", "required"],
                    "additionalProperties": False,
                },
                "strict": {"type": "boolean"},
            },
            "required": ["name", "description", "parameters"],
            "additionalProperties": False,
        },
    },
    "required": ["type", "function"],
    "additionalProperties": False,
}
STRICT = {
    "properties": {
        "function": {
            "properties": {"strict": {"const": True}, "parameters": {"required": ["additionalProperties"]}},
            "required": ["strict"],
        }
    }
}
VALIDATOR = jsonschema.Draft202012Validator(FUNCTION_TOOL)
STRICT_VALIDATOR = jsonschema.Draft202012Validator({"allOf": [FUNCTION_TOOL, STRICT]})


@pytest.fixture(scope="module")
def suite():
    return make_suite(120, 38)


@pytest.fixture(scope="module")
def tools(suite):
    """Return every different tool of the evaluation tasks and of the closed worlds."""
    closed = [tool for domain in DOMAINS.values() for tool in domain.catalogue.values()]
    return list(dict.fromkeys([*closed, *(tool for task in suite for tool in task.tools)]))


@pytest.fixture(scope="module")
def episodes(suite):
    return play(OracleAgent(), suite)


def test_the_schemas_are_checked_by_schemas_that_are_themselves_valid(suite):
    assert len(suite) == 880
    for validator in (VALIDATOR, STRICT_VALIDATOR):
        validator.check_schema(validator.schema)


@pytest.mark.parametrize("order", KEY_ORDERS)
def test_every_tool_is_a_function_tool(tools, order):
    for tool in tools:
        schema = json.loads(json.dumps(tool.schema(order)))
        VALIDATOR.validate(schema)
        body = schema["function"]
        jsonschema.Draft202012Validator.check_schema(body["parameters"])
        assert body["parameters"]["required"] == list(body["parameters"]["properties"])
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", body["name"]), "a pattern of a schema lets a line break end a name"


def test_the_names_of_the_tools_of_a_task_differ(suite):
    for task in suite:
        names = [tool.name for tool in task.tools]
        assert len(set(names)) == len(names)


def test_a_tool_in_strict_mode_says_so_and_closes_its_arguments(tools):
    for tool in tools:
        STRICT_VALIDATOR.validate(tool.schema(strict=True))
        assert not STRICT_VALIDATOR.is_valid(tool.schema())


def test_strict_mode_changes_nothing_else_and_stays_out_of_prompts(suite):
    for task in suite:
        plain = [tool.schema() for tool in task.tools]
        strict = [tool.schema(strict=True) for tool in task.tools]
        for schema in strict:
            assert schema["function"].pop("strict") is True
            assert schema["function"]["parameters"].pop("additionalProperties") is False
        assert strict == plain == Environment.for_task(task).tools


def test_the_arguments_of_every_gold_call_are_valid_in_both_modes(episodes):
    checked = 0
    for environment in episodes:
        tools = {tool.name: tool for tool in environment.task.tools}
        for event in environment.events:
            assert event.error is None
            for strict in (False, True):
                schema = tools[event.name].schema(strict=strict)["function"]["parameters"]
                jsonschema.Draft202012Validator(schema).validate(dict(event.arguments))
            checked += 1
    assert checked > 2_000


def test_arguments_that_the_environment_rejects_are_invalid_in_strict_mode(tools):
    for tool in tools:
        schema = jsonschema.Draft202012Validator(tool.schema(strict=True)["function"]["parameters"])
        whole = dict.fromkeys(tool.argument_names, "x")
        assert schema.is_valid(whole)
        assert not schema.is_valid(whole | {"extra": "x"})
        assert not any(schema.is_valid({k: v for k, v in whole.items() if k != key}) for key in whole)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "two words"), ("name", "x" * 65), ("name", ""), ("description", "x" * 1_025), ("description", None),
        ("parameters", {"type": "string", "properties": {"a": {"type": "string"}}, "required": []}),
        ("parameters", {"type": "object", "properties": {}, "required": []}), ("parameters", {}),
    ],
)  # fmt: skip
def test_what_endpoints_reject_is_found(key, value):
    schema = next(iter(DOMAINS["poi"].catalogue.values())).schema()
    assert VALIDATOR.is_valid(schema)
    schema["function"][key] = value
    assert not VALIDATOR.is_valid(schema)
