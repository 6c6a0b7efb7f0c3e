"""The bootstrap over topics: whole topics are drawn with replacement, each with all its runs.

A resample is a row of weights, how often each topic was drawn; statistics that are sums over topics
are then matrix products for hundreds of resamples at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_RESAMPLES
from roundbook.statistics.score_matrix import (
    AnyInts,
    Floats,
    ceiling,
    check_seed,
    check_share,
    is_whole,
)

# Resamples are drawn and weighed in chunks whose arrays stay in the processor's cache. Their size
# depends on the topics only: one seed gives every statistic the same resamples.
_MOST_ROWS = 1_000
_MOST_CELLS = 250_000

# OpenBLAS does matrix products up to this many multiplications in one thread. Larger ones use
# several threads, which wait if other processes hold the cores: measured, 8 ms instead of 0.3 ms.
# Very large matrices are worth the threads all the same.
_SINGLE_THREAD = 250_000
_LEAST_ROWS = 25


def topic_weights(topics: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Yield how often each topic was drawn in each resample, in chunks of resamples.

    Yields
    ------
    (chunk, topics) float array
        Multinomial counts; every row sums to `topics`.
    """
    generator = np.random.default_rng(int(seed))
    # Sixteen bits a draw instead of 64: drawing is half of the bootstrap's time.
    width = np.uint16 if topics <= 2**16 else np.int64
    chunk = min(_MOST_ROWS, max(1, _MOST_CELLS // topics))
    for start in range(0, int(resamples), chunk):
        rows = min(chunk, int(resamples) - start)
        yield times_drawn(generator.integers(topics, size=(rows, topics), dtype=width))


def times_drawn(drawn: AnyInts) -> Floats:
    """Return how often each topic was drawn, from the (resamples, topics) drawn ones.

    Examples
    --------
    >>> times_drawn(np.array([[0, 2, 0], [1, 1, 2]])).tolist()
    [[2.0, 0.0, 1.0], [0.0, 2.0, 1.0]]
    """
    resamples, topics = drawn.shape
    cells = np.arange(resamples)[:, np.newaxis] * topics + drawn
    counts = np.bincount(cells.ravel(), minlength=drawn.size)
    return counts.reshape(resamples, topics).astype(np.float64)


def resampled_means(scores: Floats, weights: Floats) -> Floats:
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
    sums = np.empty((weights.shape[0], scores.shape[1]))
    step = max(_LEAST_ROWS, _SINGLE_THREAD // scores.size)
    if scores.size >= _SINGLE_THREAD:
        step = max(1, weights.shape[0])
    for start in range(0, weights.shape[0], step):
        np.matmul(weights[start : start + step], scores, out=sums[start : start + step])
    return np.asarray(sums / scores.shape[0])


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the quantiles, linearly interpolated, between which a share `level` of values lies."""
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def check_resampling(resamples: int, level: float, seed: int) -> None:
    """Raise ImpossibleStatisticError unless resamples, level and seed are in range."""
    check_share(level)
    least = ceiling(2 / (1 - level))
    if not is_whole(resamples, least, MOST_RESAMPLES):
        raise ImpossibleStatisticError(
            f"A bootstrap interval at level {level:g} needs a whole number of resamples from"
            f" {least:,} to {MOST_RESAMPLES:,}, not {resamples}."
        )
    check_seed(seed)
