"""Measure what a user waits for, and print one line per figure: `make bench`.

Each benchmark is a function that returns values by unit; add one here when something becomes a wait. Of the repeats the
best value counts: the greatest rate (a unit that ends in `/s`), the least of everything else.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from openagent_lib import paths
from openagent_lib.agents.local import LocalAgent, load_model
from openagent_lib.agents.scripted import OracleAgent
from openagent_lib.config import PROFILES
from openagent_lib.evaluation.rollout import Run, play, roll_out
from openagent_lib.evaluation.suite import make_suite
from openagent_lib.pipeline import machine
from openagent_lib.sandbox import dataset
from openagent_lib.sandbox.environment import Environment
from openagent_lib.sandbox.task import Task

REPEATS = 3
LONG_SECONDS = 10
"""What takes longer is measured once."""
BUILD = """
import os, sys, time
from pathlib import Path
from openagent_lib.evaluation.suite import write_benchmark
from openagent_lib.pipeline.machine import memory_mb
start = time.perf_counter()
write_benchmark(Path(sys.argv[1]))
print(time.perf_counter() - start, memory_mb(os.getpid()))
"""


def _command(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=paths.ROOT, check=True, capture_output=True, text=True).stdout


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def import_library() -> dict[str, float]:
    """Import the library in a new interpreter."""
    return {"s": _seconds(lambda: _command("-c", "import openagent_lib"))}


def status() -> dict[str, float]:
    """Say which stages are stale."""
    with tempfile.TemporaryDirectory() as folder:
        return {"s": _seconds(lambda: _command("-m", "openagent_lib", "status", "--run-dir", folder))}


def make_tasks() -> dict[str, float]:
    """Make all 6,050 training tasks."""
    return {"s": _seconds(lambda: dataset.make_tasks("train", 6050))}


def build_data() -> dict[str, float]:
    """Write all task files, 6,050 training and 880 evaluation tasks, in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, peak = map(float, _command("-c", BUILD, folder).split())
        size = sum(file.stat().st_size for file in Path(folder).rglob("*"))
    return {"s": seconds, "MB on disk": size / 1e6, "MB peak memory": peak}


def environment_steps() -> dict[str, float]:
    """Step environments through the oracle's messages on 880 tasks, on one core."""
    played = [
        (Environment.for_task(episode.task), [m["content"] for m in episode.messages if m["role"] == "assistant"])
        for episode in play(OracleAgent(), make_suite(120, 38))
    ]
    for environment, _ in played:
        environment.reset()
    start = time.process_time()
    for environment, texts in played:
        for text in texts:
            environment.step(text)
    return {"steps/s": sum(len(texts) for _, texts in played) / (time.process_time() - start)}


def load_backbone() -> dict[str, float]:
    """Load the miniature."""
    return {"s": _seconds(lambda: load_model(paths.BACKBONE))}


def evaluate() -> dict[str, float]:
    """Play all 880 tasks with the miniature at profile cpu, and in one process."""
    tasks = make_suite(120, 38)
    shared, alone = _play(tasks, PROFILES["cpu"].eval_processes), _play(tasks, 1)
    return {"s": shared, "x one process": alone / shared}


def prefix_cache() -> dict[str, float]:
    """Play 72 tasks with the miniature in one process, with and without prefix caching."""
    tasks = make_suite(12, 3)
    cached = _play(tasks, 1)
    with mock.patch("openagent_lib.agents.local.PrefixCache", lambda: None):
        return {"s": cached, "x without": _play(tasks, 1) / cached}


def _play(tasks: list[Task], processes: int) -> float:
    agent = LocalAgent.load(paths.BACKBONE, "base", PROFILES["cpu"])
    run = Run(agent.name, None, 0, settings="", backbone="")
    return _seconds(lambda: list(roll_out(agent, tasks, run, set(), agent.batch_size, processes)))


BENCHMARKS = (
    import_library,
    status,
    make_tasks,
    build_data,
    environment_steps,
    load_backbone,
    evaluate,
    prefix_cache,
)


def best_of(benchmark: Callable[[], dict[str, float]]) -> dict[str, float]:
    """Return the best value of every unit over the repeats."""
    found = [benchmark()]
    while len(found) < REPEATS and found[0].get("s", 0) < LONG_SECONDS:
        found.append(benchmark())
    return {unit: (max if unit.endswith("/s") else min)(values[unit] for values in found) for unit in found[0]}


def main() -> None:
    """Run every benchmark a few times and print the best values."""
    print(machine.device())
    for benchmark in BENCHMARKS:
        for unit, value in best_of(benchmark).items():
            number = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
            print(f"{benchmark.__name__:<18}{number:>8} {unit:<15}{str(benchmark.__doc__).splitlines()[0]}", flush=True)


if __name__ == "__main__":
    main()
