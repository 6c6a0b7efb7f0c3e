"""The residual variance of one score matrix, without what its interval needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.statistics.score_matrix import checked_scores


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


def _sum_of_squares(matrix: NDArray[np.float64]) -> float:
    # Deviations from the first topic before those from the mean: the rounded mean of equal scores
    # need not equal them, and a run that never changes must contribute exactly 0.
    centred = matrix - matrix[:1]
    centred -= centred.mean(axis=0)
    flat = centred.ravel(order="K")
    return float(np.dot(flat, flat))
