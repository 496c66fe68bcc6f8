# %% [markdown] id="title"
# # The closed world
#
# **Question.** What is the closed world, and what is a task in it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | `data/tasks/` of the repository | `data/train.parquet`, `data/eval.parquet` of the run | under a minute |
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
from random import Random

import pandas as pd
from IPython.display import Markdown

from openagent_lib.agents.scripted import SCRIPTED, OracleAgent, scripted_agent
from openagent_lib.evaluation.rollout import episodes, play
from openagent_lib.evaluation.suite import CLOSED_TASKS, SHIFT_TASKS, closed_set, make_suite, read_benchmark, write_data
from openagent_lib.paths import TASKS
from openagent_lib.pipeline.notebook import start
from openagent_lib.report.tables import to_markdown
from openagent_lib.sandbox import dataset, grammar, graph, leak, proof, world
from openagent_lib.sandbox.domains.registry import DOMAINS, world_of
from openagent_lib.sandbox.environment import Environment

run = start(profile, seed, run_dir)
poi, medical = DOMAINS["poi"], DOMAINS["medical"]

# %% [markdown] id="entity-text"
# ## Entities
#
# There are two domains. `poi` is a town of places; all training happens there. `medical` is the drug store of an invented
# hospital; it is met in one shift only (`domain_transfer`). One entity of each. Names and numbers are invented, so that nothing
# can be known beforehand and nothing here is advice.

# %% id="entity"
places = {split: world.make_entities(poi, split, world_seed=0) for split in world.SPLITS}
drugs = {split: world.make_entities(medical, split, world_seed=0) for split in world.SPLITS}
for entity in (places["test"][0], drugs["test"][0]):
    print(", ".join(f"{key} {value}" for key, value in vars(entity).items()))

# %% [markdown] id="disjoint-text"
# The two domains share the same ten fields under other words: a `contact` is a telephone number here and a batch number there.
# In both, the entities for training, development and test are disjoint: no name, id, area, contact or permit occurs in
# two of them (Paper: section 4.1, entities of training and evaluation are disjoint).

# %% id="disjoint"
for name, entities in (("poi", places), ("medical", drugs)):
    for key in ("name", "id", "area", "contact", "permit"):
        train, dev, test = ({getattr(entity, key) for entity in entities[split]} for split in world.SPLITS)
        assert not (train & dev or train & test or dev & test), key
    print(name, {split: len(found) for split, found in entities.items()})

# %% [markdown] id="graph-text"
# ## The graph
#
# Under both domains lies one graph G (Paper: section 3.2): thirteen functions, each of which turns one kind of value into
# another. Where the right end of one arrow is the left end of another, the two can be chained:
#
# ```text
#                                                     ┌─ get_contact ──▶ contact
#                                                     ├─ get_permit ───▶ permit
# category + area ── search ──▶ name ── find ──▶ id ──┼─ get_window ───▶ window
#                                                     ├─ get_area ─────▶ area
#                                                     ├─ nearest ──────▶ id         ┌─ reduce_amount ──▶ reduced amount
#                                                     └─ get_amount ───▶ amount ────┴─ convert_amount ─▶ converted amount
# id + id ── gap ──▶ gap ── convert_gap ──▶ converted gap
# expression ── calculate ──▶ number
# ```
#
# The tools of a domain are only words for these functions. That is what makes a transfer from one domain to the other fair.

# %% id="graph"
rows = [
    (f"{' + '.join(f.takes.values())} → {f.returns}", f.name, poi.texts[f.name].name, medical.texts[f.name].name)
    for f in graph.FUNCTIONS.values()
]
Markdown(to_markdown(pd.DataFrame(rows, columns=["arrow", "function", "tool of poi", "tool of medical"])))

# %% [markdown] id="tools-text"
# ## Tools
#
# What an agent sees of a tool: its name, its arguments and its document. Three things to notice. Some documents demand a
# *verification code*, so that only who reads the document can call the tool (the official README names such codes, their
# mechanism is our assumption). Three tools state a *rule*, a factor they multiply by. And no document names another tool.

