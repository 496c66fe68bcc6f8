import hashlib
import shutil
from importlib import metadata
from pathlib import Path

import pytest

from openagent_lib import doctor, paths
from openagent_lib.evaluation import data_card
from openagent_lib.evaluation.suite import build_benchmark, write_benchmark
from openagent_lib.pipeline.stage import STAGES
from openagent_lib.sandbox.dataset import write_tasks


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder in which nothing is missing."""
    (tmp_path / "requirements.lock").write_text(f"# pins\npytest=={metadata.version('pytest')}\n")
    backbone = tmp_path / "data" / "backbone"
    backbone.mkdir(parents=True)
    sums = ""
    for name in doctor.BACKBONE_FILES:
        (backbone / name).write_text(name)
        sums += f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n"
    (backbone / doctor.SUMS).write_text(sums)
    for stage in STAGES:
        path = tmp_path / "notebooks" / stage.notebook
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")
    parts = build_benchmark(0, 10, 20, 1)
    for name, part in parts.items():
        write_tasks(tmp_path / "data" / "tasks" / f"{name}.parquet", part.tasks, part.conversations)
    (tmp_path / "data" / "DATA_CARD.md").write_text(data_card.blocks(parts)["hashes"])
    return tmp_path


def finding(root: Path, subject: str) -> doctor.Finding:
    (found,) = (finding for finding in doctor.examine(root) if finding.subject == subject)
    return found


def test_a_whole_machine_is_ready(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert doctor.report(root) == 0
    output = capsys.readouterr().out
    assert output.endswith("ready\n") and "MISS" not in output
    for subject in ("python", "packages", "versions", "device", "backbone", "tasks", "notebooks", "unsloth", "laptop"):
        assert f" {subject} " in output


def test_a_version_that_is_not_the_locked_one_is_named(root: Path) -> None:
    (root / "requirements.lock").write_text("pytest==0.1\nnot-there==1.0\n")
    found = finding(root, "packages")
    assert "pytest" in found.found and "(lock: 0.1)" in found.found and "not-there missing" in found.found
    assert found.fix == "make env"


def test_a_local_build_of_the_locked_version_is_right(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "requirements.lock").write_text("torch==2.13.0\n")
    monkeypatch.setattr(doctor.metadata, "version", lambda _: "2.13.0+cpu")
    assert finding(root, "packages").fix == ""


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: shutil.rmtree(folder), "missing"),
        (lambda folder: (folder / "tokenizer.json").unlink(), "tokenizer.json missing"),
        (lambda folder: (folder / "model.safetensors").write_text("other"), "model.safetensors not as in SHA256SUMS"),
        (lambda folder: (folder / "SHA256SUMS").unlink(), "SHA256SUMS missing"),
    ],
)
def test_a_damaged_backbone_is_found_and_its_fix_named(
    root: Path, damage: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(root / "data" / "backbone")
    assert message in finding(root, "backbone").found
    assert doctor.report(root) == 1
    assert "MISS backbone" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: shutil.rmtree(data / "tasks"), "train.parquet, found none"),
        (
            lambda data: (data / "tasks" / "eval.parquet").write_text("other"),
            "eval.parquet is not a readable task file",
        ),
        (lambda data: write_benchmark(data / "tasks", 1, 10, 20, 1), "train, eval not as in DATA_CARD.md"),
        (lambda data: (data / "DATA_CARD.md").unlink(), "train, eval not as in DATA_CARD.md"),
    ],
)
def test_other_tasks_than_the_released_ones_are_a_note(
    root: Path, damage: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert finding(root, "tasks").found == "train 10, eval 40, content hashes as in DATA_CARD.md"
    damage(root / "data")
    found = finding(root, "tasks")
    assert message in found.found and "python -m openagent_lib data build" in found.fix
    assert doctor.report(root) == 0 and "note tasks" in capsys.readouterr().out


def test_missing_notebooks_are_named(root: Path) -> None:
    (root / "notebooks" / "00_tour.ipynb").unlink()
    assert "00_tour" in finding(root, "notebooks").found


def test_a_gpu_that_torch_cannot_use_is_a_note(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    monkeypatch.setattr(doctor.machine, "gpus", lambda: ("Some GPU",))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    found = finding(root, "device")
    assert "make env TORCH=cuda" in found.fix and not found.required
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert finding(root, "device").fix == ""


def test_every_fix_is_a_command_or_says_what_to_do(root: Path) -> None:
    (root / "requirements.lock").unlink()
    shutil.rmtree(root / "data")
    assert all("\n" not in found.line() for found in doctor.examine(root))
    assert {found.subject for found in doctor.examine(root) if found.fix} >= {"packages", "backbone"}


def test_the_committed_tasks_are_those_of_the_data_card() -> None:
    assert finding(paths.ROOT, "tasks").fix == ""


def test_the_committed_backbone_is_the_one_of_its_hashes() -> None:
    assert finding(paths.ROOT, "backbone").fix == ""
