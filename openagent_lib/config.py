"""Profiles: the sizes and the backbone of a whole reproduction, each setting with its provenance.

A setting marked `Paper` or `Digest` is the paper's own (see `data/paper`); every other is an assumption of ours.
"""

from dataclasses import asdict, dataclass, field

from openagent_lib.errors import unknown_name

RECIPES = ("base", "sft", "grpo", "sft_grpo", "paft")
TRAINED_RECIPES = RECIPES[1:]
MINIATURE = "miniature"
SMOLLM2 = "smollm2-135m"


@dataclass(frozen=True)
class SFTSettings:
    """Supervised fine-tuning.

    Attributes:
        steps: Optimiser steps. Digest: 800 at paper scale.
        batch_size: Trajectories per device and step. Digest: 2 at paper scale, per device or global unsaid.
        learning_rate: Peak of the schedule. Digest: 3e-5 at paper scale.
        checkpoints: How many equally spaced checkpoints are kept and evaluated. Digest: every 200 of 800 steps.
        warmup: Share of the steps with a rising learning rate. Assumption.
        weight_decay: Of AdamW. Assumption.
    """

    steps: int
    batch_size: int
    learning_rate: float
    checkpoints: int = 4
    warmup: float = 0.05
    weight_decay: float = 0.01


@dataclass(frozen=True)
class GRPOSettings:
    """Group-relative policy optimisation, multi-turn through the sandbox.

    Attributes:
        steps: Optimiser steps. Digest: 280 at paper scale.
        prompts: Tasks per step. Assumption.
        group_size: Roll-outs per task. Assumption.
        learning_rate: Constant. Digest: 1e-6 at paper scale.
        temperature: Of sampling. Assumption.
        beta: Weight of the KL term. Assumption: 0, no reference model.
        max_tokens: Most tokens of an episode after the prompt. Assumption.
        checkpoints: How many equally spaced checkpoints are kept and evaluated. Assumption.
    """

    steps: int
    prompts: int
    group_size: int
    learning_rate: float
    temperature: float = 1.0
    beta: float = 0.0
    max_tokens: int = 256
    checkpoints: int = 4


@dataclass(frozen=True)
class PAFTSettings:
    """Perturbation-augmented fine-tuning: SFT on mixed data.

    Attributes:
        alpha: Share of perturbed trajectories. Digest: 0.3.
        parts: Weights of the three perturbations EFP, SBP and SRP among them. Assumption: equal.
    """

    alpha: float = 0.3
    parts: tuple[tuple[str, float], ...] = (("efp", 1.0), ("sbp", 1.0), ("srp", 1.0))


@dataclass(frozen=True)
class Profile:
    """Everything that differs between two sizes of the same reproduction.

    Attributes:
        name: `smoke`, `cpu`, `laptop`, `gpu` or `paper`.
        backbone: `miniature`, `smollm2-135m`, or the name or local path of a transformers model.
        train_tasks: Size of the training set. Paper: 6,050.
        eval_tasks: Clean evaluation tasks (the closed set). Paper: 880 evaluation tasks in all.
        shift_tasks: Evaluation tasks for each shift, shifted twins of clean ones.
        curve_tasks: Tasks of the closed-set curve, the first of the evaluation tasks.
        eval_batch: Episodes advanced together.
        eval_processes: Processes that share an evaluation, each with a copy of the model; one on a GPU.
        message_tokens: Most tokens of one assistant message. Assumption.
        sft: Settings of SFT and PAFT.
        grpo: Settings of GRPO from the backbone.
        sft_grpo: Settings of GRPO from the SFT model. Paper: the pipeline is named, its settings were not seen.
        paft: Settings of PAFT's data.
        lora_rank: Rank of LoRA adapters, 0 for full parameters. Paper: full parameters.
        fp32: Whether weights are 32-bit floats; bfloat16 is far slower on CPUs without support for it.
    """

    name: str
    backbone: str
    train_tasks: int
    eval_tasks: int
    shift_tasks: int
    curve_tasks: int
    eval_batch: int
    sft: SFTSettings
    grpo: GRPOSettings
    sft_grpo: GRPOSettings
    paft: PAFTSettings = field(default_factory=PAFTSettings)
    message_tokens: int = 72
    lora_rank: int = 0
    fp32: bool = True
    eval_processes: int = 1

    def settings(self) -> dict:
        """Return all settings as plain data, for hashing and for logs."""
        return asdict(self)


