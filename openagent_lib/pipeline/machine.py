"""What a run was made on: versions, processor, graphics device, memory. Needs no torch."""

import os
import platform
import shutil
import subprocess
import sys
from functools import lru_cache
from importlib import metadata
from pathlib import Path

PACKAGES = tuple("torch transformers trl peft accelerate datasets tokenizers numpy pandas papermill".split())


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on; a missing one is left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=1)
def gpus() -> tuple[str, ...]:
    """Return the names of the NVIDIA devices that the driver reports, in its order."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(line.strip() for line in result.stdout.splitlines() if line.strip())


def cores() -> int:
    """Return the number of processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def device() -> str:
    """Return one line that names the device: the first GPU, or the processor with its usable cores."""
    if gpus():
        return f"{len(gpus())} x {gpus()[0]}"
    return f"CPU, {cores()} cores, {platform.machine()}, {sys.platform}"


def memory_mb(process: int) -> float:
    """Return the highest resident memory that a process has had, in MB (its present one outside Linux); 0 if gone."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        pass
    import psutil

    try:
        return psutil.Process(process).memory_info().rss / 2**20
    except psutil.Error:
        return 0.0
