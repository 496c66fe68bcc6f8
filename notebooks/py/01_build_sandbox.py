# %% [markdown] id="title"
# # The closed world
#
# **Question.** What is the closed world, and what is a task in it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | `data/train.parquet`, `data/eval.parquet` of the run | seconds |
#
# The paper describes its sandbox as synthetic look-ups of points of interest plus computation questions (section 4.1); its
# tools, templates and matcher were not published where we could reach them. Everything concrete below is therefore an
# *Assumption* of ours, and each definition in the library says so.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
from collections import Counter

import pandas as pd
from IPython.display import Markdown

from openagent_lib.agents.scripted import SCRIPTED, OracleAgent, scripted_agent
from openagent_lib.evaluation.rollout import episodes, play
from openagent_lib.evaluation.suite import write_data
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import to_markdown
from openagent_lib.sandbox.dataset import content_hash, make_tasks, read_tasks
from openagent_lib.sandbox.domains.poi import SPLITS, make_places
from openagent_lib.sandbox.domains.poi_tasks import SHAPES
from openagent_lib.sandbox.domains.poi_tools import CATALOGUE
from openagent_lib.sandbox.domains.registry import domain_of
from openagent_lib.sandbox.environment import Environment

run = start(profile, seed, run_dir)

# %% [markdown] id="place-text"
# ## Entities
#
# One place of the town. Names are invented, so that nothing can be known from pre-training.

# %% id="place"
places = {split: make_places(split, world_seed=0) for split in SPLITS}
places["test"][0]

# %% [markdown] id="disjoint-text"
# Training, development and test places are disjoint: no name, id, telephone or licence number occurs in two of them
# (Paper: section 4.1, entities of training and evaluation are disjoint).

# %% id="disjoint"
for key in ("name", "id", "telephone", "licence", "district"):
    values = [{getattr(place, key) for place in places[split]} for split in SPLITS]
    assert not (values[0] & values[1] or values[0] & values[2] or values[1] & values[2]), key
print({split: len(found) for split, found in places.items()})

# %% [markdown] id="tools-text"
# ## Tools
#
# A tool is a name, a document and parameters. Two documents demand a *verification code*: only who reads the document can
# call the tool (the official README names such codes, their mechanism is our assumption).

# %% id="tools"
rows = [(tool.name, ", ".join(tool.argument_names), tool.document) for tool in CATALOGUE.values()]
Markdown(to_markdown(pd.DataFrame(rows, columns=["tool", "arguments", "document"])))

# %% [markdown] id="shapes-text"
# ## Chains
#
# The output of one tool is the input of the next. A *shape* is a form of such a chain; there are seven, of one to four
# calls. `distance` and `travel` branch, `total` needs a calculation.

# %% id="shapes"
examples = {task.shape: task for task in reversed(make_tasks("test", 120))}
for name in SHAPES:
    task = examples[name]
    print(f"{name:9s} {' > '.join(call.function for call in task.gold_chain)}")
    print(f"{'':9s} {task.query} -> {task.gold_answer}")

# %% [markdown] id="episode-text"
# ## An episode
#
# The environment reads one message of the agent at a time. A message is a call, a final answer, a refusal, or malformed,
# and never two of them. Below, the oracle solves a branching task; every line is what model and environment exchange.

# %% id="episode"
environment = play(OracleAgent(), [examples["travel"]])[0]
for message in environment.messages[1:]:
    print(f"{message['role']:10s}{message['content']}")

# %% [markdown] id="malformed-text"
# ## When it goes wrong
#
# A call that is not valid JSON is answered by an error and counted, an unknown tool likewise. Guessing is possible, but the
# answer is then simply wrong.

# %% id="malformed"
environment = Environment(examples["look_up"], domain_of(examples["look_up"]))
environment.reset()
for text in (
    "<tool_call>{name: find_place}</tool_call>",
    '<tool_call>{"name": "find_palace", "arguments": {}}</tool_call>',
    "<answer>42</answer>",
):
    for observation in environment.step(text):
        print(observation["content"])
print("ending:", environment.ending, "| events:", [event.error for event in environment.events])

# %% [markdown] id="agents-text"
# ## Five scripted agents
#
# They bound what any score can mean. The oracle solves every task, so a failure is never the sandbox's fault; the other four
# show that no shortcut pays.

# %% id="agents"
tasks = make_tasks("test", 120)
for name in SCRIPTED:
    outcomes = Counter(row["outcome"] for row in episodes(scripted_agent(name), tasks))
    print(f"{name:11s}", dict(sorted(outcomes.items())))

# %% [markdown] id="write-text"
# ## The data of this run
#
# Training tasks, and the evaluation suite: clean tasks plus their twins under each shift. Both are written as Parquet and
# carry a hash of their content; the same seed gives the same hash on every machine.

# %% id="write"
train, suite = write_data(run.profile, run.seed, run.folder)
again = read_tasks(run.folder / "data" / "train.parquet")
assert content_hash(again) == content_hash(train)

# %% [markdown] id="check-text"
# The proof that the data are sound: the oracle, acting through the environment alone, is right on every one of them,
# shifted or not.

# %% id="check"
assert all(row["success"] for row in episodes(OracleAgent(), suite))
assert all(row["success"] for row in episodes(OracleAgent(), train[:500]))
assert not {task.id for task in train} & {task.id for task in suite}
print("every task of the suite is solved, or refused where nothing can be done, by the oracle")

# %% [markdown] id="answer"
# ## Answer
#
# The closed world is a town of places, eleven documented tools and seven shapes of chains over them. A task is a question
# with exactly one right answer that only calls can bring to light. Training and test share tools, shapes and wording,
# never places. Next: `02_shift_perception` changes what the agent perceives.
