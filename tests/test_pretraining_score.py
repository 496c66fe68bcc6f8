"""Scoring: gold play solves every episode, anything else does not, and the committed backbone reads documents."""

import json

import pytest
from transformers import AutoTokenizer, Qwen2ForCausalLM

from openagent_lib.agents.local import LocalAgent, key_order_of
from openagent_lib.errors import CheckpointError, DataError
from openagent_lib.paths import BACKBONE
from openagent_lib.pretraining import score as scoring
from openagent_lib.pretraining.corpus import SKILLS, draw_episode
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import REFUSAL, format_answer, format_call

NEVER_COUNTED = {"refusal of the unsolvable", "over-refusal of the solvable"}


class Silent:
    """A model that is only ever put into evaluation mode."""

    def eval(self):
        return self


def play_with(monkeypatch, episodes, speak):
    monkeypatch.setattr(scoring, "_generate", lambda model, tokenizer, plays, cache: [speak(play) for play in plays])
    return scoring.play_episodes(Silent(), None, episodes)


def play_all(monkeypatch, speak, n=4):
    """Return every scored row played by `speak`."""
    sets = scoring.scoring_episodes(n, seed=3)
    return {name: play_with(monkeypatch, episodes, speak) for name, episodes in sets.items()}


def gold(play):
    question, done = play.episode.questions[0], len(play.calls)
    if done < len(question.steps):
        step = question.steps[done]
        return format_call(step.name, dict(step.arguments))
    return question.final


def all_episodes(n=6):
    return [episode for episodes in scoring.scoring_episodes(n, seed=3).values() for episode in episodes]


def shares(measures):
    return {label: counts["count"] / counts["n"] for label, counts in measures.items()}


def test_gold_play_solves_every_episode(monkeypatch):
    assert all(play.solved for play in play_with(monkeypatch, all_episodes(), gold))


def test_refusing_always_solves_exactly_the_unsolvable(monkeypatch):
    for play in play_with(monkeypatch, all_episodes(), lambda play: REFUSAL):
        assert play.solved == (play.episode.skill in scoring.UNSOLVABLE)


def test_a_guessed_answer_never_solves(monkeypatch):
    assert not any(play.solved for play in play_with(monkeypatch, all_episodes(), lambda play: format_answer("?")))


def test_endless_calls_end_unsolved(monkeypatch):
    plays = play_with(monkeypatch, all_episodes(1), lambda play: format_call("nothing", {"a": "b"}))
    assert all(not play.solved and len(play.calls) == scoring.MAX_TURNS for play in plays)


def test_gold_play_has_every_measure_but_over_refusal(monkeypatch):
    expected = {label: 1.0 for label in scoring.MEASURES} | {"over-refusal of the solvable": 0.0}
    assert shares(scoring.measure(play_all(monkeypatch, gold))) == expected


def test_refusing_always_has_no_measure_but_the_refusals(monkeypatch):
    found = shares(scoring.measure(play_all(monkeypatch, lambda play: REFUSAL)))
    assert found == {label: float(label in NEVER_COUNTED) for label in scoring.MEASURES}


def test_another_tool_with_the_right_string_copies_but_does_not_choose(monkeypatch):
    def speak(play):
        wanted = play.episode.questions[0].steps[0] if play.episode.questions[0].steps else None
        others = [tool["function"]["name"] for tool in play.episode.tools]
        others = [name for name in others if wanted is None or name != wanted.name]
        return format_call(others[0], {"key": wanted.arguments[0][1] if wanted else "x"})

    plays = {name: play_with(monkeypatch, scoring.scoring_episodes(4, 3, [name])[name], speak) for name in ("copy",)}
    assert all(map(scoring._copied, plays["copy"])) and not any(map(scoring._right_tool, plays["copy"]))


def test_every_skill_is_scored():
    assert {skill for skill, _ in scoring.SCORED.values()} == set(SKILLS)


def test_lists_of_a_given_length_cannot_be_told_apart_by_what_a_tool_takes():
    """The tool must be chosen by what it returns: every document offers the same input."""
    for episode in scoring.scoring_episodes(20, 1, ["one_call_of_5"])["one_call_of_5"]:
        assert len(episode.tools) == 5
        assert len(episode.questions[0].steps) == 1


def test_strings_to_copy_are_long_and_new():
    strings = {
        episode.questions[0].steps[0].arguments[0][1] for episode in scoring.scoring_episodes(40, 1, ["copy"])["copy"]
    }
    assert len(strings) == 40
    assert all(12 <= len(text) <= 20 for text in strings)
    assert sum(not text.isascii() for text in strings) > 10


def test_replies_in_another_format_are_never_the_plain_one():
    for episode in scoring.scoring_episodes(20, 1, ["other_reply"])["other_reply"]:
        assert not episode.questions[0].steps[-1].observation.startswith(scoring.PLAIN_REPLY)


def test_scored_episodes_are_not_those_of_the_training():
    training = {draw_episode(0, index, 1.0).questions[0].query for index in range(2000)}
    assert not training & {episode.questions[0].query for episode in all_episodes()}


def test_missing_folder_is_one_clear_line(tmp_path):
    with pytest.raises(CheckpointError, match="expected a model folder") as caught:
        scoring.score(tmp_path / "nothing", n=1)
    assert "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def backbone():
    return Qwen2ForCausalLM.from_pretrained(BACKBONE), AutoTokenizer.from_pretrained(BACKBONE)


def test_committed_backbone_is_shown_tools_as_in_its_pretraining(backbone):
    assert key_order_of(backbone[0]) == "description_first"


def test_committed_backbone_calls_the_tool_whose_document_fits(backbone):
    episodes = scoring.scoring_episodes(48, 11, ["one_call_of_5"])["one_call_of_5"]
    plays = scoring.play_episodes(*backbone, episodes)
    stated = json.loads((BACKBONE / "scores.json").read_text())["measures"]["right tool of 5, by its document"]
    assert sum(map(scoring._right_tool, plays)) / 48 > stated["count"] / stated["n"] - 0.15


def test_evaluation_without_training_is_counted_by_tier_and_shift():
    result = scoring.score(BACKBONE, n=1, tasks=make_tasks("test", 6))
    assert result["zero_shot"]["closed_set"]["n"] == result["zero_shot_shifts"]["clean"]["n"] == 6
    assert set(result["measures"]) == set(scoring.MEASURES)


def test_a_fault_of_the_machine_is_told_and_counts_as_no_task(monkeypatch, backbone):
    def fail(agent, turns):
        raise RuntimeError("out of memory")

    monkeypatch.setattr(LocalAgent, "act", fail)
    agent = LocalAgent(*backbone, "base")
    with pytest.raises(DataError, match="2 of 2 episodes of base .*out of memory"):
        scoring._zero_shot(agent, make_tasks("test", 2), 0)
