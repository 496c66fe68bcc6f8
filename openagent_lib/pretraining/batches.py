"""Batches of the pre-training: encoded episodes of like length, streamed in chunks."""

from dataclasses import dataclass, field

import torch
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.corpus import draw_episode
from openagent_lib.pretraining.episode import Episode, Step
from openagent_lib.pretraining.tokenizer import CALL_OPEN, NAME_GLUE, NAME_STOP, chat_template
from openagent_lib.pretraining.world import COMPOSED_SHARE
from openagent_lib.randomness import rng

_HEADERS = ("\n<|im_start|>assistant\n", "\n<|im_start|>user\n", "\n<|im_start|>user\n<tool_response>\n", "\n")
_ANSWER = Step("", (), "")


@dataclass(frozen=True)
class Row:
    """One encoded conversation or drill.

    Attributes:
        ids: Token ids.
        weights: For each token, its weight as a target of the language model; 0 where it is none.
        meanings: Places at which an attribute is known, with the tokens of that attribute: the first token of a name in
            the tool list, and the places that choose a tool.
        choices: Places at which a tool is chosen or its name written, with the place in the list of the token that
            follows: where a message begins, of the first token of the name, or 0 where no tool helps.
    """

    ids: list[int]
    weights: list[float]
    meanings: list[tuple[int, list[int]]] = field(default_factory=list)
    choices: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Batch:
    """Rows of one width.

    Attributes:
        ids: Token ids, rows x width.
        weights: Weight of each token as a target, rows x width.
        meanings: Row and place of every meaning, n x 2.
        words: The tokens of every meaning, n x the longest, filled with -1.
        choices: Row, place and chosen place of every choice, m x 3.
    """

    ids: torch.Tensor
    weights: torch.Tensor
    meanings: torch.Tensor
    words: torch.Tensor
    choices: torch.Tensor


def collate(rows: list[Row], pad: int) -> Batch:
    """Return rows as a batch, filled up on the right."""
    width = max(len(row.ids) for row in rows)
    meanings = [(number, place, words) for number, row in enumerate(rows) for place, words in row.meanings]
    longest = max((len(words) for *_, words in meanings), default=1)
    return Batch(
        torch.tensor([row.ids + [pad] * (width - len(row.ids)) for row in rows]),
        torch.tensor([row.weights + [0.0] * (width - len(row.weights)) for row in rows]),
        torch.tensor([(number, place) for number, place, _ in meanings], dtype=torch.long).reshape(-1, 2),
        torch.tensor([words + [-1] * (longest - len(words)) for *_, words in meanings], dtype=torch.long).reshape(
            -1, longest
        ),
        torch.tensor(
            [(number, *choice) for number, row in enumerate(rows) for choice in row.choices], dtype=torch.long
        ).reshape(-1, 3),
    )