_QWEN = "Qwen/Qwen2.5-{}-Instruct"
PROFILES: dict[str, Profile] = {
    profile.name: profile
    for profile in (
        Profile(
            name="smoke",
            backbone=MINIATURE,
            train_tasks=240,
            eval_tasks=20,
            shift_tasks=2,
            curve_tasks=6,
            eval_batch=16,
            sft=SFTSettings(steps=12, batch_size=8, learning_rate=1e-3, checkpoints=2),
            grpo=GRPOSettings(steps=2, prompts=2, group_size=4, learning_rate=1e-4, max_tokens=160, checkpoints=2),
            sft_grpo=GRPOSettings(steps=2, prompts=2, group_size=4, learning_rate=1e-4, max_tokens=160, checkpoints=2),
            message_tokens=48,
        ),
        Profile(
            name="cpu",
            backbone=MINIATURE,
            train_tasks=6050,
            eval_tasks=120,
            shift_tasks=38,
            curve_tasks=64,
            eval_batch=16,
            sft=SFTSettings(steps=400, batch_size=16, learning_rate=2e-3),
            grpo=GRPOSettings(steps=24, prompts=8, group_size=8, learning_rate=1e-4),
            sft_grpo=GRPOSettings(steps=24, prompts=8, group_size=8, learning_rate=1e-4),
            eval_processes=2,
        ),
        Profile(
            name="laptop",
            backbone=SMOLLM2,
            train_tasks=6050,
            eval_tasks=120,
            shift_tasks=38,
            curve_tasks=48,
            eval_batch=16,
            sft=SFTSettings(steps=400, batch_size=2, learning_rate=2e-4),
            grpo=GRPOSettings(steps=40, prompts=2, group_size=4, learning_rate=1e-5),
            sft_grpo=GRPOSettings(steps=20, prompts=2, group_size=4, learning_rate=1e-5),
            message_tokens=128,
            lora_rank=16,
        ),
        Profile(
            name="gpu",
            backbone=_QWEN.format("1.5B"),
            train_tasks=6050,
            eval_tasks=120,
            shift_tasks=38,
            curve_tasks=96,
            eval_batch=64,
            sft=SFTSettings(steps=800, batch_size=8, learning_rate=1e-4),
            grpo=GRPOSettings(steps=280, prompts=8, group_size=8, learning_rate=5e-6, max_tokens=768),
            sft_grpo=GRPOSettings(steps=140, prompts=8, group_size=8, learning_rate=5e-6, max_tokens=768),
            message_tokens=256,
            lora_rank=32,
            fp32=False,
        ),
        Profile(
            name="paper",
            backbone=_QWEN.format("7B"),
            train_tasks=6050,
            eval_tasks=120,
            shift_tasks=38,
            curve_tasks=96,
            eval_batch=64,
            sft=SFTSettings(steps=800, batch_size=2, learning_rate=3e-5),
            grpo=GRPOSettings(steps=280, prompts=16, group_size=8, learning_rate=1e-6, max_tokens=1024),
            sft_grpo=GRPOSettings(steps=140, prompts=16, group_size=8, learning_rate=1e-6, max_tokens=1024),
            message_tokens=256,
            fp32=False,
        ),
    )
}


def get_profile(name: str) -> Profile:
    """Return a profile by name.

    Raises:
        ConfigError: No profile has this name.
    """
    if name not in PROFILES:
        raise unknown_name("profile", name, PROFILES)
    return PROFILES[name]


def check_recipe(name: str) -> str:
    """Return the name of a recipe if it exists.

    Raises:
        ConfigError: No recipe has this name.
    """
    if name not in RECIPES:
        raise unknown_name("recipe", name, RECIPES)
    return name
