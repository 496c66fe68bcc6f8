"""The strict runner: runs what is stale, in order, and believes nothing that it has not proven."""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from openagent_lib.errors import OpenAgentError, PipelineError
from openagent_lib.pipeline import artefact, execute, machine, receipt, staleness
from openagent_lib.pipeline.lock import locked
from openagent_lib.pipeline.progress import Clock, Heartbeat, clock, say
from openagent_lib.pipeline.receipt import Identity, Receipt
from openagent_lib.pipeline.run import Run
from openagent_lib.pipeline.stage import Stage


@dataclass
class Report:
    """What one call of the runner did, by stage name."""

    done: list[str] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    skipped: list[str] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """Return 0 where every stage is proven, 1 otherwise."""
        return 1 if self.failed or self.skipped else 0


def run(
    run: Run,
    force: Collection[str] = (),
    only: Collection[str] = (),
    say: Callable[[str], None] = say,
    interval: float = 30.0,
) -> Report:
    """Bring every stage of a run to a proven, fresh end, as far as it goes.

    Args:
        run: What to run.
        force: Stages (names or numbers) that run even if fresh, from scratch; `all` for every one.
        only: Stages to bring to freshness, with what they need; all if empty.
        say: Where progress lines go.
        interval: Seconds between two lines of a running stage.

    Returns:
        What was done. A stage that failed stops only the stages that need it.

    Raises:
        ConfigError: A stage's name is unknown.
        PipelineError: Another runner works in the run directory.
    """
    every = [stage.name for stage in run.project.stages]
    forced = set(every) if "all" in force else {run.project.stage(name).name for name in force}
    chosen = run.project.with_needs(only or every)
    report, watch = Report(), Clock()
    with locked(run.folder):
        _report_leftovers(run, say)
        _announce(run, chosen, forced, say)
        for index, stage in enumerate(chosen, start=1):

            def say_of(text: str, place: str = f"{index}/{len(chosen)}", name: str = stage.name) -> None:
                say(f"[{place} {clock(watch.seconds())}] {name}: {text}")

            _bring(run, stage, stage.name in forced, report, say_of, interval)
    _conclude(run, report, watch, say)
    return report


def _conclude(run: Run, report: Report, watch: Clock, say: Callable[[str], None]) -> None:
    total = f"{watch.seconds():.1f} s"
    if not report.done and not report.exit_code:
        say(f"nothing to do: every stage is fresh, {len(report.fresh)} of {len(report.fresh)} ({total})")
        return
    counts = [f"{len(getattr(report, kind))} {kind}" for kind in ("done", "fresh", "failed", "skipped")]
    say(f"{', '.join(counts)} ({total})")
    for name, reason in report.failed.items():
        say(f"failed: {name}: {reason}")


def _announce(run: Run, chosen: Collection[Stage], forced: Collection[str], say: Callable[[str], None]) -> None:
    """Say how many stages are stale, and how long they take where every one of them has been measured."""
    stale: dict[str, float | None] = {}
    for stage in chosen:
        try:
            if stage.name in forced or any(need in stale for need in stage.needs) or staleness.explain(run, stage):
                stale[stage.name] = _estimate(run, stage)
        except OpenAgentError:
            stale[stage.name] = None
    if stale:
        total = None if None in stale.values() else sum(stale.values())
        say(f"{len(stale)} of {len(chosen)} stages to run" + (f", about {clock(total)}" if total else ""))


def _report_leftovers(run: Run, say: Callable[[str], None]) -> None:
    for path in sorted((run.folder / "notebooks").glob("**/.*.running.ipynb")):
        say(f"ignored: {path.name}, left by a run that was killed")
        path.unlink()


def _bring(run: Run, stage: Stage, forced: bool, report: Report, say: Callable[[str], None], interval: float) -> None:
    """Bring one stage to freshness and enter the result in the report."""
    blocked = [need for need in stage.needs if need in report.failed or need in report.skipped]
    if blocked:
        report.skipped.append(stage.name)
        say(f"skipped, needs {', '.join(blocked)}")
        return
    try:
        reasons = ["forced"] if forced else staleness.explain(run, stage)
        if not reasons:
            report.fresh.append(stage.name)
            return
        more = f" and {len(reasons) - 3} more" if len(reasons) > 3 else ""
        say(f"runs ({'; '.join(reasons[:3])}{more})")
        proof = _run_stage(run, stage, forced, say, interval)
    except OpenAgentError as error:
        report.failed[stage.name] = str(error)
        say(f"FAILED: {error}")
    else:
        report.done.append(stage.name)
        say(f"done in {clock(proof.seconds)}, {proof.cells} cells, at most {proof.peak_memory_mb:.0f} MB")


