# %% [markdown] id="title"
# # Appendix: pre-training the miniature
#
# **Question.** Where does the small model come from that the default profile trains on, and what can it do before the
# paper's recipes touch it?
#
# | needs | writes | time |
# | --- | --- | --- |
# | nothing | `appendix/pretrain/` of the run: a short pre-training, a log | 20 s (smoke), 1 to 2 min (cpu), 2 cores, 1 GB |
#
# The paper starts from *Instruct* models, which can use tools they have never seen. A model that trains in minutes on two
# cores has to bring the same ability in miniature. It is therefore pre-trained on a procedural corpus that stands for
# "tool use in general", and never on anything of the evaluation: no place, telephone or district, nothing medical, none of
# the shifts' test patterns. The weights, log and card of the committed model are in `data/backbone/`.
# *Assumption*: all of this page is ours, the paper has no counterpart.

# %% id="parameters" tags=["parameters"]
profile: str = "cpu"  # sizes and backbone: smoke, cpu, laptop, gpu or paper
seed: int = 0  # seed of the run, at least 0
run_dir: str = ""  # folder of the run; empty for the default of profile and seed

# %% id="imports"
import json
from dataclasses import asdict

import pandas as pd
import torch
from IPython.display import Markdown
from transformers import AutoModelForCausalLM, AutoTokenizer, Qwen2ForCausalLM

from openagent_lib import paths
from openagent_lib.pipeline.notebook import start
from openagent_lib.pretraining import ablation, drills, vocabulary
from openagent_lib.pretraining.batches import Encoder
from openagent_lib.pretraining.corpus import SKILLS, build_episode
from openagent_lib.pretraining.curve import plot_log, read_log, score_table
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.pretraining.loop import LOG, Settings, pretrain
from openagent_lib.pretraining.score import play_episodes, scoring_episodes
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.randomness import rng
from openagent_lib.report.tables import to_markdown

# %% [markdown] id="corpus-text"
# ## The corpus
#
# One episode: a list of tools from a random domain, questions, the right calls, the right end. The tools form a tree of
# look-ups or end in a computation. Words are everyday ones or invented on the spot, tool names are descriptive, misleading
# or meaningless, and argument keys vary. More than half of the documents and questions are composed of parts with dozens of
# choices each, so that hardly a sentence comes twice. Half of all sentences are disturbed on purpose, words exchanged,
# invented or left out, so that they read oddly; three in ten that ask for or describe a look-up hold nothing but the words
# that count, in random order among random words. A reader cannot learn them by heart, nor rely on knowing every word around
# those that count: the only way to be right is to read. The description stands before the name, so that a small causal model
# can look a name up by what it has just read.
#
# Here is an episode as it looks early in the training, from templates and undisturbed. Invented words such as *heakenus*
# stand for things that the model has never heard of:

# %% id="corpus"
episode = build_episode(rng("notebook", 21), "named_chain_2", difficulty=0.0, n_tools=3, composed=0.0)
for tool in episode.tools:
    print(f"tool      {tool['function']['name']}: {tool['function']['description']}")
for message in episode.messages()[1:]:
    calls = message.get("tool_calls", [])
    print(f"{message['role']:9s} {message['content'] or json.dumps(calls[0]['function'])}")

# %% [markdown] id="composed-text"
# And the tools and the question of a late one, composed, disturbed, scrambled. What counts is still there: which attribute a
# tool needs and which it gives.

# %% id="composed"
late = build_episode(rng("notebook", 22), "named_chain_2", n_tools=3, composed=1.0)
for tool in late.tools:
    print(f"tool      {tool['function']['name']}: {tool['function']['description']}")
print(f"user      {late.questions[0].query}")

# %% [markdown] id="skills-text"
# Every episode exercises one skill. With growing *difficulty* the mixture moves from single look-ups to chains, the lists
# grow from at most four tools to six, and templates, names and faults widen. A *planned* chain does not name the value in
# between: the model has to find it in the documents, read backwards.

# %% id="skills"
table = pd.DataFrame(
    [(skill, f"{100 * first:.0f}", f"{100 * last:.0f}") for skill, (first, last) in SKILLS.items()],
    columns=["skill", "% at difficulty 0", "% at difficulty 1"],
)
Markdown(to_markdown(table))

# %% [markdown] id="faults-text"
# Tools also fail, in passing or for good, send the caller to another tool, or are not there. Then the right thing is to
# call again, to follow, or to say that the task cannot be completed. Now and then a wrong tool is called first and finds
# nothing: what to do next is to be learnt, the wrong call is not.

# %% id="faults"
for skill in ("retry", "redirection", "fatal_error", "missing_information"):
    question = build_episode(rng("notebook", 2), skill, n_tools=3).questions[0]
    print(f"{skill}: {question.query}")
    for step in question.steps:
        print(f"    {step.name} -> {step.observation}")
    print(f"    {question.final}")

