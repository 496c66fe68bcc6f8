"""Evaluating what a run has trained: which model, which tasks, which file."""

from dataclasses import replace

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.errors import CheckpointError, ConfigError, DataError
from openagent_lib.evaluation import recipes
from openagent_lib.evaluation.recipes import evaluate_curve, evaluate_recipe
from openagent_lib.evaluation.suite import closed_set, write_data
from openagent_lib.paths import BACKBONE
from openagent_lib.shifts.catalogue import SHIFTS

PROFILE = replace(PROFILES["smoke"], train_tasks=2, eval_tasks=6, shift_tasks=1, curve_tasks=3)


@pytest.fixture
def run_dir(tmp_path):
    write_data(PROFILE, 0, tmp_path)
    return tmp_path


@pytest.fixture
def played(monkeypatch):
    """Record what would be evaluated instead of playing it."""
    calls = []
    monkeypatch.setattr(recipes, "get_profile", lambda name: PROFILE)
    monkeypatch.setattr(recipes.LocalAgent, "load", lambda source, name, profile: (source, name))
    monkeypatch.setattr(recipes, "weights_hash", lambda folder: f"hash of {folder}")

    def evaluate(agent, tasks, path, **settings):
        calls.append({"agent": agent, "tasks": tasks, "path": path, **settings})
        return [{"n": len(calls)}]

    monkeypatch.setattr(recipes, "evaluate", evaluate)
    return calls


def test_a_trained_recipe_is_its_final_model_on_the_whole_suite(run_dir, played):
    assert evaluate_recipe("sft", "smoke", 4, run_dir) == [{"n": 1}]
    (call,) = played
    source = str(run_dir / "training" / "sft" / "final")
    assert call["agent"] == (source, "sft")
    assert len(call["tasks"]) == PROFILE.eval_tasks + PROFILE.shift_tasks * len(SHIFTS)
    assert call["path"] == run_dir / "records" / "sft.jsonl"
    assert (call["recipe"], call["seed"], call["weights"]) == ("sft", 4, f"hash of {source}")
    assert "step" not in call


def test_the_base_recipe_is_the_backbone(run_dir, played):
    evaluate_recipe("base", "smoke", 0, run_dir)
    assert played[0]["agent"] == (str(BACKBONE), "base")
    assert played[0]["backbone"] == "miniature"


def test_the_curve_goes_through_the_checkpoints_in_order_on_the_closed_set(run_dir, played):
    for step in (100, 20, 3):
        (run_dir / "training" / "sft" / f"checkpoint-{step}").mkdir(parents=True)
    assert evaluate_curve("sft", "smoke", 0, run_dir) == [{"n": 1}, {"n": 2}, {"n": 3}]
    assert [call["step"] for call in played] == [3, 20, 100]
    assert all(call["path"] == run_dir / "curves" / "sft.jsonl" for call in played)
    assert all(call["tasks"] == closed_set(call["tasks"], 3) and len(call["tasks"]) == 3 for call in played)


def test_the_curve_of_the_backbone_is_step_zero(run_dir, played):
    evaluate_curve("base", "smoke", 0, run_dir)
    assert [call["step"] for call in played] == [0]
    assert played[0]["agent"][0] == str(BACKBONE)


def test_without_checkpoints_there_is_no_curve(run_dir, played):
    with pytest.raises(CheckpointError, match="expected checkpoints of sft .*found none") as caught:
        evaluate_curve("sft", "smoke", 0, run_dir)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_model_is_one_clear_line(run_dir):
    with pytest.raises(CheckpointError, match="expected a model folder") as caught:
        evaluate_recipe("sft", "smoke", 0, run_dir)
    assert len(str(caught.value).splitlines()) == 1


def test_a_missing_suite_is_one_clear_line(tmp_path, played):
    with pytest.raises(DataError, match="eval.parquet, found none"):
        evaluate_recipe("base", "smoke", 0, tmp_path)


@pytest.mark.parametrize("function", [evaluate_recipe, evaluate_curve])
def test_an_unknown_recipe_is_refused(function, run_dir, played):
    with pytest.raises(ConfigError, match="unknown recipe"):
        function("nonsense", "smoke", 0, run_dir)
