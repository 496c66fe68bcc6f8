"""Batches of the pre-training: encoded episodes of like length, streamed in chunks."""

from dataclasses import dataclass

import torch
from transformers import PreTrainedTokenizerFast

from openagent_lib.pretraining.corpus import draw_episode
from openagent_lib.pretraining.episode import Episode
from openagent_lib.pretraining.tokenizer import CALL_OPEN, chat_template
from openagent_lib.randomness import rng

_HEADERS = ("\n<|im_start|>assistant\n", "\n<|im_start|>user\n", "\n<|im_start|>user\n<tool_response>\n", "\n")


@dataclass(frozen=True)
class Batch:
    """Token ids and, for each token, its weight as a target (0 where it is no target)."""

    ids: torch.Tensor
    weights: torch.Tensor


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
        self.deciders = {tokenizer.convert_tokens_to_ids(text) for text in (_HEADERS[0], CALL_OPEN)}

    def encode(self, episode: Episode) -> tuple[list[int], list[float]]:
        """Return ids and weights; only the assistant's tokens are targets."""
        output = self.tokenizer.apply_chat_template(
            episode.messages(),
            tools=list(episode.tools),
            chat_template=self.template,
            return_dict=True,
            return_assistant_tokens_mask=True,
        )
        ids, mask = output["input_ids"], output["assistant_masks"]
        weights = [0.0]
        for before, token, is_target in zip(ids, ids[1:], mask[1:], strict=False):
            wanted = is_target and token not in self.headers
            weights.append((self.choice_weight if before in self.deciders else 1.0) if wanted else 0.0)
        return ids, weights


class ChunkStream:
    """Streams batches of the corpus, one chunk of episodes in memory at a time; resumes exactly."""

    def __init__(
        self, tokenizer: PreTrainedTokenizerFast, seed: int, chunk: int, batch_tokens: int, choice_weight: float
    ) -> None:
        """Start before the first episode."""
        self.encoder, self.pad = Encoder(tokenizer, choice_weight), tokenizer.pad_token_id
        self.seed, self.size, self.batch_tokens = seed, chunk, batch_tokens
        self.chunk, self.position, self.progress = -1, 0, 0.0
        self.batches: list[list[tuple[list[int], list[float]]]] = []

    def next(self, progress: float) -> Batch:
        """Return the next batch; a new chunk is drawn at the given progress."""
        if self.position >= len(self.batches):
            self.chunk, self.position, self.progress = self.chunk + 1, 0, progress
            self._fill()
        rows = self.batches[self.position]
        self.position += 1
        width = max(len(ids) for ids, _ in rows)
        return Batch(
            torch.tensor([ids + [self.pad] * (width - len(ids)) for ids, _ in rows]),
            torch.tensor([weights + [0.0] * (width - len(weights)) for _, weights in rows]),
        )

    def _fill(self) -> None:
        first = self.chunk * self.size
        episodes = [draw_episode(self.seed, first + offset, self.progress) for offset in range(self.size)]
        rows = sorted((self.encoder.encode(episode) for episode in episodes), key=lambda row: len(row[0]))
        self.batches, part = [], []
        for row in rows:
            if part and len(row[0]) * (len(part) + 1) > self.batch_tokens:
                self.batches.append(part)
                part = []
            part.append(row)
        self.batches.append(part)
        rng("pretraining batches", self.seed, self.chunk).shuffle(self.batches)

    def state(self) -> dict:
        """Return what `restore` needs."""
        return {"chunk": self.chunk, "position": self.position, "progress": self.progress}

    def restore(self, state: dict) -> None:
        """Go to the place of a saved state, drawing its chunk again."""
        self.chunk, self.position, self.progress = state["chunk"], state["position"], state["progress"]
        if self.chunk >= 0:
            self._fill()
