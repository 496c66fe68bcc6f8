# %% [markdown] id="title"
# # Tier IV: internalization
#
# **Question.** What does a shift of the internalization tier change in a task, and who survives it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | nothing | under a minute |
#
# The fourth tier asks what an agent has made its own (Paper: section 4.5, Figure 3). Two shifts make the task *impossible*: the right
# thing is to say so, and what counts is the refusal rate. The third moves the whole task into a domain that was never seen, where
# only the structure of what was learnt can be carried over.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.evaluation.metrics import over_refusal, refusal_rate
from openagent_lib.pipeline.notebook import start
from openagent_lib.pipeline.tier_page import TierPage
from openagent_lib.sandbox.proof import is_beyond_reach

run = start(profile, seed, run_dir)
page = TierPage("internalization", run.seed)

# %% [markdown] id="clean-text"
# ## The task before any shift
#
# The example of this notebook, with all it needs. The oracle (right) and the frozen agent (left), which replays from memory what is
# right on this clean task, do the same.

# %% id="clean"
task, _ = page.example("missing_condition")
print(page.trajectories(task))

# %% [markdown] id="missing-text"
# ## Something is missing
#
# **Missing condition.** The question no longer says which place is meant; vague words stand where the name stood. Nobody can answer it.
# The frozen agent fills the gap from memory: its answer was right for another question, and here it is an invention.

# %% id="missing"
Markdown(page.card("missing_condition"))

# %% [markdown] id="fatal-text"
# **Fatal error.** The question is complete, but a tool that it needs is broken for good and says so. Up to that reply all is as before;
# the difference to a fault that passes (`03_shift_interaction`) lies in the words of the message alone.

# %% id="fatal"
Markdown(page.card("fatal_error"))

# %% [markdown] id="proof-text"
# ## Is it really impossible?
#
# A refusal is only right if there is no way round. For every task here it is proven: starting from the values in the question, all
# tools that still work are applied to everything known until nothing new turns up, and what the task needs is not among it.

# %% id="proof"
for kind in ("missing_condition", "fatal_error"):
    shift = page.shifts[kind]
    proven = [is_beyond_reach(shift.apply(task, 1.0, run.seed), task) for task in page.tasks]
    print(f"{kind:18s} out of reach in {sum(proven)} of {len(proven)} tasks")
    assert all(proven)

# %% [markdown] id="domain-text"
# ## The same structure in another world
#
# **Domain transfer.** From the town to the drug store of a hospital: another question, other tools, other kinds of values, and yet the
# same chain through the same graph. This task *can* be solved, by carrying over what a name, an id and a look-up are to each
# other. No training stage has ever seen the medical domain.

# %% id="domain"
Markdown(page.card("domain_transfer"))

# %% [markdown] id="pools-text"
# ## Seen in training, seen in evaluation
#
# Vague words and messages come from two pools that share nothing, one for training stages that perturb their data and one for
# evaluation (Paper: section 4.1). For the transfer the pools hold the questions of the medical domain; its tools are new in any
# case. Two of each pool, line breaks shown as ⏎:

# %% id="pools"
print(page.pools())

# %% [markdown] id="dose-text"
# ## Strength
#
# The dial scales how many conditions are deleted, how many look-ups are broken, or how many tools bear the names of the new
# domain. One missing condition is as fatal as two, so at any strength above 0 the right thing is to refuse.

# %% id="dose"
page.dose()

# %% [markdown] id="table-text"
# ## The tier in numbers
#
# Three scripted agents on the closed set (`clean`) and on 38 twins for each shift; the *refuser* refuses every task at once. Each
# cell is a rate in percent with its 95 % interval, `Δ` the paired change in percentage points. Where a task must be refused the
# rate is the refusal rate; it has no counterpart in the closed set, hence no `Δ`.

# %% id="table"
Markdown(page.table())

# %% [markdown] id="refusal-text"
# ## Both sides of a refusal
#
# A refusal rate alone says nothing: who always refuses gets 100 %. Beside it belongs *over-refusal*, the share of tasks that could
# have been solved and were refused. A good agent is high in the first and low in the second.

# %% id="refusal"
for agent, rows in page.records.groupby("recipe"):
    right, wrong = refusal_rate(rows).scale(100), over_refusal(rows).scale(100)
    print(f"{agent:8s} refusal rate {right.estimate:5.1f} % [{right.low:.1f}, {right.high:.1f}], n = {right.n}")
    print(f"{'':8s} over-refusal {wrong.estimate:5.1f} % [{wrong.low:.1f}, {wrong.high:.1f}], n = {wrong.n}")

# %% [markdown] id="check-text"
# Checks: the oracle is right everywhere, the frozen agent is perfect in the closed set, strength 0 changes nothing, and exactly the
# two shifts named above leave no answer.

# %% id="check"
rate = page.rates.set_index(["agent", "shift"])["rate"]
assert (rate["oracle"] == 100).all() and rate["frozen", "clean"] == 100
for kind, shift in page.shifts.items():
    before, after = page.example(kind)
    assert shift.apply(before, 0.0) == before
    assert after.is_solvable == (kind == "domain_transfer")

# %% [markdown] id="answer"
# ## Answer
#
# An internalization shift takes away what a task needs, or the whole world that it stood in. On an impossible task every answer is an
# invention; the frozen agent never refuses, the refuser is right here and useless everywhere else. Both numbers, refusals that were
# due and refusals that were not, are needed to tell who knows its limits. The next notebooks train: `06_train_sft`.
