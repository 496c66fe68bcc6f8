"""Profiles and recipes."""

import dataclasses

import pytest

from openagent_lib.config import PROFILES, RECIPES, TRAINED_RECIPES, check_recipe, get_profile
from openagent_lib.errors import ConfigError


def test_the_profiles_are_the_documented_five():
    assert list(PROFILES) == ["smoke", "cpu", "laptop", "gpu", "paper"]
    assert all(get_profile(name).name == name for name in PROFILES)


def test_an_unknown_profile_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'smoke'"):
        get_profile("smokey")


def test_an_unknown_recipe_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="did you mean 'paft'"):
        check_recipe("praft")


def test_every_recipe_but_the_backbone_is_trained():
    assert set(RECIPES) - set(TRAINED_RECIPES) == {"base"}
    assert [check_recipe(name) for name in RECIPES] == list(RECIPES)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_a_profile_is_consistent(profile):
    assert profile.curve_tasks <= profile.eval_tasks
    assert profile.shift_tasks <= profile.eval_tasks
    assert 0.0 <= profile.paft.alpha <= 1.0
    for settings in (profile.grpo, profile.sft_grpo):
        episodes = settings.prompts * settings.group_size
        assert settings.group_size >= 2
        assert episodes % min(16, episodes) == 0, "micro batches cover a step exactly"
        assert settings.prompts <= profile.train_tasks
    for settings in (profile.sft, profile.grpo, profile.sft_grpo):
        assert settings.steps % settings.checkpoints == 0, "the last checkpoint is the last step"


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_settings_change_with_every_field(profile):
    changed = dataclasses.replace(profile, train_tasks=profile.train_tasks + 1)
    assert changed.settings() != profile.settings()
    nested = dataclasses.replace(profile, sft=dataclasses.replace(profile.sft, steps=profile.sft.steps + 1))
    assert nested.settings() != profile.settings()


def test_the_profile_at_paper_scale_has_the_digest_numbers():
    paper = PROFILES["paper"]
    assert (paper.train_tasks, paper.sft.steps, paper.sft.batch_size, paper.sft.learning_rate) == (6050, 800, 2, 3e-5)
    assert (paper.grpo.steps, paper.grpo.learning_rate, paper.paft.alpha) == (280, 1e-6, 0.3)
