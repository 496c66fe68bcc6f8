"""Scoring: gold play solves every episode, anything else does not, and the committed backbone calls tools."""

import pytest
from transformers import AutoTokenizer, Qwen2ForCausalLM

from openagent_lib.errors import CheckpointError
from openagent_lib.paths import BACKBONE
from openagent_lib.pretraining import score as scoring
from openagent_lib.pretraining.corpus import SKILLS, draw_episode
from openagent_lib.sandbox.protocol import REFUSAL, format_answer, format_call


class Silent:
    """A model that is only ever put into evaluation mode."""

    def eval(self):
        return self


def play_with(monkeypatch, episodes, speak):
    monkeypatch.setattr(scoring, "_generate", lambda model, tokenizer, plays: [speak(play) for play in plays])
    return scoring.play_episodes(Silent(), None, episodes)


def gold(play):
    question, done = play.episode.questions[0], len(play.calls)
    if done < len(question.steps):
        step = question.steps[done]
        return format_call(step.name, dict(step.arguments))
    return question.final


def all_episodes(n=6):
    return [episode for episodes in scoring.scoring_episodes(n, seed=3).values() for episode in episodes]


def test_gold_play_solves_every_episode(monkeypatch):
    assert all(play.solved for play in play_with(monkeypatch, all_episodes(), gold))


def test_refusing_always_solves_exactly_the_unsolvable_without_a_call(monkeypatch):
    for play in play_with(monkeypatch, all_episodes(), lambda play: REFUSAL):
        assert play.solved == (play.episode.skill in ("fatal_error", "missing_tool", "missing_information"))


def test_a_guessed_answer_never_solves(monkeypatch):
    assert not any(play.solved for play in play_with(monkeypatch, all_episodes(), lambda play: format_answer("?")))


def test_endless_calls_end_unsolved(monkeypatch):
    plays = play_with(monkeypatch, all_episodes(1), lambda play: format_call("nothing", {"a": "b"}))
    assert all(not play.solved and len(play.calls) == scoring.MAX_TURNS for play in plays)


def test_every_skill_is_scored():
    assert {skill for skill, _ in scoring.SCORED.values()} == set(SKILLS)


def test_scored_episodes_are_not_those_of_the_training():
    training = {draw_episode(0, index, 1.0).questions[0].query for index in range(2000)}
    assert not training & {episode.questions[0].query for episode in all_episodes()}


def test_missing_folder_is_one_clear_line(tmp_path):
    with pytest.raises(CheckpointError, match="pretrain") as caught:
        scoring.score(tmp_path / "nothing", n=1)
    assert "\n" not in str(caught.value)


def test_committed_backbone_writes_calls_to_offered_tools():
    model = Qwen2ForCausalLM.from_pretrained(BACKBONE)
    tokenizer = AutoTokenizer.from_pretrained(BACKBONE)
    episodes = scoring.scoring_episodes(16, seed=11)["one_call_of_2"]
    plays = scoring.play_episodes(model, tokenizer, episodes)
    offered = [{tool["function"]["name"] for tool in play.episode.tools} for play in plays]
    called = [bool(play.calls) and play.calls[0][0] in names for play, names in zip(plays, offered, strict=True)]
    assert sum(called) >= 12
