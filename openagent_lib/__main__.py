"""The command line: `python -m openagent_lib COMMAND`. Each command imports its room only when it runs."""

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from openagent_lib import paths
from openagent_lib.errors import ConfigError, OpenAgentError, unknown_name


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, like every other error of ours."""

    def error(self, message: str) -> NoReturn:
        raise ConfigError(f"{self.prog}: {message}: see {self.prog} --help")


def _profile(arguments: argparse.Namespace) -> str:
    from openagent_lib.config import get_profile

    return get_profile(arguments.profile).name


def _open(arguments: argparse.Namespace) -> Any:
    from openagent_lib.pipeline.run import open_run

    parameters = dict(_assignment(text) for text in getattr(arguments, "parameter", None) or [])
    if getattr(arguments, "model", None):
        parameters["model"] = arguments.model
    return open_run(_profile(arguments), arguments.seed, arguments.run_dir, parameters)


def _assignment(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f"expected a parameter as NAME=VALUE, found {text!r}: write -p NAME=VALUE")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _names(texts: Sequence[str]) -> list[str]:
    return [name for text in texts for name in text.replace(",", " ").split()]


def _run(arguments: argparse.Namespace) -> int:
    from openagent_lib.pipeline import runner

    only = _names(arguments.only) or list(arguments.stages)
    return runner.run(_open(arguments), force=_names(arguments.force), only=only).exit_code


def _status(arguments: argparse.Namespace) -> int:
    from openagent_lib.pipeline import staleness

    run = _open(arguments)
    reasons = staleness.status(run)
    for name, why in reasons.items():
        print(f"{'stale' if why else 'fresh'}  {name}" + "".join(f"\n         {reason}" for reason in why))
    stale = sum(bool(why) for why in reasons.values())
    print(f"{len(reasons) - stale} fresh, {stale} stale" + (": `make reproduce` runs what is stale" if stale else ""))
    return 0


def _notebooks(arguments: argparse.Namespace) -> int:
    from openagent_lib.pipeline import pairing, publish
    from openagent_lib.pipeline.stage import PROJECT

    if arguments.action == "check":
        problems = pairing.check(PROJECT)
        print("\n".join(problems) or "notebooks and text files are in step")
        return 1 if problems else 0
    if arguments.action == "publish":
        run, only = _open(arguments), _names(arguments.only)
        changed = publish.publish(run, only) + ([] if only else publish.publish_results(run))
    else:
        changed = pairing.build(PROJECT) if arguments.action == "build" else pairing.clean(PROJECT)
    print("\n".join(str(path.relative_to(paths.ROOT)) for path in changed) or "nothing to change")
    return 0


def _train(arguments: argparse.Namespace) -> int:
    from openagent_lib.training.run import train

    print(train(arguments.recipe, _profile(arguments), arguments.seed, arguments.out, arguments.model or None))
    return 0


def _pretrain(arguments: argparse.Namespace) -> int:
    if arguments.action == "score":
        from openagent_lib.evaluation.suite import read_benchmark
        from openagent_lib.pretraining.score import score

        tasks = read_benchmark(paths.TASKS)["eval"].tasks if arguments.tasks else []
        scores = json.dumps(score(arguments.model or paths.BACKBONE, arguments.n, arguments.seed, tasks), indent=1)
        if arguments.out:
            paths.write_atomic(arguments.out, f"{scores}\n")
            if arguments.out.resolve().parent == paths.BACKBONE:
                from openagent_lib.pretraining import model_card

                model_card.update(paths.BACKBONE)
        print(scores)
        return 0
    if arguments.action == "replay":
        return _replay(arguments.model or paths.BACKBONE, arguments.out or paths.RUNS / "replay")
    if arguments.action == "ablate":
        from openagent_lib.pretraining.ablation import TOKENS, ablate, ablation_table

        path = ablate(
            arguments.out or paths.RUNS / "ablations", arguments.tokens or TOKENS, arguments.n, arguments.seed
        )
        print(ablation_table(path).to_string(index=False))
        return 0
    from openagent_lib.pretraining.loop import pretrain

    settings = {"tokens": arguments.tokens} if arguments.tokens else {}
    print(
        pretrain(
            arguments.out or paths.RUNS / "pretrain", seed=arguments.seed, resume=not arguments.restart, **settings
        )
    )
    return 0


def _replay(model: Path, out: Path) -> int:
    from openagent_lib.pretraining.loop import LOG
    from openagent_lib.pretraining.replay import agrees, replay

    table = replay(model / LOG, out)
    print(table.to_string(index=False))
    print("agrees with the log" if agrees(table) else "differs from the log")
    return 0 if agrees(table) else 1


def _data_build(arguments: argparse.Namespace) -> int:
    from openagent_lib.evaluation import data_card
    from openagent_lib.evaluation.suite import read_benchmark, write_benchmark

    start = time.monotonic()
    write_benchmark(arguments.out, arguments.seed)
    parts = read_benchmark(arguments.out)
    for name, part in parts.items():
        size = (arguments.out / f"{name}.parquet").stat().st_size / 1e6
        print(f"{name}.parquet  {len(part.tasks):,} tasks, {size:.2f} MB, content hash {part.hash}")
    if arguments.out.resolve() == paths.TASKS and data_card.update(paths.DATA_CARD, parts):
        print(f"{paths.DATA_CARD.relative_to(paths.ROOT)} brought up to date")
    print(f"{time.monotonic() - start:.0f} seconds")
    return 0


def _data_hash(arguments: argparse.Namespace) -> int:
    from openagent_lib.evaluation.suite import build_benchmark

    for name, part in build_benchmark(arguments.seed).items():
        print(f"{name} {part.hash}")
    return 0


def _data_verify(arguments: argparse.Namespace) -> int:
    from openagent_lib.config import get_profile
    from openagent_lib.evaluation.suite import read_benchmark
    from openagent_lib.evaluation.verification import Benchmark, CheckError, Plan, verify

    sizes = get_profile(arguments.profile)
    plan = Plan(arguments.seed, sizes.train_tasks, sizes.eval_tasks, sizes.shift_tasks)
    benchmark = Benchmark(arguments.folder, read_benchmark(arguments.folder), plan)
    try:
        for line in verify(benchmark):
            print(f"ok    {line}", flush=True)
    except CheckError as problem:
        print(f"FAIL  {problem}")
        return 1
    print("every check holds")
    return 0


def _data_show(arguments: argparse.Namespace) -> int:
    from openagent_lib.evaluation.suite import read_benchmark, task_and_twin
    from openagent_lib.report.task_text import task_text
    from openagent_lib.report.task_view import before_after_text

    tasks = read_benchmark(arguments.folder)[arguments.split].tasks
    task, twin = task_and_twin(tasks, arguments.task, arguments.shift)
    if twin is not None:
        print(f"{before_after_text(task, twin)}\n")
    print(task_text(twin or task))
    return 0


def _doctor(_: argparse.Namespace) -> int:
    from openagent_lib.doctor import report

    return report()


def _bench(_: argparse.Namespace) -> int:
    script = paths.ROOT / "benchmarks" / "run.py"
    if not script.is_file():
        raise ConfigError(f"expected the benchmarks at {script.relative_to(paths.ROOT)}, found none: git checkout -- .")
    import runpy

    runpy.run_path(str(script), run_name="__main__")
    return 0


def _add(commands: Any, name: str, text: str, function: Any, **defaults: Any) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(function=function, **defaults)
    return parser


def _add_run(parser: argparse.ArgumentParser, with_run_dir: bool = True) -> argparse.ArgumentParser:
    parser.add_argument("--profile", default="cpu", help="smoke, cpu, laptop, gpu or paper (default: cpu)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the run (default: 0)")
    parser.add_argument("--model", help="name or local path that replaces the profile's backbone")
    if with_run_dir:
        parser.add_argument("--run-dir", type=Path, help="run directory (default: runs/PROFILE-sSEED)")
        parser.add_argument("-p", dest="parameter", action="append", metavar="NAME=VALUE", help="notebook parameter")
    return parser


def _add_chain(commands: Any, name: str, text: str, *stages: str) -> None:
    parser = _add_run(_add(commands, name, text, _run, stages=stages))
    parser.add_argument(
        "--force", action="append", default=[], metavar="STAGE", help="run it again, or all, from scratch"
    )
    _add_only(parser, "only it and what it needs")


def _add_only(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--only", action="append", default=[], metavar="STAGE", help=text)


def _add_data(commands: Any) -> None:
    data = commands.add_parser(
        "data", help="build, verify or show the released tasks", description="The released tasks."
    )
    actions = data.add_subparsers(dest="action", required=True, metavar="ACTION", parser_class=_Parser)
    build = _add(actions, "build", "write the tasks, and the tables of the data card", _data_build)
    build.add_argument("--out", type=Path, default=paths.TASKS, help="folder (default: data/tasks)")
    verify = _add(actions, "verify", "prove that the tasks are what the data card says", _data_verify)
    verify.add_argument("--profile", default="cpu", help="whose sizes they have (default: cpu, those of the release)")
    print_hash = _add(actions, "hash", "print the content hashes that a seed gives", _data_hash)
    for parser in (build, verify, print_hash):
        parser.add_argument("--seed", type=int, default=0, help="seed of the tasks (default: 0)")
    show = _add(actions, "show", "print one task, or what a shift changes in it", _data_show)
    show.add_argument("task", nargs="?", default="0", metavar="TASK", help="identity, or number from 0 (default: 0)")
    show.add_argument("--shift", default="", metavar="TIER.KIND", help="show a twin under this shift beside the task")
    show.add_argument("--split", choices=["train", "eval"], default="eval", help="default: eval")
    for parser in (verify, show):
        parser.add_argument("--folder", type=Path, default=paths.TASKS, help="default: data/tasks")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    parser = _Parser(prog="python -m openagent_lib", description="Train tool-using agents and shift their world.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)
    _add_chain(commands, "run", "bring every stage of the chain to a proven end")
    _add_chain(commands, "evaluate", "evaluate every recipe (stage 09 and what it needs)", "09")
    _add_chain(commands, "figures", "draw figures and tables (stage 10 and what it needs)", "10")
    _add_data(commands)
    _add_run(_add(commands, "status", "say which stages are stale and why", _status))
    train = _add_run(_add(commands, "train", "train one recipe", _train), with_run_dir=False)
    train.add_argument("--recipe", required=True, help="sft, grpo, sft_grpo or paft")
    train.add_argument("--out", type=Path, help="run directory that holds data/ (default: runs/PROFILE-sSEED)")
    pretrain = _add(commands, "pretrain", "pre-train the miniature, score it, repeat its start, or ablate", _pretrain)
    pretrain.add_argument("action", nargs="?", choices=["train", "score", "replay", "ablate"], default="train")
    pretrain.add_argument("--out", type=Path, help="folder to write (default: in runs/); score: file for the scores")
    pretrain.add_argument("--model", type=Path, help="score, replay: folder of the backbone (default: data/backbone)")
    pretrain.add_argument("--seed", type=int, default=0, help="seed (default: 0)")
    pretrain.add_argument(
        "--tokens", type=int, help="training tokens (default: those of the committed backbone; ablate: 8000000 each)"
    )
    pretrain.add_argument("--restart", action="store_true", help="ignore a checkpoint")
    pretrain.add_argument("-n", type=int, default=64, help="score, ablate: episodes per skill (default: 64)")
    pretrain.add_argument("--tasks", action="store_true", help="score: play the 880 evaluation tasks too (zero-shot)")
    notebooks = _add_run(_add(commands, "notebooks", "keep notebooks and their text files in step", _notebooks))
    notebooks.add_argument("action", choices=["build", "check", "clean", "publish"])
    _add_only(notebooks, "publish: only its notebook and receipt, without figures, tables and README")
    _add(commands, "doctor", "say what is there, what is missing and what fixes it", _doctor)
    _add(commands, "bench", "measure speed", _bench)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 something failed, 2 wrong input, 130 interrupted."""
    argv = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser()
    try:
        known = parser._subparsers._group_actions[0].choices
        if argv and not argv[0].startswith("-") and argv[0] not in known:
            raise unknown_name("command", argv[0], known)
        arguments = parser.parse_args(argv)
        return arguments.function(arguments)
    except OpenAgentError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: the same command again goes on from here", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
