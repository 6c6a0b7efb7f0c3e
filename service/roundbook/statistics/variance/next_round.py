"""Where the variance of the next round may lie: the safe variance of a plan."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.variance.interval import (
    VarianceInterval,
    check_level,
    interval_of_limits,
)
from roundbook.statistics.variance.pivot import variance_quantile
from roundbook.statistics.variance.reasons import NoInterval, Target
from roundbook.statistics.variance.rounds import RoundArrays

# Mean over 40 pairs of consecutive rounds of nine campaigns, by the method of moments; it counts
# as three rounds' worth of evidence.
_USUAL_BETWEEN = 0.016
_USUAL_ROUNDS = 3


@dataclass(frozen=True)
class NextRound:
    """Limits for the true variance of the next round of this kind.

    Attributes
    ----------
    u80, u95 : float or None
        One-sided upper limits: 4 of 5, and 19 of 20, next rounds stay below.
    low, high : float or None
        Two-sided limits.
    level : float
        Of `low` and `high`.
    of : str
        ``systems``, or ``these runs`` where the runs' part of some round is not known.
    reason : str or None
        Why there are no limits, see :mod:`~roundbook.statistics.variance.reasons`; an upper limit
        can be missing without, unbounded by so few topics.
    tau2 : float or None
        Variance of the true ln V between rounds.
    variance, spread, topics
        The pooled variance, the variance of ln V of the next round around it (NaN for none), and
        how many topics they rest on.
    topic_constant, runs_part : float
        What the observed variance adds on ``n`` topics: ``topic_constant / n + runs_part``.
    """

    u80: float | None
    u95: float | None
    low: float | None
    high: float | None
    level: float
    of: Target
    reason: NoInterval | None
    tau2: float | None
    variance: float
    spread: float
    topics: int
    topic_constant: float
    runs_part: float


def between_rounds_variance(arrays: RoundArrays, topic_codes: NDArray[np.int64]) -> float:
    """Variance of the true ln V between rounds, drawn towards what is usual.

    ``tau^2 = (3 * 0.016 + (K - 1) raw) / (3 + K - 1)`` with ``raw = max(0, [sum_k (ln V_k -
    mean)^2 - tr(M C)]/(K - 1))``, ``M = I - 1/K`` and ``C`` the covariance of the ln V of ``K``
    rounds, topics shared or not (an unknown runs' part counts as 0).

    Parameters
    ----------
    arrays : RoundArrays
        Rounds that all have a positive variance and topic influences.
    topic_codes : (stored topics,) int array
        The topic of each influence, numbered from 0.

    Returns
    -------
    float
        0.016 for a single round: that of 40 pairs of consecutive rounds of other campaigns.
    """
    count = arrays.variances.size
    if count == 1:
        return _USUAL_BETWEEN
    logs = np.log(arrays.variances)
    runs_parts = np.nan_to_num(arrays.runs_parts)
    trace = float(arrays.topic_variances.sum() + runs_parts.sum())
    summed = np.bincount(topic_codes, arrays.influences)
    of_sum = float(
        np.square(summed).sum() + runs_parts.sum() + arrays.topic_variances[arrays.published].sum()
    )
    expected = trace - of_sum / count
    raw = max(0.0, float(np.square(logs - logs.mean()).sum()) - expected)
    return (_USUAL_ROUNDS * _USUAL_BETWEEN + raw) / (_USUAL_ROUNDS + count - 1)


def next_round(
    variance: float,
    spread: float,
    topics: int,
    *,
    between: float | None,
    level: float,
    of: Target,
    reason: NoInterval | None,
    topic_constant: float,
    runs_part: float,
) -> NextRound:
    """Limits for the next round, from the spreads of the pooled ln V and between rounds.

    Parameters
    ----------
    variance : float
        Pooled, in squared units of the score.
    spread : float
        Variance of ln V of the next round around the pooled one; NaN for none.
    topics : int
        Number of topics it rests on.
    between, level, of, reason, topic_constant, runs_part
        As `tau2` and the others of :class:`NextRound`.

    Returns
    -------
    NextRound
    """
    u80, u95, low, high = (
        _limit(variance, spread, topics, probability)
        for probability in (0.8, 0.95, (1 - level) / 2, (1 + level) / 2)
    )
    if reason is None and low is None:
        reason = "too_uneven"
    return NextRound(
        u80,
        u95,
        low,
        high,
        level,
        of,
        reason,
        between,
        variance,
        spread,
        topics,
        topic_constant,
        runs_part,
    )


def observed_next_round(following: NextRound, topics: int, level: float = 0.95) -> VarianceInterval:
    """Interval of the variance that the next round will show, observed on `topics` topics.

    Wider than that of its true variance: an observed one has an error of its own, of variance
    ``topic_constant / topics + runs_part`` on ln V.

    Parameters
    ----------
    following : NextRound
    topics : int
        Number of topics of the next round, at least 1.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    VarianceInterval
    """
    check_level(level)
    spread = following.spread + following.topic_constant / topics + following.runs_part
    low, high = (
        float(variance_quantile(following.variance, spread, following.topics, probability))
        for probability in ((1 - level) / 2, (1 + level) / 2)
    )
    return interval_of_limits(
        low,
        high,
        level=level,
        of=following.of,
        topics=following.topics,
        reason=following.reason,
    )


def _limit(variance: float, spread: float, topics: int, probability: float) -> float | None:
    limit = float(variance_quantile(variance, spread, topics, probability))
    return None if math.isnan(limit) else limit
