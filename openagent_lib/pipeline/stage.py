"""The chain: which notebooks there are, what each reads and writes, and in which order they run."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from openagent_lib import paths
from openagent_lib.errors import unknown_name


@dataclass(frozen=True)
class Stage:
    """One notebook of the chain.

    Every path is a glob relative to the run directory, except `sources`, which are relative to the repository.

    Attributes:
        name: The notebook's file name without its suffix.
        question: The one question that the notebook answers.
        folder: Folder of the notebook below `notebooks/`; empty for the main row.
        needs: Names of the stages whose artefacts this one reads.
        reads: Input artefacts; their content is part of staleness.
        sources: Input files of the repository, for example the backbone; their content is part of staleness.
        writes: Artefacts that must exist and open when the notebook has ended; editing one makes the stage stale.
        volatile: Artefacts that must exist and open, but whose content is not part of staleness (logs with timings).
        clears: Further paths of its own that are removed before a start from scratch (checkpoints).
        seconds: Pairs (profile, seconds on 2 cores) for the first estimate, before there is a receipt.
    """

    name: str
    question: str = ""
    folder: str = ""
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    volatile: tuple[str, ...] = ()
    clears: tuple[str, ...] = ()
    seconds: tuple[tuple[str, float], ...] = ()

    @property
    def notebook(self) -> str:
        """Return the notebook's path below `notebooks/`."""
        return f"{self.folder}/{self.name}.ipynb" if self.folder else f"{self.name}.ipynb"


@dataclass(frozen=True)
class Project:
    """A repository whose notebooks the pipeline runs: this one, or a scratch one in a test.

    Attributes:
        root: Folder that holds `notebooks/` and the package; kernels start there.
        stages: The chain, every stage after those that it needs.
        package: Import name of the library whose sources count for staleness.
        lock: Path of the lock file below the root.
    """

    root: Path
    stages: tuple[Stage, ...]
    package: str = "openagent_lib"
    lock: str = "requirements.lock"

    @property
    def notebooks(self) -> Path:
        """Return the folder of the notebooks."""
        return self.root / "notebooks"

    def stage(self, name: str) -> Stage:
        """Return a stage by its name or by its number (`06`, `A1`).

        Raises:
            ConfigError: No stage has that name.
        """
        for stage in self.stages:
            if name in (stage.name, stage.name.split("_")[0]):
                return stage
        raise unknown_name("stage", name, [stage.name for stage in self.stages])

    def with_needs(self, names: Iterable[str]) -> tuple[Stage, ...]:
        """Return the named stages and everything upstream of them, in the order of the chain."""
        wanted, queue = set(), [self.stage(name) for name in names]
        while queue:
            stage = queue.pop()
            if stage.name not in wanted:
                wanted.add(stage.name)
                queue.extend(self.stage(need) for need in stage.needs)
        return tuple(stage for stage in self.stages if stage.name in wanted)


DATA = ("data/train.parquet", "data/eval.parquet")
BACKBONE = ("data/backbone/*.json", "data/backbone/*.jinja", "data/backbone/*.safetensors")
PAPER = ("data/paper/*.csv",)
TASKS = ("data/tasks/*.parquet",)
TRAINED = ("sft", "grpo", "sft_grpo", "paft")
RECIPES = ("base", *TRAINED)


def _each(pattern: str, recipes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern.format(recipe) for recipe in recipes)


def _tier(name: str, tier: str) -> Stage:
    return Stage(name, f"What does a shift of the {tier} tier change in a task, and who survives it?")


def _training(name: str, question: str, recipes: tuple[str, ...], curves: tuple[str, ...], start: str = "") -> Stage:
    """Return the stage of a training notebook, which also draws the learning curves of its recipes."""
    return Stage(
        name=name,
        question=question,
        needs=("01_build_sandbox", "06_train_sft") if start else ("01_build_sandbox",),
        reads=(*DATA, f"training/{start}/final/*", "curves/base.jsonl") if start else DATA,
        sources=BACKBONE,
        writes=_each("training/{}/final/*", recipes) + _each("curves/{}.jsonl", curves),
        volatile=_each("training/{}/log.jsonl", recipes) + _each("training/{}/settings.json", recipes),
        clears=_each("training/{}", recipes) + _each("training/{}.previous", recipes),
    )


STAGES = (
    Stage("00_tour", "What is this about, in five minutes?", sources=BACKBONE),
    Stage("01_build_sandbox", "What is the closed world, and what is a task in it?", sources=TASKS, writes=DATA),
    _tier("02_shift_perception", "perception"),
    _tier("03_shift_interaction", "interaction"),
    _tier("04_shift_reasoning", "reasoning"),
    _tier("05_shift_internalization", "internalization"),
    _training("06_train_sft", "What does supervised fine-tuning learn?", ("sft",), ("base", "sft")),
    _training(
        "07_train_grpo",
        "What does reinforcement learning learn, alone and after supervision?",
        ("grpo", "sft_grpo"),
        ("grpo", "sft_grpo"),
        start="sft",
    ),
    _training("08_train_paft", "What changes when the training data are perturbed?", ("paft",), ("paft",)),
    Stage(
        "09_evaluate",
        "What does each recipe keep when the world opens?",
        needs=("01_build_sandbox", "06_train_sft", "07_train_grpo", "08_train_paft"),
        reads=DATA + _each("training/{}/final/*", TRAINED),
        sources=BACKBONE,
        writes=_each("records/{}.jsonl", RECIPES),
        clears=("records",),
    ),
    Stage(
        "10_figures",
        "How do our results stand beside the paper's?",
        needs=("06_train_sft", "07_train_grpo", "08_train_paft", "09_evaluate"),
        reads=_each("records/{}.jsonl", RECIPES)
        + _each("curves/{}.jsonl", RECIPES)
        + _each("training/{}/log.jsonl", TRAINED),
        sources=PAPER,
        writes=("figures/*.png", "figures/*.svg", "figures/*.csv", "tables/*.csv"),
        clears=("figures", "tables"),
    ),
    Stage(
        "A1_pretrain_backbone",
        "How was the miniature backbone made?",
        folder="appendix",
        sources=(*BACKBONE, "data/backbone/pretrain_log.jsonl"),
    ),
)

PROJECT = Project(root=paths.ROOT, stages=STAGES)
