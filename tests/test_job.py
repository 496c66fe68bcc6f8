"""One training run on disk: whose it is, who holds it, and when it has ended."""

import fcntl
import json
from dataclasses import replace

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.errors import CheckpointError
from openagent_lib.training import job as job_module
from openagent_lib.training.checkpoint import RESUME_FILES, mark_complete
from openagent_lib.training.job import Job


class Saved:
    """Stands for a model or a tokenizer."""

    def __init__(self, name, content=b"weights"):
        self.name, self.content = name, content

    def save_pretrained(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.name).write_bytes(self.content)


MODEL, TOKENIZER = Saved("model.safetensors"), Saved("tokenizer.json")


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    Saved("model.safetensors", b"start").save_pretrained(folder)
    return folder


@pytest.fixture
def job(tmp_path, source):
    return Job("sft", PROFILES["smoke"], 0, tmp_path / "run" / "training" / "sft", str(source))


def finish(job):
    with job.opened():
        job.finish(MODEL, TOKENIZER)


def test_a_fresh_run_starts_without_a_checkpoint_and_notes_its_settings(job):
    with job.opened() as checkpoint:
        assert checkpoint is None
    assert json.loads((job.out / "settings.json").read_text()) == json.loads(json.dumps(job.settings()))


def test_a_run_is_done_once_it_has_finished(job):
    assert not job.is_done()
    finish(job)
    assert job.is_done()
    assert sorted(file.name for file in job.final.iterdir()) == ["model.safetensors", "tokenizer.json"]


def test_finishing_drops_what_only_a_resumption_needs(job):
    folder = job.out / "checkpoint-2"
    with job.opened():
        folder.mkdir()
        for name in ("model.safetensors", *RESUME_FILES):
            (folder / name).write_bytes(b"x")
        mark_complete(folder)
        job.finish(MODEL, TOKENIZER)
    assert (folder / "model.safetensors").exists()
    assert not any((folder / name).exists() for name in RESUME_FILES)


@pytest.mark.parametrize("content", ["", "{", "null", "[]"])
def test_a_broken_proof_is_no_proof(job, content):
    finish(job)
    (job.out / "done.json").write_text(content)
    assert not job.is_done()


def test_a_model_that_changed_or_is_gone_is_not_done(job):
    finish(job)
    (job.final / "model.safetensors").write_bytes(b"other")
    assert not job.is_done()
    (job.final / "model.safetensors").unlink()
    assert not job.is_done()


def test_the_place_of_the_run_is_not_part_of_its_settings(job, tmp_path):
    assert replace(job, out=tmp_path / "elsewhere").settings() == job.settings()


CHANGES = {
    "seed": lambda job: replace(job, seed=1),
    "recipe": lambda job: replace(job, recipe="paft"),
    "profile": lambda job: replace(job, profile=replace(job.profile, message_tokens=5)),
    "steps": lambda job: replace(job, profile=replace(job.profile, sft=replace(job.profile.sft, steps=99))),
    "source": lambda job: replace(job, source="owner/name"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_other_settings_are_not_done_and_set_the_old_run_aside(job, change, capsys):
    finish(job)
    other = change(job)
    assert not other.is_done()
    with other.opened() as checkpoint:
        assert checkpoint is None
        assert not other.final.exists()
    previous = job.out.with_name("sft.previous")
    assert (previous / "final" / "model.safetensors").read_bytes() == b"weights"
    out = capsys.readouterr().out
    assert "kept as sft.previous" in out
    assert len(out.splitlines()) == 1


def test_only_the_newest_foreign_run_is_kept(job):
    finish(job)
    for seed in (1, 2):
        with replace(job, seed=seed).opened():
            pass
    previous = json.loads((job.out.with_name("sft.previous") / "settings.json").read_text())
    assert previous["seed"] == 1


def test_other_weights_to_start_from_are_other_settings(job, source):
    before = job.settings()
    (source / "model.safetensors").write_bytes(b"retrained")
    assert job.settings() != before


def test_another_stage_is_other_settings(job, monkeypatch):
    before = job.settings()
    monkeypatch.setenv("OPENAGENT_STAGE_KEY", "other code")
    assert job.settings() != before


@pytest.mark.parametrize("content", ["", "{", "[]"])
def test_unreadable_settings_are_set_aside(job, content):
    job.out.mkdir(parents=True)
    (job.out / "settings.json").write_text(content)
    with job.opened() as checkpoint:
        assert checkpoint is None
    assert (job.out.with_name("sft.previous") / "settings.json").read_text() == content


def test_a_folder_without_settings_is_set_aside(job):
    (job.out / "checkpoint-2").mkdir(parents=True)
    with job.opened() as checkpoint:
        assert checkpoint is None
    assert (job.out.with_name("sft.previous") / "checkpoint-2").is_dir()


def test_the_same_settings_resume_from_the_newest_checkpoint(job):
    with job.opened():
        folder = job.out / "checkpoint-2"
        folder.mkdir()
        (folder / "optimizer.pt").write_bytes(b"x")
        mark_complete(folder)
    with job.opened() as checkpoint:
        assert checkpoint == folder


def test_a_run_that_another_process_holds_is_refused_in_one_line(job, monkeypatch):
    monkeypatch.setattr(job_module, "LOCK_SECONDS", 0)
    monkeypatch.setattr(job_module.time, "sleep", lambda seconds: None)
    job.out.parent.mkdir(parents=True)
    with open(job.out.parent / ".sft.lock", "a+") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(CheckpointError, match="another process trains") as caught, job.opened():
            pass
    assert len(str(caught.value).splitlines()) == 1
    with job.opened():
        pass


def test_the_lock_is_given_back_after_a_failure(job, monkeypatch):
    monkeypatch.setattr(job_module, "LOCK_SECONDS", 0)
    with pytest.raises(KeyError), job.opened():
        raise KeyError("boom")
    with job.opened():
        pass


def test_a_death_while_writing_the_model_leaves_the_run_undone(job):
    class Dying(Saved):
        def save_pretrained(self, folder):
            super().save_pretrained(folder)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), job.opened():
        job.finish(Dying("model.safetensors", b"half"), TOKENIZER)
    assert not job.final.exists()
    assert not job.is_done()
    finish(job)
    assert (job.final / "model.safetensors").read_bytes() == b"weights"
