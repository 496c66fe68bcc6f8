"""Evaluate what a run has trained: final models on the whole suite, checkpoints on the closed set."""

from pathlib import Path

from openagent_lib.agents.local import LocalAgent, backbone_source
from openagent_lib.config import check_recipe, get_profile
from openagent_lib.errors import CheckpointError
from openagent_lib.evaluation.run import evaluate, weights_hash
from openagent_lib.evaluation.suite import closed_set, read_suite


def evaluate_recipe(recipe: str, profile: str, seed: int, run_dir: Path, model: str | None = None) -> list[dict]:
    """Evaluate a recipe's final model on every task of the run's suite, into `records/<recipe>.jsonl`.

    Args:
        recipe: `base` for the backbone itself, or a trained recipe.
        profile: Name of the profile.
        seed: Run seed.
        run_dir: Folder of the run.
        model: Name or local path that replaces the profile's backbone.

    Returns:
        The records, in the order of the suite.

    Raises:
        CheckpointError: The model is missing or corrupt.
        DataError: The suite is missing, or the infrastructure broke some episodes.
    """
    settings = get_profile(profile)
    source = backbone_source(settings, model)
    if check_recipe(recipe) != "base":
        source = str(run_dir / "training" / recipe / "final")
    return evaluate(
        LocalAgent.load(source, recipe, settings),
        read_suite(run_dir),
        run_dir / "records" / f"{recipe}.jsonl",
        recipe=recipe,
        seed=seed,
        backbone=model or settings.backbone,
        weights=weights_hash(source),
        batch_size=settings.eval_batch,
        processes=settings.eval_processes,
    )


def evaluate_curve(recipe: str, profile: str, seed: int, run_dir: Path, model: str | None = None) -> list[dict]:
    """Evaluate a recipe's checkpoints on the first clean tasks of the suite, into `curves/<recipe>.jsonl`.

    Args:
        recipe: `base` for step 0, or a trained recipe.
        profile: Name of the profile.
        seed: Run seed.
        run_dir: Folder of the run.
        model: Name or local path that replaces the profile's backbone.

    Returns:
        The records, checkpoint by checkpoint.

    Raises:
        CheckpointError: There is no checkpoint.
        DataError: The suite is missing, or the infrastructure broke some episodes.
    """
    settings = get_profile(profile)
    tasks = closed_set(read_suite(run_dir), settings.curve_tasks)
    records = []
    for step, source in _checkpoints(recipe, run_dir, backbone_source(settings, model)):
        records += evaluate(
            LocalAgent.load(source, recipe, settings),
            tasks,
            run_dir / "curves" / f"{recipe}.jsonl",
            recipe=recipe,
            seed=seed,
            backbone=model or settings.backbone,
            weights=weights_hash(source),
            step=step,
            batch_size=settings.eval_batch,
        )
    return records


def _checkpoints(recipe: str, run_dir: Path, backbone: str) -> list[tuple[int, str]]:
    if check_recipe(recipe) == "base":
        return [(0, backbone)]
    folders = (run_dir / "training" / recipe).glob("checkpoint-*")
    found = sorted((int(folder.name.rpartition("-")[2]), str(folder)) for folder in folders)
    if not found:
        raise CheckpointError(f"expected checkpoints of {recipe} in {run_dir}, found none: train it first")
    return found
