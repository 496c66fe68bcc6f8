"""Language models on this machine through transformers: loading, rendering, batched generation."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from openagent_lib.agents import smollm2
from openagent_lib.agents.agent import Turn
from openagent_lib.agents.prefix_cache import PrefixCache, joined
from openagent_lib.config import MINIATURE, SMOLLM2, Profile
from openagent_lib.errors import CheckpointError, ConfigError
from openagent_lib.paths import BACKBONE
from openagent_lib.sandbox.task import Task
from openagent_lib.sandbox.tool import KEY_ORDERS, NAME_FIRST

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

MESSAGE_TOKENS = 72


def backbone_source(profile: Profile, model: str | None = None) -> str:
    """Return the folder or name of the backbone of a profile, for `load_model`.

    The first call for SmolLM2 writes its model folder; see `smollm2.model_folder`.

    Args:
        profile: The profile.
        model: A name or local path that replaces the profile's own (`MODEL=` of the Makefile).

    Raises:
        ConfigError: The profile's backbone has no loader.
        CheckpointError: The packages that ship SmolLM2 are missing, or its model folder is damaged.
    """
    name = model or profile.backbone
    if name == MINIATURE:
        return str(BACKBONE)
    if name == SMOLLM2:
        return str(smollm2.model_folder())
    if "/" not in name and not Path(name).exists():
        raise ConfigError(f"backbone {name!r} is neither a folder nor a hub name owner/name: set MODEL to one of them")
    return name


def load_model(
    source: str | Path, fp32: bool = True, is_trainable: bool = False
) -> tuple["PreTrainedModel", "PreTrainedTokenizerBase"]:
    """Load a causal language model and its tokenizer from a local folder or, where one is given, a hub name.

    Args:
        source: A folder made by `save_pretrained`, with or without LoRA adapters, or a model name.
        fp32: 32-bit floats, else bfloat16.
        is_trainable: Whether adapters are loaded to be trained further.

    Raises:
        CheckpointError: The folder or the name does not hold a loadable model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    _check_folder(source)
    base = _base_of(source)
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, padding_side="left")
        dtype = torch.float32 if fp32 else torch.bfloat16
        model, info = AutoModelForCausalLM.from_pretrained(base, dtype=dtype, output_loading_info=True)
        if info["missing_keys"]:
            raise ValueError(f"weights without {min(info['missing_keys'])}")
        if base != source:
            from peft import PeftModel

            model = PeftModel.from_pretrained(model, str(source), is_trainable=is_trainable)
    except Exception as problem:
        detail = (str(problem) or type(problem).__name__).splitlines()[0]
        raise CheckpointError(
            f"expected a loadable model at {source}, found: {detail}; for a folder of this project delete it and run "
            "the same command again, for a model name pass a local path (MODEL=path)"
        ) from None
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if not tokenizer.chat_template:
        raise CheckpointError(f"expected a chat template in {source}, found none: use an instruction-tuned model")
    return model.to("cuda") if torch.cuda.is_available() else model, tokenizer


def use_threads(threads: int) -> None:
    """Let models of this process use so many cores of the CPU."""
    import torch

    torch.set_num_threads(threads)


def _check_folder(source: str | Path) -> None:
    path = Path(source)
    if path.is_dir() and not (path / "config.json").is_file() and not (path / "adapter_config.json").is_file():
        raise CheckpointError(f"expected a model folder with config.json at {path}, found none: run make reproduce")
    if path.is_dir() and not (path / "tokenizer_config.json").is_file():
        raise CheckpointError(f"expected a tokenizer_config.json at {path}, found none: run make reproduce")
    if not path.exists() and (path.is_absolute() or len(path.parts) > 2):
        raise CheckpointError(f"expected a model folder at {path}, found none: train it first (make reproduce)")


