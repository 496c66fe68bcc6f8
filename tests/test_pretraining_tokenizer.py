"""The tokenizer: exact round trips, short conversations, and strings that tokenise alike wherever they stand."""

import random
import string

import pytest

from openagent_lib.pretraining.batches import Encoder
from openagent_lib.pretraining.corpus import build_episode
from openagent_lib.pretraining.tokenizer import MACROS, build_tokenizer, chat_template
from openagent_lib.pretraining.vocabulary import HELD_OUT_ATTRIBUTES, TRAINING_ATTRIBUTES
from openagent_lib.randomness import rng
from openagent_lib.sandbox.protocol import format_call, format_error, format_value


@pytest.fixture(scope="module")
def tokenizer():
    return build_tokenizer(seed=0, n_invented=500)


def strings(count=300):
    source = random.Random(5)
    fixed = ["12.5", "08:30-17:45", "555-0142", "P4821", "K7Q2", "Kofi Ba", "A, B", "12.31,45.02", "Item_0142"]
    for _ in range(count):
        length = source.randint(1, 9)
        head = source.choice(string.ascii_uppercase + string.digits)
        fixed.append(
            head + "".join(source.choice(string.ascii_letters + string.digits + "_-. ") for _ in range(length)).strip()
        )
    return fixed


def contains(ids, part):
    return any(ids[start : start + len(part)] == part for start in range(len(ids) - len(part) + 1))


def test_strings_tokenise_alike_after_quote_space_and_tag(tokenizer):
    for text in strings():
        text = text.rstrip(".")
        alone = tokenizer.encode(text)
        frames = [
            '"{}"',
            "x {} y",
            "<answer>{}</answer>",
            "is {}.",
            "'{}'",
            '{{"value": "{}"}}',
            'code "{}".',
            ">{}<",
            "({})",
        ]
        for frame in frames:
            assert contains(tokenizer.encode(frame.format(text)), alone), (frame, text)


def test_lower_case_strings_tokenise_alike_within_quotes(tokenizer):
    for text in ("fotaru", "x9ab", "serial_grade", "a b"):
        alone = tokenizer.encode(text)
        for frame in ('"{}"', "'{}'", "<answer>{}</answer>", '{{"value": "{}"}}'):
            assert contains(tokenizer.encode(frame.format(text)), alone)


def test_digits_and_underscores_stand_alone(tokenizer):
    for text in ("2026", "a1b2_c3"):
        pieces = tokenizer.tokenize(text)
        assert all(len(piece) == 1 for piece in pieces if any(sign in string.digits + "_" for sign in piece))


def test_rendered_conversations_survive_a_round_trip(tokenizer):
    for index in range(60):
        for skill in ("named_chain_2", "two_arguments", "calculator", "retry"):
            episode = build_episode(rng("round trip", index), skill)
            text = tokenizer.apply_chat_template(episode.messages(), tools=list(episode.tools), tokenize=False)
            assert tokenizer.decode(tokenizer.encode(text)) == text


def test_any_unicode_survives_a_round_trip(tokenizer):
    for text in ("naïve café ☕", "日本語", "a\tb\r\n c  d", '\\"{[]}<|'):
        assert tokenizer.decode(tokenizer.encode(text)) == text


def test_prompt_is_a_prefix_of_the_whole_conversation(tokenizer):
    episode = build_episode(rng("prefix"), "named_chain_2")
    messages = episode.messages()
    whole = tokenizer.apply_chat_template(messages, tools=list(episode.tools))["input_ids"]
    for length in (2, 4):
        prompt = tokenizer.apply_chat_template(
            messages[:length], tools=list(episode.tools), add_generation_prompt=True
        )["input_ids"]
        assert whole[: len(prompt)] == prompt


def test_macro_tokens_cover_calls_and_returns(tokenizer):
    known = [macro for macro in MACROS if macro in tokenizer.get_vocab()]
    assert known == list(MACROS)
    assert len(tokenizer.tokenize(format_call("f", {"k": "v", "c": "Z"}))) == 11
    assert len(tokenizer.tokenize(format_value("v"))) == 3
    assert len(tokenizer.tokenize(format_error("v"))) == 3


def test_conversations_are_short(tokenizer):
    lengths = []
    for index in range(40):
        episode = build_episode(rng("length", index), "named_chain_2", held_out=True, n_tools=4)
        lengths.append(len(tokenizer.apply_chat_template(episode.messages(), tools=list(episode.tools))["input_ids"]))
    assert sum(lengths) / len(lengths) < 380


def test_only_the_assistant_is_a_target(tokenizer):
    episode = build_episode(rng("targets"), "named_chain_2")
    row = Encoder(tokenizer, choice_weight=4.0).encode(episode)
    target = tokenizer.decode([token for token, weight in zip(row.ids, row.weights, strict=True) if weight])
    expected = "".join(
        "".join(format_call(step.name, dict(step.arguments)) for step in question.steps if not step.is_mistake)
        + question.final
        for question in episode.questions
    )
    assert target.replace("<|im_end|>", "") == expected
    assert set(row.weights) == {0.0, 1.0, 4.0}


def test_chat_template_is_the_one_of_qwen():
    assert "<tool_response>" in chat_template()
    assert "generation" in chat_template(training=True)


def n_tokens(tokenizer, words):
    return sum(len(tokenizer.encode(f" {word}")) for word in words) / len(words)


def test_words_of_the_corpus_are_cut_like_words_that_it_never_holds(tokenizer):
    known, new = n_tokens(tokenizer, TRAINING_ATTRIBUTES), n_tokens(tokenizer, HELD_OUT_ATTRIBUTES)
    assert 2.0 < known < new < 1.25 * known


def test_words_of_the_corpus_can_be_kept_whole():
    whole = build_tokenizer(size=2000, whole_words=True)
    assert n_tokens(whole, TRAINING_ATTRIBUTES) < 1.05 and n_tokens(whole, HELD_OUT_ATTRIBUTES) > 2.0
