"""Is a stage's receipt still true, and if not, what exactly has changed?"""

from collections.abc import Mapping
from typing import Any

from openagent_lib.pipeline import artefact, document, receipt, sources
from openagent_lib.pipeline.receipt import Identity, Receipt
from openagent_lib.pipeline.run import Run
from openagent_lib.pipeline.stage import Stage


def identity(run: Run, stage: Stage) -> Identity:
    """Return what the stage's result depends on, as it is now.

    Raises:
        PipelineError: The notebook is missing.
        ConfigError: Its parameters cell is not as it must be.
    """
    notebook = document.load(run.project.notebooks / stage.notebook)
    cells = document.code(notebook)
    lock = run.project.root / run.project.lock
    return Identity(
        code=sources.code_hash("\n".join(cells)),
        parameters=run.parameters_of(notebook, stage.notebook),
        modules=sources.module_hashes(run.project.root, run.project.package, cells),
        inputs=artefact.digests(run.folder, stage.reads),
        sources=artefact.digests(run.project.root, stage.sources),
        lock=artefact.digest(lock) if lock.is_file() else "",
    )


def outputs(run: Run, stage: Stage) -> dict[str, str]:
    """Return the hash of each declared artefact, or `volatile`."""
    found = artefact.digests(run.folder, stage.writes)
    return found | dict.fromkeys(artefact.expand(run.folder, stage.volatile), receipt.VOLATILE)


def _differences(kind: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    reasons = []
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            reasons.append(f"{kind} {name} is gone")
        elif name not in old:
            reasons.append(f"{kind} {name} is new")
        elif old[name] != new[name]:
            detail = f" from {old[name]!r} to {new[name]!r}" if kind == "parameter" else ""
            reasons.append(f"{kind} {name} changed{detail}")
    return reasons


def differences(old: Identity, new: Identity) -> list[str]:
    """Return one line per part in which two identities differ."""
    reasons = ["code cells changed"] if old.code != new.code else []
    reasons += _differences("parameter", old.parameters, new.parameters)
    reasons += _differences("module", old.modules, new.modules)
    reasons += _differences("input", old.inputs, new.inputs)
    reasons += _differences("file", old.sources, new.sources)
    return reasons + (["requirements.lock changed"] if old.lock != new.lock else [])


def _artefact_reasons(run: Run, stage: Stage, proof: Receipt) -> list[str]:
    reasons = _differences("artefact", proof.outputs, outputs(run, stage))
    if not (run.folder / "notebooks" / stage.notebook).is_file():
        reasons.append("executed notebook is gone")
    return reasons


def explain(run: Run, stage: Stage) -> list[str]:
    """Return why the stage must run: one line per reason, none where its receipt holds.

    Raises:
        PipelineError: The notebook is missing.
        ConfigError: Its parameters cell is not as it must be.
    """
    proof = receipt.read(run.folder, stage.name)
    if proof is None:
        return ["interrupted before its end" if receipt.attempt(run.folder, stage.name) else "no receipt yet"]
    return differences(proof.identity, identity(run, stage)) + _artefact_reasons(run, stage, proof)


def status(run: Run) -> dict[str, list[str]]:
    """Return the reasons of every stage, by name; a stage whose own receipt holds waits for stale ones upstream."""
    found: dict[str, list[str]] = {}
    for stage in run.project.stages:
        reasons = explain(run, stage)
        waits = [f"needs {need}, which is stale" for need in stage.needs if found.get(need)]
        found[stage.name] = reasons or waits
    return found