# %% [markdown] id="tokenizer-text"
# ## The tokenizer
#
# Byte-level pieces, with three properties that decide whether a tiny model can work at all. What never varies in the chat
# template costs one token. A string is cut alike wherever it stands; otherwise the model copies a value into an argument and
# cannot copy it into an answer. And the words that the corpus asks about are cut into pieces, as words are that it never
# holds: a model that has met every word as one token of its own cannot read a new one. Below, three words of the corpus,
# then three that it never holds.

# %% id="tokenizer"
tokenizer = build_tokenizer(seed)
row = Encoder(tokenizer).encode(episode)
text = tokenizer.decode(row.ids)
print(f"{len(text)} characters, {len(row.ids)} tokens, {sum(weight > 0 for weight in row.weights):.0f} of them targets")
assert tokenizer.apply_chat_template(episode.messages(), tools=list(episode.tools), tokenize=False) == text
for frame in ('"{}"', "is {}.", "<answer>{}</answer>"):
    print([tokenizer.decode([token]) for token in tokenizer.encode(frame.format("Kofi 08:30"))])
for words in (vocabulary.TRAINING_ATTRIBUTES, vocabulary.HELD_OUT_ATTRIBUTES):
    print([[tokenizer.decode([token]) for token in tokenizer.encode(f" {word}")] for word in words[:3]])

# %% [markdown] id="induction-text"
# ## An initialisation that copies
#
# From random weights a model of this size does not discover copying within a few million tokens. So two layers of attention
# are set by hand: heads that look at the previous token, and *induction heads* that find what followed the same token
# before. All weights are trained afterwards. This is disclosed wherever results of the miniature are shown. The check:
# random tokens, repeated three times; how many of the repeated ones are predicted before any training?

# %% id="induction"
settings = Settings(seed=seed)
torch.manual_seed(seed)
fresh = Qwen2ForCausalLM(miniature_config(len(tokenizer), 0, 2, layers=settings.layers))
tokens = torch.randint(3, len(tokenizer), (16, 20)).repeat(1, 3)
right = []
for prepare in (lambda model: None, apply_induction):
    prepare(fresh)
    with torch.no_grad():
        guess = fresh(input_ids=tokens).logits.argmax(-1)
    right.append((guess[:, 25:-1] == tokens[:, 26:]).float().mean().item())
print(f"predicted right: {right[0]:.2f} random initialisation, {right[1]:.2f} with induction heads")
assert right[1] > right[0] + 0.05

# %% [markdown] id="curriculum-text"
# ## Drills first, then the corpus, by competence
#
# In the corpus alone a model of this size finds out slowly how to choose a tool by its document. It learns it quickly in
# *drills* of random tokens, where each row holds a few cards (a key, a name) and asks every card once, if the drills get
# harder only when the last ones are mastered: first bare keys, then keys between fillers, then keys among tokens of no
# meaning and tokens that all cards share, as an entity's name is. The corpus starts when they are through, and it too gets
# harder only while the model chooses right. Widening by time lost what was learnt.

# %% id="curriculum"
levels = pd.DataFrame([asdict(level) for level in drills.LEVELS]).drop(columns="name")
levels.insert(0, "level", range(len(drills.LEVELS)))
Markdown(to_markdown(levels, decimals=2))

# %% [markdown] id="guides-text"
# ## Guides: what to read, where to look
#
# Predicting the next token says *that* the wrong tool was called, not why. Two auxiliary losses say more, because a
# procedural corpus knows it. **Reading**: the hidden state at a name in the tool list must tell which attribute that tool
# returns, and the one at the start of a call which attribute is wanted now. **Looking**: one attention head, where a call
# begins and while its name is written, must look at that name in the list, or at the very start of the conversation where no
# tool helps. They are used in pre-training only and leave nothing behind in the model. Here is what they know about the
# episode above, up to its first call:

# %% id="guides"
for place, words in row.meanings[: len(episode.tools)]:
    print(f"name at {place:3d}: {tokenizer.decode(row.ids[place : place + 4])!r:24s} returns{tokenizer.decode(words)}")
for place, target in row.choices[:9]:
    print(f"token {place} {tokenizer.decode(row.ids[place])!r:28s} looks at {target} {tokenizer.decode(row.ids[target])!r}")

# %% [markdown] id="live-text"
# ## A pre-training in miniature
#
# The very function that made the committed weights, stopped after a moment, so within the first level of the drills. It
# would resume from its checkpoint.

# %% id="live"
steps = 20 if profile == "smoke" else 100
folder = start(profile, seed, run_dir).folder / "appendix" / "pretrain"
length = steps * settings.batch_tokens
pretrain(folder, seed=seed, tokens=length, resume=False, score_episodes=0)
live = read_log(folder / LOG)
print(f"{live['start'][0]['parameters'] / 1e6:.1f} million parameters, {live['end'][0]['tokens'] / 1e3:.0f} thousand tokens")

