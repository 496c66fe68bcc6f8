"""What GRPO pays for, term by term."""

import pytest

from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.protocol import REFUSAL, format_answer, format_call
from openagent_lib.training.rewards import RewardWeights, reward_of

TASK = make_tasks("train", 1)[0]
UNSOLVABLE = TASK.with_shift("a.b", 1.0, gold_answer=None)
RIGHT = format_answer(TASK.gold_answer)
BROKEN = "<tool_call>{</tool_call>"
INVALID = format_call("no_such_tool", {})
ALL = RewardWeights(outcome=0.5, format=0.25, refusal=0.125)


def played(task, *texts):
    environment = Environment(task, world_of(task), max_steps=4)
    environment.reset()
    for text in texts:
        environment.step(text)
    return environment


def test_by_default_only_the_right_answer_pays():
    weights = RewardWeights()
    assert (weights.outcome, weights.format, weights.refusal) == (1.0, 0.0, 0.0)
    assert reward_of(played(TASK, RIGHT), weights) == 1.0
    for task, text in ((TASK, format_answer("x")), (TASK, REFUSAL), (UNSOLVABLE, REFUSAL), (UNSOLVABLE, RIGHT)):
        assert reward_of(played(task, text), weights) == 0.0


@pytest.mark.parametrize(
    ("task", "texts", "reward"),
    [
        (TASK, [RIGHT], 0.5 + 0.25), (TASK, [format_answer("x")], 0.25), (TASK, [REFUSAL], 0.25), (TASK, ["mumble"],
        0.0),
        (UNSOLVABLE, [REFUSAL], 0.25 + 0.125), (UNSOLVABLE, [RIGHT], 0.25), (TASK, [INVALID] * 4, 0.0),
        (TASK, [BROKEN, RIGHT], 0.5), (UNSOLVABLE, [BROKEN, REFUSAL], 0.125), (TASK, [INVALID, RIGHT], 0.75),
        (TASK, [BROKEN] * 3, 0.0),
    ],
)  # fmt: skip
def test_every_term_pays_for_its_own_thing(task, texts, reward):
    assert reward_of(played(task, *texts), ALL) == reward


def test_an_episode_that_goes_on_has_no_reward():
    with pytest.raises(RuntimeError):
        reward_of(played(TASK, INVALID), ALL)
