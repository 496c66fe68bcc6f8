# %% [markdown] id="title"
# # Opening the world
#
# **Question.** What does each recipe keep when the world opens?
#
# | needs | writes | time on 2 cores |
# | --- | --- | --- |
# | `01`, `06`, `07`, `08` | `records/` of the run | smoke: under a minute, cpu: about 13 minutes |
#
# Every trained model, and the backbone itself, plays the same suite: the closed set and the twins of its tasks under each
# shift, greedily (temperature 0, as the paper). Every episode is kept as a record.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed
model: str = ""  # name or local path that replaces the backbone of the profile

# %% id="imports"
from collections import Counter

from IPython.display import Markdown

from openagent_lib.agents.scripted import FrozenAgent, OracleAgent
from openagent_lib.config import RECIPES
from openagent_lib.evaluation import metrics
from openagent_lib.evaluation.recipes import evaluate_recipe
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.evaluation.suite import read_suite
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.report.trajectory_view import side_by_side_text

run = start(profile, seed, run_dir)

# %% [markdown] id="suite-text"
# ## The suite
#
# How many tasks each shift holds. `clean` is the closed set; every other task has its clean twin among it.

# %% id="suite"
suite = read_suite(run.folder)
for shift, count in Counter(task.shift for task in suite).items():
    print(f"{count:4d}  {shift}")

# %% [markdown] id="sanity-text"
# ## Sanity
#
# The oracle is right on every task, so no failure below is the suite's fault. The frozen agent shows what pure memory of the
# closed world would score.

# %% id="sanity"
clean = [task for task in suite if task.shift == "clean"]
scripted = episodes(OracleAgent(), suite, seed) + episodes(FrozenAgent(clean), suite, seed)
assert all(row["success"] for row in scripted[: len(suite)])
print("oracle:", len(suite), "of", len(suite))

# %% [markdown] id="evaluate-text"
# ## The models
#
# Records are appended batch by batch; an evaluation that was killed goes on where it stopped and repeats nothing.

# %% id="evaluate"
records = {recipe: evaluate_recipe(recipe, profile, seed, run.folder, model or None) for recipe in RECIPES}
frame = records_frame([row for rows in records.values() for row in rows] + scripted)
print({recipe: len(rows) for recipe, rows in records.items()})

# %% [markdown] id="table-text"
# ## Results
#
# Percentages with 95 % intervals. For shifts whose tasks cannot be solved the rate is the refusal rate. `change` is the paired
# difference to the clean twins, in percentage points.

# %% id="table"
table = results_table(frame)
Markdown(to_markdown(table, ["recipe", "shift", "metric", "n", "rate", "low", "high", "change"]))

# %% [markdown] id="metrics-text"
# ## Beyond accuracy
#
# Tool error rate (invalid calls among all calls), active exploration (anomalous observations that a valid call follows), mean
# length of the tool chain, and over-refusal (solvable tasks that were refused), by recipe and tier.

# %% id="metrics"
names = ("tool_error_rate", "active_exploration", "average_chain_length", "over_refusal")
tiers = metrics.tier_summary(frame, names)
Markdown(to_markdown(tiers, ["recipe", "tier", *(f"{name}_estimate" for name in names)], decimals=2))

# %% [markdown] id="pair-text"
# ## One pair of episodes
#
# The first task that plain SFT solves when clean and loses under a shift. Left the clean episode, right the shifted one.

# %% id="pair"
by_task = {row["task_id"]: row for row in records["sft"]}
losses = [row for row in records["sft"] if row["shift"] != "clean" and not row["success"]]
pairs = [(by_task[row["base_task_id"]], row) for row in losses]
lost = [pair for pair in pairs if pair[0]["success"]] or pairs
print(side_by_side_text(*lost[0]) if lost else "plain SFT lost no task")

# %% [markdown] id="check-text"
# Checks: every recipe has a record of every task, each with exactly one outcome.

# %% id="check"
assert all(len(rows) == len(suite) for rows in records.values())
assert set(frame["outcome"]) <= {"correct", "wrong", "refused", "malformed", "exhausted"}

# %% [markdown] id="answer"
# ## Answer
#
# The table of results is the answer, cell by cell and with its uncertainty. Each row compares one training recipe with
# itself: the same model, the same tasks, with and without one change of the world. `10_figures` draws it beside what the paper
# reports.
