# %% [markdown] id="title"
# # Tier III: reasoning
#
# **Question.** What does a shift of the reasoning tier change in a task, and who survives it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | nothing | under a minute |
#
# The third tier changes how things *fit together* (Paper: section 4.4, Figure 3): which calls lead to the answer, in which order, or
# by which rule. The names may all be familiar; what was learnt about chains is what no longer holds. The documents state everything
# that is needed. Three shifts.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.pipeline.notebook import start
from openagent_lib.pipeline.tier_page import TierPage

run = start(profile, seed, run_dir)
page = TierPage("reasoning", run.seed)

# %% [markdown] id="clean-text"
# ## A task before any shift
#
# A look-up of two calls: the name gives the id, the id gives the attribute. The oracle (right) and the frozen agent (left), which
# replays from memory what is right on this clean task, do the same.

# %% id="clean"
task, _ = page.example("logic_inversion")
print(page.trajectories(task))

# %% [markdown] id="trace-text"
# ## A shorter way
#
# **Trace simplification.** Two tools are withdrawn, and one that does the work of both is offered. The answer is one call away
# instead of two. Who insists on the old steps calls tools that are no longer there.

# %% id="trace"
Markdown(page.card("trace_simplification"))

# %% [markdown] id="inversion-text"
# ## The other way round
#
# **Logic inversion.** What took a name and led to a number now takes the number and leads to the name, and the question asks for
# that. The tools keep their names and codes, so this is the mirror image of a renaming: the names stay and the documents change.

# %% id="inversion"
Markdown(page.card("logic_inversion"))

# %% [markdown] id="rule-text"
# ## Another rule
#
# **Rule reasoning.** A tool multiplies by another factor than it used to, and its document says so. The chain stays and so do the names;
# only the right *answer* moves. The frozen agent survives, because it leaves the multiplication to the tool. What fails here is a
# model that has learnt the old factor and works the result out itself, without the call.

# %% id="rule"
Markdown(page.card("rule_reasoning"))

# %% [markdown] id="memory-text"
# How such a model would fare: the same tasks, answered with the value that was right before the shift.

# %% id="memory"
shift = page.shifts["rule_reasoning"]
pairs = [(task, shift.apply(task, 1.0, run.seed)) for task in page.tasks if shift.applies_to(task)]
stale = sum(before.gold_answer == after.gold_answer for before, after in pairs)
for before, after in pairs[:3]:
    print(f"{before.query}\n    was {before.gold_answer}, is {after.gold_answer}")
print(f"the old answer is still right in {stale} of {len(pairs)} tasks")

# %% [markdown] id="pools-text"
# ## Seen in training, seen in evaluation
#
# Documents, names, questions and factors come from two pools that share nothing, one for training stages that perturb their data and
# one for evaluation (Paper: section 4.1). Two of each pool:

# %% id="pools"
print(page.pools())

# %% [markdown] id="dose-text"
# ## Strength
#
# The dial means something else for each shift: how many pairs of calls are merged, how many look-ups beside the chain are turned round
# as well, how far the factor moves. The chain itself is changed at every strength above 0, hence the flat curves.

# %% id="dose"
page.dose()

# %% [markdown] id="table-text"
# ## The tier in numbers
#
# Three scripted agents on the closed set (`clean`) and on 38 twins for each shift; the *refuser* refuses every task at once. Each
# cell is the share that succeeds in percent with its 95 % interval. `Δ` is the paired change: the same tasks with and without
# the shift, in percentage points.

# %% id="table"
Markdown(page.table())

# %% [markdown] id="chain-text"
# ## What happens to the chains
#
# The mean number of calls of the oracle, before and after: shorter under trace simplification, as long as before under the other
# two.

# %% id="chain"
calls = page.records[page.records["recipe"] == "oracle"].set_index("task_id")
for kind, shift in page.shifts.items():
    rows = calls[calls["shift"] == shift.name]
    before = calls.loc[rows["base_task_id"], "n_calls"].mean()
    print(f"{kind:22s}{before:.2f} calls before, {rows['n_calls'].mean():.2f} after, n = {len(rows)}")

# %% [markdown] id="check-text"
# Checks: the oracle is right everywhere, the frozen agent is perfect in the closed set, and strength 0 changes nothing.

# %% id="check"
rate = page.rates.set_index(["agent", "shift"])["rate"]
assert (rate["oracle"] == 100).all() and rate["frozen", "clean"] == 100
for kind, shift in page.shifts.items():
    before, _ = page.example(kind)
    assert shift.apply(before, 0.0) == before

# %% [markdown] id="answer"
# ## Answer
#
# A reasoning shift changes the chain or its rule and states the change in the documents. Nothing that was remembered about the order
# of calls helps; the frozen agent loses every task whose chain has changed and keeps those where the tool itself does the new work.
# Next: `05_shift_internalization`.
