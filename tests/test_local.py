"""Local models: loading with one clear line, rendering, and generation that padding and batching do not change."""

import json
from types import SimpleNamespace

import pytest
import torch
from safetensors.torch import load_file, save_file

from openagent_lib import paths
from openagent_lib.agents.agent import Turn
from openagent_lib.agents.local import (
    LocalAgent,
    backbone_source,
    decode_message,
    generate_ids,
    key_order_of,
    load_model,
    render_ids,
)
from openagent_lib.agents.prefix_cache import PrefixCache
from openagent_lib.config import PROFILES
from openagent_lib.errors import CheckpointError, ConfigError
from openagent_lib.evaluation.rollout import play
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.protocol import SYSTEM_PROMPT

TASKS = make_tasks("test", 8)


def opening(task):
    return [{"role": "system", "content": SYSTEM_PROMPT}, {"role": "user", "content": task.query}]


@pytest.fixture(scope="module")
def loaded(tiny_backbone):
    model, tokenizer = load_model(tiny_backbone)
    return model.eval(), tokenizer


@pytest.fixture(scope="module")
def prompts(loaded):
    return [render_ids(loaded[1], opening(task), task, "description_first") for task in TASKS]


def greedy(model, ids, count, eos):
    """Return the greedy continuation of one prompt by plain forward passes, without cache or padding."""
    new = []
    for _ in range(count):
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids + new])).logits
        new.append(int(logits[0, -1].argmax()))
        if new[-1] == eos:
            break
    return new


def test_generation_is_the_greedy_choice_at_every_position(loaded, prompts):
    model, tokenizer = loaded
    expected = [greedy(model, prompt, 6, tokenizer.eos_token_id) for prompt in prompts]
    assert generate_ids(model, tokenizer, prompts, 6, batch_size=8) == expected
    assert len({tuple(ids) for ids in expected}) > 1, "the random model must not say the same to everything"


def test_greedy_generation_is_repeatable(loaded, prompts):
    model, tokenizer = loaded
    assert generate_ids(model, tokenizer, prompts, 16) == generate_ids(model, tokenizer, prompts, 16)


@pytest.mark.parametrize("batch_size", [1, 3, 8])
def test_batching_and_order_do_not_change_the_outputs(loaded, prompts, batch_size):
    model, tokenizer = loaded
    alone = [generate_ids(model, tokenizer, [prompt], 12)[0] for prompt in prompts]
    assert generate_ids(model, tokenizer, prompts, 12, batch_size=batch_size) == alone
    assert generate_ids(model, tokenizer, prompts[::-1], 12, batch_size=batch_size) == alone[::-1]
    assert len({len(prompt) for prompt in prompts}) > 1, "padding must occur"


def test_padding_stands_on_the_left_and_is_masked(loaded, monkeypatch):
    model, tokenizer = loaded
    seen = {}

    def generate(**arguments):
        seen.update(arguments)
        ids = arguments["input_ids"]
        return SimpleNamespace(sequences=torch.cat([ids, torch.full((len(ids), 1), tokenizer.eos_token_id)], dim=1))

    monkeypatch.setattr(model, "generate", generate)
    assert generate_ids(model, tokenizer, [[7, 8, 9], [5]], 4) == [[tokenizer.eos_token_id]] * 2
    pad = tokenizer.pad_token_id
    assert seen["input_ids"].tolist() == [[pad, pad, 5], [7, 8, 9]]
    assert seen["attention_mask"].tolist() == [[0, 0, 1], [1, 1, 1]]
    assert tokenizer.padding_side == "left"


def test_nothing_follows_the_end_of_sequence(loaded, monkeypatch):
    model, tokenizer = loaded
    eos = tokenizer.eos_token_id
    tail = torch.tensor([[4, eos, 6, 6], [4, 5, 6, 7]])
    monkeypatch.setattr(
        model, "generate", lambda **given: SimpleNamespace(sequences=torch.cat([given["input_ids"], tail], dim=1))
    )
    assert generate_ids(model, tokenizer, [[1], [2]], 4) == [[4, eos], [4, 5, 6, 7]]


def test_sampling_follows_the_seed_and_differs_from_greedy(loaded, prompts):
    model, tokenizer = loaded
    draws = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        draws.append(generate_ids(model, tokenizer, prompts, 12, temperature=5.0))
    assert draws[0] == draws[1] != draws[2]
    assert draws[0] != generate_ids(model, tokenizer, prompts, 12)


def test_the_context_limit_cuts_each_prompt_for_itself(loaded, prompts):
    model, tokenizer = loaded
    limit = model.config.max_position_embeddings
    long = (prompts[0] * 20)[: limit - 5]
    outputs = generate_ids(model, tokenizer, [long, prompts[1], (prompts[0] * 20)[:limit]], 12)
    assert 0 < len(outputs[0]) <= 5
    assert outputs[1] == generate_ids(model, tokenizer, [prompts[1]], 12)[0]
    assert outputs[2] == [], "a prompt that fills the context has no continuation"


def test_a_history_beyond_the_context_ends_the_episode_without_an_exception(loaded):
    model, tokenizer = loaded
    agent = LocalAgent(model, tokenizer, "tiny", message_tokens=4)
    messages = [*opening(TASKS[0]), {"role": "user", "content": "x " * 3_000}]
    assert agent.act([Turn(messages, TASKS[0])]) == [""]


def test_no_prompts_give_no_outputs(loaded):
    assert generate_ids(*loaded, []) == []


