"""Run a pre-training: log, scores, checkpoints by atomic rename, and the export of the backbone."""

import dataclasses
import json
from pathlib import Path

import torch

from openagent_lib.paths import write_atomic
from openagent_lib.pretraining.export import export_model
from openagent_lib.pretraining.score import score_model
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.pretraining.trainer import Settings, Trainer

LOG_EVERY = 50
CHECKPOINT = "checkpoint.pt"
LOG = "pretrain_log.jsonl"


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

    Written to `out`: the model folder (averaged weights, anew at every checkpoint), `pretrain_log.jsonl`, and
    `checkpoint.pt`, which is removed at the end. Deterministic for settings, machine and number of threads, also
    across interruptions.

    Args:
        out: Folder to write.
        seed: Seed of everything.
        tokens: Length of the training in tokens.
        resume: Continue from `checkpoint.pt` where there is one; otherwise start anew.
        threads: Threads of torch; None leaves torch's choice.
        max_steps: Stop after this step, as an interruption would, with a checkpoint.
        **overrides: Other fields of `Settings`.

    Returns:
        The folder `out`.

    Raises:
        CheckpointError: The checkpoint is damaged or belongs to other settings.
    """
    if threads:
        torch.set_num_threads(threads)
    settings = Settings(seed=seed, tokens=tokens, **overrides)
    trainer = Trainer(settings, build_tokenizer(settings.seed, settings.vocabulary))
    _run(trainer, Path(out), resume, max_steps)
    return Path(out)


def _run(trainer: Trainer, out: Path, resume: bool, max_steps: int | None) -> None:
    checkpoint = out / CHECKPOINT
    if resume and checkpoint.exists():
        trainer.load(checkpoint)
    log = Log(out / LOG, trainer.step)
    if not trainer.step:
        parameters = sum(value.numel() for value in trainer.model.parameters())
        facts = {"parameters": parameters, "vocabulary": len(trainer.tokenizer), "threads": torch.get_num_threads()}
        log.add("start", step=0, **facts, digest=trainer.settings.digest, settings=dataclasses.asdict(trainer.settings))
    while trainer.progress < 1.0 and (max_steps is None or trainer.step < max_steps):
        before = trainer.tokens
        trainer.advance()
        _report(trainer, log, out, before)
    trainer.save(checkpoint)
    if trainer.progress >= 1.0:
        export_model(trainer.averaged_model(), trainer.tokenizer, out)
        facts = {"learning_rate": trainer.learning_rate, "seconds": round(trainer.seconds, 1)}
        log.add("end", step=trainer.step, tokens=trainer.tokens, **facts)
        checkpoint.unlink()


def _report(trainer: Trainer, log: Log, out: Path, before: int) -> None:
    """Do what is due after a step: a log row, scores, a checkpoint with an export."""
    settings, step, tokens = trainer.settings, trainer.step, trainer.tokens
    if step % LOG_EVERY == 0:
        row = {"tokens": tokens, "loss": round(trainer.loss or 0.0, 5), "lr": round(trainer.learning_rate, 7)}
        seconds = round(trainer.seconds, 1)
        log.add("train", step=step, **row, seconds=seconds, tokens_per_second=round(tokens / trainer.seconds))
        print(
            f"step {step}",
            " ".join(f"{name} {value}" for name, value in row.items()),
            f"seconds {seconds:.0f}",
            flush=True,
        )
    if _crossed(before, tokens, settings.score_every) and settings.score_episodes:
        scores = score_model(trainer.averaged_model(), trainer.tokenizer, settings.score_episodes, settings.seed)
        log.add("score", step=step, tokens=tokens, scores=scores)
        solved = " ".join(f"{name} {row['solved']}/{row['n']}" for name, row in scores.items())
        print(f"step {step} solved: {solved}", flush=True)
    if _crossed(before, tokens, settings.checkpoint_every):
        trainer.save(out / CHECKPOINT)
        export_model(trainer.averaged_model(), trainer.tokenizer, out)


def _crossed(before: int, after: int, every: int) -> bool:
    return before // every != after // every
