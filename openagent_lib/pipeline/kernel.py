"""The kernel of the runner's notebooks: an IPython kernel that ends when its runner does.

A runner that is killed cannot end its kernel, and a kernel left alone would go on writing into the run directory beside
the next one. This module is the kernel's main program (`python -m openagent_lib.pipeline.kernel -f FILE`): it holds a
lock on the run directory for as long as the kernel and its child processes live, and watches its parent.
"""

import fcntl
import os
import signal
import threading
import time

RUNNER = "OPENAGENT_RUNNER_PID"
LOCK = "OPENAGENT_KERNEL_LOCK"
INTERVAL = 0.5


def _end() -> None:
    """End this process at once, and the processes that it started where it leads its own group."""
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)


def _watch(runner: int) -> None:
    # The parent changes as soon as the runner is gone, to init or to any subreaper, and process ids are never confused.
    while os.getppid() == runner:
        time.sleep(INTERVAL)
    _end()


def watch() -> None:
    """Start the thread that ends this kernel within a second after its runner has ended, however it ended."""
    runner = int(os.environ.get(RUNNER, "0"))
    if runner:
        os.environ.pop("JPY_PARENT_PID", None)  # ipykernel's own watch would spare child processes
        threading.Thread(target=_watch, args=(runner,), name="runner-watch", daemon=True).start()


def hold_lock() -> int | None:
    """Take the run directory's kernel lock; child processes inherit it, so that it ends with the last of them.

    Returns:
        The open file descriptor, or nothing where no lock was asked for.
    """
    path = os.environ.get(LOCK)
    if not path:
        return None
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    os.set_inheritable(handle, True)
    fcntl.flock(handle, fcntl.LOCK_EX)
    return handle


def main() -> None:
    """Run the kernel."""
    watch()
    hold_lock()
    from ipykernel import kernelapp

    kernelapp.launch_new_instance()


if __name__ == "__main__":
    main()
