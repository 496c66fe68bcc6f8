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
BACKBONE = ("data/backbone/*",)
RECIPES = ("sft", "grpo", "sft_grpo", "paft")


def _tier(number: int, tier: str) -> Stage:
    return Stage(
        name=f"{number:02d}_shift_{tier}",
        question=f"What does a shift of the {tier} tier change in a task?",
        needs=("01_build_sandbox",),
        reads=DATA,
    )


def _training(name: str, question: str, recipes: tuple[str, ...], needs: tuple[str, ...]) -> Stage:
    """Return the stage of a training notebook; a recipe that starts from `sft` reads its final checkpoint."""
    folders = [f"training/{recipe}" for recipe in recipes]
    return Stage(
        name=name,
        question=question,
        needs=needs,
        reads=(*DATA, "training/sft/final/*") if "06_train_sft" in needs else DATA,
        sources=BACKBONE,
        writes=tuple(f"{f}/{part}" for f in folders for part in ("final/*", "checkpoint-*/*.safetensors")),
        volatile=tuple(f"{f}/{part}" for f in folders for part in ("log.jsonl", "settings.json")),
        clears=tuple(f"{f}{end}" for f in folders for end in ("", ".previous")),
    )


STAGES = (
    Stage("01_build_sandbox", "What is the closed world, and what is a task in it?", writes=DATA),
    Stage("00_tour", "What is this about, in five minutes?", needs=("01_build_sandbox",), sources=BACKBONE),
    _tier(2, "perception"),
    _tier(3, "interaction"),
    _tier(4, "reasoning"),
    _tier(5, "internalization"),
    _training("06_train_sft", "What does supervised fine-tuning learn?", ("sft",), ("01_build_sandbox",)),
    _training(
        "07_train_grpo",
        "What does reinforcement learning learn, alone and after supervision?",
        ("grpo", "sft_grpo"),
        ("01_build_sandbox", "06_train_sft"),
    ),
    _training("08_train_paft", "What changes when the training data are perturbed?", ("paft",), ("01_build_sandbox",)),
    Stage(
        "09_evaluate",
        "What does each recipe keep when the world opens?",
        needs=("01_build_sandbox", "06_train_sft", "07_train_grpo", "08_train_paft"),
        reads=(*DATA, *(f"training/{recipe}/{part}" for recipe in RECIPES for part in ("final/*", "checkpoint-*/*"))),
        sources=BACKBONE,
        writes=("records/*.jsonl",),
        clears=("records",),
    ),
    Stage(
        "10_figures",
        "How do our results stand beside the paper's?",
        needs=("06_train_sft", "07_train_grpo", "08_train_paft", "09_evaluate"),
        reads=("records/*.jsonl", *(f"training/{recipe}/log.jsonl" for recipe in RECIPES)),
        sources=("data/paper/*",),
        writes=("figures/*.png", "figures/*.svg", "figures/*.csv", "tables/*.csv"),
        clears=("figures", "tables"),
    ),
    Stage("A1_pretrain_backbone", "How was the miniature backbone made?", folder="appendix", sources=BACKBONE),
)

PROJECT = Project(root=paths.ROOT, stages=STAGES)
