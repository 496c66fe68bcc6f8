"""The curriculum moves on measured competence alone, and its drills ask what they say."""

import random
from collections import Counter

import pytest
from transformers import AutoTokenizer

from openagent_lib.paths import BACKBONE
from openagent_lib.pretraining.curriculum import LEAST_BATCHES, Curriculum
from openagent_lib.pretraining.drills import LEVELS, Drills


def feed(curriculum, share, batches, level=None):
    for _ in range(batches):
        here = LEVELS[curriculum.level] if curriculum.is_drilling else None
        curriculum.observe(level or here, round(100 * share), 100, tokens=1000)


def in_corpus(**settings):
    return Curriculum(level=len(LEVELS), **settings)


def test_a_level_ends_when_enough_choices_are_right():
    curriculum = Curriculum()
    feed(curriculum, 1.0, LEAST_BATCHES - 1)
    assert curriculum.level == 0
    feed(curriculum, 1.0, 1)
    assert (curriculum.level, curriculum.accuracy, curriculum.batches) == (1, 0.0, 0)


def test_a_level_that_is_not_mastered_goes_on_until_patience_ends():
    curriculum = Curriculum(patience=50_000)
    feed(curriculum, 0.5, 49)
    assert curriculum.level == 0
    feed(curriculum, 0.5, 1)
    assert curriculum.level == 1


def test_batches_of_earlier_levels_do_not_count():
    curriculum = Curriculum(level=3)
    feed(curriculum, 1.0, 100, level=LEVELS[0])
    assert (curriculum.level, curriculum.batches) == (3, 0)


def test_the_corpus_gets_harder_only_with_competence():
    curriculum = in_corpus(pass_mark=0.8, pace=0.01)
    feed(curriculum, 0.7, 200)
    assert curriculum.difficulty == 0.0
    feed(curriculum, 1.0, 40)
    assert 0.2 < curriculum.difficulty < 0.4
    feed(curriculum, 0.2, 40)
    stopped = curriculum.difficulty
    feed(curriculum, 0.2, 100)
    assert curriculum.difficulty == stopped
    feed(curriculum, 1.0, 500)
    assert curriculum.difficulty == 1.0


def test_a_batch_without_a_call_says_nothing():
    curriculum = in_corpus()
    curriculum.observe(None, 0, 0, tokens=1000)
    assert curriculum.batches == 0


def test_drills_come_alone_at_first_and_fade_later():
    source = random.Random(0)
    assert all(Curriculum().draw_level(source) == LEVELS[0] for _ in range(50))
    drawn = Counter(Curriculum(level=4).draw_level(source) == LEVELS[4] for _ in range(2000))
    assert 0.8 < drawn[True] / 2000 < 0.88
    for difficulty, share in ((0.0, 0.30), (1.0, 0.05)):
        curriculum = in_corpus(difficulty=difficulty)
        drills = sum(curriculum.draw_level(source) is not None for _ in range(4000)) / 4000
        assert drills == pytest.approx(share, abs=0.03)


def test_without_drills_everything_is_corpus():
    curriculum, source = Curriculum(has_drills=False), random.Random(0)
    assert not curriculum.is_drilling
    assert not any(curriculum.draw_level(source) for _ in range(200))


def test_state_is_restored_exactly():
    curriculum, other = Curriculum(), Curriculum()
    feed(curriculum, 0.9, 37)
    other.restore(curriculum.state())
    assert other == curriculum


@pytest.fixture(scope="module")
def drills():
    return Drills(AutoTokenizer.from_pretrained(BACKBONE))


def look_ups(drills, level, n=30):
    source = random.Random(1)
    return [drills._look_up(source, level) for _ in range(n)]


def split_row(drills, ids):
    """Return the cards (text before the name, name) and the questions (text, name) of a row."""
    cards, questions = [], []
    for part, mark, stop, opening in (
        (cards, drills.name_glue, drills.close, drills.open),
        (questions, drills.call, drills.stop, drills.user),
    ):
        for start in [index for index, token in enumerate(ids) if token == opening]:
            middle, end = ids.index(mark, start), ids.index(stop, start)
            part.append((ids[start + 1 : middle], ids[middle + 1 : end]))
    return cards, questions


@pytest.mark.parametrize("level", LEVELS[:2])
def test_every_card_is_asked_once_by_its_key_and_answered_by_its_name(drills, level):
    for row in look_ups(drills, level):
        cards, questions = split_row(drills, row.ids)
        assert len(cards) == len(questions) >= 3
        names = {tuple(key): name for key, name in cards}
        assert all(names[tuple(text[:-2])] == name for text, name in questions)
        assert sum(weight > 0 for weight in row.weights) == sum(len(name) + 1 for _, name in questions)


def test_the_hardest_level_shares_tokens_between_cards_and_questions_and_between_cards_alone(drills):
    level = LEVELS[-1]
    everywhere = cards_only = 0
    for row in look_ups(drills, level, n=60):
        cards, questions = split_row(drills, row.ids)
        on_cards = set.intersection(*(set(text) for text, _ in cards)) - set(drills.fillers)
        everywhere += bool(on_cards & set.intersection(*(set(text) for text, _ in questions)))
        cards_only += bool(on_cards - set().union(*(set(text) for text, _ in questions)))
        assert max(len(name) for _, name in cards) <= level.name
    assert everywhere > 30 and cards_only > 30


@pytest.mark.parametrize("level", (LEVELS[1], LEVELS[-1]))
def test_a_drill_knows_which_card_every_question_wants(drills, level):
    for row in look_ups(drills, level):
        cards, questions = split_row(drills, row.ids)
        meanings = dict(row.meanings)
        assert len(row.meanings) == len(cards) + 2 * len(questions)
        assert len(row.choices) == sum(1 + len(name) for _, name in questions)
        for place, target in row.choices:
            if row.ids[place] == drills.assistant:
                assert row.ids[target - 1] == drills.name_glue
                assert meanings[place] == meanings[place + 1] == meanings[target]
            else:
                assert row.ids[target] == row.ids[place + 1]


def test_batches_are_full_and_padded_where_nothing_is_a_target(drills):
    for level in LEVELS:
        batch = drills.batch(random.Random(2), level)
        assert 3000 < batch.ids.numel() <= 6000
        assert not batch.weights[batch.ids == drills.pad].any()
