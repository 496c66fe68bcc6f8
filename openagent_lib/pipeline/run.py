"""One reproduction: which notebooks, with which parameters, into which folder."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openagent_lib import paths
from openagent_lib.errors import unknown_name
from openagent_lib.pipeline import document
from openagent_lib.pipeline.stage import PROJECT, Project, Stage


@dataclass(frozen=True)
class Run:
    """A project, run with parameters into a folder.

    Attributes:
        project: The repository.
        folder: The run directory, absolute.
        parameters: Parameters asked for; a stage gets those that its notebook declares.
    """

    project: Project
    folder: Path
    parameters: Mapping[str, Any]

    def parameters_of(self, notebook: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return the run's parameters that a notebook declares, without the run directory."""
        declared = document.parameters(notebook, name)
        return {key: value for key, value in sorted(self.parameters.items()) if key in declared}

    def parameters_for(self, stage: Stage) -> dict[str, Any]:
        """Return what the stage's notebook is given: its parameters and, where it declares one, the run directory."""
        notebook = document.load(self.project.notebooks / stage.notebook)
        values = self.parameters_of(notebook, stage.notebook)
        if "run_dir" in document.parameters(notebook, stage.notebook):
            values["run_dir"] = self.folder_parameter()
        return values

    def folder_parameter(self) -> str:
        """Return the run directory as a notebook is told it: relative to the repository where it lies inside."""
        if self.folder.is_relative_to(self.project.root):
            return self.folder.relative_to(self.project.root).as_posix()
        return str(self.folder)

    def executed(self, stage: Stage) -> Path:
        """Return where the stage's executed notebook goes."""
        return self.folder / "notebooks" / stage.notebook


def open_run(
    profile: str,
    seed: int,
    run_dir: Path | str | None = None,
    parameters: Mapping[str, Any] | None = None,
    project: Project = PROJECT,
) -> Run:
    """Return the run that profile, seed and further parameters name.

    Args:
        profile: Name of a profile.
        seed: Seed of the run, at least 0.
        run_dir: Run directory, absolute or relative to the working directory; by default that of profile and seed.
        parameters: Further notebook parameters, each declared by at least one notebook.
        project: The repository.

    Raises:
        ConfigError: No notebook declares one of the parameters.
    """
    folder = Path(run_dir) if run_dir else project.root / "runs" / paths.default_run_dir(profile, seed).name
    run = Run(project, folder.resolve(), {"profile": profile, "seed": seed} | dict(parameters or {}))
    if parameters:
        declared: set[str] = set()
        for stage in project.stages:
            path = project.notebooks / stage.notebook
            if path.is_file():
                declared |= document.parameters(document.load(path), stage.notebook).keys()
        for name in parameters:
            if name not in declared:
                raise unknown_name("parameter", name, declared)
    return run
