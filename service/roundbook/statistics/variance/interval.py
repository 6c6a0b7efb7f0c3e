"""The interval of one residual variance, from the parts kept of its matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.statistics.variance.pivot import variance_quantile
from roundbook.statistics.variance.reasons import NoInterval, NoUpperLimit, Target
from roundbook.statistics.variance.rounds import (
    PublishedVariance,
    RoundArrays,
    RoundVariance,
    round_arrays,
)

_FEW_TOPICS = 25


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
        Under 25 topics: the truth is above `high` somewhat more often than the level says.
    reason : str or None
        Why there is no interval, see :mod:`~roundbook.statistics.variance.reasons`.
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


def variance_interval(
    variance: float,
    by_topic: ArrayLike,
    runs_part: float | None,
    level: float = 0.95,
    of: Target = "systems",
) -> VarianceInterval:
    """Interval of a residual variance, on its logarithm and with half the topics' dof.

    The variance of ln V is its jackknife variance over topics
    (:func:`~roundbook.statistics.variance.influence.topic_influences`), plus `runs_part` where
    systems are meant; its limits are those of
    :func:`~roundbook.statistics.variance.pivot.variance_quantile`.

    Parameters
    ----------
    variance : float
        V_E or V_2, in squared units of the score.
    by_topic : (topics,) array_like of float
        Its squared residuals by topic.
    runs_part : float or None
        Variance of ln V from which teams took part; without it the interval is of these runs.
    level : float
        Confidence level, in (0, 1).
    of : str
        ``systems`` or ``these runs``.

    Returns
    -------
    VarianceInterval

    Raises
    ------
    ImpossibleStatistic
        If the level is not between 0 and 1.

    Examples
    --------
    >>> by_topic = [0.1764, 0.0164, 0.3284, 0.1544, 0.1924]
    >>> interval = variance_interval(0.868 / 12, by_topic, 0.0)
    >>> round(interval.low, 6), round(interval.high, 6), interval.few_topics
    (0.019462, 1.002117, True)
    """
    return variance_intervals([_single(variance, by_topic, runs_part)], level, of)[0]


def variance_intervals(
    rounds: Sequence[RoundVariance | PublishedVariance],
    level: float = 0.95,
    of: Target = "systems",
) -> list[VarianceInterval]:
    """Interval of the variance of each round: :func:`variance_interval` for many at once."""
    check_level(level)
    arrays = round_arrays(rounds)
    spread, these_runs = _spread(arrays, of)
    low = variance_quantile(arrays.variances, spread, arrays.topics, (1 - level) / 2).tolist()
    high = variance_quantile(arrays.variances, spread, arrays.topics, (1 + level) / 2).tolist()
    topics, targets = arrays.topics.tolist(), these_runs.tolist()
    return [
        interval_of_limits(
            low[index],
            high[index],
            level=level,
            of="these runs" if targets[index] else "systems",
            topics=topics[index],
            reason=arrays.reasons[index],
        )
        for index in range(len(rounds))
    ]


def interval_of_limits(
    low: float,
    high: float,
    *,
    level: float,
    of: Target,
    topics: int,
    reason: NoInterval | None = None,
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


def check_level(level: float) -> None:
    """Raise ImpossibleStatistic unless a confidence level lies strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ImpossibleStatistic(f"A confidence level must be between 0 and 1, not {level}.")


def _single(variance: float, by_topic: ArrayLike, runs_part: float | None) -> RoundVariance:
    squares = np.asarray(by_topic, dtype=np.float64)
    return RoundVariance(variance, 1.0, 1, np.arange(squares.size), squares, runs_part)


def _spread(arrays: RoundArrays, of: Target) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Variance of ln V of each round, and whether it is of these runs alone."""
    these_runs = np.isnan(arrays.runs_parts) | (of == "these runs")
    return arrays.topic_variances + np.where(these_runs, 0, arrays.runs_parts), these_runs
