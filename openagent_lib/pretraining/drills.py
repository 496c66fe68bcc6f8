"""Drills: dense exercises over random tokens, for what every tool call needs before any meaning.

Copying (repeat a segment), recall (a key is followed by its value), look-up: cards in the glue of a tool list, asked
by a word of the card, answered by the name on it. They fade out while the corpus takes over.
"""

import random

import torch
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.batches import Batch
from openagent_lib.pretraining.tokenizer import CALL_OPEN, SCHEMA_OPEN, SPECIAL

ROWS = 30
LENGTH = 144
FILLERS = (
    "the of a its by from given Return Get Find Look up What is for Tell me which belongs to and . , ? an that".split()
)


class Drills:
    """Draws drill batches for one tokenizer."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast) -> None:
        """Look up the glue tokens and the fillers."""
        self.size, self.pad = len(tokenizer), tokenizer.pad_token_id
        glue = (SCHEMA_OPEN, '", "name": "', '", "parameters": {"type": "object", "properties": {"')
        self.card = tokenizer.convert_tokens_to_ids(list(glue))
        turn = ("\n<|im_start|>user\n", "<|im_end|>", "\n<|im_start|>assistant\n", CALL_OPEN, '", "arguments": {"')
        self.turn = tokenizer.convert_tokens_to_ids(list(turn))
        self.fillers = [tokenizer.encode(f" {word}" if word.isalpha() else word)[0] for word in FILLERS]

    def batch(self, source: random.Random, progress: float) -> Batch:
        """Return a batch: two fifths copying, two fifths recall, a fifth look-up.

        Args:
            source: Generator of the batch.
            progress: Share of the pre-training that is over; look-ups get longer keys and more words around them.
        """
        rows = []
        for number in range(ROWS):
            if number % 5 < 2:
                ids = self._repeat(source)
                rows.append((ids, [1.0] * LENGTH))
            elif number % 5 < 4:
                ids = self._recall(source)
                rows.append((ids, [1.0] * LENGTH))
            else:
                rows.append(self._look_up(source, progress))
        return Batch(torch.tensor([ids for ids, _ in rows]), torch.tensor([weights for _, weights in rows]))

    def _token(self, source: random.Random) -> int:
        return source.randrange(len(SPECIAL), self.size)

    def _tokens(self, source: random.Random, shortest: int, longest: int) -> list[int]:
        return [self._token(source) for _ in range(source.randint(shortest, longest))]

    def _repeat(self, source: random.Random) -> list[int]:
        segment = self._tokens(source, 6, 30)
        return (segment * (LENGTH // len(segment) + 1))[:LENGTH]

    def _recall(self, source: random.Random) -> list[int]:
        table = [self._tokens(source, 2, 7) for _ in range(source.randint(3, 8))]
        row: list[int] = []
        while len(row) < LENGTH:
            source.shuffle(table)
            for entry in table:
                row += entry
        return row[:LENGTH]

    def _around(self, source: random.Random, key: list[int], most: int) -> list[int]:
        before, after = source.randint(0, most), source.randint(0, most)
        return [*source.choices(self.fillers, k=before), *key, *source.choices(self.fillers, k=after)]

    def _look_up(self, source: random.Random, progress: float) -> tuple[list[int], list[float]]:
        """A list of cards, then every card asked once; only the names are targets."""
        most = round(5 * min(1.0, progress / 0.15))
        longest = 1 + round(3 * min(1.0, progress / 0.15))
        cards = [(self._tokens(source, 1, longest), self._tokens(source, 1, 3)) for _ in range(source.randint(2, 6))]
        ids: list[int] = []
        for key, name in cards:
            ids += [self.card[0], *self._around(source, key, most), self.card[1], *name, self.card[2]]
        weights = [0.0] * len(ids)
        source.shuffle(cards)
        user, end, assistant, call, stop = self.turn
        for key, name in cards:
            question = [user, *self._around(source, key, most), end, assistant, call]
            ids += [*question, *name, stop]
            weights += [0.0] * len(question) + [1.0] * (len(name) + 1)
        room = max(0, LENGTH - len(ids))
        return (ids + [self.pad] * room)[:LENGTH], (weights + [0.0] * room)[:LENGTH]
