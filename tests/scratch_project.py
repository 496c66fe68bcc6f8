"""Scratch repositories with tiny notebooks, for the tests of the pipeline."""

from pathlib import Path

from openagent_lib.pipeline import pairing
from openagent_lib.pipeline.stage import Project, Stage

PARAMETERS = 'profile: str = "cpu"\nseed: int = 0\nrun_dir: str = ""\n'


def cell(identifier: str, source: str, tags: tuple[str, ...] = (), kind: str = "code") -> dict:
    """Return one cell."""
    metadata = {"tags": list(tags)} if tags else {}
    return pairing.bare_cell({"cell_type": kind, "id": identifier, "metadata": metadata, "source": source})


def write_notebook(path: Path, *sources: str, parameters: str = PARAMETERS) -> None:
    """Write a notebook with a title, a parameters cell and one code cell per source."""
    cells = [cell("title", "# A title", kind="markdown"), cell("parameters", parameters, ("parameters",))]
    cells += [cell(f"code-{index}", source) for index, source in enumerate(sources)]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(pairing.dumps(pairing.bare_notebook(cells)))


def make_project(root: Path, library: dict[str, str], notebooks: dict[str, tuple[str, ...]], *stages: Stage) -> Project:
    """Return a repository with a package `scratchlib`, notebooks by name, a lock and a chain."""
    for name, text in library.items():
        path = root / "scratchlib" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, sources in notebooks.items():
        write_notebook(root / "notebooks" / f"{name}.ipynb", *sources)
    (root / "requirements.lock").write_text("one==1\n")
    return Project(root=root, stages=stages, package="scratchlib")
