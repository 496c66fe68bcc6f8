"""Randomness: decided by what is drawn, never by the order."""

import random

from openagent_lib.randomness import rng, seed_of


def test_the_seed_of_known_parts_never_changes():
    assert seed_of(0, "task", "perception.symbolic_drift") == 297862666125821981
    assert rng("poi", 0).randrange(10**9) == 366414639


def test_equal_parts_give_equal_draws_in_any_order():
    first = [rng("a", 1).random(), rng("b", 1).random()]
    second = [rng("b", 1).random(), rng("a", 1).random()]
    assert first == second[::-1]


def test_parts_are_kept_apart():
    seeds = {seed_of("ab", "c"), seed_of("a", "bc"), seed_of("abc"), seed_of("c", "ab"), seed_of("ab", "c", "")}
    assert len(seeds) == 5


def test_seeds_are_positive_63_bit_numbers():
    assert all(0 <= seed_of(index) < 2**63 for index in range(200))


def test_drawing_leaves_the_global_generator_alone():
    random.seed(5)
    expected = random.random()
    random.seed(5)
    rng("x").random()
    assert random.random() == expected
