# %% [markdown] id="title"
# # A tour in five minutes
#
# **Question.** What does it mean that a tool-using agent is trained in a *closed world* and then meets an *open* one?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing but the repository | nothing | under a minute, no training |
#
# You will meet the sandbox, change one thing in it, and watch an agent break that was perfect a moment before. Then a small
# language model tries the same task, and at the end stands the figure that the whole repository is about.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from IPython.display import Markdown

from openagent_lib.agents.local import LocalAgent
from openagent_lib.agents.scripted import FrozenAgent, OracleAgent
from openagent_lib.config import PROFILES
from openagent_lib.evaluation.metrics import tier_summary
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import episodes
from openagent_lib.evaluation.suite import CLOSED_TASKS, SHIFT_TASKS, closed_set, make_suite
from openagent_lib.paths import BACKBONE
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import to_markdown
from openagent_lib.report.task_view import before_after_text
from openagent_lib.report.trajectory_view import side_by_side_text
from openagent_lib.shifts.catalogue import get_shift

run = start(profile, seed, run_dir)

# %% [markdown] id="task-text"
# ## Meet the sandbox
#
# The sandbox is a small invented town. A **task** is a question, a handful of tools, and one right answer. The agent sees the
# question and, of each tool, its name, its arguments and its *document*. It does not know the town: only calls bring a fact
# to light, and most tasks need several of them, one feeding the next.

# %% id="task"
suite = make_suite(CLOSED_TASKS, SHIFT_TASKS, run.seed)
clean = closed_set(suite, CLOSED_TASKS)
task = next(task for task in clean if task.shape == "look_up")
print(task.query)
for tool in task.tools:
    print(f"\n  {tool.name}({', '.join(tool.argument_names)})\n      {tool.document}")

# %% [markdown] id="agents-text"
# ## Two agents that are both perfect
#
# The **oracle** (right) knows which chain of calls is right and reads the current names, documents and replies. The **frozen**
# agent (left) has memorised that chain: it replays the names and the order that were right, whatever it is offered. It is the
# caricature of a policy that has learnt trajectories by heart. As long as nothing changes, nobody can tell the two apart:

# %% id="agents"
oracle, frozen = OracleAgent(), FrozenAgent(clean)
print(side_by_side_text(*episodes(frozen, [task]), *episodes(oracle, [task])))

# %% [markdown] id="shift-text"
# ## Change one thing
#
# A **shift** changes one thing and keeps the rest. Here every tool loses its name and gets a meaningless token; documents,
# arguments and the town itself stay. Whoever reads the documents can still solve the task. (This is `identity_erasure`, from
# the paper's Figure 3. Put another name into the first line and run the notebook again: `01` to `05` explain all twenty.)

# %% id="shift"
shift = get_shift("perception.identity_erasure")
twin = shift.apply(task, strength=1.0, seed=run.seed)
print(before_after_text(task, twin))

# %% [markdown] id="break-text"
# ## Watch it break
#
# The frozen agent on the task before (left) and after (right); `≠` marks a step that differs. On the right it calls a tool that
# no longer exists, does not notice that the reply is an error, and hands that error on as if it were the answer.

# %% id="break"
broken = episodes(frozen, [task, twin])
print(side_by_side_text(*broken))

# %% [markdown] id="survive-text"
# The oracle on the very same pair. Its calls carry other names, and nothing else differs: the task was solvable all along.

# %% id="survive"
solved = episodes(oracle, [task, twin])
print(side_by_side_text(*solved))

# %% [markdown] id="all-text"
# ## Not an anecdote
#
# The same two agents on the whole suite: 120 clean tasks and 38 for each of 20 shifts, 880 in all. The shifts come in four
# **tiers**: what an agent perceives, what comes back to it, how it must reason, and what it must know of its own limits.
# `estimate` is the share of episodes that end as they should (where a task cannot be solved: in a refusal), in percent, with
# its 95 % interval. Wherever a call would have to be written otherwise, the frozen agent loses every task; what it keeps are shifts
# that leave its old calls valid, such as a question in other words.

# %% id="all"
frame = records_frame([row for agent in (frozen, oracle) for row in episodes(agent, suite, run.seed)])
table = tier_summary(frame, ("accuracy",)).rename(columns=lambda name: name.replace("accuracy_", ""))
table[["estimate", "low", "high"]] *= 100
Markdown(to_markdown(table.rename(columns={"recipe": "agent"}), ["agent", "tier", "n", "estimate", "low", "high"]))

# %% [markdown] id="model-text"
# ## A language model
#
# Scripted agents show the mechanism; the question is what *training* makes of a language model. The repository carries a
# miniature of fewer than two million parameters, which stands where the paper has an instruction-tuned backbone, before any training
# in this town. Here it is on the same pair, clean on the left and shifted on the right. Whatever it does is a fact about this
# miniature and never one about Qwen2.5-7B, the paper's model.

# %% id="model"
model = LocalAgent.load(BACKBONE, "base", PROFILES["cpu"])
print(side_by_side_text(*episodes(model, [task, twin])))

# %% [markdown] id="figure-text"
# ## The headline
#
# Now train that model on the closed world in four ways, and let each version play all 880 tasks. How to read the figure: the
# first column is the closed set, what training was for. Each further column is a tier of shifts, or a part of one as its label
# says; the height is the share of tasks that still end well, the bar its 95 % interval. Follow one colour from left to right: the drop from the
# first column to another is what this training loses when that side of the world changes. Where a column says *refusal rate*, it
# counts refusals of tasks that cannot be solved; a low mark there means answers that were made up. Hollow diamonds are the paper's own numbers
# for a model thousands of times larger: compare directions, not heights.
#
# ![Accuracy by tier and recipe](../figures/fig4_accuracy_by_tier.png)

# %% [markdown] id="check-text"
# A last check that the tour holds what it says: the oracle is right on both tasks, the frozen agent on the clean one only.

# %% id="check"
assert [row["success"] for row in solved] == [True, True]
assert [row["success"] for row in broken] == [True, False]
assert frame[frame["recipe"] == "oracle"]["success"].all()

# %% [markdown] id="answer"
# ## Answer
#
# A closed world can be mastered by memory. The shift changed no fact about the town and no document, only names, and the agent
# that acts from memory lost the task while the agent that reads lost nothing. Whether training makes a language model the one or
# the other is what the rest measures: `01_build_sandbox` builds the world, `02` to `05` open it tier by tier, `06` to `08`
# train, `09` and `10` count.