# %% id="tools"
rows = [(tool.name, ", ".join(tool.argument_names), tool.document) for tool in poi.catalogue.values()]
Markdown(to_markdown(pd.DataFrame(rows, columns=["tool", "arguments", "document"])))

# %% [markdown] id="shapes-text"
# ## Shapes
#
# A *shape* is a form of chain through the graph; there are ten, of one to four calls. `gap`, `duration` and `difference` branch:
# two calls feed a third. `get_*` is one of the five look-ups of an attribute, and the weight is the number of tasks of that shape
# among 120. The example is the first such task of the closed set, the clean part of the evaluation.

# %% id="shapes"
closed = closed_set(make_suite(CLOSED_TASKS, SHIFT_TASKS), CLOSED_TASKS)
examples = {task.shape: task for task in reversed(closed)}
rows = [
    (name, shape.weight, " → ".join(function for function, _ in shape.chain), examples[name].query)
    for name, shape in graph.SHAPES.items()
]
Markdown(to_markdown(pd.DataFrame(rows, columns=["shape", "weight", "chain", "example"])))

# %% [markdown] id="grammar-text"
# ## Queries
#
# A query is written from a *template*. `[a|b]` in it stands for one of its parts, `{name}` for a slot. One template of the shape
# `look_up` and all its surface forms:

# %% id="grammar"
template = max(poi.queries["look_up"].train, key=lambda text: len(grammar.forms(text)))
print(template)
for form in grammar.forms(template):
    print("   ", form)

# %% [markdown] id="registers-text"
# The templates differ in register: polite, curt, chatty, with the wish in the middle of a story. Training and evaluation share
# not one of them, so the closed set asks for familiar things in unfamiliar words. The same wish, drawn from both pools:

# %% id="registers"
slots = dict(examples["look_up"].slots)
for pool in ("train", "test"):
    print(pool)
    for template in poi.queries["look_up"][pool][2:6]:
        print("   ", grammar.fill(grammar.draw_form(template, Random(0)), slots))

# %% [markdown] id="pools-text"
# That they share none is checked here, surface form by surface form, for every shape of both domains.

# %% id="pools"
for domain in DOMAINS.values():
    counts = Counter()
    for pool in domain.queries.values():
        train, test = ({form for text in texts for form in grammar.forms(text)} for texts in (pool.train, pool.test))
        assert not train & test
        counts += Counter({"train": len(train), "test": len(test)})
    print(f"{domain.name:8s}", dict(counts), "surface forms")

# %% [markdown] id="episode-text"
# ## An episode
#
# The environment reads one message of the agent at a time: a call, a final answer, a refusal, or something malformed. Below, the
# oracle solves a task of four calls; `$0` and `$1` of its gold chain are the values of the first two calls. Every line that
# follows is what agent and environment say to each other.

# %% id="episode"
task = examples["duration"]
for number, call in enumerate(task.gold_chain):
    print(f"${number} = {call.function}({', '.join(f'{slot}: {text}' for slot, text in call.arguments)})")
for message in play(OracleAgent(), [task])[0].messages[1:]:
    print(f"{message['role']:10s}{' '.join(message['content'].split())}")

# %% [markdown] id="malformed-text"
# ## When it goes wrong
#
# A call that is not valid JSON is answered by an error and counted, and so is a tool that does not exist. Guessing is allowed, but
# a guess is then simply wrong. No message can raise an exception: a bad episode is a result, not a crash.

# %% id="malformed"
environment = Environment(examples["look_up"], world_of(examples["look_up"]))
environment.reset()
for text in (
    "<tool_call>{name: find_place}</tool_call>",
    '<tool_call>{"name": "find_palace", "arguments": {}}</tool_call>',
    "<answer>42</answer>",
):
    print(text)
    for observation in environment.step(text):
        print("   ", observation["content"])
