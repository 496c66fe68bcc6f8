"""Measure what a user waits for, and print one line per figure: `make bench`.

Each benchmark is a function that returns seconds; add one here when something becomes a wait.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from openagent_lib import paths
from openagent_lib.pipeline import machine

REPEATS = 3


def _command(*arguments: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], cwd=paths.ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def import_library() -> float:
    """Import the library in a new interpreter."""
    return _command("-c", "import openagent_lib")


def status() -> float:
    """Say which stages are stale."""
    with tempfile.TemporaryDirectory() as folder:
        return _command("-m", "openagent_lib", "status", "--run-dir", folder)


def make_tasks() -> float:
    """Make all 6,050 training tasks."""
    from openagent_lib.sandbox.dataset import make_tasks

    start = time.perf_counter()
    make_tasks("train", 6050)
    return time.perf_counter() - start


BENCHMARKS: tuple[Callable[[], float], ...] = (import_library, status, make_tasks)


def main() -> None:
    """Run every benchmark a few times and print the best time."""
    print(machine.device())
    for benchmark in BENCHMARKS:
        best = min(benchmark() for _ in range(REPEATS))
        print(f"{benchmark.__name__:<16} {best:8.2f} s  {str(benchmark.__doc__).splitlines()[0]}")


if __name__ == "__main__":
    main()
