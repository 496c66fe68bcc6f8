"""One runner, and the kernels of one runner, per run directory."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openagent_lib.errors import PipelineError

ORPHAN_SECONDS = 30.0


def kernel_lock(run_dir: Path) -> Path:
    """Return the file that a kernel and its child processes hold locked for as long as one of them lives."""
    return run_dir / ".scratch" / "kernel.lock"


def _take(path: Path, seconds: float) -> int | None:
    """Return a descriptor that holds the exclusive lock on a file, or nothing if it is not to be had in time."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            if time.monotonic() >= end:
                os.close(handle)
                return None
            time.sleep(0.2)


@contextmanager
def locked(run_dir: Path) -> Iterator[None]:
    """Hold a run directory, once the last kernel of a killed runner has ended.

    Raises:
        PipelineError: Another runner, or a kernel that does not end, works in it.
    """
    kernel_lock(run_dir).parent.mkdir(parents=True, exist_ok=True)
    handle = _take(run_dir / ".scratch" / "runner.lock", 0)
    if handle is None:
        fix = "wait for its end or choose another run directory"
        raise PipelineError(f"expected {run_dir} to be free, found another runner in it: {fix}")
    try:
        kernel = _take(kernel_lock(run_dir), ORPHAN_SECONDS)
        if kernel is None:
            raise PipelineError(f"expected no kernel in {run_dir}, found one of a killed runner: end it and run again")
        os.close(kernel)
        yield
    finally:
        os.close(handle)
