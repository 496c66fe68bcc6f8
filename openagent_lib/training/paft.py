"""Perturbation-augmented fine-tuning: SFT on data of which a share alpha is perturbed.

Digest: three trajectory-level perturbations, EFP (abnormal tool feedback, the corrective action is supervised), SBP (a
fatal error, the refusal is supervised) and SRP (tool names and documents rewritten, the call under the new symbols is
supervised). Assumption: perturbed trajectories replace clean ones, the three parts share alpha equally, and each part
draws evenly from the shifts that do what it says. All patterns come from the `train` pools, which are disjoint from
those of evaluation. Paper: section 4.1.
"""

from pathlib import Path

from openagent_lib.agents.local import backbone_source
from openagent_lib.config import PAFTSettings, get_profile
from openagent_lib.paths import default_run_dir
from openagent_lib.randomness import rng
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.sandbox.task import Task
from openagent_lib.shifts.interaction import ERROR_MESSAGE, NULL_MESSAGE, TOOL_REDIRECTION, VALUE_REDIRECTION
from openagent_lib.shifts.internalization import FATAL_ERROR
from openagent_lib.shifts.perception_tool import IDENTITY_ERASURE, SEMANTIC_TRAP, SYMBOLIC_DRIFT
from openagent_lib.training.job import Job
from openagent_lib.training.sft import fine_tune

PARTS = {
    "efp": (ERROR_MESSAGE, NULL_MESSAGE, VALUE_REDIRECTION, TOOL_REDIRECTION),
    "sbp": (FATAL_ERROR,),
    "srp": (SYMBOLIC_DRIFT, SEMANTIC_TRAP, IDENTITY_ERASURE),
}


def train_paft(profile: str, seed: int, run_dir: Path | None = None, model: str | None = None) -> Path:
    """Fine-tune the backbone on mixed data, with the schedule of plain SFT; arguments and errors as `train_sft`."""
    settings = get_profile(profile)
    run_dir = run_dir or default_run_dir(profile, seed)
    job = Job("paft", settings, seed, run_dir / "training" / "paft", backbone_source(settings, model))
    tasks = read_tasks(run_dir / "data" / "train.parquet")
    return fine_tune(job, perturb_tasks(tasks, settings.paft, seed))


def perturb_tasks(tasks: list[Task], settings: PAFTSettings, seed: int) -> list[Task]:
    """Return the tasks with a share alpha of them replaced by perturbed twins.

    Args:
        tasks: Clean training tasks.
        settings: The share alpha in [0, 1] and the weights of the parts.
        seed: Run seed; which task is perturbed how depends on it and on the task alone.
    """
    return [_perturb(task, settings, seed) for task in tasks]


def _perturb(task: Task, settings: PAFTSettings, seed: int) -> Task:
    random = rng(seed, task.id, "paft")
    if random.random() >= settings.alpha:
        return task
    names, weights = zip(*settings.parts, strict=True)
    shift = random.choice(PARTS[random.choices(names, weights)[0]])
    strength = random.choice((0.25, 0.5, 0.75, 1.0))
    return shift.apply(task, strength, seed, pool="train")
