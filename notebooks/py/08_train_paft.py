# %% [markdown] id="title"
# # Perturbation-augmented fine-tuning
#
# **Question.** Does SFT on data with a share of perturbed trajectories still master the closed world?
#
# | needs | writes | time on 2 cores |
# | --- | --- | --- |
# | the data of `01_build_sandbox` | `training/paft/`, `curves/` of the run | smoke: under a minute, cpu: about 6 minutes |
#
# PAFT is the paper's remedy (section 6). It changes only the *data* of SFT: a share alpha of the trajectories is perturbed, so
# that memory of a name or a sequence no longer suffices. Model, schedule and budget stay those of `06_train_sft`.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed
model: str = ""  # name or local path that replaces the backbone of the profile

# %% id="imports"
from collections import Counter
from dataclasses import asdict

import pandas as pd
from IPython.display import Markdown

from openagent_lib.evaluation.recipes import evaluate_curve
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.trajectories import training_row
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.figures import fig1_closed_set_over_training, fig6_training_curves
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.training.paft import PARTS, perturb_tasks, train_paft
from openagent_lib.training.progress import read_log

run = start(profile, seed, run_dir)

# %% [markdown] id="parts-text"
# ## Three perturbations
#
# | part | what is injected | what is supervised |
# | --- | --- | --- |
# | EFP | abnormal feedback: a fault that passes, an empty return, a redirection | the corrective next action |
# | SBP | a fatal error | the refusal |
# | SRP | other tool names and documents | the call under the new names |
#
# Their names and contents come from third-party digests of the paper. That alpha divides equally over the parts, and each part
# equally over the shifts listed below, is our assumption.

# %% id="parts"
for part, shifts in PARTS.items():
    print(part, [shift.name for shift in shifts])
asdict(run.profile.paft)

# %% [markdown] id="example-text"
# ## One perturbed trajectory of each part
#
# The assistant's messages are what is trained. Compare the last line of each: a corrected call leads to an answer, a fatal
# error to a refusal.

# %% id="example"
tasks = read_tasks(run.folder / "data" / "train.parquet")
mixed = perturb_tasks(tasks, run.profile.paft, seed)
for part, shifts in PARTS.items():
    task = next(task for task in mixed if task.shift in {shift.name for shift in shifts})
    print(f"--- {part}: {task.query}")
    for message in training_row(task)["messages"][2:]:
        call = (message.get("tool_calls") or [{}])[0].get("function")
        print(f"{message['role']:10s}{call or message['content']}")

# %% [markdown] id="share-text"
# ## The mixture
#
# The share of perturbed trajectories is close to alpha. Every pattern comes from the pool for training; evaluation uses others
# (Paper: section 4.1, no pattern of the test set appears in any training stage).

# %% id="share"
counts = Counter(task.shift for task in mixed)
print(f"alpha {run.profile.paft.alpha}, perturbed share {1 - counts['clean'] / len(mixed):.2f}")
for name, count in sorted(counts.items()):
    print(f"{count:5d}  {name}")

# %% [markdown] id="train-text"
# ## Training
#
# The same trainer, steps and learning rate as plain SFT.

# %% id="train"
train_paft(profile, seed, run.folder, model or None)
log = read_log(run.folder / "training" / "paft" / "log.jsonl")
print(f"{log[-1]['step']} steps")

# %% id="loss"
fig6_training_curves({"paft": log}, backbone=model or run.profile.backbone)

# %% [markdown] id="curve-text"
# ## The closed set over training
#
# What the perturbations cost where the world stays closed: the checkpoints on clean tasks with unseen places and wordings.

# %% id="curve"
frame = records_frame(evaluate_curve("paft", profile, seed, run.folder, model or None))
fig1_closed_set_over_training(frame, recipes=("paft",))

# %% [markdown] id="outcomes-text"
# How the episodes end, by step. A refusal here is a false alarm: every clean task has an answer.

# %% id="outcomes"
Markdown(to_markdown(pd.crosstab(frame["step"], frame["outcome"]).reset_index(), decimals=0))

# %% [markdown] id="check-text"
# Checks: the log is whole and training has learnt something.

# %% id="check"
assert log[-1]["step"] == run.profile.sft.steps and log[-1]["loss"] < log[0]["loss"]

# %% id="answer-number"
last = results_table(frame[frame["step"] == run.profile.sft.steps]).iloc[0]
print(f"closed set after PAFT: {last['rate']:.1f} % [{last['low']:.1f}, {last['high']:.1f}], n = {last['n']:.0f}")

# %% [markdown] id="answer"
# ## Answer
#
# The number above stands beside that of `06_train_sft`. Whether the perturbed third buys anything in the open world is measured
# next, in `09_evaluate`, for all recipes at once.
