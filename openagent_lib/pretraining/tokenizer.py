"""The miniature's tokenizer: byte-level BPE over isolated words, plus a token for each fixed string of the template.

Two properties carry everything else. A string tokenises alike after a quote, after a space and after `>`, so that what
was copied into an argument can be copied into an answer. And a conversation is short: what never varies costs one
token.
"""

import re
from collections.abc import Iterator
from importlib.resources import files

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.vocabulary import ENTITIES, TEMPLATES, TRAINING_ATTRIBUTES, coined_word, invented_word
from openagent_lib.randomness import rng
from openagent_lib.sandbox.grammar import draw_form
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT

SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
SCHEMA_OPEN = '\n{"type": "function", "function": {"description": "'
NAME_GLUE = '", "name": "'
CALL_OPEN = '<tool_call>\n{"name": "'
NAME_STOP = '", "arguments": {"'

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
    NAME_STOP,
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

# How often the tokenizer reads a word that it is to keep whole.
WORD_WEIGHT = 120

# How many surface forms of a template the tokenizer reads.
FORMS = 24

# A leading space belongs to a purely lower-case word and to nothing else; digits, capitals and signs stand alone.
PIECES = r" ?[a-z]+(?![A-Za-z0-9_])|[A-Z]?[a-z]+|[A-Z]|[0-9]|\n| |[^A-Za-z0-9\s]|[^\S\n ]"


def chat_template(training: bool = False) -> str:
    """Return Qwen2.5's tool chat template as TRL distributes it (Apache-2.0).

    Args:
        training: Return the variant that marks the assistant's text, for masks.
    """
    name = "qwen2_5_training.jinja" if training else "qwen2_5.jinja"
    return files("trl").joinpath("chat_templates", name).read_text(encoding="utf-8")


def training_texts(seed: int, n_invented: int = 4000, n_coined: int = 8000, whole_words: bool = False) -> Iterator[str]:
    """Yield what the merges are learnt from: templates, invented words and coined words.

    By default not the words that the corpus takes for attributes and entities: they are cut into pieces like words that
    it never holds, so that a reader of the corpus learns to read those.
    """
    source = rng("pretraining tokenizer", seed)
    for pool in TEMPLATES:
        for template in pool.train:
            yield from (draw_form(re.sub(r"\{\w+\}", "0", template), source) for _ in range(FORMS))
    for _ in range(n_invented):
        word = invented_word(source)
        yield f"a {word} {word.capitalize()}"
    for _ in range(n_coined):
        yield f"a {coined_word(source)}"
    if whole_words:
        for word in (*ENTITIES, *TRAINING_ATTRIBUTES):
            yield from [f"a {word} {word}"] * WORD_WEIGHT


def build_tokenizer(
    seed: int = 0, size: int = 1600, n_invented: int = 4000, whole_words: bool = False
) -> PreTrainedTokenizerFast:
    """Train the tokenizer; deterministic for a seed.

    Args:
        seed: Seed of the invented words.
        size: Number of byte-level entries; the macro tokens come on top.
        n_invented: Number of invented words that are read.
        whole_words: Whether the words of the corpus become one token each.
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
    core.train_from_iterator(training_texts(seed, n_invented, whole_words=whole_words), trainer)
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
