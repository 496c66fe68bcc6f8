"""Reading copies: executed notebooks, cleaned so that the same results give the same bytes."""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from openagent_lib.errors import DataError, PipelineError
from openagent_lib.paths import write_atomic
from openagent_lib.pipeline import document, pairing, receipt
from openagent_lib.pipeline.run import Run

LIMIT_KB = 400
PRIVATE = re.compile(r"(?<![\w:/.])/(?:home|root|tmp|Users|work|var|mnt|private|opt)/[\w.-]+")


def _output(output: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in output.items() if key not in ("metadata", "execution_count")}
    if output["output_type"] in ("display_data", "execute_result"):
        kept["metadata"] = {}
        kept["data"] = {kind: value for kind, value in output["data"].items() if "widget" not in kind}
    if output["output_type"] == "execute_result":
        kept["execution_count"] = None
    return kept


def _joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the outputs with neighbouring prints as one: how a kernel cuts them depends on timing."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        if output["output_type"] == "stream":
            text = "".join(output["text"])
            if joined and joined[-1]["output_type"] == "stream":
                text = "".join(joined.pop()["text"]) + text
            output = output | {"text": text.splitlines(keepends=True)}
        joined.append(output)
    return joined


def reading_copy(executed: dict[str, Any]) -> dict[str, Any]:
    """Return an executed notebook without what differs from run to run.

    The injected parameters, papermill's and widget metadata, timings and stderr go; execution counts are the order of
    the cells.
    """
    cells, count = [], 0
    for cell in executed["cells"]:
        if "injected-parameters" in document.tags(cell):
            continue
        kept = pairing.bare_cell(cell)
        if cell["cell_type"] == "code" and document.source(cell).strip():
            count += 1
            outputs = _joined([_output(output) for output in cell["outputs"] if output.get("name") != "stderr"])
            for output in outputs:
                if "execution_count" in output:
                    output["execution_count"] = count
            kept |= {"execution_count": count, "outputs": outputs}
        cells.append(kept)
    return pairing.bare_notebook(cells)


def _check(name: str, notebook: dict[str, Any], size: int) -> None:
    if size > LIMIT_KB * 1000:
        heaviest = max(notebook["cells"], key=lambda cell: len(str(cell.get("outputs", ""))))["id"]
        fix = f"make the outputs of cell {heaviest!r} smaller"
        raise DataError(f"{name}: expected at most {LIMIT_KB} KB, found {size // 1000}: {fix}")
    for cell in notebook["cells"]:
        found = PRIVATE.search(str(cell.get("outputs", "")))
        if found:
            where = f"found {found[0]!r} in cell {cell['id']!r}"
            raise DataError(f"{name}: expected no absolute path, {where}: print a relative one")


def results_of(run: Run) -> Path:
    """Return the folder of the published results."""
    return run.project.root / "data" / "results"


def _write(copies: dict[Path, bytes]) -> list[Path]:
    """Write the files whose content differs, and return them."""
    changed = [path for path, data in copies.items() if not path.is_file() or path.read_bytes() != data]
    for path in changed:
        write_atomic(path, copies[path])
    return changed


def publish(run: Run, only: Collection[str] = ()) -> list[Path]:
    """Copy the executed notebooks of a proven run to `notebooks/` as reading copies, each with its receipt.

    Args:
        run: A run whose stages, or those of `only`, have receipts.
        only: Names or numbers of the stages to publish; all if empty.

    Returns:
        The notebooks and receipts whose content changed.

    Raises:
        ConfigError: No stage has one of the names.
        PipelineError: A stage has no receipt, or its notebook has been edited since.
        DataError: A notebook is too large or shows an absolute path.
    """
    copies: dict[Path, str] = {}
    for stage in [run.project.stage(name) for name in only] or run.project.stages:
        name, target = stage.notebook, run.project.notebooks / stage.notebook
        if receipt.read(run.folder, stage.name) is None or not run.executed(stage).is_file():
            raise PipelineError(f"{name}: expected a proven run in {run.folder}, found none: run `make reproduce`")
        copy = reading_copy(document.load(run.executed(stage)))
        if document.code(copy) != document.code(document.load(target)):
            raise PipelineError(f"{name}: expected the code that was run, found edited cells: run `make reproduce`")
        _check(name, copy, len(pairing.dumps(copy).encode("utf-8")))
        copies[target] = pairing.dumps(copy)
        proof = receipt.path_of(run.folder, stage.name)
        copies[results_of(run) / "receipts" / proof.name] = proof.read_text(encoding="utf-8")
    return _write({path: text.encode("utf-8") for path, text in copies.items()})


def publish_results(run: Run) -> list[Path]:
    """Copy what a proven run has measured into the repository: figures, tables, records, logs, README.

    The records go without their trajectories, as `data/results/records.parquet`.

    Returns:
        The files whose content changed.
    """
    from openagent_lib.evaluation.records import load_frame
    from openagent_lib.pipeline import readme

    root, results = run.project.root, results_of(run)
    copies: dict[Path, bytes] = {}
    for pattern, target in (("figures/*", root / "figures"), ("tables/*.csv", results)):
        copies |= {target / path.name: path.read_bytes() for path in sorted(run.folder.glob(pattern))}
    for path in sorted(run.folder.glob("training/*/log.jsonl")):
        copies[results / "logs" / f"{path.parent.name}.jsonl"] = path.read_bytes()
    frame = load_frame(*sorted(run.folder.glob("records/*.jsonl")))
    copies[results / "records.parquet"] = frame.to_parquet(index=False)
    return _write(copies) + ([root / "README.md"] if readme.update(run, root / "README.md") else [])
