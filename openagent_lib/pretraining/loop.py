"""Run a pre-training: log, scores, checkpoints by atomic rename, and the export of the backbone."""

import dataclasses
import json
import signal
import tempfile
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerFast

from openagent_lib.paths import write_atomic
from openagent_lib.pretraining.export import export_model
from openagent_lib.pretraining.score import score_model
from openagent_lib.pretraining.tokenizer import build_tokenizer
from openagent_lib.pretraining.trainer import Settings, Trainer, read_checkpoint

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
        threads: Threads of each process; None shares torch's choice among them.
        max_steps: Stop after this step, as an interruption would, with a checkpoint.
        **overrides: Other fields of `Settings`.

    Returns:
        The folder `out`.

    Raises:
        CheckpointError: The checkpoint is damaged or belongs to other settings.
    """
    settings = Settings(seed=seed, tokens=tokens, **overrides)
    checkpoint = Path(out) / CHECKPOINT
    if resume and checkpoint.exists():
        read_checkpoint(checkpoint, settings)
    elif checkpoint.exists():
        checkpoint.unlink()
    tokenizer = build_tokenizer(settings.seed, settings.vocabulary, whole_words=settings.whole_words)
    if settings.processes == 1:
        _work(0, settings, tokenizer, Path(out), threads, max_steps, "")
    else:
        with tempfile.TemporaryDirectory() as folder:
            group = f"file://{folder}/group"
            torch.multiprocessing.spawn(
                _work, (settings, tokenizer, Path(out), threads, max_steps, group), settings.processes
            )
    return Path(out)


def _work(
    rank: int,
    settings: Settings,
    tokenizer: PreTrainedTokenizerFast,
    out: Path,
    threads: int | None,
    max_steps: int | None,
    group: str,
) -> None:
    """Train as one of the processes of the settings; dies with the process that started it."""
    torch.set_num_threads(threads or max(1, torch.get_num_threads() // settings.processes))
    if group:
        # Also where interrupts are ignored, as in the background of a script.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        torch.distributed.init_process_group("gloo", group, rank=rank, world_size=settings.processes)
    trainer = Trainer(settings, tokenizer, rank)
    if (out / CHECKPOINT).exists():
        trainer.load(out / CHECKPOINT)
    log = Log(out / LOG, trainer.step) if not rank else None
    _train(trainer, out, log, max_steps)
    if group:
        torch.distributed.destroy_process_group()


def _train(trainer: Trainer, out: Path, log: Log | None, max_steps: int | None) -> None:
    """Train to the end or to a step; without a log, as a process that the first one speaks for."""
    checkpoint = out / CHECKPOINT
    if log and not trainer.step:
        parameters = sum(value.numel() for value in trainer.model.parameters())
        facts = {"parameters": parameters, "vocabulary": len(trainer.tokenizer), "threads": torch.get_num_threads()}
        log.add("start", step=0, **facts, digest=trainer.settings.digest, settings=dataclasses.asdict(trainer.settings))
    while trainer.progress < 1.0 and (max_steps is None or trainer.step < max_steps):
        before = trainer.tokens
        trainer.advance()
        if log:
            _report(trainer, log)
        if _crossed(before, trainer.tokens, trainer.settings.checkpoint_every):
            trainer.save(checkpoint)
            if log:
                export_model(trainer.averaged_model(), trainer.tokenizer, out)
        if log and _crossed(before, trainer.tokens, trainer.settings.score_every):
            _score(trainer, log)
    trainer.save(checkpoint)
    if log and trainer.progress >= 1.0:
        export_model(trainer.averaged_model(), trainer.tokenizer, out)
        facts = {"learning_rate": trainer.learning_rate, "seconds": round(trainer.seconds, 1)}
        log.add("end", step=trainer.step, tokens=trainer.tokens, **facts)
        checkpoint.unlink()


def _report(trainer: Trainer, log: Log) -> None:
    """Log a step where that is due."""
    step, tokens, seconds = trainer.step, trainer.tokens, round(trainer.seconds, 1)
    if step % LOG_EVERY:
        return
    curriculum = trainer.curriculum
    row = {"tokens": tokens, "loss": round(trainer.loss or 0.0, 5), "lr": round(trainer.learning_rate, 7)}
    row |= {"level": curriculum.level, "difficulty": round(curriculum.difficulty, 3)}
    row |= {"right_tool": round(curriculum.accuracy, 3)}
    log.add("train", step=step, **row, seconds=seconds, tokens_per_second=round(tokens / trainer.seconds))
    print(
        f"step {step}", " ".join(f"{name} {value}" for name, value in row.items()), f"seconds {seconds:.0f}", flush=True
    )


def _score(trainer: Trainer, log: Log) -> None:
    """Score the averaged model in the midst of training."""
    if not trainer.settings.score_episodes:
        return
    scores = score_model(
        trainer.averaged_model(), trainer.tokenizer, trainer.settings.score_episodes, trainer.settings.seed
    )
    log.add("score", step=trainer.step, tokens=trainer.tokens, scores=scores)
    solved = " ".join(f"{name} {row['solved']}/{row['n']}" for name, row in scores.items())
    print(f"step {trainer.step} solved: {solved}", flush=True)


def _crossed(before: int, after: int, every: int) -> bool:
    return before // every != after // every
