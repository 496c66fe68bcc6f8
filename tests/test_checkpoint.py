"""Checkpoints: whole or not there."""

import json

import pytest

from openagent_lib.errors import CheckpointError
from openagent_lib.training.checkpoint import (
    MARKER,
    RESUME_FILES,
    check_complete,
    checkpoints,
    drop_resume_state,
    latest_checkpoint,
    mark_complete,
    step_of,
)


def make(out, step, marked=True):
    folder = out / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    for name in ("model.safetensors", *RESUME_FILES):
        (folder / name).write_bytes(f"{name} {step}".encode())
    if marked:
        mark_complete(folder)
    return folder


def fails_with_one_line(function, argument, pattern):
    with pytest.raises(CheckpointError, match=pattern) as caught:
        function(argument)
    assert len(str(caught.value).splitlines()) == 1
    assert "delete" in str(caught.value)


def test_checkpoints_are_listed_by_step_and_not_by_name(tmp_path):
    for step in (100, 20, 3):
        make(tmp_path, step)
    assert [step_of(folder) for folder in checkpoints(tmp_path)] == [3, 20, 100]


def test_without_checkpoints_there_is_none(tmp_path):
    assert latest_checkpoint(tmp_path) is None
    assert latest_checkpoint(tmp_path / "none") is None


def test_the_newest_whole_checkpoint_is_taken_and_half_written_ones_are_removed(tmp_path):
    make(tmp_path, 2)
    newest = make(tmp_path, 4)
    half = make(tmp_path, 6, marked=False)
    assert latest_checkpoint(tmp_path) == newest
    assert not half.exists()


def test_if_all_are_half_written_training_starts_anew(tmp_path):
    make(tmp_path, 2, marked=False)
    assert latest_checkpoint(tmp_path) is None
    assert checkpoints(tmp_path) == []


def test_a_whole_checkpoint_passes_the_check(tmp_path):
    check_complete(make(tmp_path, 2))


@pytest.mark.parametrize("name", ["model.safetensors", *RESUME_FILES])
def test_a_changed_file_is_found(tmp_path, name):
    folder = make(tmp_path, 2)
    (folder / name).write_bytes(b"other")
    fails_with_one_line(latest_checkpoint, tmp_path, f"corrupt checkpoint checkpoint-2: expected {name} with hash")


@pytest.mark.parametrize("name", ["model.safetensors", *RESUME_FILES])
def test_a_missing_file_is_found(tmp_path, name):
    folder = make(tmp_path, 2)
    (folder / name).unlink()
    fails_with_one_line(check_complete, folder, f"expected {name} with hash .*, found no file")


@pytest.mark.parametrize("content", ["", "{", "\xff"])
def test_an_unreadable_mark_is_found(tmp_path, content):
    folder = make(tmp_path, 2)
    (folder / MARKER).write_text(content, encoding="latin-1")
    fails_with_one_line(latest_checkpoint, tmp_path, f"expected a readable {MARKER}")


@pytest.mark.parametrize("content", ["{}", "[]", "null", "3", '"x"'])
def test_a_mark_of_another_kind_is_found(tmp_path, content):
    folder = make(tmp_path, 2)
    (folder / MARKER).write_text(content)
    fails_with_one_line(latest_checkpoint, tmp_path, f"expected a readable {MARKER}")


def test_a_corrupt_older_checkpoint_does_not_matter(tmp_path):
    old, new = make(tmp_path, 2), make(tmp_path, 4)
    (old / "optimizer.pt").write_bytes(b"other")
    assert latest_checkpoint(tmp_path) == new


def test_deleting_a_corrupt_checkpoint_leads_to_the_one_before(tmp_path):
    old, new = make(tmp_path, 2), make(tmp_path, 4)
    for file in new.iterdir():
        file.unlink()
    new.rmdir()
    assert latest_checkpoint(tmp_path) == old


def test_after_training_the_weights_stay_and_the_mark_holds(tmp_path):
    folder = make(tmp_path, 2)
    drop_resume_state(tmp_path)
    assert sorted(file.name for file in folder.iterdir()) == [MARKER, "model.safetensors"]
    check_complete(folder)
    assert list(json.loads((folder / MARKER).read_text())) == ["model.safetensors"]
