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

from openagent_lib import paths
from openagent_lib.pipeline import machine

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
    from openagent_lib.sandbox.dataset import make_tasks

    return {"s": _seconds(lambda: make_tasks("train", 6050))}


def build_data() -> dict[str, float]:
    """Write all task files, 6,050 training and 880 evaluation tasks, in a new process."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, peak = map(float, _command("-c", BUILD, folder).split())
        size = sum(file.stat().st_size for file in Path(folder).rglob("*"))
    return {"s": seconds, "MB on disk": size / 1e6, "MB peak memory": peak}


def environment_steps() -> dict[str, float]:
    """Step environments through the oracle's messages on 880 tasks, on one core."""
    from openagent_lib.agents.scripted import OracleAgent
    from openagent_lib.evaluation.rollout import play
    from openagent_lib.evaluation.suite import make_suite
    from openagent_lib.sandbox.environment import Environment

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


BENCHMARKS = (import_library, status, make_tasks, build_data, environment_steps)


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
