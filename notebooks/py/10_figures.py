# %% [markdown] id="title"
# # Beside the paper
#
# **Question.** How do our results stand beside the paper's?
#
# | needs | writes | time |
# | --- | --- | --- |
# | `06` to `09` | `figures/` (PNG, SVG, CSV) and `tables/` of the run | seconds |
#
# Two warnings first. The backbone is named in every caption: at the profiles `smoke` and `cpu` it is a miniature of fewer than
# two million parameters, and a result of it is never one about Qwen2.5-7B. And the paper's numbers here come from third-party
# digests, marked so; nobody on our side has read its result sections.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.config import RECIPES, TRAINED_RECIPES
from openagent_lib.evaluation.records import load_frame
from openagent_lib.pipeline.notebook import start
from openagent_lib.report import figures, tables

run = start(profile, seed, run_dir)
out = run.folder / "figures"
frame = load_frame(*(run.folder / "records" / f"{recipe}.jsonl" for recipe in RECIPES))

# %% [markdown] id="fig1-text"
# ## The closed set over training
#
# The paper's Figure 1: both ways of training rise steadily in the closed world. Ours, from checkpoints on unseen places:

# %% id="fig1"
curves = load_frame(*(run.folder / "curves" / f"{recipe}.jsonl" for recipe in ("base", "sft", "grpo")))
figures.fig1_closed_set_over_training(curves, out)

# %% [markdown] id="fig4-text"
# ## Tier by tier
#
# Accuracy of every recipe in the closed set and in each tier; for the last tier the refusal rate of unsolvable tasks. Hollow
# diamonds are the paper's, where a number of the same kind is known.

# %% id="fig4"
figures.fig4_accuracy_by_tier(frame, out)

# %% [markdown] id="fig5-text"
# ## Shift by shift
#
# The paired change against the clean twin of each task. Left of zero: the shift costs.

# %% id="fig5"
figures.fig5_paired_change(frame, out)

# %% [markdown] id="fig6-text"
# ## Training
#
# Loss of the supervised recipes and reward of the reinforced ones.

# %% id="fig6"
logs = {recipe: run.folder / "training" / recipe / "log.jsonl" for recipe in TRAINED_RECIPES}
figures.fig6_training_curves(logs, out, backbone=", ".join(sorted(set(frame["backbone"]))))

# %% [markdown] id="results-text"
# ## All results
#
# Written to `tables/results.csv`.

# %% id="results"
results = tables.results_table(frame)
tables.write_table(results, run.folder / "tables" / "results.csv")
Markdown(tables.to_markdown(results, ["recipe", "shift", "metric", "n", "rate", "low", "high", "change"]))

# %% [markdown] id="paper-text"
# ## Cell by cell
#
# Each number or statement that is known of the paper, beside ours, with a verdict: *agrees*, *differs* or *not comparable*.
# Another model at another scale can only be compared in direction; the rule is in `openagent_lib/report/tables.py`.

# %% id="paper"
comparison = tables.comparison_table(frame)
tables.write_table(comparison, run.folder / "tables" / "comparison.csv")
shown = ["recipe", "metric", "cell", "paper", "paper_says", "n", "ours", "low", "high", "verdict"]
Markdown(tables.to_markdown(comparison, shown))

# %% id="verdicts"
print(tables.count_verdicts(comparison))

# %% [markdown] id="check-text"
# Checks: every figure has its PNG, its SVG and its data, and every table its file.

# %% id="check"
names = {path.stem for path in out.glob("*.png")}
assert len(names) == 4 and all((out / f"{name}.{kind}").is_file() for name in names for kind in ("svg", "csv"))
assert (run.folder / "tables" / "comparison.csv").is_file()

# %% [markdown] id="answer"
# ## Answer
#
# The verdicts above are the answer, for this backbone and this seed. The reasons for each are in `tables/comparison.csv`. The
# limits are plain: one training run per recipe, a miniature model by default, a sandbox of our own design, and shifts whose
# patterns are ours where the paper's were not seen. What a 7B model does is for the profiles `gpu` and `paper` to say.
