"""Group-relative policy optimisation, rolled out over several turns in the sandbox. Digest: GRPO at paper scale."""

from collections import Counter
from pathlib import Path

from openagent_lib.agents.local import backbone_source
from openagent_lib.agents.prefix_cache import PrefixCache
from openagent_lib.config import GRPOSettings, Profile, get_profile
from openagent_lib.errors import CheckpointError
from openagent_lib.evaluation.outcome import OUTCOMES, outcome_of
from openagent_lib.paths import default_run_dir
from openagent_lib.sandbox.dataset import read_tasks
from openagent_lib.sandbox.environment import Environment, opening
from openagent_lib.sandbox.task import Task
from openagent_lib.training.backbone import load_for_training
from openagent_lib.training.job import Job
from openagent_lib.training.rewards import RewardWeights, reward_of

MICRO_BATCH = 16


def train_grpo(recipe: str, profile: str, seed: int, run_dir: Path | None = None, model: str | None = None) -> Path:
    """Train with GRPO from the backbone (`grpo`) or from the SFT model of the same run (`sft_grpo`).

    Args:
        recipe: `grpo` or `sft_grpo`.
        profile: Name of the profile.
        seed: Run seed.
        run_dir: Folder of the run, which holds `data/train.parquet`; the default one when None.
        model: Replaces the profile's backbone; ignored by `sft_grpo`.

    Returns:
        The folder of the trained model; a run that has ended is returned as it is.

    Raises:
        CheckpointError: The model to start from, or a checkpoint, is missing or corrupt.
        DataError: The training tasks are missing or corrupt.
    """
    settings = get_profile(profile)
    run_dir = run_dir or default_run_dir(profile, seed)
    source, grpo = backbone_source(settings, model), settings.grpo
    if recipe == "sft_grpo":
        folder, grpo = run_dir / "training" / "sft" / "final", settings.sft_grpo
        if not folder.is_dir():
            raise CheckpointError(f"expected the SFT model at {folder}, found none: train the recipe sft first")
        source = str(folder)
    job = Job(recipe, settings, seed, run_dir / "training" / recipe, source)
    return optimise(job, read_tasks(run_dir / "data" / "train.parquet"), grpo)


def optimise(job: Job, tasks: list[Task], settings: GRPOSettings, weights: RewardWeights | None = None) -> Path:
    """Run GRPO of a job on tasks; episodes are played on the tasks as they are."""
    if job.is_done():
        print(f"{job.recipe}: already trained, see {job.final.name}", flush=True)
        return job.final
    with job.opened() as checkpoint:
        model, tokenizer = load_for_training(job.source, job.profile)
        trainer = _make_trainer(job, model, tokenizer, tasks, settings, weights or RewardWeights())
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return job.finish(trainer.model, tokenizer)


