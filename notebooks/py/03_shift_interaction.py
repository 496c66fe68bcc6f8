# %% [markdown] id="title"
# # Tier II: interaction
#
# **Question.** What does a shift of the interaction tier change in a task, and who survives it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | nothing | under a minute |
#
# The second tier leaves the question alone and changes what comes *back* (Paper: section 4.3, Figure 3). Nothing of it can be seen
# before the first call: the agent has to notice in the middle of its work that a reply is not what it used to be. Five shifts,
# from a harmless change of format to a tool that sends the agent elsewhere.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.evaluation.metrics import summary
from openagent_lib.pipeline.notebook import start
from openagent_lib.pipeline.tier_page import TierPage
from openagent_lib.report.tables import to_markdown

run = start(profile, seed, run_dir)
page = TierPage("interaction", run.seed)

# %% [markdown] id="clean-text"
# ## The task before any shift
#
# The example of this notebook, undisturbed. The oracle (right) reads every reply; the frozen agent (left) replays the calls that are
# right here and takes whatever comes back for a value. In the closed world every reply has the form `{"value": ...}`, so taking
# it for a value is always right.

# %% id="clean"
task, _ = page.example("format_shift")
print(page.trajectories(task))

# %% [markdown] id="format-text"
# ## The value in another dress
#
# **Format shift.** The value is there, but written otherwise: a sentence, XML, a table. No further call is needed, only reading. The
# frozen agent passes the whole reply on as if it were the value.

# %% id="format"
Markdown(page.card("format_shift"))

# %% [markdown] id="error-text"
# ## No value, for now
#
# **Error message.** The first execution of a needed tool fails, some tools fail twice, and the message says that this will pass. The
# very same call then succeeds. It takes one more call, and to know that it is worth making one has to read.

# %% id="error"
Markdown(page.card("error_message"))

# %% [markdown] id="null-text"
# **Null message.** Less is said: the reply is empty. Nothing in it claims that there is no value, so the right thing is to ask once
# more before giving up or making something up.

# %% id="null"
Markdown(page.card("null_message"))

# %% [markdown] id="value-text"
# ## Directions in a reply
#
# **Value redirection.** The reply says that an argument has gone out of date and which one stands for it now. The same tool must be
# called again with the new one. An agent that repeats its call to the letter gets the same reply for ever.

# %% id="value"
Markdown(page.card("value_redirection"))

# %% [markdown] id="tool-text"
# **Tool redirection.** The tool is gone and names another one that took its place, which has been on offer from the start. The plan
# must be changed in the middle of the chain.

# %% id="tool"
Markdown(page.card("tool_redirection"))

# %% [markdown] id="pools-text"
# ## Seen in training, seen in evaluation
#
# The texts of the replies come from two pools that share nothing, one for training stages that perturb their data and one for
# evaluation (Paper: section 4.1). They differ in wording and in style: who has learnt one error message by heart has not learnt what
# an error is. Two of each pool, line breaks shown as ⏎:

# %% id="pools"
print(page.pools())

# %% [markdown] id="dose-text"
# ## Strength
#
# The dial scales how many of the needed tools misbehave, at least one. For the frozen agent one is already too many: a chain is as
# strong as its weakest link.

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

# %% [markdown] id="explore-text"
# ## Does it look twice?
#
# Right or wrong is one question, what an agent does after a strange reply is another. *Active exploration* is the share of replies
# that withheld a value after which a valid call follows (the paper names this score; its formula is our assumption), and
# *chain length* the mean number of calls. The oracle always looks twice, and its chains grow by as much. The frozen agent scores
# above zero too, now and then, when the next call of its plan happens to be valid: read the score beside the accuracy,
# never alone. A dash: no value was withheld.

# %% id="explore"
names = ("active_exploration", "average_chain_length")
table = summary(page.records[page.records["recipe"] != "refuser"], names).rename(columns={"recipe": "agent"})
table = table.rename(columns=lambda name: name.replace("_estimate", "").replace("_", " "))
Markdown(to_markdown(table, ["agent", "shift", "active exploration", "average chain length"], decimals=2))

# %% [markdown] id="check-text"
# Checks: the oracle is right everywhere, the frozen agent is perfect in the closed set, and strength 0 changes nothing. And the
# claim from the top: question and answer stay, what changes is the channel that replies come through.

# %% id="check"
rate = page.rates.set_index(["agent", "shift"])["rate"]
assert (rate["oracle"] == 100).all() and rate["frozen", "clean"] == 100
for kind, shift in page.shifts.items():
    before, after = page.example(kind)
    assert shift.apply(before, 0.0) == before
    assert (after.query, after.gold_answer) == (before.query, before.gold_answer)
    assert not before.channel.rules and after.channel.rules

# %% [markdown] id="answer"
# ## Answer
#
# An interaction shift cannot be seen in the prompt, only in a reply. Surviving it takes no knowledge of the world, only the habit of
# reading what comes back: extract the value, call again, or follow the directions. The frozen agent has no such habit and loses every
# task. Next: `04_shift_reasoning`.
