"""The only place that loads models for training: Unsloth where there is a GPU, transformers and PEFT elsewhere."""

import importlib.util
from typing import TYPE_CHECKING

from openagent_lib.agents.local import load_model
from openagent_lib.config import Profile

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

LORA_TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
MAX_LENGTH = 2048


def uses_unsloth() -> bool:
    """Tell whether training goes through Unsloth: CUDA is there and the package is installed."""
    import torch

    return torch.cuda.is_available() and importlib.util.find_spec("unsloth") is not None


def load_for_training(source: str, profile: Profile) -> tuple["PreTrainedModel", "PreTrainedTokenizerBase"]:
    """Load a backbone or a trained model, with LoRA adapters where the profile asks for them.

    Args:
        source: Folder or name.
        profile: Decides on LoRA and on the width of floats.

    Returns:
        The model, ready for a trainer, and its tokenizer, padding on the left.

    Raises:
        CheckpointError: There is no loadable model at the source.
    """
    if uses_unsloth():
        return _load_unsloth(source, profile)
    model, tokenizer = load_model(source, profile.fp32, is_trainable=True)
    if profile.lora_rank and not hasattr(model, "peft_config"):
        from peft import LoraConfig, get_peft_model

        config = LoraConfig(
            r=profile.lora_rank,
            lora_alpha=2 * profile.lora_rank,
            lora_dropout=0.0,
            target_modules=list(LORA_TARGETS),
            task_type="CAUSAL_LM",
        )
        model = get_peft_model(model, config)
    return model, tokenizer


def _load_unsloth(source: str, profile: Profile) -> tuple["PreTrainedModel", "PreTrainedTokenizerBase"]:
    from unsloth import FastLanguageModel  # before trl and transformers, which it patches

    model, tokenizer = FastLanguageModel.from_pretrained(
        model_name=source,
        max_seq_length=MAX_LENGTH,
        load_in_4bit=False,
        full_finetuning=profile.lora_rank == 0,
    )
    tokenizer.padding_side = "left"
    if profile.lora_rank and not hasattr(model, "peft_config"):
        model = FastLanguageModel.get_peft_model(
            model,
            r=profile.lora_rank,
            lora_alpha=2 * profile.lora_rank,
            lora_dropout=0.0,
            target_modules=list(LORA_TARGETS),
        )
    return model, tokenizer
