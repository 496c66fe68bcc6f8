"""Drills: dense exercises over random tokens, for what every tool call needs before any meaning.

Two kinds of row. Copying: a segment is repeated. Look-up: cards in the glue of a tool list, then every card asked once,
in random order, by the key on it; the name on it is the answer. The levels of look-up grow from one bare key per card
to keys between fillers and words that all cards share, which is what choosing a tool by its document takes.

Assumption: ours; the paper's models have learnt to look things up in their own pre-training.
"""

import random
from dataclasses import dataclass

from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.batches import Batch, Row, collate
from openagent_lib.pretraining.tokenizer import CALL_OPEN, MACROS, NAME_GLUE, NAME_STOP, SCHEMA_OPEN, SPECIAL
from openagent_lib.pretraining.vocabulary import FILLERS

COPY_SHARE = 0.15
STOP_WEIGHT = 0.3


@dataclass(frozen=True)
class Level:
    """How hard the look-ups of a drill are.

    Attributes:
        cards: Most cards of a row, at least three unless there are fewer.
        key: Most tokens of a key.
        fillers: Most words of the sentence templates on either side of a part.
        noise: Most random tokens beside the key, different on every card; a question has up to twice as many.
        shared: Most random tokens that all cards and questions of a row have in common, as an entity's name is.
        taken: Most random tokens that all cards of a row have in common, as what the tools take is.
        name: Most tokens of a name.
        pass_mark: Share of first name tokens that must be right before the next level is drawn.
    """

    cards: int
    key: int = 1
    fillers: int = 0
    noise: int = 0
    shared: int = 0
    taken: int = 0
    name: int = 2
    pass_mark: float = 0.93


LEVELS = (
    Level(cards=3),
    Level(cards=6),
    Level(cards=4, fillers=2),
    Level(cards=5, fillers=3, key=2, name=3),
    Level(cards=6, fillers=4, key=3, name=4),
    Level(cards=5, fillers=4, key=2, noise=1, name=5),
    Level(cards=5, fillers=4, key=3, noise=2, shared=1, taken=1, name=5, pass_mark=0.9),
    Level(cards=6, fillers=5, key=3, noise=2, shared=2, taken=3, name=6, pass_mark=0.9),
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
        turn = ("\n<|im_start|>user\n", "<|im_end|>", "\n<|im_start|>assistant\n", CALL_OPEN, NAME_STOP)
        self.user, self.end, self.assistant, self.call, self.stop = tokenizer.convert_tokens_to_ids(list(turn))
        self.fillers = sorted({tokenizer.encode(f" {word}" if word.isalpha() else word)[0] for word in FILLERS})

    def batch(self, source: random.Random, level: Level) -> Batch:
        """Return a batch at one level."""
        rows: list[Row] = []
        width = 0
        while True:
            row = self._copy(source) if source.random() < COPY_SHARE else self._look_up(source, level)
            width = max(width, len(row.ids))
            if rows and width * (len(rows) + 1) > self.batch_tokens:
                return collate(rows, self.pad)
            rows.append(row)

    def _tokens(self, source: random.Random, shortest: int, longest: int) -> list[int]:
        return [source.randrange(len(SPECIAL), self.size) for _ in range(source.randint(shortest, longest))]

    def _copy(self, source: random.Random) -> Row:
        segment = self._tokens(source, 4, 24)
        start = self._tokens(source, 0, 30)
        ids = [*start, *segment, *self._tokens(source, 1, 12), *segment]
        return Row(ids, [0.0] * (len(ids) - len(segment) + 1) + [1.0] * (len(segment) - 1))

    def _around(self, source: random.Random, level: Level, *parts: list[int]) -> list[int]:
        """Return the parts in random order between fillers."""
        ids = self._fill(source, level)
        for part in source.sample(parts, len(parts)):
            ids += [*part, *(self._fill(source, level) if part else [])]
        return ids

    def _fill(self, source: random.Random, level: Level) -> list[int]:
        return source.choices(self.fillers, k=source.randint(0, level.fillers))

    def _look_up(self, source: random.Random, level: Level) -> Row:
        """A list of cards, then every card asked once; only the names are targets."""
        shared, taken = self._tokens(source, 0, level.shared), self._tokens(source, 0, level.taken)
        n_cards = source.randint(min(3, level.cards), level.cards)
        cards = [(self._tokens(source, 1, level.key), self._tokens(source, 1, level.name)) for _ in range(n_cards)]
        row = Row([], [])
        places = []
        for key, name in cards:
            noise = self._tokens(source, 0, level.noise)
            row.ids.extend([self.open, *self._around(source, level, key, shared, taken, noise), self.name_glue])
            places.append(len(row.ids))
            row.meanings.append((places[-1], key))
            row.ids.extend([*name, self.close])
        row.weights.extend([0.0] * len(row.ids))
        for number in source.sample(range(n_cards), n_cards):
            key, name = cards[number]
            asked = self._around(source, level, key, shared, self._tokens(source, 0, 2 * level.noise))
            row.ids.extend([self.user, *asked, self.end, self.assistant, self.call])
            turn = len(row.ids) - 2
            row.meanings.extend([(turn, key), (turn + 1, key)])
            row.choices.append((turn, places[number]))
            row.choices.extend((turn + 1 + index, places[number] + index) for index in range(len(name)))
            row.weights.extend([0.0] * (len(row.ids) - len(row.weights)))
            row.ids.extend([*name, self.stop])
            row.weights.extend([1.0] * len(name) + [STOP_WEIGHT])
        return row
