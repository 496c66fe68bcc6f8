"""The state of a pre-training: settings, model, optimiser, corpus stream, and the one step that changes them."""

import dataclasses
import hashlib
import io
import json
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn import functional
from transformers import PreTrainedTokenizerFast, Qwen2ForCausalLM

from openagent_lib.errors import CheckpointError
from openagent_lib.paths import write_atomic
from openagent_lib.pretraining.batches import Batch, ChunkStream
from openagent_lib.pretraining.drills import Drills
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.randomness import rng, seed_of


@dataclass(frozen=True)
class Settings:
    """Everything that determines a pre-training.

    Attributes:
        seed: Seed of corpus, tokenizer, initialisation and order.
        tokens: Length of the training in tokens, padding included.
        layers: Number of layers.
        hidden: Width of the model.
        heads: Attention heads.
        vocabulary: Byte-level entries of the tokenizer.
        batch_tokens: Tokens of a batch, padding included.
        chunk: Episodes that are drawn, sorted by length and batched together.
        learning_rate: Peak rate of AdamW: 60 steps of warm-up, constant up to 40 % of the tokens, then falling to 0.
        drill_share: Share of drill batches at the start; falls linearly to zero at 60 % of the tokens.
        choice_weight: Weight in the loss of the tokens that decide: call or answer, and which tool.
        average: Decay per step of the averaged weights that are exported.
        induction: Whether the initialisation holds induction heads.
        score_every: Tokens between two scores.
        score_episodes: Episodes per skill of a score; 0 for none.
        checkpoint_every: Tokens between two checkpoints and exports.
    """

    seed: int = 0
    tokens: int = 5_300_000
    layers: int = 4
    hidden: int = 128
    heads: int = 4
    vocabulary: int = 2000
    batch_tokens: int = 5000
    chunk: int = 600
    learning_rate: float = 2e-3
    drill_share: float = 0.2
    choice_weight: float = 2.0
    average: float = 0.995
    induction: bool = True
    score_every: int = 1_000_000
    score_episodes: int = 8
    checkpoint_every: int = 250_000

    @property
    def digest(self) -> str:
        """Return the hash that a checkpoint must carry."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Trainer:
    """The state of a pre-training and the one step that changes it."""

    def __init__(self, settings: Settings, tokenizer: PreTrainedTokenizerFast) -> None:
        """Build model, optimiser and corpus stream at step 0."""
        self.settings, self.tokenizer = settings, tokenizer
        config = miniature_config(
            len(tokenizer),
            tokenizer.pad_token_id,
            tokenizer.eos_token_id,
            settings.layers,
            settings.hidden,
            settings.heads,
        )
        torch.manual_seed(seed_of("pretraining weights", settings.seed))
        self.model = Qwen2ForCausalLM(config)
        if settings.induction:
            apply_induction(self.model, settings.seed)
        self.average = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), weight_decay=0.02
        )
        self.drills = Drills(tokenizer)
        self.stream = ChunkStream(
            tokenizer, settings.seed, settings.chunk, settings.batch_tokens, settings.choice_weight
        )
        self.step = self.tokens = 0
        self.seconds = 0.0
        self.loss: float | None = None

    @property
    def progress(self) -> float:
        """Return the share of the tokens that is done, 0 to 1."""
        return min(1.0, self.tokens / self.settings.tokens)

    @property
    def learning_rate(self) -> float:
        """Return the rate of the next step."""
        fall = 1.0 if self.progress < 0.4 else (1.0 - self.progress) / 0.6
        return self.settings.learning_rate * min(1.0, (self.step + 1) / 60) * fall

    def advance(self) -> None:
        """Do one optimisation step on the next batch."""
        started = time.perf_counter()
        source = rng("pretraining step", self.settings.seed, self.step)
        is_drill = source.random() < self.settings.drill_share * max(0.0, 1.0 - self.progress)
        batch = self.drills.batch(source, self.progress) if is_drill else self.stream.next(self.progress)
        loss = self._loss(batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate
        self.optimiser.step()
        self.optimiser.zero_grad()
        decay = min(self.settings.average, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            for name, value in self.model.state_dict().items():
                self.average[name].lerp_(value, 1.0 - decay)
        if not is_drill:
            value = loss.item()
            self.loss = value if self.loss is None else 0.97 * self.loss + 0.03 * value
        self.step += 1
        self.tokens += batch.ids.numel()
        self.seconds += time.perf_counter() - started

    def _loss(self, batch: Batch) -> torch.Tensor:
        hidden = self.model.model(input_ids=batch.ids)[0][:, :-1]
        weights = batch.weights[:, 1:]
        chosen = weights > 0
        losses = functional.cross_entropy(
            self.model.lm_head(hidden[chosen]), batch.ids[:, 1:][chosen], reduction="none"
        )
        return (losses * weights[chosen]).sum() / weights[chosen].sum()

    def averaged_model(self) -> Qwen2ForCausalLM:
        """Return a copy of the model with the averaged weights."""
        copy = Qwen2ForCausalLM(self.model.config)
        copy.load_state_dict(self.average)
        return copy

    def save(self, path: Path) -> None:
        """Write the whole state by atomic rename."""
        state = {
            "digest": self.settings.digest,
            "model": self.model.state_dict(),
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "stream": self.stream.state(),
            "counters": {"step": self.step, "tokens": self.tokens, "seconds": self.seconds, "loss": self.loss},
        }
        buffer = io.BytesIO()
        torch.save(state, buffer)
        write_atomic(path, buffer.getvalue())

    def load(self, path: Path) -> None:
        """Restore the state that `save` wrote.

        Raises:
            CheckpointError: The file cannot be read, or was written under other settings.
        """
        fix = f"delete {path} or pass resume=False to start anew"
        try:
            state = torch.load(path, weights_only=True)
            digest = state["digest"]
        except Exception as problem:
            kind = type(problem).__name__
            raise CheckpointError(
                f"expected a pre-training checkpoint at {path}, found a damaged file ({kind}); {fix}"
            ) from None
        if digest != self.settings.digest:
            raise CheckpointError(f"expected a checkpoint of settings {self.settings.digest}, found {digest}; {fix}")
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.stream.restore(state["stream"])
        for name, value in state["counters"].items():
            setattr(self, name, value)
