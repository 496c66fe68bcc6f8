"""Score a backbone by skill on procedural domains whose words, templates and seeds the pre-training never used."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from transformers import PreTrainedTokenizerBase, Qwen2ForCausalLM

from openagent_lib.agents.local import LocalAgent, generate_ids, load_model
from openagent_lib.agents.prefix_cache import PrefixCache
from openagent_lib.evaluation.records import records_frame
from openagent_lib.evaluation.rollout import Run, check_unbroken, roll_out
from openagent_lib.pretraining.corpus import SKILLS, build_episode
from openagent_lib.pretraining.episode import Episode
from openagent_lib.pretraining.faults import WRONG_CALLS
from openagent_lib.randomness import rng
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT, Message, format_error, is_refusal, parse_message
from openagent_lib.sandbox.task import Task

MAX_TURNS = 7
BATCH = 16
GROUP = 8 * BATCH
"""Episodes played together: enough for batches of like length, few enough for their keys and values in memory."""
PROCESSES = 2
MAX_NEW_TOKENS = 72
PLAIN_REPLY = '{"value": '
UNSOLVABLE = ("fatal_error", "missing_tool", "missing_information")

# What is scored: name of the row, skill of the corpus, number of tools offered (0 for a random one).
SCORED = {
    "copy": ("copy", 2),
    "one_call_of_2": ("one_call", 2),
    "one_call_of_5": ("one_call", 5),
    "other_reply": ("one_call", 0),
    **{skill: (skill, 0) for skill in SKILLS if skill != "copy"},
}


@dataclass
class Play:
    """One episode being played by a model.

    Attributes:
        episode: What is played.
        messages: The conversation so far.
        replies: What the tools reply, by call.
        done: Whether the model has given its final message.
        solved: Whether that message is right: the gold answer, or a refusal where the gold message refuses.
        refused: Whether it refuses.
        calls: The calls so far.
    """

    episode: Episode
    messages: list[dict]
    replies: dict[tuple, list[str]]
    done: bool = False
    solved: bool = False
    refused: bool = False
    calls: list[tuple] = field(default_factory=list)

    def take(self, text: str) -> None:
        """Take an assistant message: answer its call, or close the episode."""
        message: Message = parse_message(text)
        if len(message.calls) != 1:
            final = self.episode.questions[0].final
            self.done, self.refused = True, message.refused
            self.solved = message.refused if is_refusal(final) else text.strip() == final
            return
        call = message.calls[0]
        key = (call.name, *sorted(call.arguments))
        queue = self.replies.get(key, [format_error(WRONG_CALLS.test[0])])
        observation = queue.pop(0) if len(queue) > 1 else queue[0]
        function = {"name": call.name, "arguments": dict(call.arguments)}
        self.calls.append(key)
        self.messages.append(
            {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}
        )
        self.messages.append({"role": "tool", "name": call.name, "content": observation})


def _solved(play: Play) -> bool:
    return play.solved


def _refused(play: Play) -> bool:
    return play.refused


def _right_tool(play: Play) -> bool:
    return bool(play.calls) and play.calls[0][0] == play.episode.questions[0].steps[0].name


def _copied(play: Play) -> bool:
    """Tell whether the string of the query stands unchanged among the arguments of the first call."""
    wanted = play.episode.questions[0].steps[0].arguments[0][1]
    return bool(play.calls) and wanted in {value for _, value in play.calls[0][1:]}


# What is measured: name of the row, the scored rows whose episodes count, and what is counted.
MEASURES: dict[str, tuple[tuple[str, ...], Callable[[Play], bool]]] = {
    "unseen string of 12 to 20 characters copied exactly": (("copy",), _copied),
    "right tool of 2, by its document": (("one_call_of_2",), _right_tool),
    "right tool of 5, by its document": (("one_call_of_5",), _right_tool),
    "one call": (("one_call",), _solved),
    "two steps, the value in between named": (("named_chain_2",), _solved),
    "three steps, the values in between named": (("named_chain_3",), _solved),
    "two steps, to be planned": (("planned_chain_2",), _solved),
    "three steps, to be planned": (("planned_chain_3",), _solved),
    "reply in another format": (("other_reply",), _solved),
    "recovery from a passing error or a redirection": (("retry", "redirection"), _solved),
    "refusal of the unsolvable": (UNSOLVABLE, _refused),
    "over-refusal of the solvable": (tuple(name for name in SCORED if name not in UNSOLVABLE), _refused),
}


def _play(episode: Episode) -> Play:
    question = episode.questions[0]
    replies: dict[tuple, list[str]] = {}
    for step in question.steps:
        replies.setdefault((step.name, *sorted(step.arguments)), []).append(step.observation)
    return Play(
        episode, [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": question.query}], replies
    )


def _generate(
    model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, plays: list[Play], cache: PrefixCache
) -> list[str]:
    prompts = [
        tokenizer.apply_chat_template(
            play.messages, tools=list(play.episode.tools), add_generation_prompt=True, return_dict=True
        )["input_ids"]
        for play in plays
    ]
    outputs = generate_ids(model, tokenizer, prompts, MAX_NEW_TOKENS, batch_size=BATCH, cache=cache)
    return [tokenizer.decode(ids, skip_special_tokens=True) for ids in outputs]


def play_episodes(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, episodes: list[Episode]) -> list[Play]:
    """Let a model play episodes greedily.

    Args:
        model: The model; set to evaluation mode.
        tokenizer: Its tokenizer with chat template.
        episodes: Episodes of one question each.
    """
    model.eval()
    plays = [_play(episode) for episode in episodes]
    for start in range(0, len(plays), GROUP):
        _play_on(model, tokenizer, plays[start : start + GROUP])
    return plays


def _play_on(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, plays: list[Play]) -> None:
    cache = PrefixCache()
    for _ in range(MAX_TURNS):
        active = [play for play in plays if not play.done]
        if not active:
            break
        for play, text in zip(active, _generate(model, tokenizer, active, cache), strict=True):
            play.take(text)


def scoring_episodes(n: int, seed: int, names: Iterable[str] = SCORED) -> dict[str, list[Episode]]:
    """Return `n` episodes for each of the scored rows; their seeds never occur in a pre-training."""
    return {name: [_scoring_episode(name, seed, index) for index in range(n)] for name in names}


def _scoring_episode(name: str, seed: int, index: int) -> Episode:
    skill, n_tools = SCORED[name]
    source = rng("pretraining score", seed, name, index)
    while True:
        episode = build_episode(source, skill, 1.0, held_out=True, n_tools=n_tools or None)
        if name != "other_reply" or not episode.questions[0].steps[-1].observation.startswith(PLAIN_REPLY):
            return episode


def _play_scored(
    model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, n: int, seed: int, names: Iterable[str] = SCORED
) -> dict[str, list[Play]]:
    sets = scoring_episodes(n, seed, names)
    plays = play_episodes(model, tokenizer, [episode for episodes in sets.values() for episode in episodes])
    return {name: plays[position * n : (position + 1) * n] for position, name in enumerate(sets)}


def _count(plays: dict[str, list[Play]]) -> dict[str, dict]:
    return {name: {"n": len(part), "solved": sum(map(_solved, part))} for name, part in plays.items()}


def score_model(model: Qwen2ForCausalLM, tokenizer: PreTrainedTokenizerBase, n: int, seed: int) -> dict[str, dict]:
    """Return, for every scored skill, the number of episodes and of solved ones (`n`, `solved`)."""
    return _count(_play_scored(model, tokenizer, n, seed))


def score(model_dir: Path | str, n: int = 64, seed: int = 0, tasks: Iterable[Task] = ()) -> dict[str, object]:
    """Score a saved backbone, greedily.

    Args:
        model_dir: Folder with the model and its tokenizer.
        n: Episodes per skill.
        seed: Seed of the episodes.
        tasks: Tasks of the evaluation to play without any training, none by default.

    Returns:
        `n`, `seed`, and counts: `skills` (`{"n": episodes, "solved": solved episodes}` for every skill), `measures`
        (`{"n": episodes, "count": those that ...}`) and, where there are tasks, `zero_shot` (`{"n", "count"}` of
        successes by tier, and by shift in `zero_shot_shifts`). An episode is solved when the final message equals the
        gold answer, or refuses where the gold message refuses.

    Raises:
        CheckpointError: The folder holds no readable model.
        DataError: The infrastructure broke some tasks.
    """
    model, tokenizer = load_model(model_dir)
    plays = _play_scored(model, tokenizer, n, seed)
    result: dict[str, object] = {"n": n, "seed": seed, "skills": _count(plays), "measures": measure(plays)}
    tasks = list(tasks)
    if tasks:
        print(f"{len(tasks)} tasks of the evaluation, without any training", file=sys.stderr)
        result |= _zero_shot(LocalAgent(model, tokenizer, "base"), tasks, seed)
    return result


def score_measures(model_dir: Path | str, labels: Iterable[str], n: int, seed: int) -> dict[str, dict]:
    """Return some of the measures of a saved backbone, as `measure` does, playing only the episodes that they need.

    Args:
        model_dir: Folder with the model and its tokenizer.
        labels: Names among `MEASURES`.
        n: Episodes per row of `SCORED`.
        seed: Seed of the episodes.
    """
    labels = tuple(labels)
    model, tokenizer = load_model(model_dir)
    plays = _play_scored(model, tokenizer, n, seed, {name for label in labels for name in MEASURES[label][0]})
    return measure(plays, labels)


def measure(plays: dict[str, list[Play]], labels: Iterable[str] = MEASURES) -> dict[str, dict]:
    """Return measures as its number of episodes and of those that count (`n`, `count`)."""
    result = {}
    for label in labels:
        names, counts = MEASURES[label]
        part = [play for name in names for play in plays[name]]
        result[label] = {"n": len(part), "count": sum(map(counts, part))}
    return result


def _zero_shot(agent: LocalAgent, tasks: list[Task], seed: int) -> dict[str, dict]:
    run = Run(agent.name, None, seed, settings="", backbone="")
    records = [row for rows in roll_out(agent, tasks, run, set(), BATCH, PROCESSES) for row in rows]
    check_unbroken(records, agent.name)
    frame = records_frame(records)
    return {
        name: {
            str(label): {"n": len(part), "count": int(part["success"].sum())}
            for label, part in frame.groupby(column, sort=False)
        }
        for name, column in (("zero_shot", "tier"), ("zero_shot_shifts", "shift"))
    }


__all__ = [
    "MEASURES",
    "SCORED",
    "Play",
    "measure",
    "play_episodes",
    "score",
    "score_measures",
    "score_model",
    "scoring_episodes",
]
