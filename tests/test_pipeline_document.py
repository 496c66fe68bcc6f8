from pathlib import Path

import pytest
from scratch_project import cell, write_notebook

from openagent_lib.errors import ConfigError, PipelineError
from openagent_lib.pipeline import document, execute, pairing


def _notebook(*cells: dict) -> dict:
    return pairing.bare_notebook(list(cells))


def test_parameters_are_read_with_their_defaults() -> None:
    text = '"""Why."""\nprofile: str = "cpu"  # size\nseed: int = -1\nshares = (0.1, 0.2)\n'
    found = document.parameters(_notebook(cell("p", text, ("parameters",))), "n")
    assert found == {"profile": "cpu", "seed": -1, "shares": (0.1, 0.2)}


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([cell("p", "a = 1")], "exactly one cell tagged 'parameters', found 0"),
        ([cell("p", "a = 1", ("parameters",)), cell("q", "b = 1", ("parameters",))], "found 2"),
        ([cell("p", "a = b", ("parameters",))], "literals only in the parameters cell, found 'a = b'"),
        ([cell("p", "a = f()", ("parameters",))], "found 'a = f\\(\\)'"),
        ([cell("p", "import os", ("parameters",))], "found 'import os'"),
        ([cell("p", "a: int", ("parameters",))], "found 'a: int'"),
    ],
)
def test_a_wrong_parameters_cell_is_named(cells: list[dict], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        document.parameters(_notebook(*cells), "n")


@pytest.mark.parametrize("key", ["kernelspec", "language_info"])
def test_a_notebook_without_kernel_or_language_is_refused(key: str) -> None:
    notebook = _notebook(cell("p", "a = 1", ("parameters",)))
    notebook["metadata"] = {name: value for name, value in notebook["metadata"].items() if name != key}
    with pytest.raises(ConfigError, match="expected kernelspec 'python3' and language 'python'"):
        document.check_kernel(notebook, "n")


def test_another_kernel_is_refused() -> None:
    notebook = _notebook()
    notebook["metadata"] = notebook["metadata"] | {"kernelspec": {"name": "my-env"}}
    with pytest.raises(ConfigError, match="found 'my-env'"):
        document.check_kernel(notebook, "n")


def test_a_misspelt_parameter_fails_with_the_nearest_name(tmp_path: Path) -> None:
    write_notebook(tmp_path / "n.ipynb")
    with pytest.raises(ConfigError, match=r"unknown parameter of n\.ipynb 'sead'.* did you mean 'seed'\?"):
        execute.check(tmp_path, tmp_path / "n.ipynb", {"sead": 1})


@pytest.mark.parametrize("content", [None, "no JSON", "[]", '{"cells": []}'])
def test_a_missing_or_broken_notebook_is_one_clear_line(tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "n.ipynb"
    if content is not None:
        path.write_text(content)
    with pytest.raises(PipelineError, match=r"^expected a notebook at .*n\.ipynb, found"):
        document.load(path)
