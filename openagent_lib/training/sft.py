"""Supervised fine-tuning on gold trajectories, loss on assistant tokens only. Paper: section 4.1."""

import math
from pathlib import Path

from openagent_lib.agents.local import backbone_source
from openagent_lib.config import Profile, get_profile
from openagent_lib.errors import DataError
from openagent_lib.evaluation.trajectories import training_rows
from openagent_lib.paths import default_run_dir
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.sandbox.task import Task
from openagent_lib.training.backbone import MAX_LENGTH, load_for_training
from openagent_lib.training.job import Job

IGNORED = -100


def train_sft(profile: str, seed: int, run_dir: Path | None = None, model: str | None = None) -> Path:
    """Fine-tune the backbone on the clean training tasks of a run.

    Args:
        profile: Name of the profile.
        seed: Run seed.
        run_dir: Folder of the run, which holds `data/train.parquet`; the default one when None.
        model: Replaces the profile's backbone.

    Returns:
        The folder of the trained model; a run that has ended is returned as it is.

    Raises:
        DataError: The training tasks are missing or corrupt.
        CheckpointError: The backbone or a checkpoint is missing or corrupt.
    """
    settings = get_profile(profile)
    run_dir = run_dir or default_run_dir(profile, seed)
    job = Job("sft", settings, seed, run_dir / "training" / "sft", backbone_source(settings, model))
    return fine_tune(job, read_tasks(run_dir / "data" / "train.parquet"))


def fine_tune(job: Job, tasks: list[Task]) -> Path:
    """Run supervised fine-tuning of a job on the gold trajectories of tasks."""
    if job.is_done():
        print(f"{job.recipe}: already trained, see {job.final.name}", flush=True)
        return job.final
    with job.opened() as checkpoint:
        model, tokenizer = load_for_training(job.source, job.profile)
        trainer = _make_trainer(job, model, tokenizer, tasks)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return job.finish(trainer.model, tokenizer)


def _make_trainer(job: Job, model, tokenizer, tasks: list[Task]):
    from datasets import Dataset, disable_progress_bars
    from transformers import PrinterCallback
    from trl import SFTTrainer

    from openagent_lib.agents.local import key_order_of
    from openagent_lib.training.progress import LogCallback

    disable_progress_bars()
    rows = training_rows(tasks, key_order_of(model))
    dataset = Dataset.from_list(
        [{"messages": row["messages"], "tools": row["tools"]} for row in rows], on_mixed_types="use_json"
    )
    trainer = SFTTrainer(
        model=model,
        args=sft_config(job.profile, job.seed, job.out),
        train_dataset=dataset,
        processing_class=tokenizer,
        callbacks=[LogCallback(job.out, job.recipe)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train_dataset = trainer.train_dataset.map(lambda row: {"labels": own_labels(row["labels"], tokenizer)})
    check_trained_tokens(trainer)
    return trainer


def own_labels(labels: list[int], tokenizer) -> list[int]:
    """Return the labels of what the assistant says: from the first token of a message to its end-of-sequence token.

    TRL's template also marks the line breaks around a message, and with them whole headers where a tokenizer joins the
    two into one token; what no model has to write is not trained.
    """
    kept, is_inside, has_ended = [], False, False
    for token in labels:
        if token == IGNORED:
            is_inside, has_ended = False, False
        elif not is_inside and not has_ended:
            text = tokenizer.decode([token])
            is_inside = bool(text.strip()) and "<|im_start|>" not in text
        kept.append(token if is_inside else IGNORED)
        if is_inside and token == tokenizer.eos_token_id:
            is_inside, has_ended = False, True
    return kept


def sft_config(profile: Profile, seed: int, out: Path):
    """Return TRL's configuration for a profile."""
    import torch
    from trl import SFTConfig

    settings = profile.sft
    return SFTConfig(
        output_dir=str(out),
        max_steps=settings.steps,
        per_device_train_batch_size=settings.batch_size,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="cosine",
        warmup_steps=math.ceil(settings.steps * settings.warmup),
        weight_decay=settings.weight_decay,
        assistant_only_loss=True,
        max_length=MAX_LENGTH,
        save_strategy="steps",
        save_steps=settings.steps // settings.checkpoints,
        logging_steps=max(1, settings.steps // 100),
        bf16=not profile.fp32,
        gradient_checkpointing=not profile.fp32,
        use_cpu=not torch.cuda.is_available(),
        dataloader_num_workers=0,
        dataloader_pin_memory=False,
        disable_tqdm=True,
        report_to="none",
        seed=seed,
        data_seed=seed,
    )


def check_trained_tokens(trainer) -> None:
    """Refuse to train when the first batch has no trained token.

    Raises:
        DataError: Every label of the batch is masked.
    """
    batch = next(iter(trainer.get_train_dataloader()))
    if not bool((batch["labels"] != IGNORED).any()):
        raise DataError("no token of the first batch is trained: the chat template marks no assistant tokens")
