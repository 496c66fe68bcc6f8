# %% [markdown] id="title"
# # A tour in five minutes
#
# **Question.** What does it mean that a tool-using agent is trained in a *closed world* and then meets an *open* one?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing but the repository | nothing | under a minute, no training |
#
# You will meet the sandbox, watch a perfect agent work, change one word of its world, and watch it fail. Then you ask the
# embedded miniature language model the same question.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.agents.local import LocalAgent
from openagent_lib.agents.scripted import FrozenAgent, OracleAgent
from openagent_lib.config import PROFILES
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.paths import BACKBONE
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import results_table, to_markdown
from openagent_lib.report.trajectory_view import side_by_side_text
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.shifts.catalogue import SHIFTS, get_shift, shifted_twins

run = start(profile, seed, run_dir)

# %% [markdown] id="task-text"
# ## One task
#
# The sandbox is a small town of anonymised places. A **task** is a question, a handful of tools, and one right answer. The
# agent sees the question and each tool's *document*; it does not know the town.

# %% id="task"
tasks = make_tasks("test", 120, run.seed)
task = next(task for task in tasks if task.shape == "look_up")
print(task.query)
for tool in task.tools:
    print(f"  {tool.name}({', '.join(tool.argument_names)})  {tool.document}")

# %% [markdown] id="shift-text"
# ## The same task in another world
#
# A **shift** changes one thing and keeps the rest. Here every tool loses its name and gets a meaningless token; the documents
# stay. Anyone who reads the documents can still solve the task. This is `perception.identity_erasure`, one leaf of the
# paper's first tier (Figure 3).

# %% id="shift"
erasure = get_shift("perception.identity_erasure")
twin = erasure.apply(task, strength=1.0, seed=run.seed)
for before, after in zip(task.tools, twin.tools, strict=True):
    print(f"  {before.name:22s} -> {after.name}")

# %% [markdown] id="oracle-text"
# ## Two agents
#
# The **oracle** knows the right chain and reads the current names, so it proves that the shifted task is solvable. The
# **frozen** agent replays from memory what was right before the shift: the caricature of a policy that has memorised
# trajectories instead of reading documents. First the oracle, clean on the left and shifted on the right:

# %% id="oracle"
oracle = episodes(OracleAgent(), [task, twin])
print(side_by_side_text(*oracle))

# %% [markdown] id="frozen-text"
# And the frozen agent on the very same two tasks. On the right it calls a tool that no longer exists, does not notice, and
# answers anyway.

# %% id="frozen"
frozen = episodes(FrozenAgent(tasks), [task, twin])
print(side_by_side_text(*frozen))

# %% [markdown] id="all-text"
# ## Not an anecdote
#
# The same comparison over 120 tasks and every shift that this companion defines so far. Each rate is a percentage with its
# 95 % interval; where a task cannot be solved, the right thing is to refuse, and the rate is the refusal rate.

# %% id="all"
suite = tasks + [twin for shift in SHIFTS.values() for twin in shifted_twins(tasks, shift, 120, run.seed)]
rows = episodes(OracleAgent(), suite, run.seed) + episodes(FrozenAgent(tasks), suite, run.seed)
table = results_table(records_frame(rows))
Markdown(to_markdown(table, ["recipe", "shift", "metric", "n", "rate", "low", "high"]))

# %% [markdown] id="model-text"
# ## A language model
#
# Scripted agents show the mechanism. What does a *trained* model do? The repository carries a miniature language model of
# about a million parameters. It plays the role of the instruction-tuned backbone, before any training in this town.
# Nothing about it is a result about Qwen2.5-7B, the paper's model.

# %% id="model"
agent = LocalAgent.load(BACKBONE, "base", PROFILES["cpu"])
base = episodes(agent, [task, twin])
print(side_by_side_text(*base))

# %% [markdown] id="check-text"
# A last check that the tour holds what it says: the oracle is right on both, the frozen agent on the clean one only.

# %% id="check"
assert [row["success"] for row in oracle] == [True, True]
assert [row["success"] for row in frozen] == [True, False]

# %% [markdown] id="answer"
# ## Answer
#
# A closed world can be mastered by memory. The shift changed no fact about the town and no document, only names, and an agent
# that acts from memory lost everything while an agent that reads lost nothing. Whether *training* makes a language model the
# one or the other is the question of the next notebooks: `01_build_sandbox` builds the world, `02` to `05` open it tier by
# tier, `06` to `08` train, `09` and `10` measure.