def _base_of(source: str | Path) -> str | Path:
    """Return the model below the adapters in a folder, SmolLM2 wherever it now is; without adapters the source."""
    try:
        base = json.loads((Path(source) / "adapter_config.json").read_text(encoding="utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, KeyError):
        return source
    return str(smollm2.model_folder()) if Path(str(base)).name == SMOLLM2 else base


def key_order_of(model: "PreTrainedModel") -> str:
    """Return the order of the keys in a tool's schema that a model was trained on, `name_first` by default."""
    order = getattr(model.config, "schema_key_order", NAME_FIRST)
    return order if order in KEY_ORDERS else NAME_FIRST


def render_ids(tokenizer: "PreTrainedTokenizerBase", messages: Sequence[dict], task: Task, key_order: str) -> list[int]:
    """Return the token ids of a history with the task's tools, ready for the next assistant message."""
    schemas = [tool.schema(key_order) for tool in task.tools]
    return tokenizer.apply_chat_template(
        list(messages), tools=schemas, add_generation_prompt=True, tokenize=True, return_dict=False
    )


def generate_ids(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: Sequence[Sequence[int]],
    max_new_tokens: int = MESSAGE_TOKENS,
    temperature: float = 0.0,
    batch_size: int = 64,
    cache: PrefixCache | None = None,
) -> list[list[int]]:
    """Continue every prompt, in batches of like length.

    Args:
        model: The language model, in evaluation mode.
        tokenizer: Its tokenizer; generation stops after its end-of-sequence token, which is kept.
        prompts: Token ids of the prompts.
        max_new_tokens: Most new tokens for one prompt; fewer where its own context ends earlier.
        temperature: 0 for greedy decoding. Digest: the paper evaluates at temperature 0.
        batch_size: Most prompts generated together.
        cache: What the model has read in the call before; afterwards, what it has read in this one.

    Returns:
        The new token ids of every prompt, in order; empty for a prompt that fills the context.
    """
    limit = model.config.max_position_embeddings
    order = sorted((i for i in range(len(prompts)) if len(prompts[i]) < limit), key=lambda i: len(prompts[i]))
    results: list[list[int]] = [[] for _ in prompts]
    for start in range(0, len(order), batch_size):
        chosen = order[start : start + batch_size]
        room = min(max_new_tokens, limit - len(prompts[chosen[0]]))
        outputs = _generate_batch(model, tokenizer, [prompts[i] for i in chosen], room, temperature, cache)
        for index, output in zip(chosen, outputs, strict=True):
            results[index] = output[: limit - len(prompts[index])]
    if cache:
        cache.turn_over()
    return results


def _generate_batch(
    model: "PreTrainedModel",
    tokenizer: "PreTrainedTokenizerBase",
    prompts: list[Sequence[int]],
    max_new_tokens: int,
    temperature: float,
    cache: PrefixCache | None,
) -> list[list[int]]:
    import torch

    matches = [cache.match(prompt) if cache else (None, 0) for prompt in prompts]
    rests = [prompt[length:] for prompt, (_, length) in zip(prompts, matches, strict=True)]
    longest, width = max(length for _, length in matches), max(map(len, rests))
    pad, eos = tokenizer.pad_token_id, tokenizer.eos_token_id
    ids = torch.tensor([[pad] * (longest + width - len(rest)) + list(rest) for rest in rests], device=model.device)
    mask = torch.tensor(
        [
            [0] * (longest - length) + [1] * length + [0] * (width - len(rest)) + [1] * len(rest)
            for rest, (_, length) in zip(rests, matches, strict=True)
        ],
        device=model.device,
    )
    sampling = {"do_sample": True, "temperature": temperature, "top_k": 0, "top_p": 1.0} if temperature else {}
    with torch.no_grad():
        generated = model.generate(
            input_ids=ids,
            attention_mask=mask,
            past_key_values=joined(matches),
            max_new_tokens=max_new_tokens,
            pad_token_id=pad,
            eos_token_id=eos,
            return_dict_in_generate=True,
            **(sampling or {"do_sample": False}),
        )
    outputs = [_cut(row, eos) for row in generated.sequences[:, longest + width :].tolist()]
    if cache:
        # The last new token has not been read; what follows the end of a row is padding.
        n_new = generated.past_key_values.get_seq_length() - longest - width
        new = [[1] * min(len(output), n_new) + [0] * (n_new - len(output)) for output in outputs]
        read = torch.cat([mask, torch.tensor(new, dtype=mask.dtype, device=mask.device)], 1)
        rows = [[*prompt, *output] for prompt, output in zip(prompts, outputs, strict=True)]
        cache.remember(rows, read, generated.past_key_values)
    return outputs


def _cut(ids: list[int], eos: int) -> list[int]:
    return ids[: ids.index(eos) + 1] if eos in ids else ids


class LocalAgent:
    """A language model as an agent, decoding greedily."""

    def __init__(
        self,
        model: "PreTrainedModel",
        tokenizer: "PreTrainedTokenizerBase",
        name: str,
        batch_size: int = 64,
        message_tokens: int = MESSAGE_TOKENS,
    ):
        """Wrap a loaded model.

        Args:
            model: The language model.
            tokenizer: Its tokenizer, with a chat template for tools.
            name: The name in records, usually the recipe.
            batch_size: Most histories continued together.
            message_tokens: Most tokens of one message.
        """
        self.model = model.eval()
        self.tokenizer = tokenizer
        self.name = name
        self.batch_size = batch_size
        self.message_tokens = message_tokens
        self.key_order = key_order_of(model)
        self.cache = PrefixCache()

    @classmethod
    def load(cls, source: str | Path, name: str, profile: Profile) -> "LocalAgent":
        """Load the model of a folder or name with the sizes of a profile; see `load_model`."""
        model, tokenizer = load_model(source, profile.fp32)
        return cls(model, tokenizer, name, profile.eval_batch, profile.message_tokens)

    def act(self, turns: Sequence[Turn]) -> list[str]:
        """Return the next assistant message for every turn."""
        if all(message["role"] != "assistant" for turn in turns for message in turn.messages):
            # So that nothing depends, be it by rounding, on which episodes were played before.
            self.cache = PrefixCache()
        prompts = [render_ids(self.tokenizer, turn.messages, turn.task, self.key_order) for turn in turns]
        outputs = generate_ids(
            self.model, self.tokenizer, prompts, self.message_tokens, batch_size=self.batch_size, cache=self.cache
        )
        return [decode_message(self.tokenizer, ids) for ids in outputs]


def decode_message(tokenizer: "PreTrainedTokenizerBase", ids: Sequence[int]) -> str:
    """Return the text of a generated message without its end-of-sequence token."""
    return tokenizer.decode([i for i in ids if i != tokenizer.eos_token_id], skip_special_tokens=False)
