"""The miniature's tokenizer: byte-level BPE over isolated words, plus a token for each fixed string of the template.

Two properties carry everything else. A string tokenises alike after a quote, after a space and after `>`, so that what
was copied into an argument can be copied into an answer. And a conversation is short: what never varies costs one
token.
"""

from collections.abc import Iterator
from importlib.resources import files

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining import phrases
from openagent_lib.pretraining.corpus import draw_episode
from openagent_lib.pretraining.vocabulary import ATTRIBUTES, ENTITIES, EVERYDAY, HELD_OUT_ATTRIBUTES, HELD_OUT_ENTITIES
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
SCHEMA_OPEN = '\n{"type": "function", "function": {"description": "'
NAME_GLUE = '", "name": "'
CALL_OPEN = '<tool_call>\n{"name": "'

# The fixed strings of a rendered conversation, in the order in which they appear.
MACROS = (
    "<|im_start|>system\n",
    SYSTEM_PROMPT,
    "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>",
    SCHEMA_OPEN,
    '\n{"type": "function", "function": {"name": "',
    NAME_GLUE,
    '", "description": "',
    '", "parameters": {"type": "object", "properties": {"',
    '": {"type": "string"}, "',
    '": {"type": "string"}}, "required": ["',
    '"]}}}',
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
    "\n<|im_start|>user\n",
    "\n<|im_start|>assistant\n",
    "<tool_call>",
    "</tool_call>",
    CALL_OPEN,
    '", "arguments": {"',
    '", "arguments": {}}\n</tool_call>',
    '": "',
    '", "',
    '"}}\n</tool_call>',
    "\n<|im_start|>user\n<tool_response>\n",
    "\n<tool_response>\n",
    "\n</tool_response>",
    '{"value": "',
    '{"error": "',
    '"}',
    '\\"',
    "<answer>",
    "</answer>",
)

# How often the tokenizer reads each word of the lists, against once for the corpus text.
WORD_WEIGHT = 60

# A leading space belongs to a purely lower-case word and to nothing else; digits, capitals and signs stand alone.
PIECES = r" ?[a-z]+(?![A-Za-z0-9_])|[A-Z]?[a-z]+|[A-Z]|[0-9]|\n| |[^A-Za-z0-9\s]|[^\S\n ]"


def chat_template(training: bool = False) -> str:
    """Return Qwen2.5's tool chat template as TRL distributes it (Apache-2.0).

    Args:
        training: Return the variant that marks the assistant's text, for masks.
    """
    name = "qwen2_5_training.jinja" if training else "qwen2_5.jinja"
    return files("trl").joinpath("chat_templates", name).read_text(encoding="utf-8")


def training_texts(seed: int, n_episodes: int = 1500) -> Iterator[str]:
    """Yield what the merges are learnt from: corpus text, and word lists so that other words are few tokens."""
    for index in range(n_episodes):
        episode = draw_episode(seed, index, 1.0)
        yield " ".join(tool["function"]["description"] for tool in episode.tools)
        for question in episode.questions:
            yield question.query
            yield from (step.observation for step in question.steps)
    words = [*ENTITIES, *ATTRIBUTES, *HELD_OUT_ENTITIES, *HELD_OUT_ATTRIBUTES, *EVERYDAY]
    for word in words:
        yield from [f"{word} {word} a {word}"] * WORD_WEIGHT
    for word in (*ENTITIES, *ATTRIBUTES):
        yield from [f"a {word}"] * (4 * WORD_WEIGHT)
    yield from phrases.DOCUMENTS


def build_tokenizer(seed: int = 0, size: int = 2000, n_episodes: int = 1500) -> PreTrainedTokenizerFast:
    """Train the tokenizer; deterministic for a seed.

    Args:
        seed: Seed of the corpus.
        size: Number of byte-level entries; the macro tokens come on top.
        n_episodes: Number of episodes whose text is read.
    """
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(SPECIAL),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    core.train_from_iterator(training_texts(seed, n_episodes), trainer)
    core.add_tokens([AddedToken(text, normalized=False, special=False) for text in MACROS])
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        clean_up_tokenization_spaces=False,
        model_max_length=2048,
        padding_side="left",
    )
    tokenizer.chat_template = chat_template()
    return tokenizer
