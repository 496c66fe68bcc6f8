"""One notebook through papermill, strictly: it ends with proof that every cell ran, or with one clear error."""

import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openagent_lib import paths
from openagent_lib.environment_variables import STAGE_KEY
from openagent_lib.errors import PipelineError, unknown_name
from openagent_lib.paths import write_atomic
from openagent_lib.pipeline import document, kernel
from openagent_lib.pipeline.lock import kernel_lock
from openagent_lib.pipeline.progress import Heartbeat

PREFIX = "openagent-"
OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
FIXED = {
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONHASHSEED": "0",
    "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "TQDM_DISABLE": "1",
    "PYTHONWARNINGS": "ignore:IProgress not found",
    "HF_HUB_DISABLE_TELEMETRY": "1",
}


def environment(root: Path, run_dir: Path, scratch: Path, key: str) -> dict[str, str]:
    """Return the variables of a kernel: offline unless the caller says otherwise, and away from the user's home.

    Args:
        root: Repository that holds the notebooks and their library.
        run_dir: Run directory; its kernel lock and caches lie below `.scratch`.
        scratch: Temporary folder of this one kernel.
        key: Hash of what the stage's result depends on; long jobs resume only what the same key left behind.
    """
    cache = run_dir / ".scratch"
    folders = {
        "IPYTHONDIR": scratch / "ipython",
        "MPLCONFIGDIR": cache / "matplotlib",
        "HF_DATASETS_CACHE": cache / "datasets",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    search = [str(root), str(paths.ROOT), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    variables = {name: os.environ.get(name, value) for name, value in OFFLINE.items()} | FIXED
    variables |= {name: str(folder) for name, folder in folders.items()}
    variables["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(search))
    variables[STAGE_KEY] = key
    variables[kernel.RUNNER] = str(os.getpid())
    variables[kernel.LOCK] = str(kernel_lock(run_dir))
    return variables


def _kernel_manager(variables: Mapping[str, str], scratch: Path, started: list[Any]) -> type:
    """Return a kernel manager class whose `python3` is this interpreter, reached through sockets in a private folder.

    No kernel specification is looked up anywhere, and nothing listens on a network port.
    """
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    command = [sys.executable, "-m", kernel.__name__, "-f", "{connection_file}", "--quiet"]
    specification = KernelSpec(argv=command, display_name="Python 3", language="python", env=dict(variables))

    class Manager(AsyncKernelManager):
        """The kernel manager of one notebook."""

        kernel_spec = specification

        def __init__(self, **settings: Any) -> None:
            super().__init__(transport="ipc", connection_file=str(scratch / "kernel.json"), **settings)
            started.append(self)

    return Manager


def check(project_root: Path, path: Path, parameters: Mapping[str, Any]) -> None:
    """Check before the start what papermill would let pass: kernel, parameters cell, parameter names.

    Raises:
        PipelineError: The notebook is missing or unreadable.
        ConfigError: Wrong kernel, wrong parameters cell or an unknown parameter.
    """
    name = path.relative_to(project_root).as_posix()
    notebook = document.load(path)
    document.check_kernel(notebook, name)
    declared = document.parameters(notebook, name)
    for parameter in parameters:
        if parameter not in declared:
            raise unknown_name(f"parameter of {name}", parameter, declared)


def _one_line(text: object, limit: int = 300) -> str:
    return " ".join(str(text).split())[:limit]


def proof(path: Path) -> int:
    """Check that every code cell of an executed notebook ran to its end without an error.

    Args:
        path: Executed notebook, as papermill left it.

    Returns:
        The number of code cells.

    Raises:
        PipelineError: A cell failed, exited or did not run.
    """
    cells = document.run_cells(document.load(path))
    for cell in cells:
        where = f"cell {cell.get('id')!r}"
        for output in cell["outputs"]:
            if output["output_type"] == "error" and output["ename"] == "SystemExit":
                raise PipelineError(f"{where} called exit: a notebook must run through to its last cell")
            if output["output_type"] == "error":
                raise PipelineError(f"{where} raised {output['ename']}: {_one_line(output['evalue'])}")
        if cell.get("execution_count") is None:
            raise PipelineError(f"{where} did not run")
        if cell["metadata"].get("papermill", {}).get("status") != "completed":
            raise PipelineError(f"{where} did not end")
    return len(cells)


@dataclass(frozen=True)
class Job:
    """One execution of one notebook.

    Attributes:
        root: Repository; the kernel's working directory.
        source: Notebook to execute.
        target: File to write; it holds whatever was reached, also after a failure.
        run_dir: Run directory, absolute.
        parameters: Values for the notebook's parameters.
        key: Hash of what the result depends on.
    """

    root: Path
    source: Path
    target: Path
    run_dir: Path
    parameters: Mapping[str, Any]
    key: str = ""


def execute(job: Job, heartbeat: Heartbeat) -> int:
    """Execute a notebook into its target file and prove it.

    Args:
        job: What to execute.
        heartbeat: Told about cells and the kernel's process.

    Returns:
        The number of code cells executed.

    Raises:
        ConfigError: The notebook or a parameter is not as it must be; nothing was executed.
        PipelineError: A cell failed, exited or did not run, or the kernel died.
    """
    check(job.root, job.source, job.parameters)
    with _temporary_folder(job.run_dir) as scratch:
        _papermill(job, heartbeat, scratch)
    return proof(job.target)


@contextmanager
def _temporary_folder(run_dir: Path) -> Iterator[Path]:
    """Make a folder for one kernel (its sockets need a short path), and remove the one that a killed runner left."""
    note = run_dir / ".scratch" / "temporary.txt"
    if note.is_file() and Path(note.read_text()).name.startswith(PREFIX):
        shutil.rmtree(note.read_text(), ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    write_atomic(note, str(folder))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        note.unlink(missing_ok=True)


def _papermill(job: Job, heartbeat: Heartbeat, scratch: Path) -> None:
    from nbclient.exceptions import DeadKernelError
    from papermill import execute_notebook
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.CRITICAL)
    started: list[Any] = []

    def on_cell(cell: Any, cell_index: int) -> None:
        heartbeat.process = getattr(started[-1].provisioner, "pid", None)
        heartbeat.cell = f"cell {cell.get('id') or cell_index}"

    try:
        execute_notebook(
            str(job.source),
            str(job.target),
            parameters=dict(job.parameters),
            kernel_name=document.KERNEL,
            progress_bar=False,
            cwd=str(job.root),
            start_timeout=120,
            kernel_manager_class=_kernel_manager(
                environment(job.root, job.run_dir, scratch, job.key), scratch, started
            ),
            on_cell_start=on_cell,
        )
    except PapermillExecutionError:
        proof(job.target)
        raise
    except Exception as error:
        where = heartbeat.cell or "the start, before the first cell"
        if isinstance(error, DeadKernelError) or "Kernel died" in str(error):
            fix = "free memory or take a smaller profile, then run again"
            raise PipelineError(f"kernel died, probably memory, in {where}: {fix}") from error
        raise PipelineError(f"papermill stopped in {where} by {type(error).__name__}: {_one_line(error)}") from error