def _make_trainer(job: Job, model, tokenizer, tasks: list[Task], settings: GRPOSettings, weights: RewardWeights):
    import os

    from datasets import Dataset
    from transformers import PrinterCallback

    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
    from trl import GRPOTrainer

    from openagent_lib.training.progress import LogCallback

    log = LogCallback(job.out, job.recipe)
    by_id = {task.id: task for task in tasks}
    rollout = SandboxRollout(by_id, settings, job.profile.message_tokens, weights, log.extra)
    trainer = GRPOTrainer(
        model=model,
        args=grpo_config(job.profile, settings, job.seed, job.out),
        train_dataset=Dataset.from_list([{"prompt": prompt_of(task)} for task in tasks]),
        processing_class=tokenizer,
        reward_funcs=[episode_reward],
        rollout_func=rollout,
        callbacks=[log],
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def prompt_of(task: Task) -> list[dict]:
    """Return the prompt of a task; the user message carries the task's identity, which no template prints."""
    system, user = opening(task)
    return [{**system, "name": ""}, {**user, "name": task.id}]


def episode_reward(completions, reward, **_) -> list[float]:
    """Return the rewards that the roll-out has already computed."""
    return reward


class SandboxRollout:
    """TRL's `rollout_func`: plays whole episodes and returns token ids with a mask of the model's own."""

    def __init__(
        self,
        tasks: dict[str, Task],
        settings: GRPOSettings,
        message_tokens: int,
        weights: RewardWeights,
        log: dict[str, float],
    ):
        """Prepare roll-outs.

        Args:
            tasks: The tasks by identity.
            settings: Temperature and most tokens of an episode.
            message_tokens: Most tokens of one message.
            weights: Weights of the reward terms.
            log: Receives the shares of outcomes of the newest batch, the structural state of the outputs.
        """
        self.tasks = tasks
        self.settings = settings
        self.message_tokens = message_tokens
        self.weights = weights
        self.log = log

    def __call__(self, prompts: list, trainer) -> dict[str, list]:
        """Play one episode for every prompt with the trainer's current model."""
        from openagent_lib.agents.local import key_order_of, render_ids

        model, tokenizer = trainer.accelerator.unwrap_model(trainer.model), trainer.processing_class
        tasks = [self.tasks[prompt[-1]["name"]] for prompt in prompts]
        environments = [Environment.for_task(task) for task in tasks]
        order = key_order_of(model)
        episodes = [
            TokenEpisode(environment, render_ids(tokenizer, environment.reset(), environment.task, order))
            for environment in environments
        ]
        training = model.training
        model.eval()
        self._play(model, tokenizer, episodes)
        model.train(training)
        outcomes = Counter(episode.outcome for episode in episodes)
        self.log.update({f"share_{name}": round(outcomes[name] / len(episodes), 4) for name in OUTCOMES})
        return {
            "prompt_ids": [episode.prompt_ids for episode in episodes],
            "completion_ids": [episode.completion_ids for episode in episodes],
            "env_mask": [episode.mask for episode in episodes],
            "logprobs": None,
            "reward": [episode.reward(self.weights) for episode in episodes],
        }

    def _play(self, model, tokenizer, episodes: list["TokenEpisode"]) -> None:
        from openagent_lib.agents.local import decode_message, generate_ids

        active, cache = episodes, PrefixCache()
        while active:
            histories = [episode.prompt_ids + episode.completion_ids for episode in active]
            outputs = generate_ids(
                model, tokenizer, histories, self.message_tokens, self.settings.temperature, cache=cache
            )
            for episode, ids in zip(active, outputs, strict=True):
                text = decode_message(tokenizer, ids)
                episode.add(ids, text, tokenizer, self.settings.max_tokens)
            active = [episode for episode in active if not episode.is_over]


class TokenEpisode:
    """An episode as the exact token ids that the model wrote and read."""

    def __init__(self, environment: Environment, prompt_ids: list[int]):
        """Start from the rendered first messages."""
        self.environment = environment
        self.prompt_ids = prompt_ids
        self.completion_ids: list[int] = []
        self.mask: list[int] = []
        self.is_cut = False

    @property
    def is_over(self) -> bool:
        """Tell whether the episode has ended or was cut at the most tokens."""
        return self.is_cut or self.environment.is_done

    @property
    def outcome(self) -> str:
        """Return the outcome; a cut episode is `exhausted`."""
        return outcome_of(self.environment) if self.environment.is_done else "exhausted"

    def reward(self, weights: RewardWeights) -> float:
        """Return the reward; a cut episode earns nothing."""
        return reward_of(self.environment, weights) if self.environment.is_done else 0.0

    def add(self, ids: list[int], text: str, tokenizer, max_tokens: int) -> None:
        """Take the model's message, step the environment, and append both to the token ids."""
        self.completion_ids += ids
        self.mask += [1] * len(ids)
        if not ids or len(self.completion_ids) >= max_tokens:
            self.is_cut = True
            if not self.completion_ids:
                self.completion_ids, self.mask = [tokenizer.eos_token_id], [0]
            return
        observations = self.environment.step(text)
        if self.environment.is_done:
            return
        suffix = observation_ids(tokenizer, observations, ended=ids[-1] == tokenizer.eos_token_id)
        if len(self.completion_ids) + len(suffix) >= max_tokens:
            self.is_cut = True
            return
        self.completion_ids += suffix
        self.mask += [0] * len(suffix)


def observation_ids(tokenizer, observations: list[dict], ended: bool) -> list[int]:
    """Return the token ids between one assistant message and the next: the observations and the generation prompt.

    Args:
        tokenizer: Tokenizer with the chat template.
        observations: The `tool` messages.
        ended: Whether the message before ended with the end-of-sequence token; if not, it is put first.
    """
    opening = [{"role": "user", "content": "-"}, {"role": "assistant", "content": "-"}]
    before = tokenizer.apply_chat_template(opening, tokenize=False)
    after = tokenizer.apply_chat_template(opening + observations, tokenize=False, add_generation_prompt=True)
    end = before.rindex(tokenizer.eos_token) + len(tokenizer.eos_token)
    ids = tokenizer(after[end:], add_special_tokens=False)["input_ids"]
    return ids if ended else [tokenizer.eos_token_id, *ids]


def grpo_config(profile: Profile, settings: GRPOSettings, seed: int, out: Path):
    """Return TRL's configuration for a profile."""
    import torch
    from trl import GRPOConfig

    episodes = settings.prompts * settings.group_size
    micro = min(MICRO_BATCH, episodes)
    return GRPOConfig(
        output_dir=str(out),
        max_steps=settings.steps,
        per_device_train_batch_size=micro,
        gradient_accumulation_steps=episodes // micro,
        num_generations=settings.group_size,
        learning_rate=settings.learning_rate,
        lr_scheduler_type="constant",
        temperature=settings.temperature,
        beta=settings.beta,
        loss_type="grpo",
        scale_rewards="group",
        max_completion_length=settings.max_tokens,
        save_strategy="steps",
        save_steps=max(1, settings.steps // settings.checkpoints),
        logging_steps=1,
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
