"""The loop that a stranger writes around an environment."""

import doctest
import json

import pytest

from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.evaluation.outcome import outcome_of
from openagent_lib.sandbox import environment as module
from openagent_lib.sandbox.dataset import make_tasks, opening
from openagent_lib.sandbox.domains.registry import DOMAINS
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.protocol import REFUSAL, format_answer


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("index", range(10))
def test_a_loop_of_a_few_lines_plays_an_episode(index, domain):
    task = make_tasks("test", 10, domain=domain)[index]
    environment = Environment.for_task(task)
    messages = environment.reset()
    while not environment.is_done:
        (text,) = OracleAgent().act([environment])
        messages += [{"role": "assistant", "content": text}, *environment.step(text)]
    assert environment.answer == task.gold_answer
    assert outcome_of(environment) == "correct"
    assert messages == environment.messages, "the loop sees the whole history"


def test_the_example_of_the_docstring_runs():
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(Environment, "Environment", module=module)
    runner = doctest.DocTestRunner()
    assert runner.run(example) == (0, 6)


def test_the_tools_are_schemas_of_what_the_task_offers_and_can_be_written_as_json():
    task = make_tasks("test", 1)[0]
    tools = Environment.for_task(task).tools
    assert tools == [tool.schema() for tool in task.tools]
    assert json.loads(json.dumps(tools)) == tools


def test_an_episode_opens_as_its_task_file_says():
    for task in make_tasks("dev", 5):
        assert Environment.for_task(task).reset() == opening(task)


def test_what_the_loop_does_with_the_messages_does_not_touch_the_episode():
    environment = Environment.for_task(make_tasks("test", 1)[0])
    environment.reset().clear()
    assert len(environment.messages) == 2


def test_the_limit_of_steps_is_a_choice():
    environment = Environment.for_task(make_tasks("test", 1)[0], max_steps=2)
    environment.reset()
    for _ in range(2):
        assert not environment.is_done
        environment.step("<tool_call>{}</tool_call>")
    assert environment.ending == "exhausted"


@pytest.mark.parametrize("text", [REFUSAL, format_answer("1"), "mumble"])
def test_the_last_step_returns_no_observation(text):
    environment = Environment.for_task(make_tasks("test", 1)[0])
    environment.reset()
    assert environment.step(text) == []
    assert environment.is_done
