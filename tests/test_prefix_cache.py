"""Prefix caching: the same outputs, and nothing read twice."""

import pytest
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM

from openagent_lib.agents.local import generate_ids, load_model, render_ids
from openagent_lib.agents.prefix_cache import PrefixCache
from openagent_lib.sandbox.dataset import make_tasks
from openagent_lib.sandbox.environment import opening

TASKS = make_tasks("test", 6)


@pytest.fixture(scope="module")
def loaded(tiny_backbone):
    model, tokenizer = load_model(tiny_backbone)
    return model.eval(), tokenizer


@pytest.fixture(scope="module")
def prompts(loaded):
    return [render_ids(loaded[1], opening(task), task, "description_first") for task in TASKS]


@pytest.fixture
def n_read(loaded, monkeypatch):
    """Count the tokens that pass through the model, padding included."""
    model, _ = loaded
    counts = []
    handle = model.model.embed_tokens.register_forward_hook(lambda module, inputs, output: counts.append(inputs[0]))
    yield lambda: sum(ids.numel() for ids in counts)
    handle.remove()


def play(model, tokenizer, prompts, cache, turns=4):
    """Return what a model says over some turns with replies of unlike length; every second row ends half-way."""
    histories, said = [list(prompt) for prompt in prompts], []
    for turn in range(turns):
        outputs = generate_ids(model, tokenizer, histories, 7, cache=cache)
        said.append(outputs)
        histories = [
            [*history, *output, *range(40 + index, 60 + 5 * index)]
            for index, (history, output) in enumerate(zip(histories, outputs, strict=True))
            if turn != 1 or index % 2
        ]
    return said


def test_a_conversation_goes_on_as_without_a_cache(loaded, prompts):
    said = play(*loaded, prompts, PrefixCache())
    assert said == play(*loaded, prompts, None)
    assert [len(outputs) for outputs in said] == [6, 6, 3, 3]
    assert len({tuple(ids) for outputs in said for ids in outputs}) > 6, "the random model must not repeat itself"


def test_the_next_turn_reads_only_what_is_new(loaded, prompts, n_read):
    model, tokenizer = loaded
    cache = PrefixCache()
    output = generate_ids(model, tokenizer, prompts[:1], 7, cache=cache)[0]
    before = n_read()
    generate_ids(model, tokenizer, [[*prompts[0], *output, 50, 51, 52]], 1, cache=cache)
    # The last token of the output was said, but not yet read.
    assert n_read() - before == 4


def test_another_conversation_shares_the_beginning_that_it_has_in_common(loaded, prompts, n_read):
    model, tokenizer = loaded
    cache = PrefixCache()
    first, second = [*prompts[0], 50, 51], [*prompts[0], 60, 61, 62]
    alone = generate_ids(model, tokenizer, [second], 7)
    generate_ids(model, tokenizer, [first], 1, cache=cache)
    before = n_read()
    assert generate_ids(model, tokenizer, [second], 7, cache=cache) == alone
    assert n_read() - before == 3 + len(alone[0]) - 1


def test_a_prompt_that_was_read_to_its_end_is_still_continued(loaded, prompts):
    model, tokenizer = loaded
    cache = PrefixCache()
    first = generate_ids(model, tokenizer, prompts, 7, cache=cache)
    assert generate_ids(model, tokenizer, prompts, 7, cache=cache) == first


def test_rows_without_anything_in_common_are_read_beside_those_that_have(loaded, prompts):
    model, tokenizer = loaded
    cache = PrefixCache()
    output = generate_ids(model, tokenizer, prompts[:1], 7, cache=cache)[0]
    mixed = [[*prompts[0], *output, 50], [7, 8, 9]]
    assert generate_ids(model, tokenizer, mixed, 7, cache=cache) == generate_ids(model, tokenizer, mixed, 7)


def test_only_the_last_call_is_remembered(loaded, prompts):
    model, tokenizer = loaded
    cache = PrefixCache()
    for prompt in ([7, 8, 9], [10, 11]):
        generate_ids(model, tokenizer, [prompt], 1, cache=cache)
    assert cache.match([7, 8, 9])[1] == 0
    assert cache.match([10, 11, 12])[1] == 2


def test_a_model_with_a_sliding_window_is_read_anew(prompts):
    torch.manual_seed(0)
    config = Qwen2Config(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        use_sliding_window=True,
        sliding_window=8,
        max_window_layers=0,
        max_position_embeddings=128,
    )
    model = Qwen2ForCausalLM(config).eval()
    tokenizer = type("Tokenizer", (), {"pad_token_id": 0, "eos_token_id": 1})
    cache = PrefixCache()
    history = list(range(2, 30))
    history += generate_ids(model, tokenizer, [history], 5, cache=cache)[0]
    assert cache.match(history) == (None, 0)
    assert generate_ids(model, tokenizer, [history], 5, cache=cache) == generate_ids(model, tokenizer, [history], 5)
