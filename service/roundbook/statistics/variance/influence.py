"""What each topic does to the logarithm of a residual variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.variance.reasons import NoInfluence

# Less than this share of the sum of squares left without a topic is rounding.
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, eq=False)
class TopicInfluences:
    """Topic influences of several matrices, one after the other.

    Attributes
    ----------
    values : (all topics,) float array
        Influence of each topic on ln V of its matrix; they sum to 0 in each matrix, and are 0 in
        one that has no influences.
    sizes : (matrices,) int array
        Number of topics of each matrix.
    variances : (matrices,) float array
        Sum of the squared influences: the variance of ln V over topics. NaN where there are none.
    reasons : tuple of str or None
        Why a matrix has none.
    """

    values: NDArray[np.float64]
    sizes: NDArray[np.int64]
    variances: NDArray[np.float64]
    reasons: tuple[NoInfluence | None, ...]


def topic_influences(by_topic: Sequence[NDArray[np.float64]]) -> TopicInfluences:
    """Influence of each topic on ln V, from the jackknife that deletes one topic at a time.

    Without topic ``j`` of ``n``, ln V changes by ``L_j = ln(1 - n d_j / ((n - 1) SS))`` and a
    constant, exactly so for one-way and two-way residuals. The influence is
    ``a_j = (mean L - L_j) sqrt((n - 1)/n)``, and ``sum_j a_j^2`` the jackknife variance of ln V.

    Parameters
    ----------
    by_topic : sequence of (topics,) float arrays
        The squared residuals ``d_j`` by topic, an array of at least one topic for each matrix.

    Returns
    -------
    TopicInfluences

    Examples
    --------
    >>> influences = topic_influences([np.array([0.1764, 0.0164, 0.3284, 0.1544, 0.1924])])
    >>> round(float(influences.variances[0]) ** 0.5, 6)
    0.394858
    """
    sizes = np.array([len(values) for values in by_topic], dtype=np.int64)
    if not sizes.size:
        return TopicInfluences(np.empty(0), sizes, np.empty(0), ())
    starts = np.cumsum(sizes) - sizes
    squares = np.concatenate(by_topic)
    totals = np.add.reduceat(squares, starts)
    usable = (sizes >= 3) & (totals > 0)
    # Where nothing can be said, 1 in place of a 0 to divide by.
    scale = np.where(usable, sizes / (np.maximum(sizes - 1, 1) * np.where(usable, totals, 1)), 0)
    kept = 1 - squares * np.repeat(scale, sizes)
    one_topic = np.minimum.reduceat(kept, starts) <= _NOTHING_LEFT
    known = usable & ~one_topic
    logs = np.log(np.where(np.repeat(known, sizes), kept, 1))
    values = np.repeat(np.add.reduceat(logs, starts) / sizes, sizes) - logs
    values *= np.repeat(np.sqrt((sizes - 1) / sizes), sizes)
    variances = np.add.reduceat(values * values, starts)
    variances[~known] = np.nan
    reasons: list[NoInfluence | None] = [None] * sizes.size
    for index in np.flatnonzero(~known):
        reasons[index] = (
            "fewer_than_3_topics"
            if sizes[index] < 3
            else "no_variance"
            if totals[index] <= 0
            else "one_topic"
        )
    return TopicInfluences(values, sizes, variances, tuple(reasons))
