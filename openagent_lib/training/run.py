"""The one entry to training: a recipe by name."""

from pathlib import Path

from openagent_lib.config import check_recipe, get_profile
from openagent_lib.errors import ConfigError
from openagent_lib.evaluation.suite import write_data
from openagent_lib.paths import default_run_dir


def train(recipe: str, profile: str, seed: int, run_dir: Path | None = None, model: str | None = None) -> Path:
    """Train a recipe and return the folder of the trained model.

    Args:
        recipe: `sft`, `grpo`, `sft_grpo` or `paft`.
        profile: Name of the profile.
        seed: Run seed.
        run_dir: Folder of the run, the default one when None; its data are made where they are missing.
        model: Name or local path that replaces the profile's backbone.

    Raises:
        ConfigError: The recipe or the profile does not exist, or the recipe needs no training.
        CheckpointError: A model or checkpoint is missing or corrupt.
        DataError: The training tasks are missing or corrupt.
    """
    check_recipe(recipe)
    settings = get_profile(profile)
    run_dir = run_dir or default_run_dir(profile, seed)
    if recipe == "base":
        raise ConfigError("the recipe base is the backbone as it is: choose one of sft, grpo, sft_grpo, paft")
    if not (run_dir / "data" / "train.parquet").is_file():
        write_data(settings, seed, run_dir)
    if recipe == "sft":
        from openagent_lib.training.sft import train_sft

        return train_sft(profile, seed, run_dir, model)
    if recipe == "paft":
        from openagent_lib.training.paft import train_paft

        return train_paft(profile, seed, run_dir, model)
    from openagent_lib.training.grpo import train_grpo

    return train_grpo(recipe, profile, seed, run_dir, model)
