"""Write a backbone as an ordinary model folder, every file by atomic rename."""

import tempfile
from pathlib import Path

from safetensors.torch import save
from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

from openagent_lib.paths import write_atomic

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja")


def export_model(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerFast, folder: Path) -> None:
    """Write weights, configuration, tokenizer and chat template.

    Args:
        model: The model, in fp32.
        tokenizer: Its tokenizer.
        folder: Where to; made if it does not exist.
    """
    model.config.architectures = [type(model).__name__]
    weights = {name: value.detach().contiguous() for name, value in model.state_dict().items()}
    with tempfile.TemporaryDirectory() as name:
        tokenizer.save_pretrained(name)
        for file in TOKENIZER_FILES:
            write_atomic(folder / file, (Path(name) / file).read_bytes())
    write_atomic(folder / "config.json", model.config.to_json_string(use_diff=True))
    write_atomic(folder / "model.safetensors", save(weights, metadata={"format": "pt"}))
