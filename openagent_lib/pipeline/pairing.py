"""Notebooks and their paired text files: `notebooks/py/NAME.py` (py:percent) carries the review, the other the outputs.

In the text file each cell's marker holds its fixed id, `# %% id="train"` or `# %% [markdown] id="title"`.
"""

import json
import re
from pathlib import Path
from typing import Any

from openagent_lib.errors import ConfigError
from openagent_lib.paths import write_atomic
from openagent_lib.pipeline import document
from openagent_lib.pipeline.stage import Project

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": document.KERNEL},
    "language_info": {"file_extension": ".py", "mimetype": "text/x-python", "name": "python"},
}
IDENTIFIER = re.compile(r"[a-z][a-z0-9_-]{0,63}")


def texts(project: Project) -> list[Path]:
    """Return every paired text file, sorted."""
    return sorted((project.notebooks / "py").glob("**/*.py"))


def notebook_of(project: Project, text: Path) -> Path:
    """Return the notebook that a text file belongs to."""
    return project.notebooks / text.relative_to(project.notebooks / "py").with_suffix(".ipynb")


def text_of(project: Project, notebook: Path) -> Path:
    """Return the text file that a notebook belongs to."""
    return project.notebooks / "py" / notebook.relative_to(project.notebooks).with_suffix(".py")


def bare_cell(cell: dict[str, Any]) -> dict[str, Any]:
    """Return a cell as it is committed: id, tags, type and text, and nothing else but outputs."""
    tags = sorted(document.tags(cell))
    kept = {
        "cell_type": cell["cell_type"],
        "id": cell["id"],
        "metadata": {"tags": tags} if tags else {},
        "source": document.source(cell).splitlines(keepends=True),
    }
    if cell["cell_type"] == "code":
        kept |= {"execution_count": None, "outputs": []}
    return kept


def parse(text: Path) -> dict[str, Any]:
    """Return the notebook that a text file describes, without outputs.

    Raises:
        ConfigError: A cell has no id, an id twice, or an id that is not lower-case words joined by `-` or `_`.
    """
    import jupytext

    cells = []
    for cell in jupytext.reads(text.read_text(encoding="utf-8"), fmt="py:percent")["cells"]:
        identifier = cell["metadata"].pop("id", None)
        first = document.source(cell).strip().splitlines()[:1]
        if not isinstance(identifier, str) or not IDENTIFIER.fullmatch(identifier):
            raise ConfigError(
                f'{text.name}: expected id="words" on every cell, found {identifier!r} at {first}: name it'
            )
        if identifier in {other["id"] for other in cells}:
            raise ConfigError(f"{text.name}: expected unique cell ids, found {identifier!r} twice: rename one")
        cells.append(bare_cell(dict(cell) | {"id": identifier}))
    return bare_notebook(cells)


def bare_notebook(cells: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a notebook of these cells with the metadata that is committed."""
    return {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5}


def dumps(notebook: dict[str, Any]) -> str:
    """Return a notebook's text in the one form that is committed."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _with_outputs(notebook: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return the notebook with the outputs of those cells that are the same in the old one."""
    known = {cell.get("id"): cell for cell in old["cells"] if cell["cell_type"] == "code"}
    for cell in notebook["cells"]:
        other = known.get(cell["id"])
        if cell["cell_type"] == "code" and other and document.source(other) == document.source(cell):
            cell |= {"execution_count": other.get("execution_count"), "outputs": other.get("outputs", [])}
    return notebook


def build(project: Project) -> list[Path]:
    """Write every notebook whose text file has changed, keeping the outputs of unchanged cells.

    Returns:
        The notebooks that were written.
    """
    written = []
    for text in texts(project):
        path = notebook_of(project, text)
        notebook = parse(text)
        if path.is_file():
            notebook = _with_outputs(notebook, document.load(path))
            if notebook == document.load(path):
                continue
        write_atomic(path, dumps(notebook))
        written.append(path)
    return written


def check(project: Project) -> list[str]:
    """Return one line per notebook that is not in step with its text file or carries more than it should."""
    problems = []
    names = {notebook_of(project, text): text for text in texts(project)}
    found = {path for path in project.notebooks.glob("**/*.ipynb") if "checkpoint" not in path.name}
    for path in sorted(names.keys() | found):
        name = path.relative_to(project.notebooks).as_posix()
        if path not in names:
            problems.append(f"{name}: expected a text file py/{name[:-6]}.py, found none")
        elif not path.is_file():
            problems.append(f"{name}: expected beside its text file, found none")
        elif _differs(document.load(path), parse(names[path])):
            problems.append(
                f"{name}: expected in step with its text file and without further metadata, found otherwise"
            )
    return [f"{problem}: run `python -m openagent_lib notebooks build`" for problem in problems]


def _differs(notebook: dict[str, Any], expected: dict[str, Any]) -> bool:
    bare = {**notebook, "cells": [dict(cell) for cell in notebook["cells"]]}
    for cell in bare["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"execution_count": None, "outputs": []}
    return bare != expected


def clean(project: Project) -> list[Path]:
    """Bring edited notebooks back into their text files and strip what is not committed.

    Cells that were edited in JupyterLab win over the text file; a new cell keeps its id if that is a proper one.

    Returns:
        The text files that were written.
    """
    written = []
    for text in texts(project):
        path = notebook_of(project, text)
        if not path.is_file() or not _differs(document.load(path), parse(text)):
            continue
        notebook = document.load(path)
        bare = bare_notebook([bare_cell(cell) for cell in notebook["cells"]])
        write_atomic(text, _percent(bare))
        write_atomic(path, dumps(_with_outputs(bare, notebook)))
        written.append(text)
    return written


def _percent(notebook: dict[str, Any]) -> str:
    """Return the text file of a notebook."""
    import jupytext
    import nbformat

    node = nbformat.from_dict(notebook)
    for cell in node.cells:
        cell.source = document.source(cell)
        cell.metadata = {"id": cell.id, **cell.metadata}
    node.metadata = {"jupytext": {"notebook_metadata_filter": "-all", "cell_metadata_filter": "id,tags,-all"}}
    return jupytext.writes(node, fmt="py:percent")
