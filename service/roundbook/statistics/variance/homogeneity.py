"""Test of equal variances of several rounds, whether or not they share topics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from roundbook.statistics.score_matrix import Floats, Ints
from roundbook.statistics.variance.rounds import NoTest, RoundArrays, mean_topic_variance

# A smaller variance of ln V is the rounding of topics that are all alike.
_ROUNDING = 1e-20
# Up to so many estimates the matrix of all pairs is formed and factorised. For more, products with
# it do, which for 1,000 estimates take milliseconds where that takes a second.
_MANY = 100
_MOST_STEPS = 300
# Relative to the start; the statistic is wrong by the square of what is left.
_LEFT_AT_END = 1e-8
# A difference with less than this share of its variance unexplained by others is rounding.
_SINGULAR = 1e-10


@dataclass(frozen=True)
class Homogeneity:
    """Wald test, by F, of equal true variances.

    Attributes
    ----------
    statistic : float or None
        F; None where there is no test.
    dof : int or None
    dof_residual : float or None
        Its degrees of freedom, ``rounds - 1`` and ``(topics - 1)/2 - rounds + 2``.
    p_value : float or None
        Probability of an F at least as large where the true variances are equal.
    max_min_ratio : float or None
        Largest variance over smallest; None if the smallest is 0.
    reason : str or None
        Why there is no test: one of ``NoTest``.
    """

    statistic: float | None
    dof: int | None
    dof_residual: float | None
    p_value: float | None
    max_min_ratio: float | None
    reason: NoTest | None


def homogeneity(arrays: RoundArrays, topic_codes: Ints, topics: int) -> Homogeneity:
    """Test whether the variances of several rounds estimate one, topics shared or not.

    Under equal variances the rounds take one variance of ln V per topic,
    ``c2 = sum n_k^2 s_Tk^2 / sum n_k``: each round's influences are scaled to it, so that
    ``C = A A' + diag(r)`` (an unknown ``r`` counts as 0). With ``D_k = ln V_k - ln V_1`` and its
    covariance ``B C B'``, ``W = D' (B C B')^-1 D`` and ``F = W/(K - 1) (nu - K + 2)/nu``, where
    ``nu = (N - 1)/2`` for the ``N`` topics of the union, on ``K - 1`` and ``nu - K + 2`` dof.

    Parameters
    ----------
    arrays : RoundArrays
        Of one measure on one scale.
    topic_codes : (stored topics,) int array
        The topic of each influence, numbered from 0.
    topics : int
        Number of topics in the union, with those of published variances.
    """
    smallest, largest = float(arrays.variances.min()), float(arrays.variances.max())
    ratio = largest / smallest if smallest and math.isfinite(largest / smallest) else None
    count, nu = arrays.variances.size, (topics - 1) / 2
    dof_residual = nu - count + 2
    reason: NoTest | None = next(filter(None, arrays.reasons), None)
    if count < 2:
        reason = "one_round"
    elif reason is None and dof_residual < 2:
        reason = "too_few_topics"
    elif reason is None and arrays.topic_variances.min() <= _ROUNDING:
        reason = "not_separable"
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
    statistic = wald / (count - 1) * dof_residual / nu
    p_value = float(scipy.special.fdtrc(count - 1, dof_residual, statistic))
    return Homogeneity(statistic, count - 1, dof_residual, p_value, ratio, None)


@dataclass(frozen=True, eq=False)
class SharedInfluences:
    """Influences of topics on estimates, as the entries of a sparse matrix.

    Attributes
    ----------
    values : (entries,) float array
    estimates, topics : (entries,) int array
        Index of the estimate and of the topic, both from 0; no pair twice.
    own : (estimates,) float array
        Further variance of each estimate, independent of all others.
    """

    values: Floats
    estimates: Ints
    topics: Ints
    own: Floats

    def times(self, vector: Floats) -> Floats:
        """Multiply the covariance of the estimates by a vector."""
        by_topic = np.bincount(self.topics, self.values * vector[self.estimates])
        shared = np.bincount(self.estimates, self.values * by_topic[self.topics], vector.size)
        return self.own * vector + shared

    def variances(self) -> Floats:
        """Return the diagonal of the covariance of the estimates."""
        return self.own + np.bincount(self.estimates, self.values**2, self.own.size)


def wald_of_equality(values: Floats, influences: SharedInfluences) -> float | None:
    """Wald statistic of the hypothesis that all estimates are of one value.

    With ``A[k, u]`` the influence of topic ``u`` on estimate ``k`` and ``C = A A' + diag(own)``
    the covariance of the estimates, ``W = D' (B C B')^-1 D`` for the differences ``D = B x`` from
    the first of two or more estimates, ``B = [-1, I]``. None where the covariance of the
    differences is singular.
    """
    # Topics of a single estimate count among its own variance; the others are numbered anew.
    shared_topics = np.bincount(influences.topics) > 1
    shared = shared_topics[influences.topics]
    alone = influences.values[~shared] ** 2
    compact = SharedInfluences(
        influences.values[shared],
        influences.estimates[shared],
        (np.cumsum(shared_topics) - 1)[influences.topics[shared]],
        influences.own + np.bincount(influences.estimates[~shared], alone, influences.own.size),
    )
    statistic = _by_products(values, compact) if values.size > _MANY else None
    return _from_covariance(values, compact) if statistic is None else statistic


def _by_products(values: Floats, influences: SharedInfluences) -> float | None:
    # W is x' (P C P)^+ x, with P the projection on differences: the method of conjugate gradients
    # (Hestenes and Stiefel, J. Res. NBS 49, 1952), on estimates scaled to variance 1.
    scale = 1 / np.sqrt(influences.variances())
    scaled = SharedInfluences(
        influences.values * scale[influences.estimates],
        influences.estimates,
        influences.topics,
        influences.own * scale**2,
    )
    mean = scale / np.sqrt(np.dot(scale, scale))
    residual = (values - values.mean()) * scale
    residual -= mean * np.dot(mean, residual)
    direction = residual
    size = float(np.dot(residual, residual))
    end = size * _LEFT_AT_END**2
    statistic = 0.0
    for _ in range(_MOST_STEPS):
        if size <= end:
            return statistic
        moved = scaled.times(direction)
        moved -= mean * np.dot(mean, moved)
        curvature = float(np.dot(direction, moved))
        if curvature <= _SINGULAR * float(np.dot(direction, direction)):
            return None
        step = size / curvature
        statistic += step * size
        residual = residual - step * moved
        before, size = size, float(np.dot(residual, residual))
        direction = residual + size / before * direction
    return None


def _from_covariance(values: Floats, influences: SharedInfluences) -> float | None:
    covariance = np.stack([influences.times(column) for column in np.eye(values.size)])
    first = covariance[:1, 1:]
    differences = covariance[1:, 1:] - first - first.T + covariance[0, 0]
    variances = differences.diagonal()
    if not (variances > _SINGULAR * (covariance.diagonal()[1:] + covariance[0, 0])).all():
        return None
    scale = 1 / np.sqrt(variances)
    correlation = differences * scale * scale[:, np.newaxis]
    try:
        unexplained = np.linalg.cholesky(correlation).diagonal() ** 2
    except np.linalg.LinAlgError:
        return None
    if unexplained.min() <= _SINGULAR:
        return None
    scaled = (values[1:] - values[0]) * scale
    return float(np.dot(scaled, np.linalg.solve(correlation, scaled)))
