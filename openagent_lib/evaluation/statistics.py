"""Intervals: Wilson for plain rates, a bootstrap over base tasks for everything in which tasks recur."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from openagent_lib.errors import DataError
from openagent_lib.randomness import seed_of

LEVEL = 0.95
RESAMPLES = 2000
UNBOUNDED = (-math.inf, math.inf)


@dataclass(frozen=True)
class Interval:
    """An estimate that never travels without its uncertainty.

    Attributes:
        estimate: Point estimate; nan when nothing was observed.
        low: Lower end of the interval, in the unit of the estimate.
        high: Upper end.
        n: Number of observations behind it (episodes, or pairs for a paired change).
    """

    estimate: float
    low: float
    high: float
    n: int

    def scale(self, factor: float) -> "Interval":
        """Return the same interval in another unit, for example 100 for percentage points."""
        return Interval(self.estimate * factor, self.low * factor, self.high * factor, self.n)


EMPTY = Interval(math.nan, math.nan, math.nan, 0)


def wilson(successes: int, n: int, level: float = LEVEL) -> Interval:
    """Return the Wilson score interval of a rate of independent successes.

    Args:
        successes: Number of successes, 0 to `n`.
        n: Number of trials; 0 gives nan and n 0.
        level: Confidence level in (0, 1).

    Raises:
        DataError: `successes` is not within 0 to `n`, or `level` is not within (0, 1).
    """
    if not 0 <= successes <= n:
        raise DataError(f"wilson: expected successes from 0 to n, found {successes} of {n}; check the counts")
    z = _quantile(level)
    if n == 0:
        return EMPTY
    rate = successes / n
    scale = 1 + z * z / n
    centre = (rate + z * z / (2 * n)) / scale
    half = z / scale * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(rate, low, high, int(n))


def cluster_bootstrap(
    values: Sequence[float],
    clusters: Sequence[object],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Interval:
    """Return the mean with a percentile interval from resampling whole clusters.

    Args:
        values: One number per observation.
        clusters: The cluster (base task) of each observation.
        level: Confidence level in (0, 1).
        resamples: Number of bootstrap samples.
        seed: Decides the bootstrap samples; equal seeds give equal intervals.
        bounds: Range of the statistic; it makes the degenerate case (see `cluster_ratio`) honest.
    """
    return cluster_ratio(values, np.ones(len(values)), clusters, level, resamples, seed, bounds)


def cluster_ratio(
    numerators: Sequence[float],
    denominators: Sequence[float],
    clusters: Sequence[object],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] = UNBOUNDED,
) -> Interval:
    """Return sum(numerators) / sum(denominators) with a percentile interval from resampling whole clusters.

    Observations with denominator 0 carry no information and are left out of `n`. Where all clusters show the same ratio
    (every task solved, no task solved, or one cluster only) a bootstrap would claim certainty; the interval is then
    widened by what Wilson allows for that number of clusters, within `bounds`. Without finite bounds it has no width,
    and is nan for one cluster.

    Assumption: percentile interval, 2,000 resamples, level 0.95; the degenerate case follows Wilson on clusters.

    Raises:
        DataError: The three sequences differ in length.
    """
    top, bottom = np.asarray(numerators, dtype=float), np.asarray(denominators, dtype=float)
    if not len(top) == len(bottom) == len(clusters):
        raise DataError(f"bootstrap: expected equal lengths, found {len(top)}, {len(bottom)} and {len(clusters)}")
    tail = (1 - _check_level(level)) / 2
    keep = bottom > 0
    if not keep.any():
        return EMPTY
    names = np.asarray(clusters)[keep]
    _, index = np.unique(names, return_inverse=True)
    top, bottom = np.bincount(index, weights=top[keep]), np.bincount(index, weights=bottom[keep])
    estimate, n = float(top.sum() / bottom.sum()), int(keep.sum())
    if np.ptp(top / bottom) < 1e-12:
        return _degenerate(estimate, len(top), n, level, bounds)
    weights = _resampling_weights(len(top), resamples, seed)
    low, high = np.quantile((weights @ top) / (weights @ bottom), [tail, 1 - tail])
    return Interval(estimate, float(low), float(high), n)


def rate(successes: Sequence[bool], clusters: Sequence[object], level: float = LEVEL, seed: int = 0) -> Interval:
    """Return a rate: Wilson when every cluster occurs once, a bootstrap over clusters otherwise."""
    if len(set(clusters)) == len(clusters):
        return wilson(int(sum(map(bool, successes))), len(clusters), level)
    return cluster_bootstrap([float(s) for s in successes], clusters, level, seed=seed, bounds=(0.0, 1.0))


def paired_change(
    shifted: Mapping[str, bool],
    clean: Mapping[str, bool],
    level: float = LEVEL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Return the mean change from clean to shifted over the tasks that both hold, in percentage points.

    Args:
        shifted: Success under the shift, by base task.
        clean: Success on the clean twin, by base task.
        level: Confidence level in (0, 1).
        resamples: Number of bootstrap samples over tasks.
        seed: Decides the bootstrap samples.
    """
    tasks = sorted(set(shifted) & set(clean))
    changes = [float(shifted[task]) - float(clean[task]) for task in tasks]
    return cluster_bootstrap(changes, tasks, level, resamples, seed, bounds=(-1.0, 1.0)).scale(100)


def flips(repeats: Mapping[str, Sequence[bool]], level: float = LEVEL) -> Interval:
    """Return the share of tasks whose success differs between repeats (seeds), among tasks with at least two."""
    repeated = [set(map(bool, outcomes)) for outcomes in repeats.values() if len(outcomes) >= 2]
    return wilson(sum(len(outcomes) == 2 for outcomes in repeated), len(repeated), level)


def _check_level(level: float) -> float:
    if not 0 < level < 1:
        raise DataError(f"interval: expected a level within (0, 1), found {level}; use 0.95")
    return level


def _quantile(level: float) -> float:
    return NormalDist().inv_cdf(0.5 + _check_level(level) / 2)


def _degenerate(estimate: float, clusters: int, n: int, level: float, bounds: tuple[float, float]) -> Interval:
    low, high = bounds
    if not math.isfinite(high - low):
        width = math.nan if clusters < 2 else 0.0
        return Interval(estimate, estimate - width, estimate + width, n)
    width = wilson(0, clusters, level).high
    return Interval(estimate, max(low, estimate - width), min(high, estimate + width), n)


@lru_cache(maxsize=8)
def _resampling_weights(clusters: int, resamples: int, seed: int) -> np.ndarray:
    """Return how often each cluster occurs in each bootstrap sample (resamples x clusters)."""
    generator = np.random.default_rng(seed_of("bootstrap", seed, clusters, resamples))
    drawn = generator.integers(0, clusters, size=(resamples, clusters)) + clusters * np.arange(resamples)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=resamples * clusters).reshape(resamples, clusters)
    weights = counts.astype(float)
    weights.setflags(write=False)
    return weights
