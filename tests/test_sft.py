"""Supervised fine-tuning: loss on what the assistant says and nothing else, and resumption that is exact to the bit."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file
from training_case import PROFILE, TASKS, make_job, run

from openagent_lib.agents.local import load_model
from openagent_lib.errors import CheckpointError, DataError
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.sandbox.protocol import format_call
from openagent_lib.training import sft
from openagent_lib.training.checkpoint import MARKER, RESUME_FILES, checkpoints
from openagent_lib.training.progress import read_log


def weights_of(job):
    return load_file(job.final / "model.safetensors")


def same(left, right):
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


@pytest.fixture(scope="module")
def undisturbed(tiny_backbone, tmp_path_factory):
    return run("sft", tmp_path_factory.mktemp("undisturbed"), tiny_backbone)


@pytest.fixture
def killed(killed_training, tmp_path, tiny_backbone):
    shutil.copytree(killed_training, tmp_path / "run")
    return make_job("sft", tmp_path / "run", tiny_backbone)


@pytest.fixture(scope="module")
def trainer(tiny_backbone, tmp_path_factory):
    job = make_job("sft", tmp_path_factory.mktemp("trainer"), tiny_backbone)
    model, tokenizer = load_model(tiny_backbone)
    return sft._make_trainer(job, model, tokenizer, TASKS)


def texts_of(row):
    """Return what the assistant says in a training row, message by message."""
    return [
        "".join(format_call(**call["function"]) for call in message["tool_calls"])
        if message.get("tool_calls")
        else message["content"]
        for message in row["messages"]
        if message["role"] == "assistant"
    ]


def trained_pieces(tokenizer, ids, labels):
    """Return the decoded runs of trained tokens of one sequence."""
    pieces, current = [], []
    for token, label in zip(ids, labels, strict=True):
        if label != -100:
            assert label == token
            current.append(token)
        elif current:
            pieces.append(tokenizer.decode(current))
            current = []
    return [*pieces, tokenizer.decode(current)] if current else pieces


def test_the_trained_tokens_are_exactly_the_assistant_messages(trainer):
    tokenizer = trainer.processing_class
    expected = {}
    for row in training_rows(TASKS, "description_first"):
        text = tokenizer.apply_chat_template(row["messages"], tools=row["tools"], tokenize=False)
        expected[text.strip()] = texts_of(row)
    seen = 0
    for batch in trainer.get_train_dataloader():
        rows = zip(batch["input_ids"].tolist(), batch["labels"].tolist(), batch["attention_mask"].tolist(), strict=True)
        for ids, labels, mask in rows:
            assert all(label == -100 for label, real in zip(labels, mask, strict=True) if not real)
            kept = [(token, label) for token, label, real in zip(ids, labels, mask, strict=True) if real]
            text = tokenizer.decode([token for token, _ in kept]).strip()
            pieces = trained_pieces(tokenizer, *zip(*kept, strict=True))
            assert pieces == [message + tokenizer.eos_token for message in expected[text]]
            seen += 1
    assert seen == len(TASKS)


def test_headers_and_line_breaks_around_a_message_are_not_trained():
    class Words:
        eos_token_id = 9

        def decode(self, ids):
            headers = {1: "\n", 2: "\n<|im_start|>assistant\n", 3: "\n<|im_start|>user\n", 9: "<|im_end|>"}
            return headers.get(ids[0], "x")

    off = sft.IGNORED
    assert sft.own_labels([off, 1, 5, 1, 6, 9, 1, off, 2, 7, 9, 3, off, 8], Words()) == [
        off, off, 5, 1, 6, 9, off, off, off, 7, 9, off, off, 8,
    ]  # fmt: skip


def test_a_batch_without_trained_tokens_is_refused():
    batch = {"labels": torch.full((2, 5), -100)}
    with pytest.raises(DataError, match="no token of the first batch is trained") as caught:
        sft.check_trained_tokens(SimpleNamespace(get_train_dataloader=lambda: [batch]))
    assert len(str(caught.value).splitlines()) == 1
    batch["labels"][1, 3] = 7
    sft.check_trained_tokens(SimpleNamespace(get_train_dataloader=lambda: [batch]))


def test_training_without_trained_tokens_stops_before_the_first_step(tiny_backbone, tmp_path, monkeypatch):
    monkeypatch.setattr(sft, "check_trained_tokens", lambda trainer: (_ for _ in ()).throw(DataError("none")))
    job = make_job("sft", tmp_path, tiny_backbone)
    with pytest.raises(DataError):
        sft.fine_tune(job, TASKS)
    assert not job.final.exists()
    assert checkpoints(job.out) == []


def test_training_changes_the_model_and_logs_every_step_once(undisturbed, tiny_backbone):
    assert not same(weights_of(undisturbed), load_file(tiny_backbone / "model.safetensors"))
    rows = read_log(undisturbed.out / "log.jsonl")
    assert [row["step"] for row in rows] == [1, 2, 3, 4]
    assert all(row["loss"] > 0 and row["num_tokens"] > 0 for row in rows)
    assert rows == sorted(rows, key=lambda row: row["num_tokens"])


def test_the_checkpoints_keep_their_weights_and_drop_what_only_a_resumption_needs(undisturbed):
    assert [folder.name for folder in checkpoints(undisturbed.out)] == ["checkpoint-2", "checkpoint-4"]
    for folder in checkpoints(undisturbed.out):
        assert (folder / "model.safetensors").is_file()
        assert not any((folder / name).exists() for name in RESUME_FILES)
    last = load_file(undisturbed.out / "checkpoint-4" / "model.safetensors")
    assert same(last, weights_of(undisturbed)), "the last checkpoint is the final model"


def test_the_trained_model_loads_with_its_template_and_key_order(undisturbed):
    model, tokenizer = load_model(undisturbed.final)
    assert model.config.schema_key_order == "description_first"
    assert "generation" not in tokenizer.chat_template.split("add_generation_prompt")[0]


def test_a_killed_run_left_a_checkpoint_and_a_line_beyond_it(killed):
    assert [folder.name for folder in checkpoints(killed.out)] == ["checkpoint-2"]
    assert [row["step"] for row in read_log(killed.out / "log.jsonl")] == [1, 2, 3]
    assert not killed.final.exists()


def test_a_killed_run_resumes_to_the_very_same_weights_and_log(killed, undisturbed, tmp_path, tiny_backbone):
    half = killed.out / "checkpoint-3"
    shutil.copytree(killed.out / "checkpoint-2", half)
    (half / MARKER).unlink()
    (half / "model.safetensors").write_bytes(b"half")
    job = run("sft", tmp_path / "run", tiny_backbone)
    assert same(weights_of(job), weights_of(undisturbed))
    assert not half.exists(), "a checkpoint without its mark counts as never written"
    keys = ("step", "loss", "learning_rate", "num_tokens")
    found, expected = (
        [[row[key] for key in keys] for row in read_log(each.out / "log.jsonl")] for each in (job, undisturbed)
    )
    assert found == expected


@pytest.mark.parametrize("name", ["optimizer.pt", "model.safetensors", "trainer_state.json", "rng_state.pth"])
def test_a_corrupt_checkpoint_is_one_clear_line(killed, name):
    file = killed.out / "checkpoint-2" / name
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 0xFF
    file.write_bytes(data)
    with pytest.raises(CheckpointError, match=f"corrupt checkpoint checkpoint-2: expected {name}") as caught:
        sft.fine_tune(killed, TASKS)
    assert len(str(caught.value).splitlines()) == 1
    assert "delete" in str(caught.value)


def test_a_second_call_returns_at_once(undisturbed, monkeypatch, capsys):
    monkeypatch.setattr(sft, "load_for_training", lambda *given: pytest.fail("loaded a model"))
    assert sft.fine_tune(undisturbed, TASKS) == undisturbed.final
    assert capsys.readouterr().out == "sft: already trained, see final\n"


def test_a_damaged_final_model_is_made_again_from_the_last_checkpoint(undisturbed, tmp_path, tiny_backbone):
    shutil.copytree(undisturbed.out.parent.parent, tmp_path / "run")
    job = make_job("sft", tmp_path / "run", tiny_backbone)
    (job.final / "model.safetensors").write_bytes(b"broken")
    assert not job.is_done()
    run("sft", tmp_path / "run", tiny_backbone)
    assert same(weights_of(job), weights_of(undisturbed))
    assert job.is_done()


def test_the_configuration_is_that_of_the_profile(tmp_path):
    profile = replace(PROFILE, sft=replace(PROFILE.sft, steps=400, warmup=0.05, checkpoints=4))
    config = sft.sft_config(profile, 7, tmp_path)
    assert (config.max_steps, config.save_steps, config.warmup_steps, config.logging_steps) == (400, 100, 20, 4)
    assert (config.seed, config.data_seed, config.assistant_only_loss, config.packing) == (7, 7, True, False)
    assert (config.per_device_train_batch_size, config.learning_rate) == (2, 1e-3)


def test_missing_training_tasks_are_one_clear_line(tmp_path):
    with pytest.raises(DataError, match="train.parquet, found none") as caught:
        sft.train_sft("smoke", 0, tmp_path)
    assert len(str(caught.value).splitlines()) == 1
