from pathlib import Path

import pytest

from openagent_lib import paths
from openagent_lib.config import PROFILES
from openagent_lib.errors import ConfigError
from openagent_lib.pipeline.notebook import start


def test_a_notebook_opens_its_run_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.chdir("/")
    run = start("smoke", 3, "runs/elsewhere")
    assert (run.profile, run.seed, run.folder) == (PROFILES["smoke"], 3, tmp_path / "runs" / "elsewhere")
    assert run.folder.is_dir()


def test_an_empty_folder_is_the_default_of_profile_and_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "RUNS", tmp_path)
    assert start("cpu", 0).folder == tmp_path / "cpu-s0"


def test_an_absolute_folder_is_taken_as_it_is(tmp_path: Path) -> None:
    assert start("cpu", 0, str(tmp_path / "x")).folder == tmp_path / "x"


def test_an_unknown_profile_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'smoke'"):
        start("smokey", 0)
