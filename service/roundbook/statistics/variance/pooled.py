"""The pooled variance of several rounds, topics shared or not, and limits for the next round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import Floats, Ints, check_share
from roundbook.statistics.variance.homogeneity import Homogeneity, homogeneity
from roundbook.statistics.variance.interval import (
    VarianceInterval,
    interval_of_limits,
    variance_quantile,
)
from roundbook.statistics.variance.rounds import (
    PublishedVariance,
    RoundArrays,
    StoredVariance,
    Target,
    round_arrays,
)

# Mean over 40 pairs of consecutive rounds of nine campaigns, by the method of moments; it counts
# as three rounds' worth of evidence.
_USUAL_BETWEEN = 0.016
_USUAL_ROUNDS = 3


@dataclass(frozen=True)
class NextRound:
    """Limits for the true variance of the next round of this kind.

    A limit is None where the pooled variance has no interval, or where so few topics do not bound
    it.

    Attributes
    ----------
    u80, u95 : float or None
        One-sided upper limits: about 4 of 5, and 19 of 20, next rounds stay below, if rounds vary as
        in other campaigns.
    low, high : float or None
        Two-sided limits, at the level of the pooled interval.
    tau2 : float or None
        Variance of the true ln V between rounds.
    of : str
        ``systems``, or ``these runs`` where the runs' part of some round is not known.
    """

    u80: float | None
    u95: float | None
    low: float | None
    high: float | None
    tau2: float | None
    of: Target


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
    returning_interval : VarianceInterval
        As `interval`, where the same teams took part in every round that has scores.
    homogeneity : Homogeneity
        Whether the rounds' true variances can be equal.
    next_round : NextRound
        Limits for the variance of the next round.
    """

    variance: float
    shares: Floats
    topics: int
    dof: float
    spread: float | None
    interval: VarianceInterval
    returning_interval: VarianceInterval
    homogeneity: Homogeneity
    next_round: NextRound


def pool(
    rounds: Sequence[StoredVariance | PublishedVariance] | RoundArrays, level: float = 0.95
) -> PooledVariance:
    """Pool the variances of rounds, with an interval that accounts for the topics they share.

    With ``A[k, u]`` the influence of topic ``u`` of the union on ln V of round ``k`` (0 where it
    has no such topic) and ``r_k`` the rounds' runs' parts, the variance of the logarithm of the
    pooled variance is ``s^2 = sum_u (sum_k p_k A[k, u])^2 + sum_k p_k^2 r_k``, the joint jackknife
    over topics. The limits are those of
    :func:`~roundbook.statistics.variance.interval.variance_quantile` for the number of topics in
    the union. That counts the teams of a round as others than those of every other round. Where
    they are the same, the runs' parts of rounds do not average out: ``(sum_k p_k sqrt(r_k))^2``,
    as of rounds that the teams move alike, takes the place of ``sum_k p_k^2 r_k``, which it is at
    least. For the next round ``s^2 + tau^2 (1 + sum_k p_k^2)`` takes the place of ``s^2``.

    Parameters
    ----------
    rounds : sequence of StoredVariance or PublishedVariance, or their RoundArrays
        Of one measure on one scale, at least one.
    level : float
        Confidence level, in (0, 1).

    Raises
    ------
    ImpossibleStatisticError
        If there is no round, or the level is not between 0 and 1.
    """
    check_share(level)
    arrays = rounds if isinstance(rounds, RoundArrays) else round_arrays(rounds)
    if not arrays.variances.size:
        raise ImpossibleStatisticError("The pooled variance needs at least one variance.")
    identities, codes = np.unique(arrays.topic_ids, return_inverse=True)
    topics = int(identities.size + arrays.topics[arrays.published].sum())
    # Weights first scaled to shares, so that equal variances pool to that variance or a bit beside.
    parts = arrays.variances * (arrays.weights / arrays.weights.sum())
    variance = math.fsum(parts.tolist())
    shares = parts / variance if variance > 0 else parts
    these_runs = bool(np.isnan(arrays.runs_parts).any())
    target: Target = "these runs" if these_runs else "systems"
    reason = next((reason for reason in arrays.reasons if reason is not None), None)
    spread = of_returning = of_next = math.nan
    between = None
    if reason is None:
        # The part that comes from which topics there are.
        summed = np.bincount(codes, arrays.influences * shares[arrays.round_of_topic])
        alone = np.where(arrays.published, arrays.topic_variances, 0)
        spread = float(np.square(summed).sum() + (shares**2 * alone).sum())
        of_returning = spread
        if not these_runs:
            by_round = shares * np.sqrt(arrays.runs_parts)
            # The teams of a published round are not known.
            scored, unknown = by_round[~arrays.published], by_round[arrays.published]
            spread += float(np.square(by_round).sum())
            of_returning += float(scored.sum() ** 2 + np.square(unknown).sum())
        between = _between_rounds_variance(arrays, codes)
        of_next = spread + between * (1 + float(np.dot(shares, shares)))
    tails = (1 - level) / 2, (1 + level) / 2
    spreads = [spread] * 2 + [of_returning] * 2 + [of_next] * 4
    probabilities = np.array((*tails, *tails, 0.8, 0.95, *tails))
    values = variance_quantile(variance, spreads, topics, probabilities).tolist()
    u80, u95, *next_limits = (None if math.isnan(value) else value for value in values[4:])
    interval, returning_interval = (
        interval_of_limits(low, high, level=level, of=target, topics=topics, reason=reason)
        for low, high in (values[:2], values[2:4])
    )
    return PooledVariance(
        variance,
        shares,
        topics,
        (topics - 1) / 2,
        spread if reason is None else None,
        interval,
        returning_interval,
        homogeneity(arrays, codes, topics),
        NextRound(u80, u95, next_limits[0], next_limits[1], between, target),
    )


def _between_rounds_variance(arrays: RoundArrays, topic_codes: Ints) -> float:
    """Variance of the true ln V between rounds, shrunk towards the typical value.

    ``tau^2 = (3 * 0.016 + (K - 1) raw) / (3 + K - 1)`` with ``raw = max(0, [sum_k (ln V_k -
    mean)^2 - tr(M C)]/(K - 1))``, ``M = I - 1/K`` and ``C`` the covariance of the ln V of ``K``
    rounds, topics shared or not (an unknown runs' part counts as 0).

    The rounds all have a positive variance and topic influences, of the topics with these codes. Of
    a single round it is 0.016: that of 40 pairs of consecutive rounds of other campaigns.
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
