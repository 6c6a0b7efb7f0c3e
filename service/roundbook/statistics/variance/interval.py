"""Intervals of residual variances, from the stored parts of their matrices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import Floats, check_share
from roundbook.statistics.variance.rounds import (
    NoInterval,
    NoUpperLimit,
    PublishedVariance,
    RoundArrays,
    StoredVariance,
    Target,
    round_arrays,
)

_FEW_TOPICS = 25
# An upper limit of a thousand times the variance bounds nothing.
_LEAST_PIVOT = 0.1


@dataclass(frozen=True)
class VarianceInterval:
    """Interval of a residual variance.

    Attributes
    ----------
    low, high : float or None
        Its limits, in squared units of the score.
    level : float
        Confidence level.
    of : str
        ``systems``: topics and runs are samples, and other runs on other topics are meant too.
        ``these runs``: only topics are.
    few_topics : bool
        Under 25 topics: the true variance is above `high` more often than the level allows.
    reason : str or None
        Why there is no interval: one of ``NoInterval``.
    upper_reason : str or None
        Why there is no upper limit: that `reason`, or ``unbounded`` by so few topics.
    """

    low: float | None
    high: float | None
    level: float
    of: Target
    few_topics: bool
    reason: NoInterval | None
    upper_reason: NoUpperLimit | None


def variance_quantile(
    variance: ArrayLike, spread: ArrayLike, topics: ArrayLike, probability: ArrayLike
) -> Floats:
    """Limit that the true variance stays below with some confidence.

    ``V (1 - s^2/9 - t s/3)^-3``, with ``t`` the quantile of Student's t on ``(n - 1)/2`` dof: the
    cube-root pivot of Wilson and Hilferty (PNAS 17, 1931). Half the topics' dof, because the
    variance of ln V is itself estimated, from squares with long tails.

    Parameters
    ----------
    variance : array_like of float
        Estimates V, in squared units of the score.
    spread : array_like of float
        The variance ``s^2`` of ln V; NaN where it is not known.
    topics : array_like of int
        Number of topics ``n``.
    probability : array_like of float
        Confidence of the one-sided limit, in (0, 1).

    Returns
    -------
    float array
        Of the common shape; NaN where there is no limit: no `spread`, a pivot of .1 or less, or a
        lower limit from a spread too large for the pivot.

    Examples
    --------
    >>> limits = [variance_quantile(0.05, 0.02, 50, share) for share in (0.025, 0.975)]
    >>> [round(float(limit), 6) for limit in limits]
    [0.038086, 0.068452]
    """
    squared = np.asarray(spread, dtype=np.float64)
    # A single topic has no spread, and so no use for its quantile.
    dof = np.maximum(np.asarray(topics) - 1, 1) / 2
    centre = 1 - squared / 9
    pivot = centre - scipy.special.stdtrit(dof, probability) * np.sqrt(squared) / 3
    # With the spread the centre falls below 0, and a lower limit would begin to rise beyond V.
    bounded = (pivot > _LEAST_PIVOT) & ((centre > _LEAST_PIVOT) | (pivot >= 1))
    limits = np.asarray(variance) * np.where(bounded, pivot, np.nan) ** -3
    return np.asarray(limits, dtype=np.float64)


def variance_intervals(
    rounds: Sequence[StoredVariance | PublishedVariance] | RoundArrays, level: float = 0.95
) -> list[VarianceInterval]:
    """Interval of the residual variance of each round, on its logarithm and with half the dof.

    The variance of ln V is its jackknife variance over topics
    (:func:`~roundbook.statistics.variance.rounds.topic_influences`), plus the runs' part where
    it is known; the limits are those of :func:`variance_quantile`.

    Parameters
    ----------
    rounds : sequence of StoredVariance or PublishedVariance, or their RoundArrays
        Without a runs' part the interval is of these runs.
    level : float
        Confidence level, in (0, 1).

    Raises
    ------
    ImpossibleStatisticError
        If the level is not between 0 and 1.

    Examples
    --------
    >>> by_topic = np.array([0.1764, 0.0164, 0.3284, 0.1544, 0.1924])
    >>> entry = StoredVariance(0.868 / 12, 12.0, 3, np.arange(5), by_topic, 0.0)
    >>> (interval,) = variance_intervals([entry])
    >>> round(interval.low, 6), round(interval.high, 6), interval.few_topics
    (0.019462, 1.002117, True)
    """
    check_share(level)
    arrays = rounds if isinstance(rounds, RoundArrays) else round_arrays(rounds)
    spread = arrays.topic_variances + np.nan_to_num(arrays.runs_parts)
    low, high = (
        variance_quantile(arrays.variances, spread, arrays.topics, probability).tolist()
        for probability in ((1 - level) / 2, (1 + level) / 2)
    )
    topics, unknown = arrays.topics.tolist(), np.isnan(arrays.runs_parts).tolist()
    return [
        interval_of_limits(
            low[index],
            high[index],
            level=level,
            of="these runs" if unknown[index] else "systems",
            topics=topics[index],
            reason=arrays.reasons[index],
        )
        for index in range(arrays.variances.size)
    ]


def interval_of_limits(
    low: float, high: float, *, level: float, of: Target, topics: int, reason: NoInterval | None
) -> VarianceInterval:
    """Return an interval from limits that are NaN where there are none."""
    bounded_below, bounded_above = not math.isnan(low), not math.isnan(high)
    if reason is None and not bounded_below:
        reason = "too_uneven"
    return VarianceInterval(
        low if bounded_below else None,
        high if bounded_above else None,
        level,
        of,
        topics < _FEW_TOPICS,
        reason,
        None if bounded_above else reason or "unbounded",
    )
