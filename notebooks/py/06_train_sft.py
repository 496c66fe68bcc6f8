# %% [markdown] id="title"
# # Supervised fine-tuning
#
# **Question.** How well does plain supervised fine-tuning master the closed world?
#
# | needs | writes | time on 2 cores |
# | --- | --- | --- |
# | the data of `01_build_sandbox` | `training/sft/`, `curves/` of the run | smoke: under a minute, cpu: about 5 minutes |
#
# The model imitates gold trajectories, token by token (Paper: section 4.1). Loss counts only where the *assistant* speaks: in
# its calls and its answers, never in the question, the documents or the observations.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed
model: str = ""  # name or local path that replaces the backbone of the profile

# %% id="imports"
from dataclasses import asdict

import pandas as pd
from IPython.display import Markdown

from openagent_lib.agents.local import backbone_source, key_order_of, load_model
from openagent_lib.evaluation.recipes import evaluate_curve
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.trajectories import training_row
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.figures import fig1_closed_set_over_training, fig6_training_curves
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.training.progress import read_log
from openagent_lib.training.sft import train_sft

run = start(profile, seed, run_dir)

# %% [markdown] id="settings-text"
# ## Settings
#
# Optimiser, length and checkpoints follow what is known of the paper's set-up, scaled down by the profile; the docstring of
# each setting in `openagent_lib/config.py` says which is the paper's and which is assumed.

# %% id="settings"
asdict(run.profile.sft)

# %% [markdown] id="row-text"
# ## One training example
#
# A gold trajectory as the trainer sees it: messages, calls in `tool_calls`, and the tools' schemas beside them.

# %% id="row"
tasks = read_tasks(run.folder / "data" / "train.parquet")
row = training_row(tasks[0])
for message in row["messages"][1:]:
    print(message["role"], message.get("tool_calls") or message["content"])

# %% [markdown] id="mask-text"
# Rendered by the chat template, with the trained part in brackets. Everything outside them is only read.

# %% id="mask"
backbone, tokenizer = load_model(backbone_source(run.profile, model or None), run.profile.fp32)
row = training_row(tasks[0], key_order_of(backbone))
text = tokenizer.apply_chat_template(row["messages"][1:], tools=row["tools"], tokenize=False)
for part in text.split("<|im_start|>")[2:]:
    speaker, _, said = part.partition("\n")
    print(f"[[{said.strip()}]]" if speaker == "assistant" else f"({said.strip()})")

# %% [markdown] id="train-text"
# ## Training
#
# One call, which the command `python -m openagent_lib train --recipe sft` makes as well. A run that was killed goes on from
# its last whole checkpoint and ends with the same weights.

# %% id="train"
folder = train_sft(profile, seed, run.folder, model or None)
log = read_log(run.folder / "training" / "sft" / "log.jsonl")
print(f"{log[-1]['step']} steps")

# %% id="loss"
fig6_training_curves({"sft": log}, backbone=model or run.profile.backbone)

# %% [markdown] id="curve-text"
# ## The closed set over training
#
# Each checkpoint plays the first clean evaluation tasks: same tools, same shapes, but places and wordings that were never
# trained on. Step 0 is the backbone itself. This is our version of the paper's Figure 1, left curve.

# %% id="curve"
records = evaluate_curve("base", profile, seed, run.folder, model or None)
records += evaluate_curve("sft", profile, seed, run.folder, model or None)
frame = records_frame(records)
fig1_closed_set_over_training(frame, recipes=("sft",))

# %% [markdown] id="outcomes-text"
# What the episodes end in, by step. Where accuracy is missing, the outcome says whether the model was wrong, refused, or
# could not even form a message.

# %% id="outcomes"
Markdown(to_markdown(pd.crosstab(frame["step"], frame["outcome"]).reset_index(), decimals=0))

# %% [markdown] id="check-text"
# Checks: training has learnt something, and no step is missing from the log.

# %% id="check"
steps = [entry["step"] for entry in log]
assert steps == sorted(set(steps)) and steps[-1] == run.profile.sft.steps
assert log[-1]["loss"] < log[0]["loss"]

# %% id="answer-number"
last = results_table(frame[frame["step"] == run.profile.sft.steps]).iloc[0]
print(f"closed set after SFT: {last['rate']:.1f} % [{last['low']:.1f}, {last['high']:.1f}], n = {last['n']:.0f}")

# %% [markdown] id="answer"
# ## Answer
#
# The number above is the closed-set accuracy of plain SFT on places it has never seen. It says how well the *frozen* world is
# mastered and nothing about any other. `09_evaluate` opens the world for this very model; `07_train_grpo` trains by reward.
