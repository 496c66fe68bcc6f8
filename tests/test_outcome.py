"""How an episode is judged, and what is counted."""

import pytest

from openagent_lib.evaluation.outcome import OUTCOMES, event_counts, is_success, outcome_of
from openagent_lib.sandbox.channel import Channel, ChannelRule
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.protocol import REFUSAL, format_answer, format_call

TASK = next(task for task in make_tasks("test", 100) if task.shape == "look_up" and task.tool_for("get_contact"))
PLACE = dict(TASK.slots)["name"]
FIND = format_call("find_place", {"name": PLACE})
WRONG = format_call("find_place", {"title": PLACE})
BROKEN = "<tool_call>{</tool_call>"


def played(*texts, task=TASK, max_steps=12):
    environment = Environment(task, world_of(task), max_steps)
    environment.reset()
    for text in texts:
        environment.step(text)
    return environment


def unsolvable():
    return TASK.with_shift("a.b", 1.0, gold_answer=None)


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        ([format_answer(TASK.gold_answer)], "correct"), ([format_answer("nothing")], "wrong"), ([REFUSAL], "refused"),
        ([format_answer("")], "wrong"), (["mumble"], "malformed"), ([BROKEN] * 3, "malformed"), ([FIND] * 12,
        "exhausted"),
        ([FIND, BROKEN, format_answer(TASK.gold_answer + ".")], "correct"),
    ],
)  # fmt: skip
def test_a_solvable_episode_has_its_outcome(texts, outcome):
    environment = played(*texts)
    assert outcome_of(environment) == outcome
    assert outcome in OUTCOMES
    assert is_success(environment, outcome) == (outcome == "correct")


@pytest.mark.parametrize(
    ("texts", "outcome"),
    [
        ([format_answer(TASK.gold_answer)], "wrong"),
        ([REFUSAL], "refused"),
        (["mumble"], "malformed"),
        ([FIND] * 12, "exhausted"),
    ],
)
def test_an_unsolvable_episode_succeeds_by_refusing_only(texts, outcome):
    environment = played(*texts, task=unsolvable())
    assert outcome_of(environment) == outcome
    assert is_success(environment, outcome) == (outcome == "refused")


def test_an_episode_that_goes_on_has_no_outcome():
    with pytest.raises(RuntimeError, match="not over"):
        outcome_of(played(FIND))


def counts(*texts, rules=()):
    task = TASK.with_shift("a.b", 1.0, channel=Channel(tuple(rules)))
    return tuple(event_counts(played(*texts, task=task)).values())


def test_the_counts_have_their_names():
    assert list(event_counts(played(REFUSAL))) == ["n_calls", "n_tool_errors", "n_anomalies", "n_explored"]


ONCE = ChannelRule("later", "find", first=1)
ALWAYS = ChannelRule("gone", "find")


@pytest.mark.parametrize(
    ("texts", "rules", "expected"),
    [
        ([REFUSAL], [], (0, 0, 0, 0)), ([FIND, FIND], [], (2, 0, 0, 0)), ([WRONG, BROKEN, FIND], [], (3, 2, 0, 0)),
        ([FIND + FIND + BROKEN], [], (3, 1, 0, 0)), ([FIND, REFUSAL], [ONCE], (1, 0, 1, 0)),
        ([FIND, FIND, REFUSAL], [ONCE], (2, 0, 1, 1)), ([FIND, WRONG, FIND], [ONCE], (3, 1, 1, 0)),
        ([FIND, FIND, FIND, REFUSAL], [ALWAYS], (3, 0, 3, 2)), ([FIND, format_answer("x")], [ALWAYS], (1, 0, 1, 0)),
    ],
)  # fmt: skip
def test_calls_errors_anomalies_and_exploration_are_counted(texts, rules, expected):
    assert counts(*texts, rules=rules) == expected
