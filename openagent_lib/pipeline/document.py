"""Reading a notebook as data, without the Jupyter libraries: fast, and enough for staleness and for checks."""

import ast
import json
from pathlib import Path
from typing import Any

from openagent_lib.errors import ConfigError, PipelineError

KERNEL = "python3"


def load(path: Path) -> dict[str, Any]:
    """Return a notebook's JSON.

    Raises:
        PipelineError: The file is missing or is no notebook.
    """
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        if not {"cells", "metadata"} <= notebook.keys():
            raise ValueError
    except FileNotFoundError:
        fix = "run `python -m openagent_lib notebooks build`"
        raise PipelineError(f"expected a notebook at {path}, found none: {fix}") from None
    except (ValueError, AttributeError):
        raise PipelineError(f"expected a notebook at {path}, found other content: restore it") from None
    return notebook


def run_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the code cells that hold anything to run."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code" and source(cell).strip()]


def source(cell: dict[str, Any]) -> str:
    """Return a cell's text."""
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def tags(cell: dict[str, Any]) -> list[str]:
    """Return a cell's tags."""
    return cell.get("metadata", {}).get("tags", [])


def code(notebook: dict[str, Any]) -> list[str]:
    """Return the text of every code cell, in order."""
    return [source(cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def parameters(notebook: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the declared parameters and their defaults.

    Args:
        notebook: The notebook's JSON.
        name: The notebook's name, for the message.

    Raises:
        ConfigError: There is not exactly one cell tagged `parameters`, or it holds more than assignments of literals.
    """
    cells = [cell for cell in notebook["cells"] if "parameters" in tags(cell)]
    if len(cells) != 1:
        raise ConfigError(f"{name}: expected exactly one cell tagged 'parameters', found {len(cells)}: tag one cell")
    found: dict[str, Any] = {}
    for node in ast.parse(source(cells[0])).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        try:
            if not isinstance(node, ast.Assign | ast.AnnAssign) or len(targets) != 1:
                raise ValueError
            found[targets[0].id] = ast.literal_eval(node.value)
        except (ValueError, AttributeError, TypeError):
            line = ast.unparse(node).splitlines()[0]
            raise ConfigError(
                f"{name}: expected literals only in the parameters cell, found {line!r}: move it to another cell"
            ) from None
    return found


def check_kernel(notebook: dict[str, Any], name: str) -> None:
    """Check that the notebook asks for the kernel `python3` and names its language.

    Raises:
        ConfigError: The metadata says something else or nothing.
    """
    kernel = notebook["metadata"].get("kernelspec", {}).get("name")
    language = notebook["metadata"].get("language_info", {}).get("name")
    if (kernel, language) != (KERNEL, "python"):
        raise ConfigError(
            f"{name}: expected kernelspec {KERNEL!r} and language 'python' in the metadata, found {kernel!r} and"
            f" {language!r}: run `python -m openagent_lib notebooks build`"
        )
