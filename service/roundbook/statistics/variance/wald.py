"""The Wald statistic of equal estimates that share topics in any pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Up to so many estimates the matrix of all pairs is formed and factorised. For more, products with
# it do, which for 1,000 estimates take milliseconds where that takes a second.
_MANY = 100
_MOST_STEPS = 300
# Relative to the start; the statistic is wrong by the square of what is left.
_LEFT_AT_END = 1e-8
# A difference with less than this share of its variance unexplained by others is rounding.
_ROUNDING = 1e-10


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

    values: NDArray[np.float64]
    estimates: NDArray[np.int64]
    topics: NDArray[np.int64]
    own: NDArray[np.float64]

    def times(self, vector: NDArray[np.float64]) -> NDArray[np.float64]:
        """Multiply the covariance of the estimates by a vector."""
        by_topic = np.bincount(self.topics, self.values * vector[self.estimates])
        shared = np.bincount(self.estimates, self.values * by_topic[self.topics], vector.size)
        return self.own * vector + shared

    def variances(self) -> NDArray[np.float64]:
        """Return the diagonal of the covariance of the estimates."""
        return self.own + np.bincount(self.estimates, self.values**2, self.own.size)


def wald_of_equality(values: NDArray[np.float64], influences: SharedInfluences) -> float | None:
    """Wald statistic of the hypothesis that all estimates are of one value.

    With ``A[k, u]`` the influence of topic ``u`` on estimate ``k`` and ``C = A A' + diag(own)``
    the covariance of the estimates, ``W = D' (B C B')^-1 D`` for the differences ``D = B x`` from
    the first estimate, ``B = [-1, I]``.

    Parameters
    ----------
    values : (estimates,) float array
        At least two.
    influences : SharedInfluences

    Returns
    -------
    float or None
        None where the covariance of the differences is singular.
    """
    compact = _only_shared(influences)
    statistic = _by_products(values, compact) if values.size > _MANY else None
    return _from_covariance(values, compact) if statistic is None else statistic


def _only_shared(influences: SharedInfluences) -> SharedInfluences:
    """Count topics of a single estimate among its own variance, and number the others anew."""
    shared_topics = np.bincount(influences.topics) > 1
    shared = shared_topics[influences.topics]
    alone = influences.values[~shared] ** 2
    own = influences.own + np.bincount(influences.estimates[~shared], alone, influences.own.size)
    codes = np.cumsum(shared_topics) - 1
    return SharedInfluences(
        influences.values[shared],
        influences.estimates[shared],
        codes[influences.topics[shared]],
        own,
    )


def _by_products(values: NDArray[np.float64], influences: SharedInfluences) -> float | None:
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
        if curvature <= _ROUNDING * float(np.dot(direction, direction)):
            return None
        step = size / curvature
        statistic += step * size
        residual = residual - step * moved
        before, size = size, float(np.dot(residual, residual))
        direction = residual + size / before * direction
    return None


def _from_covariance(values: NDArray[np.float64], influences: SharedInfluences) -> float | None:
    covariance = np.stack([influences.times(column) for column in np.eye(values.size)])
    first = covariance[:1, 1:]
    differences = covariance[1:, 1:] - first - first.T + covariance[0, 0]
    variances = differences.diagonal()
    if not (variances > _ROUNDING * (covariance.diagonal()[1:] + covariance[0, 0])).all():
        return None
    scale = 1 / np.sqrt(variances)
    correlation = differences * scale * scale[:, np.newaxis]
    try:
        unexplained = np.linalg.cholesky(correlation).diagonal() ** 2
    except np.linalg.LinAlgError:
        return None
    if unexplained.min() <= _ROUNDING:
        return None
    scaled = (values[1:] - values[0]) * scale
    return float(np.dot(scaled, np.linalg.solve(correlation, scaled)))
