"""The whole chain at the smallest profile: build, train, evaluate, draw; then nothing is left to do."""

import json
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import reference_outputs
from pytest_notebook.diffing import diff_notebooks

from openagent_lib import paths
from openagent_lib.config import RECIPES
from openagent_lib.pipeline import artefact, document, runner, staleness
from openagent_lib.pipeline.run import Run, open_run
from openagent_lib.pipeline.stage import STAGES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def smoke(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, runner.Report]:
    run = open_run("smoke", 0, run_dir=tmp_path_factory.mktemp("smoke") / "run")
    return run, runner.run(run)


def test_every_stage_ends_with_a_receipt(smoke: tuple[Run, runner.Report]) -> None:
    run, report = smoke
    assert report.failed == {} and report.skipped == []
    assert report.done == [stage.name for stage in STAGES]
    for stage in STAGES:
        proof = json.loads((run.folder / "receipts" / f"{stage.name}.json").read_text())
        assert proof["profile"] == "smoke" and proof["cells"] > 3 and proof["peak_memory_mb"] > 0


def test_every_declared_artefact_is_there_and_opens(smoke: tuple[Run, runner.Report]) -> None:
    run, _ = smoke
    for stage in STAGES:
        declared = (*stage.writes, *stage.volatile)
        assert artefact.unmatched(run.folder, declared) == []
        for path in artefact.expand(run.folder, declared).values():
            artefact.validate(path)


def test_a_second_call_says_so_within_ten_seconds(smoke: tuple[Run, runner.Report]) -> None:
    run, _ = smoke
    command = [sys.executable, "-m", "openagent_lib", "run", "--profile", "smoke", "--run-dir", str(run.folder)]
    start = time.monotonic()
    result = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("nothing to do: every stage is fresh")
    assert time.monotonic() - start < 10


def test_nothing_is_stale(smoke: tuple[Run, runner.Report]) -> None:
    run, _ = smoke
    assert all(reasons == [] for reasons in staleness.status(run).values())


def test_the_run_leaves_nothing_outside_its_folder(smoke: tuple[Run, runner.Report]) -> None:
    run, _ = smoke
    leftovers = [path for path in Path(run.folder / "notebooks").glob("**/*") if path.name.startswith(".")]
    assert leftovers == []


@pytest.mark.parametrize("name", reference_outputs.NOTEBOOKS)
def test_a_notebook_prints_what_its_reference_prints(smoke: tuple[Run, runner.Report], name: str) -> None:
    run, _ = smoke
    reference = nbformat.read(reference_outputs.REFERENCE / f"{name}.ipynb", as_version=4)
    found = reference_outputs.masked(document.load(run.folder / "notebooks" / f"{name}.ipynb"), name)
    difference = diff_notebooks(reference, nbformat.from_dict(found))
    assert not difference, "\n".join(map(str, difference)) + "\nif intended: python tests/reference_outputs.py RUN_DIR"


def test_real_numbers_of_the_run_are_whole(smoke: tuple[Run, runner.Report]) -> None:
    run, _ = smoke
    results = pd.read_csv(run.folder / "tables" / "results.csv")
    assert set(results["recipe"]) == set(RECIPES)
    assert results["rate"].between(0, 100).all()
    assert (results["low"] <= results["rate"] + 1e-9).all() and (results["rate"] <= results["high"] + 1e-9).all()
    sizes = results.groupby("shift")["n"].nunique()
    assert (sizes == 1).all(), "every recipe is evaluated on the same tasks"
