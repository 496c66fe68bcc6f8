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
from openagent_lib.pretraining.curriculum import Curriculum
from openagent_lib.pretraining.drills import Drills
from openagent_lib.pretraining.guides import Guides
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.pretraining.world import COMPOSED_SHARE
from openagent_lib.randomness import rng, seed_of


@dataclass(frozen=True)
class Settings:
    """Everything that determines a pre-training.

    Attributes:
        seed: Seed of corpus, tokenizer, initialisation and order.
        tokens: Length of the training in tokens, padding included.
        layers: Number of layers; at least 4 with guides, whose head is in the last but one, behind the induction heads.
        hidden: Width of the model.
        heads: Attention heads.
        head_width: Width of a head.
        rope_theta: Base of the rotary embedding.
        guide: Weight in the loss of each of the two guides, `guides.py`; 0 trains without them.
        vocabulary: Byte-level entries of the tokenizer.
        whole_words: Whether words of the corpus are one token each, unlike words that it never holds.
        composed: Share of composed sentences among the documents and questions of look-ups.
        batch_tokens: Tokens of a batch, padding included, over all processes.
        chunk: Episodes that are drawn, sorted by length and batched together.
        learning_rate: Peak rate of AdamW: 60 steps of warm-up, constant up to 30 % of the tokens, then falling to 0.
        drills: Whether drills come first and fade beside the corpus.
        pass_mark: Share of right choices of a tool at which the corpus gets harder.
        pace: Difficulty that a batch of the corpus adds where that share is reached.
        choice_weight: Weight in the loss of the tokens that decide: call or answer, and which tool.
        average: Decay per step of the averaged weights that are exported.
        induction: Whether the initialisation holds induction heads.
        score_every: Tokens between two scores.
        score_episodes: Episodes per skill of a score; 0 for none.
        checkpoint_every: Tokens between two checkpoints and exports.
        processes: Processes that share a step, each with its own episodes.
    """

    seed: int = 0
    tokens: int = 100_000_000
    layers: int = 6
    hidden: int = 128
    heads: int = 2
    head_width: int = 64
    rope_theta: float = 1e6
    guide: float = 0.5
    vocabulary: int = 1600
    whole_words: bool = False
    composed: float = COMPOSED_SHARE
    batch_tokens: int = 6000
    chunk: int = 300
    learning_rate: float = 2e-3
    drills: bool = True
    pass_mark: float = 0.75
    pace: float = 0.002
    choice_weight: float = 2.0
    average: float = 0.997
    induction: bool = True
    score_every: int = 20_000_000
    score_episodes: int = 12
    checkpoint_every: int = 1_000_000
    processes: int = 2

    @property
    def digest(self) -> str:
        """Return the hash that a checkpoint must carry."""
        text = json.dumps(dataclasses.asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class Trainer:
    """The state of a pre-training and the one step that changes it."""

    def __init__(self, settings: Settings, tokenizer: PreTrainedTokenizerFast, rank: int = 0) -> None:
        """Build model, optimiser and corpus stream at step 0.

        Args:
            settings: Everything that determines the training.
            tokenizer: The miniature's tokenizer.
            rank: Number of this process among those of the settings; they must have joined a process group.
        """
        self.settings, self.tokenizer, self.rank = settings, tokenizer, rank
        config = miniature_config(
            len(tokenizer),
            tokenizer.pad_token_id,
            tokenizer.eos_token_id,
            settings.layers,
            settings.hidden,
            settings.heads,
            settings.head_width,
            settings.rope_theta,
        )
        pointer = settings.layers - 2 if settings.guide else None
        torch.manual_seed(seed_of("pretraining weights", settings.seed))
        self.model = Qwen2ForCausalLM(config)
        if settings.induction:
            apply_induction(self.model, settings.seed, pointer)
        self.guides = None if pointer is None else Guides(self.model, pointer)
        self.average = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.optimiser = torch.optim.AdamW(
            self._parameters(),
            lr=settings.learning_rate,
            betas=(0.9, 0.98),
            weight_decay=0.02,
            fused=True,
        )
        share = settings.batch_tokens // settings.processes
        self.drills = Drills(tokenizer, share)
        self.curriculum = Curriculum(settings.pass_mark, settings.pace, has_drills=settings.drills)
        self.stream = ChunkStream(
            tokenizer,
            settings.seed,
            settings.chunk,
            share,
            settings.choice_weight,
            rank,
            settings.processes,
            settings.composed,
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
        fall = 1.0 if self.progress < 0.3 else (1.0 - self.progress) / 0.7
        return self.settings.learning_rate * min(1.0, (self.step + 1) / 60) * fall

    def advance(self) -> None:
        """Do one optimisation step on the next batch."""
        started = time.perf_counter()
        settings = self.settings
        level = self.curriculum.draw_level(rng("pretraining step", settings.seed, self.step))
        if level:
            batch = self.drills.batch(rng("pretraining drill", settings.seed, self.step, self.rank), level)
        else:
            batch = self.stream.next(self.curriculum.difficulty)
        loss, right, total = self._loss(batch)
        guided = loss
        if self.guides:
            reading, looking = self.guides.losses(batch)
            guided = loss + settings.guide * (reading + looking)
        guided.backward()
        right, total, tokens, loss_sum = self._share(right, total, batch.ids.numel(), loss.item())
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        for group in self.optimiser.param_groups:
            group["lr"] = self.learning_rate
        self.optimiser.step()
        self.optimiser.zero_grad()
        decay = min(settings.average, (self.step + 1) / (self.step + 10))
        with torch.no_grad():
            for name, value in self.model.state_dict().items():
                self.average[name].lerp_(value, 1.0 - decay)
        self.curriculum.observe(level, round(right), round(total), round(tokens))
        if level is None:
            value = loss_sum / settings.processes
            self.loss = value if self.loss is None else 0.97 * self.loss + 0.03 * value
        self.step += 1
        self.tokens += round(tokens)
        self.seconds += time.perf_counter() - started

    def _share(self, *figures: float) -> list[float]:
        """Average the gradients over the processes, in place, and return the sums of some figures."""
        if self.settings.processes == 1:
            return list(figures)
        gradients = [value.grad for value in self._parameters() if value.grad is not None]
        flat = torch.cat([*(gradient.flatten() for gradient in gradients), torch.tensor(figures)])
        torch.distributed.all_reduce(flat)
        start = 0
        for gradient in gradients:
            part = flat[start : start + gradient.numel()]
            gradient.copy_(part.view_as(gradient) / self.settings.processes)
            start += gradient.numel()
        return flat[start:].tolist()

    def _parameters(self) -> list[torch.nn.Parameter]:
        return [*self.model.parameters(), *(self.guides.parameters() if self.guides else ())]

    def _loss(self, batch: Batch) -> tuple[torch.Tensor, int, int]:
        """Return the weighted loss, and how many first tokens of tool names are right, of how many."""
        hidden = self.model.model(input_ids=batch.ids, use_cache=False)[0][:, :-1]
        weights = batch.weights[:, 1:]
        chosen = weights > 0
        logits, targets = self.model.lm_head(hidden[chosen]), batch.ids[:, 1:][chosen]
        losses = functional.cross_entropy(logits, targets, reduction="none")
        opens_call = batch.ids[:, :-1][chosen] == self.drills.call
        right = (logits[opens_call].argmax(-1) == targets[opens_call]).sum().item()
        return (losses * weights[chosen]).sum() / weights[chosen].sum(), right, opens_call.sum().item()

    def averaged_model(self) -> Qwen2ForCausalLM:
        """Return a copy of the model with the averaged weights."""
        copy = Qwen2ForCausalLM(self.model.config)
        copy.load_state_dict(self.average)
        return copy

    def save(self, path: Path) -> None:
        """Write the whole state by atomic rename; every process must call this, the first one writes."""
        streams = [self.stream.state()] * self.settings.processes
        if self.settings.processes > 1:
            torch.distributed.all_gather_object(streams, self.stream.state())
        if self.rank:
            return
        state = {
            "digest": self.settings.digest,
            "model": self.model.state_dict(),
            "guides": self.guides.state_dict() if self.guides else {},
            "average": self.average,
            "optimiser": self.optimiser.state_dict(),
            "streams": streams,
            "curriculum": self.curriculum.state(),
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
        state = read_checkpoint(path, self.settings)
        self.model.load_state_dict(state["model"])
        if self.guides:
            self.guides.load_state_dict(state["guides"])
        self.average = state["average"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.stream.restore(state["streams"][self.rank])
        self.curriculum.restore(state["curriculum"])
        for name, value in state["counters"].items():
            setattr(self, name, value)


def read_checkpoint(path: Path, settings: Settings) -> dict:
    """Return the state that `Trainer.save` wrote.

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
    if digest != settings.digest:
        raise CheckpointError(f"expected a checkpoint of settings {settings.digest}, found {digest}; {fix}")
    return state
