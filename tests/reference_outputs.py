"""What the notebooks of the smoke chain print, with everything masked that a machine's arithmetic decides.

`python tests/reference_outputs.py RUN_DIR` writes the references anew from a finished smoke run.
"""

import re
import sys
from pathlib import Path

import nbformat

from openagent_lib import paths
from openagent_lib.paths import write_atomic
from openagent_lib.pipeline import document, pairing, publish

REFERENCE = paths.ROOT / "tests" / "reference"
NOTEBOOKS = ("06_train_sft", "07_train_grpo", "08_train_paft", "09_evaluate", "10_figures")
DECIDED_BY_ARITHMETIC = {
    "06_train_sft": {"train", "outcomes"},
    "07_train_grpo": {"grpo", "sft-grpo"},
    "08_train_paft": {"train", "outcomes"},
    "09_evaluate": {"pair", "evaluate"},
    "10_figures": set(),
}
VERDICT = re.compile(r"\| (agrees|differs|not comparable) \|")
NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?|\| - (?=\|)|\bnan\b")


def masked(executed: dict, name: str) -> nbformat.NotebookNode:
    """Return the text outputs of an executed notebook as a notebook, numbers and verdicts masked, figures left out."""
    notebook = publish.reading_copy(executed)
    for cell in notebook["cells"]:
        cell["source"] = document.source(cell)
        if cell["cell_type"] != "code":
            continue
        hidden = cell["id"] in DECIDED_BY_ARITHMETIC[name]
        cell["outputs"] = [] if hidden else [_text(output) for output in cell["outputs"]]
    return nbformat.from_dict(notebook)


def _text(output: dict) -> dict:
    data = output.get("data", {})
    text = output.get("text") or data.get("text/markdown") or data.get("text/plain") or ""
    text = "".join(text)
    shown = NUMBER.sub(lambda match: "| # " if match[0].startswith("|") else "#", VERDICT.sub("| verdict |", text))
    return {"output_type": "stream", "name": "stdout", "text": shown}


def write(run_dir: Path) -> None:
    """Write the references of a finished smoke run."""
    for name in NOTEBOOKS:
        executed = document.load(run_dir / "notebooks" / f"{name}.ipynb")
        write_atomic(REFERENCE / f"{name}.ipynb", pairing.dumps(masked(executed, name)))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