class Encoder:
    """Turns episodes into ids and target weights."""

    def __init__(self, tokenizer: PreTrainedTokenizerFast, choice_weight: float = 1.0) -> None:
        """Prepare the encoder.

        Args:
            tokenizer: The miniature's tokenizer.
            choice_weight: Weight of the tokens that decide: the first of a message, and the first of a tool name.
        """
        self.tokenizer, self.choice_weight = tokenizer, choice_weight
        self.template = chat_template(training=True)
        self.headers = {tokenizer.convert_tokens_to_ids(text) for text in _HEADERS[:3]} | set(tokenizer.encode("\n"))
        self.turn, self.glue, self.stop = tokenizer.convert_tokens_to_ids([_HEADERS[0], NAME_GLUE, NAME_STOP])
        self.deciders = {tokenizer.convert_tokens_to_ids(text) for text in (_HEADERS[0], CALL_OPEN)}

    def encode(self, episode: Episode) -> Row:
        """Return an episode as a row; only the assistant's tokens are targets."""
        output = self.tokenizer.apply_chat_template(
            episode.messages(),
            tools=list(episode.tools),
            chat_template=self.template,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        ids, mask = output["input_ids"], output["assistant_masks"]
        mistakes = [step.is_mistake for question in episode.questions for step in (*question.steps, _ANSWER)]
        weights = [0.0]
        for before, token, is_target in zip(ids, ids[1:], mask[1:], strict=False):
            wanted = is_target and token not in self.headers
            weights.append((self.choice_weight if before in self.deciders else 1.0) if wanted else 0.0)
        turns = [place for place, token in enumerate(ids) if token == self.turn]
        for start, end, is_mistake in zip(turns, [*turns[1:], len(ids)], mistakes, strict=True):
            if is_mistake:
                weights[start:end] = [0.0] * (end - start)
        return Row(ids, weights, *self._guide(episode, ids, turns))

    def _guide(
        self, episode: Episode, ids: list[int], turns: list[int]
    ) -> tuple[list[tuple[int, list[int]]], list[tuple[int, int]]]:
        """Return the meanings and the choices of an encoded episode, whose assistant messages begin at `turns`."""
        places = [place + 1 for place, token in enumerate(ids) if token == self.glue]
        names = [schema["function"]["name"] for schema in episode.tools]
        place_of = dict(zip(names, places, strict=True))
        words = [self.tokenizer.encode(f" {output}") for output in episode.outputs]
        words_of = dict(zip(names, words, strict=True))
        meanings = list(zip(places, words, strict=True))
        choices: list[tuple[int, int]] = []
        upcoming = iter(turns)
        for question in episode.questions:
            seen = ""
            for step in question.steps:
                place = next(upcoming)
                if step.is_mistake:
                    continue
                if step.name not in seen:
                    meanings += [(place, words_of[step.name]), (place + 1, words_of[step.name])]
                    start = place_of[step.name]
                    choices.append((place, start))
                    # Every token of the name, not only the first: many names begin alike.
                    length = ids.index(self.stop, place) - place - 2
                    choices += [(place + 1 + index, start + index) for index in range(length)]
                seen = step.observation
            last = next(upcoming)
            if episode.skill == "missing_tool" and all(step.is_mistake for step in question.steps):
                choices.append((last, 0))
        return meanings, choices


class ChunkStream:
    """Streams batches of the corpus, one chunk of episodes in memory at a time; resumes exactly."""

    def __init__(
        self,
        tokenizer: PreTrainedTokenizerFast,
        seed: int,
        chunk: int,
        batch_tokens: int,
        choice_weight: float,
        rank: int = 0,
        processes: int = 1,
        composed: float = COMPOSED_SHARE,
    ) -> None:
        """Start before the first episode; of `processes` streams, number `rank` has every so many chunks."""
        self.encoder, self.pad = Encoder(tokenizer, choice_weight), tokenizer.pad_token_id
        self.seed, self.size, self.batch_tokens, self.composed = seed, chunk, batch_tokens, composed
        self.chunk, self.processes = rank - processes, processes
        self.position, self.difficulty = 0, 0.0
        self.batches: list[list[Row]] = []

    def next(self, difficulty: float) -> Batch:
        """Return the next batch; a new chunk is drawn at the given difficulty."""
        if self.position >= len(self.batches):
            self.chunk, self.position, self.difficulty = self.chunk + self.processes, 0, difficulty
            self._fill()
        rows = self.batches[self.position]
        self.position += 1
        return collate(rows, self.pad)

    def _fill(self) -> None:
        first = self.chunk * self.size
        numbers = range(first, first + self.size)
        episodes = [draw_episode(self.seed, number, self.difficulty, self.composed) for number in numbers]
        rows = sorted((self.encoder.encode(episode) for episode in episodes), key=lambda row: len(row.ids))
        self.batches, part = [], []
        for row in rows:
            if part and len(row.ids) * (len(part) + 1) > self.batch_tokens:
                self.batches.append(part)
                part = []
            part.append(row)
        self.batches.append(part)
        rng("pretraining batches", self.seed, self.chunk).shuffle(self.batches)

    def state(self) -> dict:
        """Return what `restore` needs."""
        return {"chunk": self.chunk, "position": self.position, "difficulty": self.difficulty}

    def restore(self, state: dict) -> None:
        """Go to the place of a saved state, drawing its chunk again."""
        self.chunk, self.position, self.difficulty = state["chunk"], state["position"], state["difficulty"]
        if self.chunk >= 0:
            self._fill()
