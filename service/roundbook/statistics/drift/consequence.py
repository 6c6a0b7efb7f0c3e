"""The effect of the drift of factors on a later round's scores on the shared topics."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.ranking.agreement import kendall_tau
from roundbook.statistics.score_matrix import Bools, Floats, checked_scores
from roundbook.statistics.standardisation.factors import (
    CENTRE,
    SLOPE,
    ZeroSd,
    standardise,
    std_ab,
)
from roundbook.statistics.variance.residual import residual_variance


@dataclass(frozen=True, eq=False)
class UnderFactors:
    """Scores on std-AB under one set of factors.

    Attributes
    ----------
    mean : float
        Mean over all cells; `b` if the factors are the scores' own and nothing is clipped.
    clipped_at_0, clipped_at_1 : float
        Shares of cells with ``a std + b`` below 0 and above 1.
    run_means : (runs,) float array
        Mean over topics of each run.
    residual_variance : float or None
        One-way V_E; None with fewer than two topics.
    """

    mean: float
    clipped_at_0: float
    clipped_at_1: float
    run_means: Floats
    residual_variance: float | None


@dataclass(frozen=True, eq=False)
class DriftConsequence:
    """The same scores under the earlier and under the later factors.

    Attributes
    ----------
    earlier, later : UnderFactors
    bias : float
        ``earlier.mean - later.mean``: how much higher these runs score by the earlier factors.
    kendall_tau : float or None
        Tau-b of the two rankings of the runs by `run_means`; None with fewer than two runs, or if
        all runs tie in a ranking.
    topics, runs : int
        Size of the matrix used.
    used : (topics given,) bool array
        Topics used: all, or under 'drop' those with an sd above 0 in both sets of factors.
    zero_sd, a, b
        The input.
    """

    earlier: UnderFactors
    later: UnderFactors
    bias: float
    kendall_tau: float | None
    topics: int
    runs: int
    used: Bools
    zero_sd: ZeroSd
    a: float
    b: float


def drift_consequence(
    scores: ArrayLike,
    earlier: tuple[ArrayLike, ArrayLike],
    later: tuple[ArrayLike, ArrayLike],
    *,
    zero_sd: ZeroSd = "average",
    a: float = SLOPE,
    b: float = CENTRE,
) -> DriftConsequence:
    """Compare a later round's runs under the earlier factors and under the later ones.

    Both are std-AB, ``clip(a std + b, 0, 1)`` (Sakai, ICTIR 2016), on the topics that have factors
    in both rounds. Had the factors not moved, the mean would be `b` under either.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        The later round's scores on the shared topics, in the measure's unit.
    earlier, later : ((topics,), (topics,)) pairs of array_like of float
        Their factors in the earlier and in the later round, means and sds in the same order; sds
        with ddof 1.
    zero_sd : {'average', 'drop'}
        What a topic with an sd of 0 gives: `b` for every run under the factors that have that sd,
        or nothing, as it is left out under both.
    a, b : float
        Slope per sd, positive, and the score of an average run.

    Raises
    ------
    ImpossibleStatisticError
        If there is no topic, before or after the dropping, or no run, if factors do not fit the
        scores or are not usable, or if `a` is not positive and finite or `b` not finite.

    Examples
    --------
    >>> earlier, later = ([0.2, 0.5], [0.1, 0.1]), ([0.3, 0.6], [0.1, 0.1])
    >>> consequence = drift_consequence([[0.2, 0.4], [0.5, 0.7]], earlier, later)
    >>> round(consequence.bias, 3), consequence.kendall_tau
    (0.15, 1.0)
    """
    matrix = checked_scores(scores, "The consequence of drift")
    if not (a > 0 and np.isfinite(a) and np.isfinite(b)):
        raise ImpossibleStatisticError(
            f"Std-AB needs an A that is positive and finite and a finite B, not {a} and {b}."
        )
    first, second = (standardise(matrix, *factors, zero_sd) for factors in (earlier, later))
    used = ~(np.isnan(first[:, 0]) | np.isnan(second[:, 0]))
    if not used.any():
        raise ImpossibleStatisticError(
            "The consequence of drift needs a topic with an sd above 0 in both rounds,"
            " and none of the topics has one."
        )
    before, after = _under(first[used], a, b), _under(second[used], a, b)
    tau = None
    if matrix.shape[1] > 1:
        tau = kendall_tau(before.run_means, after.run_means).tau_b
    return DriftConsequence(
        earlier=before,
        later=after,
        bias=before.mean - after.mean,
        kendall_tau=tau,
        topics=int(used.sum()),
        runs=matrix.shape[1],
        used=used,
        zero_sd=zero_sd,
        a=a,
        b=b,
    )


def _under(std: Floats, a: float, b: float) -> UnderFactors:
    unclipped = a * std + b
    scaled = std_ab(std, a, b)
    return UnderFactors(
        mean=float(scaled.mean()),
        clipped_at_0=float((unclipped < 0).mean()),
        clipped_at_1=float((unclipped > 1).mean()),
        run_means=scaled.mean(axis=0),
        residual_variance=residual_variance(scaled).variance if len(scaled) > 1 else None,
    )
