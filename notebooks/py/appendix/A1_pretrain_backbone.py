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
from openagent_lib.pretraining.batches import Encoder
from openagent_lib.pretraining.corpus import SKILLS, build_episode, draw_episode
from openagent_lib.pretraining.curve import plot_log, read_log, score_table
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.pretraining.loop import LOG, pretrain
from openagent_lib.pretraining.score import play_episodes, scoring_episodes
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.pretraining.trainer import Settings
from openagent_lib.randomness import rng
from openagent_lib.report.tables import to_markdown

# %% [markdown] id="corpus-text"
# ## The corpus
#
# One episode: a list of tools from a random domain, a question, the right calls, the right end. Words are everyday ones or
# invented on the spot, tool names are descriptive, misleading or meaningless, argument keys and phrasings vary. The only
# way to be right is to read the documents. The description stands before the name, so that a small causal model can look
# a name up by what it has just read.

# %% id="corpus"
episode = build_episode(rng("notebook", 4), "named_chain_2", n_tools=3)
for tool in episode.tools:
    print(f"{tool['function']['description']}  |  {tool['function']['name']}")
for message in episode.messages()[1:]:
    calls = message.get("tool_calls", [])
    print(f"{message['role']:9s} {message['content'] or json.dumps(calls[0]['function'])}")

# %% [markdown] id="skills-text"
# Every episode exercises one skill. The mixture moves from single look-ups to chains, the lists of tools grow from two to
# five, and documents grow from a few words to sentences. A *planned* chain does not name the value in between: the model
# has to find it in the documents, read backwards.

# %% id="skills"
table = pd.DataFrame(
    [(skill, f"{100 * first:.0f}", f"{100 * last:.0f}") for skill, (first, last) in SKILLS.items()],
    columns=["skill", "% at the start", "% at the end"],
)
Markdown(to_markdown(table))

# %% [markdown] id="faults-text"
# Tools also fail, in passing or for good, send the caller to another tool, or are not there. Then the right thing is to
# call again, to follow, or to say that the task cannot be completed.

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
# Byte-level pieces, with two properties that decide whether a tiny model can work at all. First, what never varies in the
# chat template costs one token. Second, a string is cut alike wherever it stands; otherwise the model copies a value into
# an argument and cannot copy it into an answer.

# %% id="tokenizer"
tokenizer = build_tokenizer(seed)
ids, weights = Encoder(tokenizer).encode(episode)
text = tokenizer.decode(ids)
print(f"{len(text)} characters, {len(ids)} tokens, {sum(weight > 0 for weight in weights):.0f} of them targets")
assert tokenizer.apply_chat_template(episode.messages(), tools=list(episode.tools), tokenize=False) == text
for frame in ('"{}"', "is {}.", "<answer>{}</answer>"):
    print([tokenizer.decode([token]) for token in tokenizer.encode(frame.format("Kofi 08:30"))])

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
fresh = Qwen2ForCausalLM(miniature_config(len(tokenizer), 0, 2, settings.layers, settings.hidden, settings.heads))
tokens = torch.randint(3, len(tokenizer), (16, 20)).repeat(1, 3)
right = []
for prepare in (lambda model: None, apply_induction):
    prepare(fresh)
    with torch.no_grad():
        guess = fresh(input_ids=tokens).logits.argmax(-1)
    right.append((guess[:, 25:-1] == tokens[:, 26:]).float().mean().item())
print(f"predicted right: {right[0]:.2f} random initialisation, {right[1]:.2f} with induction heads")
assert right[1] > right[0] + 0.05

# %% [markdown] id="live-text"
# ## A pre-training in miniature
#
# The very function that made the committed weights, stopped after a moment. It streams episodes, mixes in drills of copying
# and recall over the whole vocabulary, and would resume from its checkpoint.

# %% id="live"
steps = 20 if profile == "smoke" else 100
folder = start(profile, seed, run_dir).folder / "appendix" / "pretrain"
length = steps * settings.batch_tokens
pretrain(folder, seed=seed, tokens=length, resume=False, score_episodes=0)
live = read_log(folder / LOG)
print(f"{live['start'][0]['parameters'] / 1e6:.1f} million parameters, {live['end'][0]['tokens'] / 1e3:.0f} thousand tokens")

# %% [markdown] id="live-check-text"
# That short, the model has learnt the form of a call and little else. The loss of the last steps against that of a guess
# among all tokens (the logarithm of the vocabulary):

# %% id="live-check"
trained = AutoModelForCausalLM.from_pretrained(folder)
check = Encoder(tokenizer)
losses = []
for index in range(8):
    ids, weights = check.encode(draw_episode(seed + 1, index, 0.0))
    labels = [token if weight else -100 for token, weight in zip(ids, weights, strict=True)]
    with torch.no_grad():
        losses.append(trained(input_ids=torch.tensor([ids]), labels=torch.tensor([labels])).loss.item())
mean = sum(losses) / len(losses)
print(f"loss on new episodes {mean:.0f}, guessing {torch.tensor(len(tokenizer)).log().item():.0f}")
assert mean < torch.tensor(len(tokenizer)).log().item()

# %% [markdown] id="real-text"
# ## The real one
#
# The committed backbone's own log. Loss falls within minutes as copying takes over; choosing a tool by its document never
# comes. After 3.25 million tokens the run was resumed under a shorter schedule, so the settings in the log are those of its
# first part, and the run cannot be repeated exactly (see the card).

# %% id="real"
real = read_log(paths.BACKBONE / LOG)
real_settings = real["start"][0]["settings"]
end = real["end"][0]
print(f"{end['tokens'] / 1e6:.1f} million tokens, {end['step']} steps, seed {real_settings['seed']}")
same = {name for name, value in asdict(Settings()).items() if real_settings.get(name) == value}
print("settings that differ from the defaults:", sorted(set(real_settings) - same))
plot_log(real)

# %% [markdown] id="scores-text"
# What it can do at the end, on more held-out episodes. An episode counts only if everything is right: tools, arguments,
# order and answer, or the refusal.

# %% id="scores"
scores = json.loads((paths.BACKBONE / "scores.json").read_text())
Markdown(to_markdown(score_table(scores["skills"])))

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
# The miniature is a Qwen2 of 1.3 million parameters, pre-trained for 5.3 million tokens on procedural episodes of other
# domains, from an initialisation that can copy. It writes calls and copies names, keys and values. It does **not** choose a
# tool by its document: among two, three or five tools its first choice is right as often as chance. Whatever it knows about
# *which* tool to call it learns in [06](../06_train_sft.ipynb), [07](../07_train_grpo.ipynb) and
# [08](../08_train_paft.ipynb), and a failure under renamed or re-documented tools has to be read with that in mind.
