# %% [markdown] id="title"
# # Reinforcement learning
#
# **Question.** What does reward teach in the closed world, from the backbone and after SFT?
#
# | needs | writes | time on 2 cores |
# | --- | --- | --- |
# | `01_build_sandbox`, `06_train_sft` | `training/grpo/`, `training/sft_grpo/`, `curves/` of the run | smoke: under a minute, cpu: about 5 minutes |
#
# GRPO plays each task several times and reinforces what did better than the group's mean. Episodes run over several turns in
# the sandbox itself: the model calls, reads, calls again. No gold trajectory is shown to it.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed
model: str = ""  # name or local path that replaces the backbone of the profile

# %% id="imports"
from dataclasses import asdict

import pandas as pd
from IPython.display import Markdown

from openagent_lib.agents.scripted import FrozenAgent, OracleAgent, RefuserAgent
from openagent_lib.evaluation.recipes import evaluate_curve
from openagent_lib.evaluation.records import load_frame, records_frame
from openagent_lib.evaluation.rollout import play
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.figures import fig1_closed_set_over_training, fig6_training_curves
from openagent_lib.report.tables import to_markdown
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.shifts.catalogue import get_shift
from openagent_lib.training.grpo import train_grpo
from openagent_lib.training.progress import read_log
from openagent_lib.training.rewards import RewardWeights, reward_of

run = start(profile, seed, run_dir)

# %% [markdown] id="settings-text"
# ## Settings
#
# The paper names GRPO, its learning rate and its 280 steps; group size, temperature and KL weight were not seen and are ours.

# %% id="settings"
asdict(run.profile.grpo)

# %% [markdown] id="reward-text"
# ## The reward
#
# Only the outcome pays: 1 for the right answer, 0 for everything else, refusals of unsolvable tasks included. The paper speaks
# of a *teleological bias* (section 1): completion is what counts. The table shows what three scripted agents would earn on a
# task that can be solved and on one that cannot.

# %% id="reward"
tasks = read_tasks(run.folder / "data" / "train.parquet")
broken = get_shift("internalization.fatal_error").apply(tasks[0], seed=run.seed, pool="train")
for agent in (OracleAgent(), FrozenAgent(tasks), RefuserAgent()):
    earned = [reward_of(episode, RewardWeights()) for episode in play(agent, [tasks[0], broken])]
    print(f"{agent.name:8s} solvable {earned[0]:.0f}   unsolvable {earned[1]:.0f}")

# %% [markdown] id="bias-text"
# On the unsolvable task nothing pays, and so nothing teaches a model to stop. The other reward terms of the library
# (`format`, `refusal`) are zero here.

# %% [markdown] id="grpo-text"
# ## GRPO from the backbone
#
# The backbone has never seen this town. It learns only where at least one episode of a group succeeds and another fails.

# %% id="grpo"
train_grpo("grpo", profile, seed, run.folder, model or None)
grpo = read_log(run.folder / "training" / "grpo" / "log.jsonl")
print(f"{grpo[-1]['step']} steps")

# %% [markdown] id="sft-grpo-text"
# ## GRPO after SFT
#
# The same, from the SFT model (the authors compare SFT, RL and SFT+RL pipelines; the settings of the last were not seen).

# %% id="sft-grpo"
train_grpo("sft_grpo", profile, seed, run.folder)
sft_grpo = read_log(run.folder / "training" / "sft_grpo" / "log.jsonl")
print(f"{sft_grpo[-1]['step']} steps")

# %% id="curves"
fig6_training_curves({"grpo": grpo, "sft_grpo": sft_grpo}, backbone=model or run.profile.backbone)

# %% [markdown] id="state-text"
# ## Did the groups teach?
#
# A group in which all episodes earn the same teaches nothing. The share of such groups, the mean reward and how the episodes
# ended, over the first and the last quarter of each run:

# %% id="state"
columns = ["reward", "frac_reward_zero_std", "share_correct", "share_wrong", "share_refused", "share_malformed"]
rows = []
for name, log in (("grpo", grpo), ("sft_grpo", sft_grpo)):
    quarter = max(1, len(log) // 4)
    for label, part in (("first quarter", log[:quarter]), ("last quarter", log[-quarter:])):
        rows.append([name, label, *pd.DataFrame(part)[columns].mean()])
Markdown(to_markdown(pd.DataFrame(rows, columns=["recipe", "steps", *columns]), decimals=3))

# %% [markdown] id="closed-text"
# ## The closed set over training
#
# The right curve of the paper's Figure 1: checkpoints of GRPO on clean tasks with unseen places and wordings. Step 0 is the backbone.

# %% id="closed"
records = evaluate_curve("grpo", profile, seed, run.folder, model or None)
records += evaluate_curve("sft_grpo", profile, seed, run.folder, model or None)
frame = pd.concat([load_frame(run.folder / "curves" / "base.jsonl"), records_frame(records)], ignore_index=True)
fig1_closed_set_over_training(frame, recipes=("grpo", "sft_grpo"))

# %% [markdown] id="check-text"
# Checks: both logs are whole, and every reward lies between 0 and 1.

# %% id="check"
for log, steps in ((grpo, run.profile.grpo.steps), (sft_grpo, run.profile.sft_grpo.steps)):
    assert [entry["step"] for entry in log] == list(range(1, steps + 1))
    assert all(0.0 <= entry["reward"] <= 1.0 for entry in log)

# %% [markdown] id="answer"
# ## Answer
#
# The table above says how far reward alone carried this backbone within the budget of the profile, and what it added to SFT.
# At this scale GRPO sees a few thousand episodes; the paper's 280 steps on a 7B model are another matter, and no number here
# is one about that model. Next: `08_train_paft` changes the data instead of the objective.