# %% [markdown] id="live-check-text"
# Its loss on new drills, against that of a guess among all tokens (the logarithm of the vocabulary):

# %% id="live-check"
trained = AutoModelForCausalLM.from_pretrained(folder)
batch = drills.Drills(tokenizer).batch(rng("notebook", "drills"), drills.LEVELS[0])
wanted = batch.weights[:, 1:] > 0
with torch.no_grad():
    logits = trained(input_ids=batch.ids).logits[:, :-1][wanted]
loss = torch.nn.functional.cross_entropy(logits, batch.ids[:, 1:][wanted]).item()
guessing = torch.tensor(len(tokenizer)).log().item()
print(f"loss on new drills {loss:.0f}, guessing {guessing:.0f}")
assert loss < guessing

# %% [markdown] id="real-text"
# ## The real one
#
# The committed backbone's own log, made by `python -m openagent_lib pretrain`.

# %% id="real"
real = read_log(paths.BACKBONE / LOG)
real_settings = real["start"][0]["settings"]
end = real["end"][0]
print(f"{end['tokens'] / 1e6:.1f} million tokens, {end['step']} steps, seed {real_settings['seed']}")
same = {name for name, value in asdict(Settings()).items() if real_settings.get(name) == value}
print("settings that differ from the defaults:", sorted(set(real_settings) - same))
plot_log(real)

# %% [markdown] id="ablations-text"
# ## What each part is worth
#
# The same pre-training, but short, with one part changed at a time and every rate falling to zero within the same number of
# tokens; `python -m openagent_lib pretrain ablate` makes the table. n = 64 episodes per cell, of held-out words and
# templates, and 95 % Wilson intervals. They say how sure a number is for that one model. What another seed alone changes
# is the second row.
#
# Three parts decide. Without the induction heads set at the start none of the three is learnt within 8 million tokens.
# Without the guides, or with four layers, the model copies but chooses tools like chance: one in two, one in five. The
# intervals of every other change overlap those of the unchanged recipe, so those parts, the drills among them, are shown
# neither to help nor to harm at this length.

# %% id="ablations"
Markdown(to_markdown(ablation.ablation_table(paths.BACKBONE / ablation.FILE), decimals=1))

# %% [markdown] id="scores-text"
# What it can do at the end, on more episodes of held-out words and templates, decoded greedily. First by what is asked of a
# tool user:

# %% id="scores"
scores = json.loads((paths.BACKBONE / "scores.json").read_text())
Markdown(to_markdown(score_table(scores["measures"], "measure", "%")))

# %% [markdown] id="skills-scores-text"
# Then by skill. An episode is solved if the final message is right: the refusal, or the answer, which is hardly guessed
# without every right call and its arguments. A wrong call on the way is forgiven.

# %% id="skills-scores"
Markdown(to_markdown(score_table(scores["skills"])))

# %% [markdown] id="zero-shot-text"
# And on tasks of the closed set, whose words and wording it has never met, before any fine-tuning:

# %% id="zero-shot"
Markdown(to_markdown(score_table(scores["zero_shot"], "tier", "success %")))

# %% [markdown] id="play-text"
# One of these episodes, played now by the committed weights:

# %% id="play"
backbone = AutoModelForCausalLM.from_pretrained(paths.BACKBONE)
reader = AutoTokenizer.from_pretrained(paths.BACKBONE)
example = scoring_episodes(2, seed=5)["named_chain_2"][:1]
played = play_episodes(backbone, reader, example)[0]
print(example[0].questions[0].query)
for name, *arguments in played.calls:
    print(name, dict(arguments))
print("solved" if played.solved else "not solved")

# %% [markdown] id="assertions-text"
# The committed folder is what its card says: small, in fp32, with the tokenizer that the code builds.

# %% id="assertions"
assert (paths.BACKBONE / "model.safetensors").stat().st_size < 15_000_000
assert {value.dtype for value in backbone.state_dict().values()} == {torch.float32}
assert reader.get_vocab() == build_tokenizer(real_settings["seed"]).get_vocab()
assert len(real["train"]) > 15

# %% [markdown] id="answer"
# ## Answer
#
# The miniature is a Qwen2 of 1.6 million parameters, pre-trained for 100 million tokens in less than three hours: drills of
# looking up random tokens, then procedural episodes of other domains, from an initialisation that can copy and with guides
# that show what to read and where to look. It uses tools it has never seen: reads their documents, copies arguments, follows
# chains whose values are named, reads replies in new formats. It does none of this reliably: among five tools it calls the
# right one four times in five, so of two steps in a row half succeed, and it does not plan. What it cannot read is mostly
# wording of a kind that its training never held. Without fine-tuning it solves one task in ten of the closed set: that is
# enough to start from in [06](../06_train_sft.ipynb), [07](../07_train_grpo.ipynb) and [08](../08_train_paft.ipynb).
