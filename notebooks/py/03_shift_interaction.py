# %% [markdown] id="title"
# # Tier II: interaction
#
# **Question.** What does a shift of the interaction tier change in a task, and who survives it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | nothing | seconds |
#
# The second tier leaves query and tools alone and changes what comes *back* (Paper: section 4.3, Figure 3). With `error_message` the first
# execution of a needed tool fails, the message says that the fault will pass, and the very same call succeeds the next time.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
import pandas as pd
from IPython.display import Markdown

from openagent_lib.agents.scripted import FrozenAgent, OracleAgent, RefuserAgent
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.report.trajectory_view import side_by_side_text
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.catalogue import SHIFTS, shifted_twins

run = start(profile, seed, run_dir)
shifts = [shift for shift in SHIFTS.values() if shift.tier == "interaction"]

# %% [markdown] id="definition-text"
# ## Definitions
#
# Each shift of this tier, the dimension of the world that it moves (Paper: section 3.2) and what its strength scales. The
# metric says what success means under it.

# %% id="definition"
columns = ["kind", "dimension", "is_solvable", "metric", "definition", "strength_meaning"]
Markdown(to_markdown(pd.DataFrame([[getattr(shift, name) for name in columns] for shift in shifts], columns=columns)))

# %% [markdown] id="pair-text"
# ## One task, before and after
#
# The same task, clean and under `interaction.error_message` at full strength. The *clean twin* stays known, so that
# every comparison is between two versions of one task.

# %% id="pair"
tasks = make_tasks("test", 280, run.seed)
task = next(task for task in tasks if task.shape == "look_up" and all(shift.applies_to(task) for shift in shifts))
twins = {shift.kind: shift.apply(task, strength=1.0, seed=run.seed) for shift in shifts}
kind, twin = list(twins.items())[-1]
print("clean:  ", task.query, "->", task.gold_answer)
print("shifted:", twin.query, "->", twin.gold_answer or "refuse")

# %% [markdown] id="look-text"
# The rule below is all that differs between the twins; the agent sees it only as an observation, in the middle of its chain.

# %% id="look"
print("query the same:", twin.query == task.query, "| tools the same:", twin.tools == task.tools)
for rule in twin.channel.rules:
    print(f"execution 1 of {rule.function} returns {rule.template}")

# %% [markdown] id="oracle-text"
# ## Two trajectories
#
# The oracle on the clean task (left) and on its shifted twin (right). It proves that the right behaviour exists and can be
# reached through the environment alone. A `≠` marks a step that differs.

# %% id="oracle"
print(side_by_side_text(*episodes(OracleAgent(), [task, twin])))

# %% [markdown] id="frozen-text"
# The frozen agent replays what was right on the clean twin. It is the extreme of what the paper calls trajectory
# overfitting: perfect on the left by construction.

# %% id="frozen"
print(side_by_side_text(*episodes(FrozenAgent(tasks), [task, twin])))

# %% [markdown] id="strength-text"
# ## Strength
#
# Every shift has a dial. At 0 it is the identity, byte for byte. The dial scales how many pieces of a task are touched: tools,
# conditions of the query, or rules of the observation channel.

# %% id="strength"
def touched(before, after):
    pairs = [*zip(before.tools, after.tools, strict=True), *zip(before.slots, after.slots, strict=True)]
    return sum(left != right for left, right in pairs) + len(after.channel.rules)


for shift in shifts:
    suitable = [item for item in tasks if shift.applies_to(item)]
    for strength in (0.0, 0.25, 0.5, 1.0):
        pieces = [touched(item, shift.apply(item, strength, run.seed)) for item in suitable]
        print(f"{shift.kind:18s} strength {strength:4.2f}  {sum(pieces) / len(pieces):.2f} pieces of a task touched")

# %% [markdown] id="pools-text"
# ## Seen in training, seen in evaluation
#
# Patterns come from two disjoint pools (Paper: section 4.1, no pattern of the test set appears in any training stage). The
# same task under the pool for training and under the pool for evaluation:

# %% id="pools"
for shift in shifts:
    for pool in ("train", "test"):
        other = shift.apply(task, 1.0, run.seed, pool)
        texts = [rule.template for rule in other.channel.rules] or [tool.name for tool in other.tools]
        print(f"{shift.kind:18s} {pool:5s} {other.query} | {', '.join(texts)}")

# %% [markdown] id="table-text"
# ## The tier in numbers
#
# Three scripted agents on the clean tasks and on all twins of this tier, with 95 % intervals. `change` is paired: the same
# task with and without the shift, in percentage points.

# %% id="table"
suite = tasks + [twin for shift in shifts for twin in shifted_twins(tasks, shift, 120, run.seed)]
agents = (OracleAgent(), FrozenAgent(tasks), RefuserAgent())
rows = [row for agent in agents for row in episodes(agent, suite, run.seed)]
table = results_table(records_frame(rows))
Markdown(to_markdown(table, ["recipe", "shift", "metric", "n", "rate", "low", "high", "change"]))

# %% [markdown] id="check-text"
# Checks: the oracle is right everywhere, strength 0 changes nothing, and the frozen agent is perfect in the closed set.

# %% id="check"
rate = table.set_index(["recipe", "shift"])["rate"]
assert (rate["oracle"] == 100).all() and rate["frozen", "clean"] == 100
assert all(shift.apply(task, 0.0).to_json() == task.to_json() for shift in shifts)

# %% [markdown] id="answer"
# ## Answer
#
# An interaction shift cannot be seen in the prompt, only in an observation. Surviving it takes one extra call, and to know that it is
# worth making one has to read the message. Next: `04_shift_reasoning`.
