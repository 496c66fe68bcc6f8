"""Loading for training, with adapters where the profile asks for them."""

from dataclasses import replace

import pytest
import torch

from openagent_lib.agents.local import load_model
from openagent_lib.config import PROFILES
from openagent_lib.errors import CheckpointError
from openagent_lib.training.backbone import LORA_TARGETS, load_for_training, uses_unsloth

SMOKE = PROFILES["smoke"]


def test_without_a_gpu_unsloth_is_not_used(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert not uses_unsloth()


def test_without_the_package_unsloth_is_not_used(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert not uses_unsloth()


def test_without_adapters_every_parameter_is_trained(tiny_backbone):
    model, tokenizer = load_for_training(str(tiny_backbone), SMOKE)
    assert all(parameter.requires_grad and parameter.dtype == torch.float32 for parameter in model.parameters())
    assert tokenizer.padding_side == "left"


def test_with_adapters_only_they_are_trained_and_they_load_again(tiny_backbone, tmp_path):
    profile = replace(SMOKE, lora_rank=2)
    model, tokenizer = load_for_training(str(tiny_backbone), profile)
    trained = [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    assert len(trained) == 2 * 2 * len(LORA_TARGETS)
    assert all("lora" in name for name in trained)
    for name, parameter in model.named_parameters():
        if "lora_B" in name:
            parameter.data.fill_(0.5)
    model.save_pretrained(tmp_path / "final")
    tokenizer.save_pretrained(tmp_path / "final")
    ids = torch.tensor([[5, 6, 7]])
    loaded = load_model(tmp_path / "final")[0]
    with torch.no_grad():
        assert torch.allclose(loaded(ids).logits, model(ids).logits, atol=1e-5)
    again, _ = load_for_training(str(tmp_path / "final"), profile)
    assert hasattr(again, "peft_config")


def test_a_missing_backbone_is_one_clear_line(tmp_path):
    with pytest.raises(CheckpointError) as caught:
        load_for_training(str(tmp_path / "none"), SMOKE)
    assert len(str(caught.value).splitlines()) == 1
