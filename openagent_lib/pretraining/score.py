"""Score a backbone by skill on procedural domains whose words and seeds the pre-training never used."""

from dataclasses import dataclass, field
from pathlib import Path

import torch
from transformers import PreTrainedTokenizerBase, Qwen2ForCausalLM

from openagent_lib.errors import CheckpointError
from openagent_lib.pretraining.corpus import SKILLS, build_episode
from openagent_lib.pretraining.episode import Episode
from openagent_lib.randomness import rng
from openagent_lib.sandbox.protocol import REFUSAL, SYSTEM_PROMPT, Message, format_error, is_refusal, parse_message

MAX_TURNS = 7
MAX_NEW_TOKENS = 72

# What is scored: name of the row, skill of the corpus, number of tools offered.
SCORED = {"one_call_of_2": ("one_call", 2), **{skill: (skill, 0) for skill in SKILLS}}


@dataclass
class _Play:
    """One episode being played by the model."""

    episode: Episode
    messages: list[dict]
    replies: dict[tuple, list[str]]
    done: bool = False
    solved: bool = False
    calls: list[tuple] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Take an assistant message: answer its call, or close the episode."""
        message: Message = parse_message(text)
        if len(message.calls) != 1:
            final = self.episode.questions[0].final
            self.done = True
            self.solved = message.refused if is_refusal(final) else text.strip() == final
            return
        call = message.calls[0]
        key = (call.name, *sorted(call.arguments))
        queue = self.replies.get(key, [format_error("not found")])
        observation = queue.pop(0) if len(queue) > 1 else queue[0]
        function = {"name": call.name, "arguments": dict(call.arguments)}
        self.calls.append(key)
        self.messages.append(
            {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}
        )
        self.messages.append({"role": "tool", "name": call.name, "content": observation})


def _play(episode: Episode) -> _Play:
    question = episode.questions[0]
    replies: dict[tuple, list[str]] = {}
    for step in question.steps:
        replies.setdefault((step.name, *sorted(step.arguments)), []).append(step.observation)
    return _Play(
        episode, [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question.query}], replies
    )


@torch.no_grad()
def _generate(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, plays: list[_Play]) -> list[str]:
    prompts = [
        tokenizer.apply_chat_template(
            play.messages, tools=list(play.episode.tools), add_generation_prompt=True, return_dict=True
        )["input_ids"]
        for play in plays
    ]
    width = max(map(len, prompts))
    pad = tokenizer.pad_token_id
    ids = torch.tensor([[pad] * (width - len(prompt)) + prompt for prompt in prompts])
    mask = torch.tensor([[0] * (width - len(prompt)) + [1] * len(prompt) for prompt in prompts])
    output = model.generate(
        input_ids=ids, attention_mask=mask, max_new_tokens=MAX_NEW_TOKENS, do_sample=False, pad_token_id=pad
    )
    return [tokenizer.decode(row[width:], skip_special_tokens=True) for row in output]


def play_episodes(
    model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, episodes: list[Episode], batch: int = 64
) -> list[_Play]:
    """Let a model play episodes greedily, in batches of prompts of like length.

    Args:
        model: The model; set to evaluation mode.
        tokenizer: Its tokenizer with chat template.
        episodes: Episodes of one question each.
        batch: Most prompts in a batch.
    """
    model.eval()
    plays = [_play(episode) for episode in episodes]
    for _ in range(MAX_TURNS):
        active = sorted(
            (play for play in plays if not play.done),
            key=lambda play: len(str(play.messages) + str(play.episode.tools)),
        )
        for start in range(0, len(active), batch):
            part = active[start : start + batch]
            for play, text in zip(part, _generate(model, tokenizer, part), strict=True):
                play.take(text)
    return plays


def scoring_episodes(n: int, seed: int, held_out: bool = True) -> dict[str, list[Episode]]:
    """Return `n` episodes for every scored skill; their seeds never occur in a pre-training."""
    return {
        name: [
            build_episode(rng("pretraining score", seed, name, index), skill, 1.0, held_out, n_tools or None)
            for index in range(n)
        ]
        for name, (skill, n_tools) in SCORED.items()
    }


def score_model(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, n: int, seed: int) -> dict[str, dict]:
    """Return, for every scored skill, the number of episodes and of solved ones (`n`, `solved`)."""
    sets = scoring_episodes(n, seed)
    plays = play_episodes(model, tokenizer, [episode for episodes in sets.values() for episode in episodes])
    result = {}
    for position, name in enumerate(sets):
        part = plays[position * n : (position + 1) * n]
        result[name] = {"n": n, "solved": sum(play.solved for play in part)}
    return result


def score(model_dir: Path | str, n: int = 64, seed: int = 0) -> dict[str, dict]:
    """Score a saved backbone by skill.

    Args:
        model_dir: Folder with the model and its tokenizer.
        n: Episodes per skill.
        seed: Seed of the episodes.

    Returns:
        For every skill `{"n": episodes, "solved": solved episodes}`. An episode is solved when the final message equals
        the gold answer, or refuses where the gold message refuses.

    Raises:
        CheckpointError: The folder holds no readable model.
    """
    try:
        from transformers import AutoTokenizer

        model = Qwen2ForCausalLM.from_pretrained(model_dir, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(model_dir)
    except (OSError, ValueError) as problem:
        reason = str(problem).splitlines()[0][:120]
        raise CheckpointError(
            f"expected a model folder at {model_dir}, found: {reason}; make it with: python -m openagent_lib pretrain"
        ) from None
    return score_model(model, tokenizer, n, seed)


__all__ = ["REFUSAL", "play_episodes", "score", "score_model", "scoring_episodes"]