print("ending:", environment.ending, "| events:", [event.error for event in environment.events])

# %% [markdown] id="agents-text"
# ## Six scripted agents
#
# They bound what any score can mean. The oracle solves every task, so a failure is never the sandbox's fault. The others take a
# shortcut each: call the first tool, guess a word of the prompt, write broken calls, refuse, call for ever. No shortcut pays.

# %% id="agents"
for name in SCRIPTED:
    outcomes = Counter(row["outcome"] for row in episodes(scripted_agent(name), closed))
    print(f"{name:11s}", dict(sorted(outcomes.items())))

# %% [markdown] id="release-text"
# ## The release
#
# The repository carries the two task sets ready made, in `data/tasks/`: 6,050 for training and 880 for evaluation (Paper: section
# 4.1 for both sizes). Each row holds the opening messages, the tools as JSON schemas and the whole task; training rows hold
# the oracle's conversation as well. The shapes, in both:

# %% id="release"
released = {name: part.tasks for name, part in read_benchmark(TASKS).items()}
table = pd.DataFrame({name: Counter(task.shape for task in tasks) for name, tasks in released.items()})
table = table.reindex(graph.SHAPE_NAMES).rename_axis("shape").reset_index()
print({name: len(tasks) for name, tasks in released.items()})
Markdown(to_markdown(table))

# %% [markdown] id="suite-text"
# The 880 are 120 clean tasks, the closed set, and 38 *twins* for each of 20 shifts: the same task with one thing changed. How the
# paper divides its 880 was not seen; this division is ours. `02` to `05` go through the shifts one by one.

# %% id="suite"
counts = Counter(task.shift.partition(".")[0] for task in released["eval"])
for tier, count in counts.items():
    kinds = {task.shift.partition(".")[2] for task in released["eval"] if task.shift.startswith(f"{tier}.")}
    print(f"{tier:16s}{count:4d} tasks" + (f", {len(kinds)} shifts" if kinds else ""))

# %% [markdown] id="proof-text"
# ## Proofs
#
# A benchmark should prove that its tasks are what they claim to be. Five claims about the release: the oracle, acting through the
# environment alone, is right on every task; no answer stands in the prompt; where a task must be refused, something that it
# needs cannot be found by any sequence of calls; no task is in both sets; and the generator makes the same 880 again, byte by byte.

# %% id="proof"
tasks, suite = released["train"], released["eval"]
clean = {task.id: task for task in closed_set(suite, CLOSED_TASKS)}
unsolvable = [task for task in suite if not task.is_solvable]
assert all(row["success"] for row in episodes(OracleAgent(), suite + tasks))
assert not any(leak.answer_in_prompt(task) for task in suite + tasks)
assert all(proof.is_beyond_reach(task, clean[task.base_id]) for task in unsolvable)
assert not {task.id for task in tasks} & {task.id for task in suite}
assert dataset.content_hash(make_suite(CLOSED_TASKS, SHIFT_TASKS)) == dataset.content_hash(suite)
print(f"{len(suite) - len(unsolvable)} tasks of the suite are solvable, {len(unsolvable)} are proven not to be")

# %% [markdown] id="write-text"
# ## The data of this run
#
# The later notebooks read their own copy, at the sizes of the profile and with the seed of the run. It carries a hash of its
# content, which is compared whenever it is read.

# %% id="write"
train, evaluation = write_data(run.profile, run.seed, run.folder)
assert dataset.read_tasks(run.folder / "data" / "train.parquet") == train
assert all(row["success"] for row in episodes(OracleAgent(), evaluation))
print("written, read back without a difference, and solved by the oracle")

# %% [markdown] id="answer"
# ## Answer
#
# The closed world is a town of places, thirteen documented tools over one graph, and ten shapes of chains through it. A task is a
# question with exactly one right answer that only calls can bring to light. Training and evaluation share the tools and the
# shapes; they share no place and no wording. Next: `02_shift_perception` changes what the agent perceives.
