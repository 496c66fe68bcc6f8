"""What can be said about the notebooks without running them."""

import ast
import re
from pathlib import Path

import pytest

from openagent_lib.config import PROFILES
from openagent_lib.pipeline import document, pairing
from openagent_lib.pipeline.publish import LIMIT_KB, PRIVATE
from openagent_lib.pipeline.stage import PROJECT, STAGES

NOTEBOOKS = sorted(path for path in PROJECT.notebooks.glob("**/*.ipynb") if ".ipynb_checkpoints" not in path.parts)
NAMES = [path.relative_to(PROJECT.notebooks).as_posix() for path in NOTEBOOKS]
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
MAGIC = re.compile(r"^\s*(%|!|\?|pip install)|\?$|get_ipython\(", re.MULTILINE)


def _code(path: Path) -> list[str]:
    return document.code(document.load(path))


def test_the_chain_and_the_folder_hold_the_same_notebooks() -> None:
    assert sorted(stage.notebook for stage in STAGES) == NAMES


def test_notebooks_and_text_files_are_in_step() -> None:
    assert pairing.check(PROJECT) == []


@each_notebook
def test_the_kernel_and_the_language_are_named(path: Path) -> None:
    document.check_kernel(document.load(path), path.name)


@each_notebook
def test_parameters_are_few_typed_literals(path: Path) -> None:
    notebook = document.load(path)
    parameters = document.parameters(notebook, path.name)
    assert {"profile": "cpu", "seed": 0, "run_dir": ""}.items() <= parameters.items()
    assert parameters["profile"] in PROFILES and len(parameters) <= 10
    (cell,) = (cell for cell in notebook["cells"] if "parameters" in document.tags(cell))
    lines = document.source(cell).splitlines()
    assert all(isinstance(node, ast.AnnAssign) for node in ast.parse("\n".join(lines)).body), "every parameter is typed"
    assert all("#" in line for line in lines if line.strip()), "every parameter has a comment"


@each_notebook
def test_cell_ids_are_unique(path: Path) -> None:
    ids = [cell["id"] for cell in document.load(path)["cells"]]
    assert len(ids) == len(set(ids)) and all(pairing.IDENTIFIER.fullmatch(identifier) for identifier in ids)


@each_notebook
def test_a_notebook_is_short_cells_with_prose(path: Path) -> None:
    cells = document.load(path)["cells"]
    prose = sum(cell["cell_type"] == "markdown" for cell in cells)
    assert 15 <= len(cells) <= 40
    assert cells[0]["cell_type"] == "markdown" and document.source(cells[0]).startswith("# ")
    assert cells[-1]["cell_type"] == "markdown", "the last cell answers the question"
    set_up = 2  # the parameters and the imports
    assert prose >= len(cells) - prose - set_up, "at least as much prose as code"
    for text in document.code({"cells": cells}):
        assert len(text.splitlines()) <= 20, text
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                assert node.end_lineno - node.lineno < 10, node.name


@each_notebook
def test_cells_hold_no_magic_no_installation_and_no_absolute_path(path: Path) -> None:
    for text in _code(path):
        assert not MAGIC.search(text), text
        assert not PRIVATE.search(text), text


@each_notebook
def test_a_notebook_is_light_and_free_of_traces(path: Path) -> None:
    text = path.read_text()
    assert len(text.encode()) <= LIMIT_KB * 1000
    for trace in ("application/vnd.jupyter.widget", '"papermill"', '"stderr"', "injected-parameters"):
        assert trace not in text, trace
    outputs = [str(cell.get("outputs", "")) for cell in document.load(path)["cells"]]
    assert not any(PRIVATE.search(output) for output in outputs)


@each_notebook
def test_outputs_are_those_of_one_run_in_order(path: Path) -> None:
    cells = document.run_cells(document.load(path))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1)), "run `make reproduce publish`"
