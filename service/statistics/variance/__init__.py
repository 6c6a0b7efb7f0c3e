"""The residual variance of one score matrix, and the pooled variance of several."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic
from service.statistics.score_matrix import checked_scores


@dataclass(frozen=True)
class ResidualVariance:
    """One-way residual variance of a score matrix.

    Attributes
    ----------
    sum_of_squares : float
        Squared deviations from each run's own mean, summed over all cells (score unit squared).
    dof : int
        ``runs * (topics - 1)``.
    variance : float
        ``sum_of_squares / dof``.
    topics, runs : int
        Size of the matrix.
    """

    sum_of_squares: float
    dof: int
    variance: float
    topics: int
    runs: int


@dataclass(frozen=True)
class PooledVariance:
    """Residual variances of several matrices, averaged by degrees of freedom.

    Attributes
    ----------
    variance : float
        ``sum(dof_C * V_C) / sum(dof_C)``.
    dof : int
        ``sum(dof_C)``.
    count : int
        How many variances were pooled.
    max_min_ratio : float or None
        Largest variance over smallest, a warning when far from 1; None if the smallest is 0.
    """

    variance: float
    dof: int
    count: int
    max_min_ratio: float | None


def residual_variance(scores: ArrayLike) -> ResidualVariance:
    """Within-run (one-way) residual variance V_E of a score matrix.

    ``V_E = sum_ij (x_ij - mean_i)^2 / (m (n - 1))`` with ``mean_i`` the mean of run ``i`` over the
    ``n`` topics and ``m`` runs: the error mean square of a one-way ANOVA whose groups are the runs
    (Sakai, AIRS 2016; ddof 1 in each run).

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least two topics, at least one run.

    Returns
    -------
    ResidualVariance

    Raises
    ------
    ImpossibleStatistic
        If there are fewer than two topics, no run, or a cell without a finite score.

    Examples
    --------
    >>> residual_variance([[0.25, 0.5], [0.75, 0.5]]).variance
    0.0625
    """
    matrix = checked_scores(scores, "The residual variance", least_topics=2)
    topics, runs = matrix.shape
    total = _sum_of_squares(matrix)
    dof = runs * (topics - 1)
    return ResidualVariance(total, dof, total / dof, topics, runs)


def pool_variances(variances: ArrayLike, dofs: ArrayLike) -> PooledVariance:
    """Pool residual variances, each weighted by its degrees of freedom.

    ``V = sum_C dof_C V_C / sum_C dof_C`` over matrices ``C`` (Sakai, AIRS 2016).

    Parameters
    ----------
    variances : (matrices,) array_like of float
        Residual variances of one measure on one scale; none negative.
    dofs : (matrices,) array_like of int
        Their degrees of freedom, each at least 1.

    Returns
    -------
    PooledVariance

    Raises
    ------
    ImpossibleStatistic
        If there is nothing to pool, the lengths differ, a variance is negative or not finite, or
        a number of degrees of freedom is not a whole number of at least 1.
    """
    values, weights = _checked_estimates(variances, dofs)
    dof = sum(int(weight) for weight in weights)
    # Weights first scaled to shares, so that equal variances pool to that variance or a bit beside,
    # and no product of a large variance and a large dof overflows.
    pooled = math.fsum((values * (weights / dof)).tolist())
    return PooledVariance(pooled, dof, values.size, _max_min_ratio(values))


def _sum_of_squares(matrix: NDArray[np.float64]) -> float:
    # Deviations from the first topic before those from the mean: the rounded mean of equal scores
    # need not equal them, and a run that never changes must contribute exactly 0.
    centred = matrix - matrix[:1]
    centred -= centred.mean(axis=0)
    flat = centred.ravel(order="K")
    return float(np.dot(flat, flat))


def _max_min_ratio(values: NDArray[np.float64]) -> float | None:
    smallest, largest = float(values.min()), float(values.max())
    if smallest == 0:
        return None
    ratio = largest / smallest
    return ratio if math.isfinite(ratio) else None


def _checked_estimates(
    variances: ArrayLike, dofs: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    values = np.asarray(variances, dtype=np.float64)
    weights = np.asarray(dofs, dtype=np.float64)
    if values.ndim != 1 or values.shape != weights.shape:
        raise ImpossibleStatistic(
            "The pooled variance needs one number of degrees of freedom for each variance:"
            f" the shapes are {values.shape} and {weights.shape}."
        )
    if values.size == 0:
        raise ImpossibleStatistic("The pooled variance needs at least one variance.")
    for value in values[~((values >= 0) & np.isfinite(values))]:
        raise ImpossibleStatistic(
            f"The pooled variance needs variances that are finite and not negative, not {value}."
        )
    whole = np.isfinite(weights) & (np.floor(weights) == weights)
    for weight in weights[~((weights >= 1) & whole)]:
        raise ImpossibleStatistic(
            f"The pooled variance needs whole degrees of freedom of at least 1, not {weight}."
        )
    return values, weights
