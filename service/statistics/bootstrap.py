"""The bootstrap over topics: whole topics are drawn with replacement, each with all its runs.

A resample is a row of weights, how often each topic was drawn; statistics that are sums over topics
are then matrix products for hundreds of resamples at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic
from service.statistics.score_matrix import checked_scores
from service.statistics.variance_interval import check_level

MOST_RESAMPLES = 1_000_000

# Resamples are drawn and weighed in chunks whose arrays stay in the processor's cache. Their size
# depends on nothing but the topics: one seed gives every statistic the same resamples.
_MOST_ROWS = 1_000
_MOST_CELLS = 250_000

# Matrix products up to this many multiplications OpenBLAS does in one thread. Beyond it shares them
# out, and where other processes hold the cores its threads wait: measured, 8 ms instead of 0.3 ms.
# A matrix that large is worth the threads all the same: its product would take long in one.
_SINGLE_THREAD = 250_000
_WORTH_THREADS = 250_000
_LEAST_ROWS = 25


@dataclass(frozen=True)
class BootstrapInterval:
    """Percentile interval of a residual variance from a bootstrap over topics.

    Attributes
    ----------
    low, high : float or None
        Its limits; None where they cannot be known.
    variance : float
        The residual variance of the matrix itself (one-way, ddof 1 in each run).
    reason : str or None
        Why there are no limits, where there are none.
    topics, runs : int
        Size of the matrix.
    level, resamples, seed
        The input.
    """

    low: float | None
    high: float | None
    variance: float
    reason: str | None
    topics: int
    runs: int
    level: float
    resamples: int
    seed: int


def bootstrap_variance(
    scores: ArrayLike, resamples: int = 2_000, level: float = 0.95, seed: int = 0
) -> BootstrapInterval:
    """Percentile interval of the within-run residual variance, by resampling topics.

    Each resample draws ``n`` topics with replacement, keeps every drawn topic's whole row, and
    computes ``V_E = sum_ij (x_ij - mean_i)^2 / (m (n - 1))`` anew; the limits are the ``(1 - level)
    / 2`` and ``(1 + level) / 2`` quantiles of these, linearly interpolated (Efron and Tibshirani,
    An Introduction to the Bootstrap, 1993, ch. 13). Scores need be neither normal nor independent
    between runs, only topics a sample. The resampled variance is on average ``(n - 1) / n`` of
    V_E, so with few topics the interval lies low.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least two topics, at least one run.
    resamples : int
        How many; at least one beyond each limit, at most a million.
    level : float
        Confidence level, in (0, 1).
    seed : int
        Not negative. The same seed gives the same resamples for the same number of topics.

    Returns
    -------
    BootstrapInterval
        Without limits, and with the reason, where no run's score varies.

    Raises
    ------
    ImpossibleStatistic
        If there are fewer than two topics, no run, a cell without a finite score, or resamples,
        level or seed are out of range.

    Examples
    --------
    >>> scores = [[0.1, 0.2], [0.4, 0.3], [0.9, 0.7], [0.5, 0.6], [0.2, 0.3]]
    >>> found = bootstrap_variance(scores, seed=1)
    >>> found.low < found.variance < found.high
    True
    """
    matrix = checked_scores(scores, "The bootstrap of the residual variance", least_topics=2)
    check_resampling(resamples, level, seed)
    topics, runs = matrix.shape
    centred = _centred(matrix)
    variance = float(_variances(centred, np.ones((1, topics)))[0])
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    if variance > 0:
        drawn = (_variances(centred, weights) for weights in topic_weights(topics, resamples, seed))
        low, high = percentile_interval(np.concatenate(list(drawn)), level)
    else:
        reason = "No run's score varies over the topics: resampling them can show no error."
    return BootstrapInterval(low, high, variance, reason, topics, runs, level, resamples, seed)


def topic_weights(topics: int, resamples: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each topic was drawn in each resample, in chunks of resamples.

    Yields
    ------
    (chunk, topics) float array
        Multinomial counts; every row sums to `topics`.
    """
    generator = np.random.default_rng(int(seed))
    # Sixteen bits a draw instead of 64: drawing is half of the bootstrap's time.
    width = np.uint16 if topics <= 2**16 else np.int64
    chunk = min(_MOST_ROWS, int(resamples), max(1, _MOST_CELLS // topics))
    first_cells = np.arange(chunk)[:, np.newaxis] * topics
    cells = np.empty((chunk, topics), dtype=np.intp)
    for start in range(0, int(resamples), chunk):
        rows = min(chunk, int(resamples) - start)
        drawn = generator.integers(topics, size=(rows, topics), dtype=width)
        np.add(first_cells[:rows], drawn, out=cells[:rows])
        counts = np.bincount(cells[:rows].ravel(), minlength=rows * topics)
        yield counts.reshape(rows, topics).astype(np.float64)


def resampled_means(
    scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Means of the runs in each resample, ``weights @ scores / topics``; nothing is checked.

    Parameters
    ----------
    scores : (topics, runs) float array
    weights : (resamples, topics) float array
        From :func:`topic_weights`; a row of ones gives the runs' own means.

    Returns
    -------
    (resamples, runs) float array
    """
    means: NDArray[np.float64] = _weighed(weights, scores) / scores.shape[0]
    return means


def percentile_interval(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    """Return the quantiles, linearly interpolated, with `level` of the values between them."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def check_resampling(resamples: int, level: float, seed: int) -> None:
    """Raise ImpossibleStatistic unless resamples, level and seed are in range."""
    check_level(level)
    # Rounded first: 2 / (1 - level) of a decimal level lands a few bits beside a whole number.
    least = math.ceil(round(2 / (1 - level), 6))
    if not (least <= resamples <= MOST_RESAMPLES and resamples == math.floor(resamples)):
        raise ImpossibleStatistic(
            f"A bootstrap interval at level {level:g} needs a whole number of resamples from"
            f" {least:,} to {MOST_RESAMPLES:,}, not {resamples}."
        )
    if not (0 <= seed < math.inf and seed == math.floor(seed)):
        raise ImpossibleStatistic(f"A seed must be a whole number from 0 on, not {seed}.")


def _centred(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    # From the first topic, then from the mean: a run that never changes becomes exactly 0, and what
    # a resample subtracts from its sum of squares is small beside it.
    centred = matrix - matrix[:1]
    centred -= centred.mean(axis=0)
    return centred


def _variances(centred: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    topics, runs = centred.shape
    # The squares of all runs count alike, so they are summed before they are weighted: the second
    # product is with one column, not with `runs` of them.
    squares = weights @ np.einsum("ij,ij->i", centred, centred)
    sums = _weighed(weights, centred)
    squares -= np.einsum("ij,ij->i", sums, sums) / topics
    return np.asarray(np.maximum(squares, 0.0) / (runs * (topics - 1)))


def _weighed(weights: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """``weights @ scores``, a slice of resamples at a time."""
    sums = np.empty((weights.shape[0], scores.shape[1]))
    if scores.size >= _WORTH_THREADS:
        return np.asarray(np.matmul(weights, scores, out=sums))
    step = max(_LEAST_ROWS, _SINGLE_THREAD // scores.size)
    for start in range(0, weights.shape[0], step):
        np.matmul(weights[start : start + step], scores, out=sums[start : start + step])
    return sums