def _run_stage(run: Run, stage: Stage, forced: bool, say: Callable[[str], None], interval: float) -> Receipt:
    """Run one stage and write its receipt, last of all."""
    identity = _prepare(run, stage, forced)
    estimate = _estimate(run, stage)
    receipt.begin(run.folder, stage.name, identity, estimate)
    final = run.executed(stage)
    final.parent.mkdir(parents=True, exist_ok=True)
    running = final.with_name(f".{final.stem}.running.ipynb")
    failed = final.with_name(f"{final.stem}.failed.ipynb")
    failed.unlink(missing_ok=True)
    foreign = _foreign(run, stage)
    source = run.project.notebooks / stage.notebook
    job = execute.Job(run.project.root, source, running, run.folder, run.parameters_for(stage), identity.key())
    try:
        with Heartbeat(run.folder, estimate, interval, say) as heartbeat:
            cells = execute.execute(job, heartbeat)
        _check_artefacts(run, stage)
        _check_foreign(foreign, _foreign(run, stage))
    except BaseException:
        if running.exists():
            os.replace(running, failed)
            say(f"the failed notebook is kept as {failed}")
        raise
    os.replace(running, final)
    proof = Receipt(
        stage=stage.name,
        identity=identity,
        outputs=staleness.outputs(run, stage),
        seed=int(run.parameters["seed"]),
        profile=str(run.parameters["profile"]),
        device=machine.device(),
        versions=machine.versions(),
        seconds=round(heartbeat.seconds(), 1),
        peak_memory_mb=round(heartbeat.peak_mb, 1),
        cells=cells,
    )
    receipt.write(run.folder, proof)
    return proof


def _prepare(run: Run, stage: Stage, forced: bool) -> Identity:
    """Check the inputs, remove what must not be built upon, keep what an unfinished run may resume from."""
    _check_inputs(run, stage)
    identity = staleness.identity(run, stage)
    proof = receipt.read(run.folder, stage.name)
    if not forced and proof is not None and proof.identity == identity:
        present = staleness.outputs(run, stage)
        artefact.remove(run.folder, [name for name, value in present.items() if proof.outputs.get(name) != value])
    elif forced or receipt.attempt(run.folder, stage.name).get("identity") != identity.key():
        artefact.remove(run.folder, (*stage.writes, *stage.volatile, *stage.clears))
    return identity


def _estimate(run: Run, stage: Stage) -> float | None:
    proof = receipt.read(run.folder, stage.name)
    if proof is not None:
        return proof.seconds
    known = receipt.attempt(run.folder, stage.name).get("estimate")
    return known or dict(stage.seconds).get(str(run.parameters["profile"]))


def _check_inputs(run: Run, stage: Stage) -> None:
    for folder, patterns, fix in (
        (run.folder, stage.reads, f"run again with FORCE={','.join(stage.needs)}"),
        (run.project.root, stage.sources, "restore it from version control"),
    ):
        for pattern in artefact.unmatched(folder, patterns):
            raise PipelineError(f"expected the input {pattern}, found none: {fix}")


def _foreign(run: Run, stage: Stage) -> dict[str, str]:
    """Return the hashes of the artefacts of all other stages."""
    others = (other.writes for other in run.project.stages if other.name != stage.name)
    return artefact.digests(run.folder, [pattern for writes in others for pattern in writes])


def _check_foreign(before: dict[str, str], after: dict[str, str]) -> None:
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            raise PipelineError(f"expected other stages' artefacts as they were, found {name} changed: write elsewhere")


def _check_artefacts(run: Run, stage: Stage) -> None:
    declared = (*stage.writes, *stage.volatile)
    for pattern in artefact.unmatched(run.folder, declared):
        raise PipelineError(f"expected the artefact {pattern} after the last cell, found none: the notebook owes it")
    for path in artefact.expand(run.folder, declared).values():
        artefact.validate(path)
