"""Whether the variances of several rounds can be estimates of one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from roundbook.statistics.variance.reasons import NoTest
from roundbook.statistics.variance.rounds import RoundArrays
from roundbook.statistics.variance.wald import SharedInfluences, wald_of_equality

# A smaller variance of ln V is the rounding of topics that are all alike.
_ROUNDING = 1e-20


@dataclass(frozen=True)
class Homogeneity:
    """Wald test, by F, of equal true variances.

    Attributes
    ----------
    statistic : float or None
        F; None where there is no test.
    dof1, dof2 : float or None
        Its degrees of freedom, ``rounds - 1`` and ``(topics - 1)/2 - rounds + 2``.
    p_value : float or None
        Probability of an F at least as large where the true variances are equal.
    max_min_ratio : float or None
        Largest variance over smallest; None if the smallest is 0.
    reason : str or None
        Why there is no test, see :mod:`~roundbook.statistics.variance.reasons`.
    """

    statistic: float | None
    dof1: int | None
    dof2: float | None
    p_value: float | None
    max_min_ratio: float | None
    reason: NoTest | None


def homogeneity(arrays: RoundArrays, topic_codes: NDArray[np.int64], topics: int) -> Homogeneity:
    """Test whether the variances of several rounds estimate one, topics shared or not.

    Under equal variances the rounds take one variance of ln V per topic,
    ``c2 = sum n_k^2 s_Tk^2 / sum n_k``: each round's influences are scaled to it, so that
    ``C = A A' + diag(r)`` (an unknown ``r`` counts as 0). With ``D_k = ln V_k - ln V_1`` and its
    covariance ``B C B'``, ``W = D' (B C B')^-1 D`` and ``F = W/(K - 1) (nu - K + 2)/nu``, where
    ``nu = (N - 1)/2`` for the ``N`` topics of the union, on ``K - 1`` and ``nu - K + 2`` dof.

    Parameters
    ----------
    arrays : RoundArrays
        The rounds' variances.
    topic_codes : (stored topics,) int array
        The topic of each influence, numbered from 0.
    topics : int
        Number of topics in the union, with those of published variances.

    Returns
    -------
    Homogeneity
    """
    ratio = _max_min_ratio(arrays.variances)
    count, dof = arrays.variances.size, (topics - 1) / 2
    dof2 = dof - count + 2
    reason = _no_test(arrays, dof2)
    if reason is not None:
        return Homogeneity(None, None, None, None, ratio, reason)
    common = mean_topic_variance(arrays) / arrays.topics
    scale = np.sqrt(common / arrays.topic_variances)
    influences = SharedInfluences(
        arrays.influences * scale[arrays.round_of_topic],
        arrays.round_of_topic,
        topic_codes,
        np.nan_to_num(arrays.runs_parts) + np.where(arrays.published, common, 0),
    )
    wald = wald_of_equality(np.log(arrays.variances), influences)
    if wald is None:
        return Homogeneity(None, None, None, None, ratio, "not_separable")
    statistic = wald / (count - 1) * dof2 / dof
    p_value = float(fdtrc(count - 1, dof2, statistic))
    return Homogeneity(statistic, count - 1, dof2, p_value, ratio, None)


def mean_topic_variance(arrays: RoundArrays) -> float:
    """Variance of ln V that one topic brings, ``c2 = sum n_k^2 s_Tk^2 / sum n_k``."""
    return float(np.dot(arrays.topics**2, arrays.topic_variances) / arrays.topics.sum())


def _no_test(arrays: RoundArrays, dof2: float) -> NoTest | None:
    if arrays.variances.size < 2:
        return "one_round"
    for reason in arrays.reasons:
        if reason is not None:
            return reason
    if dof2 < 2:
        return "too_few_topics"
    return None if arrays.topic_variances.min() > _ROUNDING else "not_separable"


def _max_min_ratio(variances: NDArray[np.float64]) -> float | None:
    smallest, largest = float(variances.min()), float(variances.max())
    if smallest == 0:
        return None
    ratio = largest / smallest
    return ratio if math.isfinite(ratio) else None
