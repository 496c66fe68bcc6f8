"""Intervals: closed forms, degenerate cases, and simulated coverage."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openagent_lib.errors import OpenAgentError
from openagent_lib.evaluation.statistics import cluster_bootstrap, cluster_ratio, flips, paired_change, rate, wilson

REPLICATES = 300


def wilson_by_hand(successes, n, z=1.959963984540054):
    """Roots of the score equation (p - s/n)^2 = z^2 p (1 - p) / n."""
    a, b, c = 1 + z * z / n, -(2 * successes / n + z * z / n), (successes / n) ** 2
    root = math.sqrt(b * b - 4 * a * c)
    return (-b - root) / (2 * a), (-b + root) / (2 * a)


@pytest.mark.parametrize(("successes", "n"), [(0, 10), (1, 10), (5, 10), (10, 10), (81, 263), (879, 880)])
def test_wilson_solves_the_score_equation(successes, n):
    interval = wilson(successes, n)
    assert (interval.estimate, interval.n) == (successes / n, n)
    assert (interval.low, interval.high) == pytest.approx(wilson_by_hand(successes, n), abs=1e-12)


def test_wilson_equals_the_published_example():
    # Newcombe 1998, Statistics in Medicine 17:857, table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (successes, n), ends in published.items():
        interval = wilson(successes, n)
        assert (interval.low, interval.high) == pytest.approx(ends, abs=5e-5)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_symmetric_and_holds_the_estimate(case):
    successes, n = case
    interval, mirror = wilson(successes, n), wilson(n - successes, n)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert interval.low == pytest.approx(1 - mirror.high, abs=1e-12)


def test_nothing_observed_gives_nan_and_n_zero():
    for interval in (wilson(0, 0), cluster_bootstrap([], []), rate([], []), paired_change({}, {}), flips({})):
        assert interval.n == 0
        assert all(math.isnan(value) for value in (interval.estimate, interval.low, interval.high))


@pytest.mark.parametrize("call", [lambda: wilson(3, 2), lambda: wilson(-1, 2), lambda: wilson(1, 2, level=1.0)])
def test_impossible_input_is_refused_in_one_line(call):
    with pytest.raises(OpenAgentError) as error:
        call()
    assert "\n" not in str(error.value)


def test_unequal_lengths_are_refused():
    with pytest.raises(OpenAgentError, match="equal lengths"):
        cluster_bootstrap([1.0, 0.0], ["a"])


def test_bootstrap_depends_on_its_seed_and_not_on_the_order_of_rows():
    generator = np.random.default_rng(1)
    values, clusters = generator.random(60), np.repeat(np.arange(20), 3)
    first = cluster_bootstrap(values, clusters, seed=3)
    order = generator.permutation(60)
    again = cluster_bootstrap(values[order], clusters[order], seed=3)
    assert (again.low, again.high) == pytest.approx((first.low, first.high), abs=1e-12)
    assert cluster_bootstrap(values, clusters, seed=4) != first


def test_bootstrap_of_single_rows_is_close_to_the_normal_interval():
    values = np.random.default_rng(2).normal(10, 3, size=500)
    interval = cluster_bootstrap(values, np.arange(500))
    half = 1.96 * values.std() / math.sqrt(500)
    assert (interval.low, interval.high) == pytest.approx((values.mean() - half, values.mean() + half), abs=0.05)


def test_repeating_rows_within_clusters_does_not_narrow_the_interval():
    values = np.random.default_rng(3).random(40)
    once = cluster_bootstrap(values, np.arange(40))
    often = cluster_bootstrap(np.repeat(values, 5), np.repeat(np.arange(40), 5))
    assert (often.low, often.high) == pytest.approx((once.low, once.high), abs=1e-9)
    assert (once.n, often.n) == (40, 200)


def test_ratio_is_the_ratio_of_sums_and_leaves_empty_rows_out():
    interval = cluster_ratio([1, 0, 2, 0], [2, 0, 4, 4], ["a", "b", "c", "d"], bounds=(0.0, 1.0))
    assert interval.estimate == pytest.approx(3 / 10)
    assert interval.n == 3


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_perfect_or_hopeless_rate_keeps_the_wilson_interval(value):
    interval = cluster_bootstrap([value] * 30, list(range(30)), bounds=(0.0, 1.0))
    expected = wilson(int(30 * value), 30)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


def test_one_cluster_never_looks_certain():
    bounded = cluster_bootstrap([1.0, 0.0, 1.0], ["a"] * 3, bounds=(0.0, 1.0))
    assert bounded.high - bounded.low > 0.9
    assert math.isnan(cluster_bootstrap([2.0, 3.0], ["a"] * 2).low)


def test_rate_uses_wilson_for_single_tasks_and_clusters_otherwise():
    assert rate([True, False, True], ["a", "b", "c"]) == wilson(2, 3)
    clustered = rate([True, False] * 30, [f"t{i // 4}" for i in range(60)])
    assert clustered.n == 60
    assert clustered.estimate == 0.5


def test_paired_change_counts_common_tasks_in_points():
    shifted = {"a": False, "b": True, "c": False, "only shifted": True}
    clean = {"a": True, "b": True, "c": True, "only clean": False}
    interval = paired_change(shifted, clean)
    assert interval.n == 3
    assert interval.estimate == pytest.approx(-200 / 3)
    assert -100 <= interval.low <= interval.estimate <= interval.high <= 0


def test_no_change_at_all_still_has_an_interval():
    tasks = {f"t{i}": bool(i % 2) for i in range(50)}
    interval = paired_change(tasks, tasks)
    assert interval.estimate == 0
    assert interval.high == -interval.low == pytest.approx(100 * wilson(0, 50).high)


def test_flips_count_tasks_that_disagree_between_repeats():
    interval = flips({"a": [True, False], "b": [True, True], "c": [False, False, True], "seen once": [True]})
    assert (interval.n, interval.estimate) == (3, pytest.approx(2 / 3))


@pytest.mark.parametrize(("p", "n"), [(0.05, 60), (0.5, 40), (0.97, 100)])
def test_wilson_covers_the_truth_about_95_times_in_100(p, n):
    draws = np.random.default_rng(4).binomial(n, p, size=2000)
    covered = [wilson(int(s), n) for s in draws]
    share = np.mean([interval.low <= p <= interval.high for interval in covered])
    assert 0.92 <= share <= 0.985


def test_cluster_bootstrap_covers_the_truth_where_a_plain_interval_does_not():
    generator = np.random.default_rng(5)
    clusters = np.repeat(np.arange(60), 5)
    covered = plain = 0
    for _ in range(REPLICATES):
        difficulty = generator.beta(1.2, 0.8, size=60)
        values = generator.random(300) < np.repeat(difficulty, 5)
        interval, naive = cluster_bootstrap(values, clusters, bounds=(0.0, 1.0)), wilson(int(values.sum()), 300)
        covered += interval.low <= 0.6 <= interval.high
        plain += naive.low <= 0.6 <= naive.high
    assert 0.91 <= covered / REPLICATES <= 0.985
    assert plain / REPLICATES < 0.85


def test_paired_change_covers_the_truth():
    generator, covered = np.random.default_rng(6), 0
    for _ in range(REPLICATES):
        clean = generator.random(80) < 0.9
        shifted = clean & (generator.random(80) < 0.6)
        tasks = [f"t{i}" for i in range(80)]
        interval = paired_change(dict(zip(tasks, shifted, strict=True)), dict(zip(tasks, clean, strict=True)))
        covered += interval.low <= -36 <= interval.high
    assert 0.91 <= covered / REPLICATES <= 0.985
