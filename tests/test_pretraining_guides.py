"""Guides: what they point at is right, they teach what they say, and they leave the exported model as it is."""

import random

import pytest
import torch
from transformers import AutoTokenizer, Qwen2ForCausalLM

from openagent_lib.paths import BACKBONE
from openagent_lib.pretraining.batches import ChunkStream, Encoder
from openagent_lib.pretraining.corpus import build_episode
from openagent_lib.pretraining.drills import LEVELS, Drills
from openagent_lib.pretraining.guides import Guides
from openagent_lib.pretraining.induction import miniature_config
from openagent_lib.randomness import rng


@pytest.fixture(scope="module")
def tokenizer():
    return AutoTokenizer.from_pretrained(BACKBONE)


def rows(tokenizer, skill, n=20):
    encoder = Encoder(tokenizer)
    for index in range(n):
        episode = build_episode(rng("guides", skill, index), skill)
        yield episode, encoder.encode(episode)


def text_at(tokenizer, row, place):
    return tokenizer.decode(row.ids[place : place + 30])


def at_turn(tokenizer, row):
    """Return the choices at the beginning of a message."""
    return [(place, target) for place, target in row.choices if text_at(tokenizer, row, place).startswith("\n<|im_st")]


@pytest.mark.parametrize("skill", ("one_call", "planned_chain_3", "retry", "branching"))
def test_a_choice_points_at_the_name_that_is_called_next(tokenizer, skill):
    n_choices = 0
    for episode, row in rows(tokenizer, skill):
        names = [schema["function"]["name"] for schema in episode.tools]
        for place, target in at_turn(tokenizer, row):
            called = text_at(tokenizer, row, place).split('{"name": "')[1].split('"')[0]
            assert called in names
            assert text_at(tokenizer, row, target).startswith(f'{called}"')
            n_choices += 1
    assert n_choices >= 20


def test_every_token_of_a_called_name_is_pointed_at_in_the_list(tokenizer):
    for _, row in rows(tokenizer, "named_chain_2"):
        turns = dict(at_turn(tokenizer, row))
        within = {place: target for place, target in row.choices if place not in turns}
        for turn, start in turns.items():
            name = tokenizer.encode(text_at(tokenizer, row, start).split('"')[0])
            for index, token in enumerate(name):
                assert within.pop(turn + 1 + index) == start + index
                assert row.ids[turn + 2 + index] == row.ids[start + index] == token
        assert not within


def test_a_wrong_call_is_never_a_target_and_nothing_points_at_it(tokenizer):
    n_mistakes = 0
    for episode, row in rows(tokenizer, "one_call", 200):
        steps = [step for question in episode.questions for step in (*question.steps, None)]
        header = tokenizer.convert_tokens_to_ids("\n<|im_start|>assistant\n")
        turns = [place for place, token in enumerate(row.ids) if token == header]
        for step, start, end in zip(steps, turns, [*turns[1:], len(row.ids)], strict=True):
            is_target = any(row.weights[start:end])
            is_choice = any(start <= place < end for place, _ in row.choices)
            if step and step.is_mistake:
                n_mistakes += 1
                assert not is_target and not is_choice
            else:
                assert is_target
    assert n_mistakes > 10


def test_a_meaning_is_what_the_tool_returns(tokenizer):
    for episode, row in rows(tokenizer, "named_chain_2"):
        names = [schema["function"]["name"] for schema in episode.tools]
        output_of = dict(zip(names, episode.outputs, strict=True))
        for place, words in row.meanings[: len(episode.tools)]:
            name = text_at(tokenizer, row, place).split('"')[0]
            assert tokenizer.decode(words).strip() == output_of[name]


def test_a_redirected_call_is_left_to_the_error_message(tokenizer):
    for episode, row in rows(tokenizer, "redirection"):
        redirected = sum(
            step.name in before.observation
            for question in episode.questions
            for before, step in zip(question.steps, question.steps[1:], strict=False)
        )
        calls = sum(not step.is_mistake for question in episode.questions for step in question.steps)
        assert len(at_turn(tokenizer, row)) == calls - redirected


def test_a_question_without_a_tool_points_at_the_start(tokenizer):
    found = [row for episode, row in rows(tokenizer, "missing_tool") if not all(q.steps for q in episode.questions)]
    assert len(found) > 10
    assert all(any(target == 0 for _, target in row.choices) for row in found)


def test_training_on_the_guides_alone_teaches_to_look_at_the_right_card(tokenizer):
    torch.manual_seed(0)
    model = Qwen2ForCausalLM(miniature_config(len(tokenizer), 0, 2, layers=4, hidden=64, heads=1))
    guides, drills, source = Guides(model, 2), Drills(tokenizer, 1500), random.Random(0)
    optimiser = torch.optim.AdamW([*model.parameters(), *guides.parameters()], lr=3e-3)
    looks = []
    for _ in range(40):
        batch = drills.batch(source, LEVELS[0])
        model.model(input_ids=batch.ids, use_cache=False)
        reading, looking = guides.losses(batch)
        (reading + looking).backward()
        optimiser.step()
        optimiser.zero_grad()
        looks.append(looking.item())
    assert sum(looks[-5:]) < 0.5 * sum(looks[:5])


def test_guides_own_only_the_projection_of_reading(tokenizer):
    model = Qwen2ForCausalLM(miniature_config(len(tokenizer), 0, 2, layers=4, hidden=64, heads=1))
    assert [name for name, _ in Guides(model, 2).named_parameters()] == ["read.weight"]


def test_processes_share_the_chunks_of_the_corpus(tokenizer):
    chunks = []
    for rank in range(2):
        stream = ChunkStream(tokenizer, 0, 4, 2000, 1.0, rank, processes=2)
        seen = set()
        while len(seen) < 3:
            stream.next(0.5)
            seen.add(stream.chunk)
        chunks.append(seen)
    assert chunks == [{0, 2, 4}, {1, 3, 5}]
