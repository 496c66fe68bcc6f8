"""GRPO: episodes as the exact tokens that were written and read, and resumption that is exact to the bit."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file
from training_case import GRPO, TASKS, make_job, run

from openagent_lib.agents.agent import Turn
from openagent_lib.agents.local import decode_message, load_model, render_ids
from openagent_lib.agents.scripted import OracleAgent, scripted_agent
from openagent_lib.config import PROFILES
from openagent_lib.errors import CheckpointError, DataError
from openagent_lib.evaluation.outcome import OUTCOMES
from openagent_lib.sandbox.domains.registry import world_of
from openagent_lib.sandbox.environment import Environment
from openagent_lib.training import grpo
from openagent_lib.training.checkpoint import checkpoints
from openagent_lib.training.grpo import SandboxRollout, TokenEpisode, observation_ids, prompt_of
from openagent_lib.training.progress import read_log
from openagent_lib.training.rewards import RewardWeights

ORDER = "description_first"


@pytest.fixture(scope="module")
def loaded(tiny_backbone):
    return load_model(tiny_backbone)


def start(task, tokenizer):
    environment = Environment(task, world_of(task))
    return TokenEpisode(environment, render_ids(tokenizer, environment.reset(), task, ORDER))


def say(episode, text, tokenizer, ended=True, max_tokens=2_000):
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    episode.add([*ids, tokenizer.eos_token_id] if ended else ids, text, tokenizer, max_tokens)


def play_scripted(task, tokenizer, agent=None, **settings):
    episode, agent = start(task, tokenizer), agent or OracleAgent()
    while not episode.is_over:
        (text,) = agent.act([Turn(episode.environment.messages, task)])
        say(episode, text, tokenizer, **settings)
    return episode


def masked_runs(episode, value):
    runs, current = [], []
    for token, bit in zip(episode.completion_ids, episode.mask, strict=True):
        if bit == value:
            current.append(token)
        elif current:
            runs.append(current)
            current = []
    return [*runs, current] if current else runs


@pytest.mark.parametrize("index", range(8))
def test_the_tokens_of_an_episode_are_the_rendering_of_its_messages(loaded, index):
    tokenizer, task = loaded[1], TASKS[index]
    episode = play_scripted(task, tokenizer)
    tools = [tool.schema(ORDER) for tool in task.tools]
    rendered = tokenizer.apply_chat_template(
        episode.environment.messages, tools=tools, tokenize=True, return_dict=False, add_generation_prompt=False
    )
    found = episode.prompt_ids + episode.completion_ids
    assert rendered[: len(found)] == found
    assert tokenizer.decode(rendered[len(found) :]) == "\n", "only the line break after the last message is left"
    assert episode.outcome == "correct"
    assert episode.reward(RewardWeights()) == 1.0


@pytest.mark.parametrize("index", range(8))
def test_the_mask_marks_exactly_what_the_model_wrote(loaded, index):
    tokenizer = loaded[1]
    episode = play_scripted(TASKS[index], tokenizer)
    said = [message["content"] for message in episode.environment.messages if message["role"] == "assistant"]
    written = masked_runs(episode, 1)
    assert [tokenizer.decode(ids) for ids in written] == [text + tokenizer.eos_token for text in said]
    assert [decode_message(tokenizer, ids) for ids in written] == said
    read = "".join(tokenizer.decode(ids) for ids in masked_runs(episode, 0))
    seen = [message["content"] for message in episode.environment.messages if message["role"] == "tool"]
    assert all(text in read for text in seen)


def test_an_episode_of_malformed_calls_ends_and_pays_nothing(loaded):
    episode = play_scripted(TASKS[0], loaded[1], scripted_agent("malformed"))
    assert episode.outcome == "malformed"
    assert episode.reward(RewardWeights(1.0, 1.0, 1.0)) == 0.0


@pytest.mark.parametrize("count", [1, 3])
def test_observations_are_rendered_as_in_the_whole_history(loaded, count):
    tokenizer = loaded[1]
    tools = [{"role": "tool", "name": "f", "content": f'{{"value": "{index}"}}'} for index in range(count)]
    history = [{"role": "user", "content": "?"}, {"role": "assistant", "content": "x"}]
    before = tokenizer.apply_chat_template(history, tokenize=False).removesuffix("\n")
    after = tokenizer.apply_chat_template(history + tools, tokenize=False, add_generation_prompt=True)
    ids = observation_ids(tokenizer, tools, ended=True)
    assert before + tokenizer.decode(ids) == after
    assert observation_ids(tokenizer, tools, ended=False) == [tokenizer.eos_token_id, *ids]


def test_a_message_cut_by_its_length_is_closed_before_the_observation(loaded):
    tokenizer, task = loaded[1], TASKS[0]
    episode = start(task, tokenizer)
    (text,) = OracleAgent().act([Turn(episode.environment.messages, task)])
    say(episode, text, tokenizer, ended=False)
    written = sum(episode.mask)
    assert episode.completion_ids[written] == tokenizer.eos_token_id
    assert episode.mask[written] == 0, "the model did not write this end of sequence"


def test_an_episode_is_cut_at_the_most_tokens_and_pays_nothing(loaded):
    episode = play_scripted(TASKS[0], loaded[1], max_tokens=40)
    assert episode.is_cut
    assert not episode.environment.is_done
    assert (episode.outcome, episode.reward(RewardWeights())) == ("exhausted", 0.0)
    assert len(episode.completion_ids) == len(episode.mask)
    assert episode.mask[-1] == 1, "no observation is left behind the last message"


def test_an_episode_without_room_has_one_masked_token(loaded):
    tokenizer = loaded[1]
    episode = start(TASKS[0], tokenizer)
    episode.add([], "", tokenizer, 100)
    assert episode.is_over
    assert (episode.completion_ids, episode.mask) == ([tokenizer.eos_token_id], [0])


def test_the_prompt_carries_the_identity_that_no_template_prints(loaded):
    tokenizer, task = loaded[1], TASKS[0]
    prompt = prompt_of(task)
    assert prompt[-1]["name"] == task.id
    text = tokenizer.apply_chat_template(prompt, tokenize=False)
    assert task.id not in text
    plain = [{key: message[key] for key in ("role", "content")} for message in prompt]
    assert text == tokenizer.apply_chat_template(plain, tokenize=False)


def fake_trainer(model, tokenizer):
    accelerator = SimpleNamespace(unwrap_model=lambda wrapped: wrapped)
    return SimpleNamespace(accelerator=accelerator, model=model, processing_class=tokenizer)


def test_a_roll_out_returns_one_episode_per_prompt_and_logs_shares(loaded, monkeypatch):
    model, tokenizer = loaded
    model.train()
    states, log = [], {}
    monkeypatch.setattr(
        "openagent_lib.agents.local.generate_ids",
        lambda model, tokenizer, prompts, *rest, **options: (
            states.append(model.training) or _refuse_or_mumble(tokenizer, prompts)
        ),
    )
    rollout = SandboxRollout({task.id: task for task in TASKS}, GRPO, 12, RewardWeights(refusal=0.5), log)
    result = rollout([prompt_of(task) for task in TASKS[:4]], fake_trainer(model, tokenizer))
    assert states == [False]
    assert model.training, "the model is put back into training mode"
    assert [len(result[key]) for key in ("prompt_ids", "completion_ids", "env_mask", "reward")] == [4] * 4
    assert all(len(a) == len(b) for a, b in zip(result["completion_ids"], result["env_mask"], strict=True))
    assert result["reward"] == [0.0] * 4
    assert {f"share_{name}" for name in OUTCOMES} == set(log)
    assert (log["share_refused"], log["share_malformed"], sum(log.values())) == (0.5, 0.5, 1.0)


def _refuse_or_mumble(tokenizer, prompts):
    texts = ["I can't complete this task.", "mumble"]
    ids = [tokenizer(texts[index % 2], add_special_tokens=False)["input_ids"] for index in range(len(prompts))]
    return [[*each, tokenizer.eos_token_id] for each in ids]


@pytest.mark.parametrize("name", PROFILES)
def test_the_configuration_takes_whole_groups_per_step(name, tmp_path):
    profile = PROFILES[name]
    config = grpo.grpo_config(replace(profile, fp32=True), profile.grpo, 3, tmp_path)
    episodes = config.per_device_train_batch_size * config.gradient_accumulation_steps
    assert episodes == profile.grpo.prompts * profile.grpo.group_size
    assert (config.max_steps, config.num_generations) == (profile.grpo.steps, profile.grpo.group_size)
    assert (config.seed, config.beta, config.temperature) == (3, profile.grpo.beta, profile.grpo.temperature)
    assert profile.grpo.steps % config.save_steps == 0


def weights_of(job):
    return load_file(job.final / "model.safetensors")


def same(left, right):
    return left.keys() == right.keys() and all(torch.equal(left[name], right[name]) for name in left)


@pytest.fixture(scope="module")
def undisturbed(tiny_backbone, tmp_path_factory):
    return run("grpo", tmp_path_factory.mktemp("undisturbed"), tiny_backbone)


@pytest.fixture
def killed(killed_training, tmp_path, tiny_backbone):
    shutil.copytree(killed_training, tmp_path / "run")
    return make_job("grpo", tmp_path / "run", tiny_backbone)


def test_training_changes_the_model_and_logs_rewards_and_shares_of_every_step_once(undisturbed, tiny_backbone):
    first = load_file(undisturbed.out / "checkpoint-1" / "model.safetensors")
    assert not same(first, load_file(tiny_backbone / "model.safetensors"))
    assert not same(weights_of(undisturbed), first)
    rows = read_log(undisturbed.out / "log.jsonl")
    assert [row["step"] for row in rows] == [1, 2]
    assert all(0 <= row["reward"] <= 1 and row["reward_std"] > 0 for row in rows)
    assert all(sum(row[f"share_{name}"] for name in OUTCOMES) == pytest.approx(1.0, abs=1e-3) for row in rows)


def test_a_killed_run_left_a_checkpoint_and_a_line_beyond_it(killed):
    assert [folder.name for folder in checkpoints(killed.out)] == ["checkpoint-1"]
    assert [row["step"] for row in read_log(killed.out / "log.jsonl")] == [1, 2]
    assert not killed.final.exists()


def test_a_killed_run_resumes_to_the_very_same_weights_and_log(killed, undisturbed, tmp_path, tiny_backbone):
    job = run("grpo", tmp_path / "run", tiny_backbone)
    assert same(weights_of(job), weights_of(undisturbed))
    keys = ("step", "reward", "loss", "grad_norm", "num_tokens", "share_malformed")
    found, expected = (
        [[row[key] for key in keys] for row in read_log(each.out / "log.jsonl")] for each in (job, undisturbed)
    )
    assert found == expected


def test_a_corrupt_checkpoint_is_one_clear_line(killed):
    (killed.out / "checkpoint-1" / "optimizer.pt").write_bytes(b"broken")
    with pytest.raises(CheckpointError, match=r"corrupt checkpoint checkpoint-1: expected optimizer\.pt") as caught:
        grpo.optimise(killed, TASKS, GRPO)
    assert len(str(caught.value).splitlines()) == 1


def test_a_second_call_returns_at_once(undisturbed, monkeypatch, capsys):
    monkeypatch.setattr(grpo, "load_for_training", lambda *given: pytest.fail("loaded a model"))
    assert grpo.optimise(undisturbed, TASKS, GRPO) == undisturbed.final
    assert capsys.readouterr().out == "grpo: already trained, see final\n"


def test_without_the_sft_model_the_pipeline_stops_in_one_clear_line(tmp_path):
    with pytest.raises(CheckpointError, match="train the recipe sft first") as caught:
        grpo.train_grpo("sft_grpo", "smoke", 0, tmp_path)
    assert len(str(caught.value).splitlines()) == 1


def test_missing_training_tasks_are_one_clear_line(tmp_path):
    with pytest.raises(DataError, match="train.parquet, found none"):
        grpo.train_grpo("grpo", "smoke", 0, tmp_path)


@pytest.mark.parametrize(("recipe", "settings"), [("grpo", "grpo"), ("sft_grpo", "sft_grpo")])
def test_each_recipe_starts_from_its_own_model_with_its_own_settings(recipe, settings, tmp_path, monkeypatch):
    (tmp_path / "training" / "sft" / "final").mkdir(parents=True)
    monkeypatch.setattr(grpo, "backbone_source", lambda profile, model: model)
    monkeypatch.setattr(grpo, "read_tasks", lambda path: TASKS)
    monkeypatch.setattr(grpo, "optimise", lambda job, tasks, given: (job, given))
    job, given = grpo.train_grpo(recipe, "cpu", 5, tmp_path, model="/some/model")
    assert given is getattr(PROFILES["cpu"], settings)
    assert (job.recipe, job.seed, job.out) == (recipe, 5, tmp_path / "training" / recipe)
    expected = "/some/model" if recipe == "grpo" else str(tmp_path / "training" / "sft" / "final")
    assert job.source == expected
