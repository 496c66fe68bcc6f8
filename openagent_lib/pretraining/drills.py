"""Drills: dense exercises over random tokens, for what every tool call needs before any meaning.

Two kinds of row. Copying: a segment is repeated. Look-up: cards in the glue of a tool list, then every card asked once,
in random order, by the key on it; the name on it is the answer. The levels of look-up grow from one bare key per card
to keys between fillers and words that all cards share, which is what choosing a tool by its document takes.

Assumption: ours; the paper's models have learnt to look things up in their own pre-training.
"""

import random
from dataclasses import dataclass

import torch
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.batches import Batch
from openagent_lib.pretraining.tokenizer import CALL_OPEN, MACROS, NAME_GLUE, SCHEMA_OPEN, SPECIAL

COPY_SHARE = 0.15
STOP_WEIGHT = 0.3
FILLERS = (
    "the of a its by from given Return Get Find Look up What is for Tell me which belongs to and . , ? an that".split()
)


@dataclass(frozen=True)
class Level:
    """How hard the look-ups of a drill are.

    Attributes:
        cards: Most cards of a row, at least three unless there are fewer.
        key: Most tokens of a key.
        fillers: Most fillers on either side of a key, the same few words on all cards.
        noise: Most random tokens beside the key, different on every card and in every question.
        shared: Most random tokens that all cards and questions of a row have in common, as an entity's name is.
        name: Most tokens of a name.
        pass_mark: Share of first name tokens that must be right before the next level is drawn.
    """

    cards: int
    key: int = 1
    fillers: int = 0
    noise: int = 0
    shared: int = 0
    name: int = 2
    pass_mark: float = 0.9


LEVELS = (
    Level(cards=3),
    Level(cards=6),
    Level(cards=4, fillers=1),
    Level(cards=4, fillers=2),
    Level(cards=5, fillers=3),
    Level(cards=5, fillers=4, key=2),
    Level(cards=6, fillers=6, key=2),
    Level(cards=6, fillers=8, key=3),
    Level(cards=4, fillers=2, key=2, noise=1, pass_mark=0.87),
    Level(cards=4, fillers=3, key=2, noise=1, shared=1, name=3, pass_mark=0.82),
)


class Drills:
    """Draws drill batches for one tokenizer."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, batch_tokens: int = 6000) -> None:
        """Look up the glue tokens and the fillers.

        Args:
            tokenizer: The miniature's tokenizer.
            batch_tokens: Most tokens of a batch, padding included.
        """
        self.batch_tokens = batch_tokens
        self.size, self.pad = min(tokenizer.convert_tokens_to_ids(list(MACROS))), tokenizer.pad_token_id
        glue = (SCHEMA_OPEN, NAME_GLUE, '", "parameters": {"type": "object", "properties": {"')
        self.open, self.name_glue, self.close = tokenizer.convert_tokens_to_ids(list(glue))
        turn = ("\n<|im_start|>user\n", "<|im_end|>", "\n<|im_start|>assistant\n", CALL_OPEN, '", "arguments": {"')
        self.user, self.end, self.assistant, self.call, self.stop = tokenizer.convert_tokens_to_ids(list(turn))
        self.fillers = [tokenizer.encode(f" {word}" if word.isalpha() else word)[0] for word in FILLERS]

    def batch(self, source: random.Random, level: Level) -> Batch:
        """Return a batch at one level."""
        rows: list[tuple[list[int], list[float]]] = []
        width = 0
        while True:
            row = self._copy(source) if source.random() < COPY_SHARE else self._look_up(source, level)
            wider = max(width, len(row[0]))
            if rows and wider * (len(rows) + 1) > self.batch_tokens:
                break
            rows.append(row)
            width = wider
        return Batch(
            torch.tensor([ids + [self.pad] * (width - len(ids)) for ids, _ in rows]),
            torch.tensor([weights + [0.0] * (width - len(weights)) for _, weights in rows]),
        )

    def _tokens(self, source: random.Random, shortest: int, longest: int) -> list[int]:
        return [source.randrange(len(SPECIAL), self.size) for _ in range(source.randint(shortest, longest))]

    def _copy(self, source: random.Random) -> tuple[list[int], list[float]]:
        segment = self._tokens(source, 4, 24)
        start = self._tokens(source, 0, 30)
        ids = [*start, *segment, *self._tokens(source, 1, 12), *segment]
        return ids, [0.0] * (len(ids) - len(segment) + 1) + [1.0] * (len(segment) - 1)

    def _around(self, source: random.Random, level: Level, key: list[int], shared: list[int]) -> list[int]:
        """Return a key between fillers, with the row's shared tokens and tokens of no meaning among them."""
        parts = [key]
        if shared:
            parts.append(shared)
        noise = self._tokens(source, 0, level.noise)
        if noise:
            parts.append(noise)
        source.shuffle(parts)
        ids = source.choices(self.fillers, k=source.randint(0, level.fillers))
        for part in parts:
            ids += [*part, *source.choices(self.fillers, k=source.randint(0, level.fillers))]
        return ids

    def _look_up(self, source: random.Random, level: Level) -> tuple[list[int], list[float]]:
        """A list of cards, then every card asked once; only the names are targets."""
        shared = self._tokens(source, 1, level.shared) if level.shared else []
        n_cards = source.randint(min(3, level.cards), level.cards)
        cards = [(self._tokens(source, 1, level.key), self._tokens(source, 1, level.name)) for _ in range(n_cards)]
        ids: list[int] = []
        for key, name in cards:
            ids += [self.open, *self._around(source, level, key, shared), self.name_glue, *name, self.close]
        weights = [0.0] * len(ids)
        source.shuffle(cards)
        for key, name in cards:
            question = [self.user, *self._around(source, level, key, shared), self.end, self.assistant, self.call]
            ids += [*question, *name, self.stop]
            weights += [0.0] * len(question) + [1.0] * len(name) + [STOP_WEIGHT]
        return ids, weights
