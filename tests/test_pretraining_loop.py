"""The pre-training loop: exact resumption, clear checkpoint errors, a usable export, heads that copy from the start."""

import functools
import json

import pytest
import torch
from torch.nn import functional
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2ForCausalLM

from openagent_lib.errors import CheckpointError
from openagent_lib.pretraining import loop
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.pretraining.loop import CHECKPOINT, LOG, pretrain
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.pretraining.trainer import Settings, Trainer

TINY = {
    "layers": 4,
    "hidden": 32,
    "heads": 1,
    "head_width": 32,
    "processes": 1,
    "vocabulary": 400,
    "batch_tokens": 600,
    "chunk": 12,
    "score_episodes": 0,
    "checkpoint_every": 4000,
    "drills": False,
}
TOKENS = 14_000


@pytest.fixture(scope="module", autouse=True)
def one_tokenizer():
    """Train the tokenizer once for all tests of this file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop, "build_tokenizer", functools.cache(lambda seed, size, **_: build_tokenizer(0, size, 200)))
        yield


def weights(folder):
    return AutoModelForCausalLM.from_pretrained(folder).state_dict()


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    return pretrain(tmp_path_factory.mktemp("straight"), seed=1, tokens=TOKENS, threads=1, **TINY)


@pytest.mark.parametrize("stop", [2, 5])
def test_resuming_after_a_stop_gives_the_same_weights(straight, tmp_path, stop):
    pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, max_steps=stop, **TINY)
    pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, **TINY)
    expected, found = weights(straight), weights(tmp_path)
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_resuming_within_the_drills_gives_the_same_weights(tmp_path):
    settings = TINY | {"drills": True}
    pretrain(tmp_path / "straight", seed=1, tokens=TOKENS, threads=1, **settings)
    pretrain(tmp_path / "again", seed=1, tokens=TOKENS, threads=1, max_steps=7, **settings)
    pretrain(tmp_path / "again", seed=1, tokens=TOKENS, threads=1, **settings)
    expected, found = weights(tmp_path / "straight"), weights(tmp_path / "again")
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_resuming_a_training_of_two_processes_gives_the_same_weights(tmp_path):
    settings = TINY | {"processes": 2}
    pretrain(tmp_path / "straight", seed=1, tokens=TOKENS, threads=1, **settings)
    pretrain(tmp_path / "again", seed=1, tokens=TOKENS, threads=1, max_steps=11, **settings)
    pretrain(tmp_path / "again", seed=1, tokens=TOKENS, threads=1, **settings)
    expected, found = weights(tmp_path / "straight"), weights(tmp_path / "again")
    assert all(torch.equal(expected[name], found[name]) for name in expected)
    rows = [json.loads(line) for line in (tmp_path / "again" / LOG).read_text().splitlines()]
    assert [row["kind"] for row in rows].count("end") == 1


def test_training_without_guides_leaves_none_in_the_checkpoint(tmp_path):
    pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, max_steps=2, guide=0.0, **TINY)
    assert torch.load(tmp_path / CHECKPOINT, weights_only=True)["guides"] == {}


def test_resuming_after_an_abrupt_death_gives_the_same_weights(straight, tmp_path, monkeypatch):
    advance = Trainer.advance

    def die(self):
        if self.tokens > 9000:
            raise KeyboardInterrupt
        advance(self)

    monkeypatch.setattr(Trainer, "advance", die)
    with pytest.raises(KeyboardInterrupt):
        pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, **TINY)
    monkeypatch.undo()
    pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, **TINY)
    expected, found = weights(straight), weights(tmp_path)
    assert all(torch.equal(expected[name], found[name]) for name in expected)


def test_export_is_an_ordinary_model_folder(straight):
    tokenizer = AutoTokenizer.from_pretrained(straight)
    assert "tool_response" in tokenizer.chat_template
    assert tokenizer.eos_token == "<|im_end|>"
    assert not (straight / CHECKPOINT).exists()
    assert not list(straight.glob(".*.tmp"))


def test_log_rows_are_json_in_order_of_steps(straight):
    rows = [json.loads(line) for line in (straight / LOG).read_text().splitlines()]
    assert rows[0]["kind"] == "start" and rows[-1]["kind"] == "end"
    assert [row["step"] for row in rows] == sorted(row["step"] for row in rows)
    assert rows[-1]["tokens"] >= TOKENS


def test_damaged_checkpoint_is_one_clear_line(tmp_path):
    (tmp_path / CHECKPOINT).write_bytes(b"not a checkpoint")
    with pytest.raises(CheckpointError, match="damaged") as caught:
        pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, **TINY)
    assert "\n" not in str(caught.value)


def test_checkpoint_of_other_settings_is_one_clear_line(tmp_path):
    pretrain(tmp_path, seed=1, tokens=TOKENS, threads=1, max_steps=1, **TINY)
    with pytest.raises(CheckpointError, match="resume=False") as caught:
        pretrain(tmp_path, seed=2, tokens=TOKENS, threads=1, **TINY)
    assert "\n" not in str(caught.value)


def test_learning_rate_ends_at_zero(straight):
    last = [json.loads(line) for line in (straight / LOG).read_text().splitlines()][-1]
    assert last["learning_rate"] == 0.0


def test_settings_digest_changes_with_every_field():
    assert Settings(seed=0).digest != Settings(seed=1).digest != Settings(layers=2).digest


def copying(model):
    source = torch.Generator().manual_seed(3)
    ids = torch.randint(3, 500, (8, 20), generator=source).repeat(1, 3)
    with torch.no_grad():
        logits = model(input_ids=ids).logits[:, 25:-1]
    target = ids[:, 26:]
    right = (logits.argmax(-1) == target).float().mean().item()
    return functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1)).item(), right


def test_induction_initialisation_copies_and_random_initialisation_does_not():
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(miniature_config(500, 0, 2))
    plain_loss, plain_right = copying(model)
    apply_induction(model)
    loss, right = copying(model)
    assert plain_right < 0.05 < 0.15 < right
    assert loss < plain_loss - 1.0
