"""The log of a training run."""

import json
from types import SimpleNamespace

import pytest

from openagent_lib.training.checkpoint import MARKER
from openagent_lib.training.progress import LINES, LogCallback, read_log


def state(step, most=100):
    return SimpleNamespace(global_step=step, max_steps=most)


def logged(callback, step, tokens, most=100, **logs):
    callback.on_log(None, state(step, most), None, logs={"loss": 1.5, "num_tokens": tokens, **logs})


@pytest.fixture
def callback(tmp_path):
    callback = LogCallback(tmp_path, "sft")
    callback.on_train_begin(None, state(0), None)
    return callback


def test_a_line_holds_step_numbers_and_costs(callback):
    callback.extra["share_correct"] = 0.25
    logged(callback, 1, 100.0, learning_rate=1e-3)
    (row,) = read_log(callback.path)
    assert (row["step"], row["loss"], row["learning_rate"], row["share_correct"]) == (1, 1.5, 1e-3, 0.25)
    assert row["num_tokens"] == 100
    assert {"tokens_per_second", "peak_memory_mb", "seconds"} <= set(row)


def test_the_summary_at_the_end_and_empty_logs_are_not_lines(callback):
    callback.on_log(None, state(100), None, logs={"train_loss": 1.0})
    callback.on_log(None, state(100), None, logs=None)
    assert read_log(callback.path) == []


def test_a_missing_log_has_no_rows(tmp_path):
    assert read_log(tmp_path / "none.jsonl") == []


def test_a_torn_last_line_is_left_out(callback):
    logged(callback, 1, 100)
    with open(callback.path, "a") as handle:
        handle.write('{"step": 2, "lo')
    assert [row["step"] for row in read_log(callback.path)] == [1]


def test_a_resumed_run_drops_the_lines_beyond_its_checkpoint(callback):
    for step in (1, 2, 3):
        logged(callback, step, 100 * step)
    with open(callback.path, "a") as handle:
        handle.write('{"step": 4, "lo')
    again = LogCallback(callback.path.parent, "sft")
    again.on_train_begin(None, state(2), None)
    assert [row["step"] for row in read_log(callback.path)] == [1, 2]
    logged(again, 3, 90)
    assert [row["step"] for row in read_log(callback.path)] == [1, 2, 3]


@pytest.mark.parametrize("counter", [(100, 200), (300, 400)], ids=["starts anew", "goes on"])
def test_tokens_are_counted_over_a_resumption_however_the_trainer_counts(callback, counter):
    for step in (1, 2):
        logged(callback, step, 100 * step)
    again = LogCallback(callback.path.parent, "sft")
    again.on_train_begin(None, state(2), None)
    for step, tokens in zip((3, 4), counter, strict=True):
        logged(again, step, tokens)
    assert [row["num_tokens"] for row in read_log(callback.path)] == [100, 200, 300, 400]


def test_a_fresh_start_drops_every_old_line(callback):
    logged(callback, 1, 100)
    LogCallback(callback.path.parent, "sft").on_train_begin(None, state(0), None)
    assert read_log(callback.path) == []


def test_about_twenty_lines_are_shown_and_the_last_step_is_one(callback, capsys):
    for step in range(1, 101):
        logged(callback, step, 100 * step)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == LINES
    assert lines[-1].startswith("sft 100/100  loss 1.500")
    assert "left" in lines[0]


def test_a_short_run_shows_every_step(callback, capsys):
    for step in (1, 2, 3):
        logged(callback, step, 100, most=3)
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_every_line_on_disk_is_json(callback):
    logged(callback, 1, 100, reward=0.1)
    assert all(json.loads(line) for line in callback.path.read_text().splitlines())


def test_a_saved_checkpoint_is_marked_as_whole(callback, tmp_path):
    folder = tmp_path / "checkpoint-4"
    folder.mkdir()
    (folder / "optimizer.pt").write_bytes(b"x")
    callback.on_save(SimpleNamespace(output_dir=str(tmp_path)), state(4), None)
    assert list(json.loads((folder / MARKER).read_text())) == ["optimizer.pt"]
