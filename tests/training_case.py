"""Training runs that are small enough for tests, and a way to kill them for real.

As a script, `python training_case.py OUT SOURCE` starts both runs and kills each, with SIGKILL, after its first
checkpoint.
"""

import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from openagent_lib.config import PROFILES, GRPOSettings, SFTSettings
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.training import grpo
from openagent_lib.training.job import Job
from openagent_lib.training.sft import fine_tune

GRPO = GRPOSettings(steps=2, prompts=2, group_size=2, learning_rate=1e-3, max_tokens=48, checkpoints=2)
PROFILE = replace(
    PROFILES["smoke"],
    sft=SFTSettings(steps=4, batch_size=2, learning_rate=1e-3, checkpoints=2),
    grpo=GRPO,
    message_tokens=12,
)
TASKS = make_tasks("train", 24)
KILLED_AT = {"sft": 3, "grpo": 2}


def make_job(recipe, out, source, seed=0, profile=PROFILE):
    """Return the job of a recipe in a run folder."""
    return Job(recipe, profile, seed, Path(out) / "training" / recipe, str(source))


def uneven_reward(environment, weights):
    """Pay by the length of the last message, so that a random model has something to learn from."""
    return len(environment.messages[-1]["content"]) % 7 / 7


def run(recipe, out, source):
    """Train a recipe to its end, or from where it was killed, and return its job."""
    job = make_job(recipe, out, source)
    if recipe == "sft":
        fine_tune(job, TASKS)
        return job
    original = grpo.reward_of
    grpo.reward_of = uneven_reward
    try:
        grpo.optimise(job, TASKS, GRPO)
    finally:
        grpo.reward_of = original
    return job


def run_and_die(recipe, out, source):
    """Train a recipe until the log line after its first checkpoint is written, then kill this process."""
    from openagent_lib.training.progress import LogCallback

    original = LogCallback.on_log

    def on_log(self, args, state, control, **given):
        original(self, args, state, control, **given)
        if state.global_step == KILLED_AT[recipe]:
            os.kill(os.getpid(), signal.SIGKILL)

    LogCallback.on_log = on_log
    run(recipe, out, source)


def main(out, source):
    """Kill one child per recipe; children share the costly imports of their parent."""
    import torch
    import trl

    torch.set_num_threads(1)
    assert trl.SFTTrainer and trl.GRPOTrainer
    for recipe in KILLED_AT:
        child = os.fork()
        if child == 0:
            run_and_die(recipe, out, source)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL, f"{recipe} ended with {status}"


if __name__ == "__main__":
    main(*sys.argv[1:])
