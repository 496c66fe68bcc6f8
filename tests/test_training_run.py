"""The one entry to training."""

import pytest

from openagent_lib.config import PROFILES, TRAINED_RECIPES
from openagent_lib.errors import CheckpointError, ConfigError, DataError
from openagent_lib.sandbox.dataset import make_tasks, read_tasks, write_tasks
from openagent_lib.training.run import train


@pytest.mark.parametrize("recipe", ["", "sfft", "SFT", "oracle"])
def test_an_unknown_recipe_is_refused_in_one_line(recipe, tmp_path):
    with pytest.raises(ConfigError, match="unknown recipe") as caught:
        train(recipe, "smoke", 0, tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def test_the_backbone_is_not_trained(tmp_path):
    with pytest.raises(ConfigError, match="the backbone as it is"):
        train("base", "smoke", 0, tmp_path)


@pytest.mark.parametrize("recipe", TRAINED_RECIPES)
def test_an_unknown_profile_is_refused_before_anything_else(recipe, tmp_path):
    with pytest.raises(ConfigError, match="unknown profile 'smoek'.*did you mean 'smoke'"):
        train(recipe, "smoek", 0, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_training_tasks_are_made_once(tmp_path, monkeypatch):
    monkeypatch.setattr("openagent_lib.training.sft.train_sft", lambda *given: given)
    train("sft", "smoke", 0, tmp_path)
    path = tmp_path / "data" / "train.parquet"
    assert read_tasks(path) == make_tasks("train", PROFILES["smoke"].train_tasks, 0)
    write_tasks(path, make_tasks("train", 3))
    train("sft", "smoke", 0, tmp_path)
    assert len(read_tasks(path)) == 3


@pytest.mark.parametrize("recipe", ["sft", "grpo", "paft"])
def test_corrupt_training_tasks_are_one_clear_line(recipe, tmp_path):
    path = write_tasks(tmp_path / "data" / "train.parquet", make_tasks("train", 3))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match="not a readable task file"):
        train(recipe, "smoke", 0, tmp_path)


def test_a_missing_sft_model_is_one_clear_line(tmp_path):
    write_tasks(tmp_path / "data" / "train.parquet", make_tasks("train", 3))
    with pytest.raises(CheckpointError, match="train the recipe sft first"):
        train("sft_grpo", "smoke", 0, tmp_path)


@pytest.mark.parametrize("recipe", ["sft", "grpo", "paft"])
def test_a_missing_model_is_one_clear_line(recipe, tmp_path):
    write_tasks(tmp_path / "data" / "train.parquet", make_tasks("train", 3))
    (tmp_path / "empty").mkdir()
    with pytest.raises(CheckpointError, match=r"expected a model folder with config\.json") as caught:
        train(recipe, "smoke", 0, tmp_path, model=str(tmp_path / "empty"))
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("recipe", "function"),
    [
        ("sft", "sft.train_sft"),
        ("paft", "paft.train_paft"),
        ("grpo", "grpo.train_grpo"),
        ("sft_grpo", "grpo.train_grpo"),
    ],
)
def test_every_recipe_has_its_trainer(recipe, function, tmp_path, monkeypatch):
    monkeypatch.setattr(f"openagent_lib.training.{function}", lambda *given: given)
    write_tasks(tmp_path / "data" / "train.parquet", make_tasks("train", 3))
    expected = ("cpu", 4, tmp_path, "m")
    assert train(recipe, "cpu", 4, tmp_path, "m") == ((recipe, *expected) if "grpo" in recipe else expected)
