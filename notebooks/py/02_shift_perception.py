# %% [markdown] id="title"
# # Tier I: perception
#
# **Question.** What does a shift of the perception tier change in a task, and who survives it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | nothing | under a minute |
#
# The first tier changes the *words* of the world and keeps what they stand for (Paper: section 4.2, Figure 3). Nine shifts, in
# three groups: how the user asks, what a call must look like, and how tools are named. In each of them the same chain of the
# same tools still leads to the same answer. Three of the nine (verification code, distractor tools, tool-name noise) are named
# in the official README only.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.pipeline.notebook import start
from openagent_lib.pipeline.tier_page import TierPage

run = start(profile, seed, run_dir)
page = TierPage("perception", run.seed)

# %% [markdown] id="clean-text"
# ## The task before any shift
#
# One look-up serves as the example throughout. Two agents play it. The **oracle** (right) reads the current names, documents and
# replies. The **frozen** agent (left) replays the calls that are right on this clean task, whatever it is offered and whatever
# comes back: the extreme of what the paper calls trajectory overfitting (section 5). Here they cannot be told apart.

# %% id="clean"
task, _ = page.example("symbolic_drift")
print(page.trajectories(task))

# %% [markdown] id="blurring-text"
# ## How the user asks
#
# **Instruction blurring.** The wish is hinted at instead of named. A reader has to recover the intent, after which all is as before.
# Notice that the frozen agent is not hurt: it knows the task by heart and never reads the question. A language model has no such
# luck, it can only know the task *by* its question.

# %% id="blurring"
Markdown(page.card("instruction_blurring"))

# %% [markdown] id="redundancy-text"
# **Information redundancy.** The question stays word for word, but sentences that ask for nothing stand around it, some of
# them with the name of another place. A reader has to leave them alone.

# %% id="redundancy"
Markdown(page.card("information_redundancy"))

# %% [markdown] id="schema-text"
# ## What a call must look like
#
# **Schema adaptability.** The keys change: those of the arguments, and the one that holds them all. Both are stated, the former in
# the schemas of the tools, the latter in the system prompt. A call under the old keys is rejected.

# %% id="schema"
Markdown(page.card("schema_adaptability"))

# %% [markdown] id="code-text"
# **Verification code.** The document of a tool demands a code that it did not demand before, or another one than before. A call
# without it fails. This is the purest test of whether a document is read at all: there is no other way to know the code.

# %% id="code"
Markdown(page.card("verification_code"))

# %% [markdown] id="distractor-text"
# **Distractor tools.** More tools are offered, some of them close to what is needed. The old chain works as before, so memory is no
# handicap here and choosing is the whole difficulty.

# %% id="distractor"
Markdown(page.card("distractor_tools"))

# %% [markdown] id="drift-text"
# ## How tools are named
#
# **Symbolic drift.** Each tool gets another meaningful name, as when an API moves to its next version. The documents stay, so both
# the name and the document still say what it does.

# %% id="drift"
Markdown(page.card("symbolic_drift"))

# %% [markdown] id="erasure-text"
# **Identity erasure.** Names become tokens without meaning. Now the document alone says what a tool does; a model that chose by
# the sound of the name has nothing left to go by.

# %% id="erasure"
Markdown(page.card("identity_erasure"))

# %% [markdown] id="noise-text"
# **Tool-name noise.** The familiar name is still recognisable, but spelt otherwise. A call must repeat the spelling exactly, so a
# model that writes the name from memory instead of copying it fails.

# %% id="noise"
Markdown(page.card("tool_name_noise"))

# %% [markdown] id="trap-text"
# **Semantic trap.** The meanest of the nine: two tools change names, and their documents say so. Every familiar name is still there
# and can be called, but it does something else.
# The frozen agent calls the name it knows and reaches the wrong tool.

# %% id="trap"
Markdown(page.card("semantic_trap"))

# %% [markdown] id="pools-text"
# ## Seen in training, seen in evaluation
#
# The patterns of every shift come from two pools that share nothing, one for training stages that perturb their data and one for
# evaluation (Paper: section 4.1, no pattern of the test set appears in any training stage). Two of each pool; in names and codes
# `?` is any letter or digit, `#` a digit and `@` a capital letter:

# %% id="pools"
print(page.pools())

# %% [markdown] id="dose-text"
# ## Strength
#
# Every shift has a dial from 0 to 1. At 0 it is the identity, byte for byte; the cards above say what it scales. The frozen agent
# mostly falls at the first touch, because a shift begins with the tools that the task needs. A model that has learnt to adapt
# would fall later, or not at all.

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

# %% [markdown] id="check-text"
# Checks: the oracle is right everywhere, the frozen agent is perfect in the closed set, and strength 0 changes nothing. And the
# claim from the top: no shift of this tier touches the answer.

# %% id="check"
rate = page.rates.set_index(["agent", "shift"])["rate"]
assert (rate["oracle"] == 100).all() and rate["frozen", "clean"] == 100
for kind, shift in page.shifts.items():
    before, after = page.example(kind)
    assert shift.apply(before, 0.0) == before
    assert (after.gold_answer, after.gold_chain) == (before.gold_answer, before.gold_chain)

# %% [markdown] id="answer"
# ## Answer
#
# A perception shift changes words and nothing that they stand for. An agent that reads loses nothing to it. An agent that acts from
# memory loses everything wherever a *call* has to be written otherwise (names, keys, codes) and nothing where only the question or
# the offer changes. A trained model stands somewhere between the two; `09_evaluate` measures where. Next:
# `03_shift_interaction`.
