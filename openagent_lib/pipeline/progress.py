"""Plain progress lines with elapsed time, for terminals and for logs alike."""

import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from openagent_lib.pipeline import machine


def clock(seconds: float) -> str:
    """Return a duration as minutes and seconds."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


def say(text: str) -> None:
    """Print one line at once."""
    print(text, file=sys.stdout, flush=True)


def newest_log(folder: Path, since: float) -> str:
    """Return a few words on the JSONL file below the folder that grew last, if any grew since that time."""
    files = [(path.stat().st_mtime, path) for path in folder.glob("*/**/*.jsonl") if path.is_file()]
    changed, path = max(files, default=(0.0, folder))
    if changed < since:
        return ""
    lines = path.read_bytes().split(b"\n")[:-1]
    try:
        row = json.loads(lines[-1])
        facts = [f"{key} {row[key]:.4g}" for key in ("step", "loss", "reward") if isinstance(row.get(key), int | float)]
    except (ValueError, IndexError, AttributeError):
        facts = []
    return f"{path.relative_to(folder)}: {len(lines)} lines" + "".join(f", {fact}" for fact in facts)


class Clock:
    """A stopwatch that starts when it is made."""

    def __init__(self) -> None:
        self.started = time.time()

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.time() - self.started


class Heartbeat(Clock):
    """A thread that says where a notebook is every so often and records the kernel's highest memory.

    Args:
        folder: Run directory, watched for growing logs.
        estimate: Expected seconds, if known.
        interval: Seconds between two lines.
        say: Where a line goes.
    """

    def __init__(self, folder: Path, estimate: float | None, interval: float, say: Callable[[str], None]) -> None:
        super().__init__()
        self.folder, self.estimate, self.interval, self.say = folder, estimate, interval, say
        self.cell = ""
        self.process: int | None = None
        self.peak_mb = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> "Heartbeat":
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop the thread."""
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        due = self.interval
        while not self._stop.wait(0.5):
            if self.process is not None:
                self.peak_mb = max(self.peak_mb, machine.memory_mb(self.process))
            if self.seconds() >= due:
                due += self.interval
                self.say(self.line())

    def line(self) -> str:
        """Return the present state in one line."""
        time_spent = clock(self.seconds()) + (f" of about {clock(self.estimate)}" if self.estimate else "")
        return ", ".join(part for part in (time_spent, self.cell, newest_log(self.folder, self.started)) if part)
