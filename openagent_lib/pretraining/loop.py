"""The resumable pre-training: a streamed corpus, drills that fade out, a schedule in tokens, checkpoints by atomic rename."""

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
from openagent_lib.pretraining.batches import Batch, ChunkStream, drill_batch
from openagent_lib.pretraining.export import export_model
from openagent_lib.pretraining.induction import apply_induction, miniature_config
from openagent_lib.pretraining.score import score_model
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.randomness import rng, seed_of

LOG_EVERY = 50
CHECKPOINT = "checkpoint.pt"
LOG = "pretrain_log.jsonl"


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
        learning_rate: Peak rate of AdamW; warmed up over 60 steps, constant up to 40 % of the tokens, then falling to zero.
        drill_share: Share of drill batches at the start; falls linearly to zero.
        choice_weight: Weight in the loss of the tokens that decide: call or answer, and the first token of a tool name.
        average: Decay per step of the averaged weights that are exported.
        induction: Whether the initialisation holds induction heads.
        score_every: Tokens between two scores.
        score_episodes: Episodes per skill of a score; 0 for none.
        checkpoint_every: Tokens between two checkpoints and exports.
    """

    seed: int = 0
    tokens: int = 20_000_000
    layers: int = 5
    hidden: int = 128
    heads: int = 4
    vocabulary: int = 2000
    batch_tokens: int = 4000
    chunk: int = 600
    learning_rate: float = 2e-3
    drill_share: float = 0.25
    choice_weight: float = 4.0
    average: float = 0.995
    induction: bool = True
    score_every: int = 1_500_000
    score_episodes: int = 8
    checkpoint_every: int = 500_000

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
            len(tokenizer), tokenizer.pad_token_id, tokenizer.eos_token_id, settings.layers, settings.hidden, settings.heads
        )
        torch.manual_seed(seed_of("pretraining weights", settings.seed))
        self.model = Qwen2ForCausalLM(config)
        if settings.induction:
            apply_induction(self.model, settings.seed)
        self.average = {name: value.detach().clone() for name, value in self.model.state_dict().items()}
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=settings.learning_rate, betas=(0.9, 0.98), weight_decay=0.02
        )
        self.stream = ChunkStream(tokenizer, settings.seed, settings.chunk, settings.batch_tokens, settings.choice_weight)
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
        is_drill = source.random() < self.settings.drill_share * (1.0 - self.progress)
        batch = drill_batch(source, len(self.tokenizer)) if is_drill else self.stream.next(self.progress)
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
        losses = functional.cross_entropy(self.model.lm_head(hidden[chosen]), batch.ids[:, 1:][chosen], reduction="none")
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
            raise CheckpointError(f"expected a pre-training checkpoint at {path}, found a damaged file ({kind}); {fix}") from None
        if digest != self.settings.digest:
            raise CheckpointError(f"expected a checkpoint of settings {self.settings.digest}, found {digest}; {fix}")
        self.model.load_state_dict(state["model"])
        self.average = state["average"]
        self.optimiser.load_state_dict(state["optimiser"])
        self.stream.restore(state["stream"])
        for name, value in state["counters"].items():
            setattr(self, name, value)


class Log:
    """An append-only JSONL file; rows after the resumed step are dropped."""

    def __init__(self, path: Path, step: int) -> None:
        """Open the log and keep the rows up to `step`."""
        self.path = path
        rows = []
        if path.exists() and step:
            for line in path.read_text(encoding="utf-8").splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue
                if row["step"] <= step:
                    rows.append(line)
        write_atomic(path, "".join(f"{line}\n" for line in rows))

    def add(self, kind: str, **fields: object) -> None:
        """Append a row."""
        with open(self.path, "a", encoding="utf-8") as handle:
            handle.write(json.dumps({"kind": kind, **fields}) + "\n")


def pretrain(
    out: Path,
    seed: int = 0,
    tokens: int = Settings.tokens,
    resume: bool = True,
    threads: int | None = None,
    max_steps: int | None = None,
    **overrides: object,
) -> Path:
    """Pre-train a backbone and export it.

    Written to `out`: the model folder (averaged weights, anew at every checkpoint), `pretrain_log.jsonl`, and `checkpoint.pt`, which
    is removed at the end. Deterministic for settings, machine and number of threads, also across interruptions.

    Args:
        out: Folder to write.
        seed: Seed of everything.
        tokens: Length of the training in tokens.
        resume: Continue from `checkpoint.pt` where there is one; otherwise start anew.
        threads: Threads of torch; None leaves torch's choice.
        max_steps: Stop early after this step, as an interruption would, with a checkpoint.
        **overrides: Other fields of `Settings`.

    Returns:
        The folder `out`.

    Raises:
        CheckpointError: The checkpoint is damaged or belongs to other settings.
    """
    out = Path(out)
    settings = Settings(seed=seed, tokens=tokens, **overrides)
    if threads:
        torch.set_num_threads(threads)
    tokenizer = build_tokenizer(settings.seed, settings.vocabulary)
    trainer = Trainer(settings, tokenizer)
    checkpoint = out / CHECKPOINT
    if resume and checkpoint.exists():
        trainer.load(checkpoint)
    log = Log(out / LOG, trainer.step)
    if not trainer.step:
        parameters = sum(value.numel() for value in trainer.model.parameters())
        facts = {"parameters": parameters, "vocabulary": len(tokenizer), "threads": torch.get_num_threads()}
        log.add("start", step=0, digest=settings.digest, **facts, settings=dataclasses.asdict(settings))
    while trainer.progress < 1.0 and (max_steps is None or trainer.step < max_steps):
        before = trainer.tokens
        trainer.advance()
        _report(trainer, log, out, before)
    trainer.save(checkpoint)
    if trainer.progress >= 1.0:
        export_model(trainer.averaged_model(), tokenizer, out)
        log.add("end", step=trainer.step, tokens=trainer.tokens, learning_rate=trainer.learning_rate, seconds=round(trainer.seconds, 1))
        checkpoint.unlink()
    return out


def _report(trainer: Trainer, log: Log, out: Path, before: int) -> None:
    settings, step = trainer.settings, trainer.step
    if step % LOG_EVERY == 0:
        row = {"step": step, "tokens": trainer.tokens, "loss": round(trainer.loss or 0.0, 5), "lr": round(trainer.learning_rate, 7)}
        log.add("train", **row, seconds=round(trainer.seconds, 1), tokens_per_second=round(trainer.tokens / trainer.seconds))
        print(" ".join(f"{name} {value}" for name, value in row.items()), f"seconds {trainer.seconds:.0f}", flush=True)
    if _crossed(before, trainer.tokens, settings.score_every) and settings.score_episodes:
        scores = score_model(trainer.averaged_model(), trainer.tokenizer, settings.score_episodes, settings.seed)
        log.add("score", step=step, tokens=trainer.tokens, scores=scores)
        print(f"step {step} solved:", " ".join(f"{name} {row['solved']}/{row['n']}" for name, row in scores.items()), flush=True)
    if _crossed(before, trainer.tokens, settings.checkpoint_every):
        trainer.save(out / CHECKPOINT)
        export_model(trainer.averaged_model(), trainer.tokenizer, out)


def _crossed(before: int, after: int, every: int) -> bool:
    return before // every != after // every