def test_an_agent_plays_episodes_the_same_way_in_any_batch(tiny_backbone):
    agent = LocalAgent.load(tiny_backbone, "tiny", PROFILES["smoke"])
    agent.message_tokens = 8
    together = [environment.messages for environment in play(agent, TASKS)]
    assert together == [environment.messages for task in TASKS for environment in play(agent, [task])]
    assert (agent.name, agent.batch_size) == ("tiny", PROFILES["smoke"].eval_batch)


def test_the_prompt_shows_query_and_tools_in_the_order_of_the_backbone(loaded):
    model, tokenizer = loaded
    assert key_order_of(model) == "description_first"
    text = tokenizer.decode(render_ids(tokenizer, opening(TASKS[0]), TASKS[0], key_order_of(model)))
    assert TASKS[0].query in text
    assert SYSTEM_PROMPT in text
    for tool in TASKS[0].tools:
        assert json.dumps(tool.schema("description_first")) in text
    assert text.endswith("<|im_start|>assistant\n")


@pytest.mark.parametrize("order", [None, "nonsense"])
def test_a_model_without_a_known_key_order_gets_names_first(loaded, order, monkeypatch):
    monkeypatch.setattr(loaded[0].config, "schema_key_order", order)
    assert key_order_of(loaded[0]) == "name_first"


def test_a_message_is_decoded_without_its_end_of_sequence(loaded):
    tokenizer = loaded[1]
    text = '<tool_call>\n{"name": "find_place", "arguments": {"name": "Kalo Bridge"}}\n</tool_call>'
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    assert decode_message(tokenizer, [*ids, tokenizer.eos_token_id]) == text
    assert decode_message(tokenizer, []) == ""


def cut_weights(folder):
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[: len(data) // 2])


def drop_tensor(folder):
    weights = load_file(folder / "model.safetensors")
    weights.pop("model.norm.weight")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def drop_tokenizer(folder):
    for file in folder.glob("tokenizer*"):
        file.unlink()


DAMAGES = {
    "cut_weights": cut_weights,
    "weights_without_a_tensor": drop_tensor,
    "no_weights": lambda folder: (folder / "model.safetensors").unlink(),
    "no_config": lambda folder: (folder / "config.json").unlink(),
    "broken_config": lambda folder: (folder / "config.json").write_text("{"),
    "empty_config": lambda folder: (folder / "config.json").write_text(""),
    "unknown_architecture": lambda folder: (folder / "config.json").write_text('{"model_type": "none"}'),
    "no_tokenizer": drop_tokenizer,
    "broken_tokenizer": lambda folder: (folder / "tokenizer.json").write_text("{}"),
    "no_chat_template": lambda folder: (folder / "chat_template.jinja").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damaged_model_folder_is_one_clear_line(tiny_backbone, broken_copy, damage):
    folder = broken_copy(tiny_backbone)
    damage(folder)
    with pytest.raises(CheckpointError) as caught:
        load_model(folder)
    assert len(str(caught.value).splitlines()) == 1
    assert str(folder) in str(caught.value)
    assert "found" in str(caught.value)


@pytest.mark.parametrize("source", ["/no/such/folder", "runs/none-s0/training/sft/final"])
def test_a_missing_model_folder_is_one_clear_line(source):
    with pytest.raises(CheckpointError, match=r"expected a model folder at .*make reproduce") as caught:
        load_model(source)
    assert len(str(caught.value).splitlines()) == 1


def test_a_hub_name_without_a_network_is_one_clear_line():
    with pytest.raises(CheckpointError, match="MODEL=path") as caught:
        load_model("nobody/no-such-model")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("name", ["smoke", "cpu"])
def test_the_miniature_is_the_one_in_the_repository(name):
    assert backbone_source(PROFILES[name]) == str(paths.ROOT / "data" / "backbone")


@pytest.mark.parametrize("name", ["gpu", "paper"])
def test_large_profiles_name_a_model_of_the_hub(name):
    assert backbone_source(PROFILES[name]).startswith("Qwen/Qwen2.5-")


def test_a_given_model_replaces_that_of_the_profile(tmp_path):
    assert backbone_source(PROFILES["smoke"], str(tmp_path)) == str(tmp_path)
    assert backbone_source(PROFILES["smoke"], "owner/name") == "owner/name"
    assert backbone_source(PROFILES["paper"], "miniature") == backbone_source(PROFILES["smoke"])


def test_a_name_that_is_neither_folder_nor_hub_name_is_refused_in_one_line():
    with pytest.raises(ConfigError, match="set MODEL") as caught:
        backbone_source(PROFILES["smoke"], "nonsense")
    assert len(str(caught.value).splitlines()) == 1


def test_an_agent_reads_an_episode_on_and_begins_the_next_ones_anew(tiny_backbone, monkeypatch):
    agent = LocalAgent.load(tiny_backbone, "tiny", PROFILES["smoke"])
    agent.message_tokens = 8
    known = []
    match = PrefixCache.match
    monkeypatch.setattr(PrefixCache, "match", lambda cache, prompt: known.append(match(cache, prompt)) or known[-1])
    reply = [{"role": "assistant", "content": "x"}, {"role": "user", "content": "y"}]
    for messages in (opening(TASKS[0]), opening(TASKS[0]) + reply, opening(TASKS[0])):
        agent.act([Turn(messages, TASKS[0])])
    lengths = [length for _, length in known]
    assert lengths[0] == lengths[2] == 0 < lengths[1]
