"""The pooled variance of several rounds, topics shared or not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.statistics.variance.homogeneity import (
    Homogeneity,
    homogeneity,
    mean_topic_variance,
)
from roundbook.statistics.variance.interval import (
    VarianceInterval,
    check_level,
    interval_of_limits,
)
from roundbook.statistics.variance.next_round import (
    NextRound,
    between_rounds_variance,
    next_round,
)
from roundbook.statistics.variance.pivot import variance_quantile
from roundbook.statistics.variance.reasons import Target
from roundbook.statistics.variance.rounds import (
    PublishedVariance,
    RoundArrays,
    RoundVariance,
    round_arrays,
)


@dataclass(frozen=True, eq=False)
class PooledVariance:
    """A weighted mean of the variances of rounds.

    Attributes
    ----------
    variance : float
        ``sum w_k V_k / sum w_k``.
    shares : (rounds,) float array
        What each round contributes, ``p_k = w_k V_k / sum w_k V_k``.
    topics : int
        Number of topics in the union of the rounds' topics.
    dof : float
        ``(topics - 1)/2``, of the quantiles of Student's t.
    spread : float or None
        Variance ``s^2`` of the logarithm of `variance`.
    interval : VarianceInterval
        Of these runs, where the runs' part of some round is not known. None of the limits exists
        if some round has none; `reason` is that of the first such round.
    without_interval : tuple of int
        Indices of the rounds that have no interval of their own.
    homogeneity : Homogeneity
        Whether the rounds' true variances can be equal.
    next_round : NextRound
        Where that of the next round may lie.
    """

    variance: float
    shares: NDArray[np.float64]
    topics: int
    dof: float
    spread: float | None
    interval: VarianceInterval
    without_interval: tuple[int, ...]
    homogeneity: Homogeneity
    next_round: NextRound


def pool(
    rounds: Sequence[RoundVariance | PublishedVariance],
    level: float = 0.95,
    of: Target = "systems",
) -> PooledVariance:
    """Pool the variances of rounds, with an interval that knows which topics they share.

    With ``A[k, u]`` the influence of topic ``u`` of the union on ln V of round ``k`` (0 where it
    has no such topic) and ``r_k`` the rounds' runs' parts, the variance of the logarithm of the
    pooled variance is ``s^2 = sum_u (sum_k p_k A[k, u])^2 + sum_k p_k^2 r_k``, the joint jackknife
    over topics. The limits are those of
    :func:`~roundbook.statistics.variance.pivot.variance_quantile` for the number of topics in the
    union. For the next round ``s^2 + tau^2 (1 + sum_k p_k^2)`` takes its place, see
    :func:`~roundbook.statistics.variance.next_round.between_rounds_variance`.

    Parameters
    ----------
    rounds : sequence of RoundVariance or PublishedVariance
        Of one measure on one scale, at least one.
    level : float
        Confidence level, in (0, 1).
    of : str
        ``systems`` or ``these runs``.

    Returns
    -------
    PooledVariance

    Raises
    ------
    ImpossibleStatistic
        If there is no round, or the level is not between 0 and 1.
    """
    check_level(level)
    if not rounds:
        raise ImpossibleStatistic("The pooled variance needs at least one variance.")
    arrays = round_arrays(rounds)
    identities, codes = np.unique(arrays.topic_ids, return_inverse=True)
    topics = int(identities.size + arrays.topics[arrays.published].sum())
    variance, shares = _mean_and_shares(arrays)
    these_runs = of == "these runs" or bool(np.isnan(arrays.runs_parts).any())
    target: Target = "these runs" if these_runs else "systems"
    without = tuple(index for index, reason in enumerate(arrays.reasons) if reason is not None)
    reason = arrays.reasons[without[0]] if without else None
    spread, between, constant = math.nan, None, math.nan
    if not without:
        spread = _spread(arrays, codes, shares, runs_too=not these_runs)
        between = between_rounds_variance(arrays, codes)
        constant = mean_topic_variance(arrays)
    low, high = (
        float(variance_quantile(variance, spread, topics, probability))
        for probability in ((1 - level) / 2, (1 + level) / 2)
    )
    return PooledVariance(
        variance,
        shares,
        topics,
        (topics - 1) / 2,
        None if without else spread,
        interval_of_limits(low, high, level=level, of=target, topics=topics, reason=reason),
        without,
        homogeneity(arrays, codes, topics),
        next_round(
            variance,
            spread + (between or 0.0) * (1 + float(np.dot(shares, shares))),
            topics,
            between=between,
            level=level,
            of=target,
            reason=reason,
            topic_constant=constant,
            runs_part=float(np.nan_to_num(arrays.runs_parts).mean()),
        ),
    )


def _mean_and_shares(arrays: RoundArrays) -> tuple[float, NDArray[np.float64]]:
    # Weights first scaled to shares, so that equal variances pool to that variance or a bit beside.
    parts = arrays.variances * (arrays.weights / arrays.weights.sum())
    variance = math.fsum(parts.tolist())
    return variance, parts / variance if variance > 0 else parts


def _spread(
    arrays: RoundArrays,
    codes: NDArray[np.int64],
    shares: NDArray[np.float64],
    *,
    runs_too: bool,
) -> float:
    summed = np.bincount(codes, arrays.influences * shares[arrays.round_of_topic])
    independent = np.where(arrays.published, arrays.topic_variances, 0)
    if runs_too:
        independent = independent + arrays.runs_parts
    return float(np.square(summed).sum() + (shares**2 * independent).sum())
