"""One-way and two-way analysis of variance of one score matrix, without intervals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import Floats, checked_scores


@dataclass(frozen=True)
class TwoWayVariance:
    """Two-way residual variance of a score matrix, and the mean squares beside it.

    Attributes
    ----------
    variance : float
        The residual mean square, on ``(runs - 1) * (topics - 1)`` dof (score unit squared).
    system_mean_square, topic_mean_square : float
        Mean squares between runs (``runs - 1`` dof) and between topics (``topics - 1`` dof), on
        the scale of one score.
    topics, runs : int
        Size of the matrix.
    """

    variance: float
    system_mean_square: float
    topic_mean_square: float
    topics: int
    runs: int


def residual_variance(scores: ArrayLike) -> float:
    """Within-run (one-way) residual variance V_E of a score matrix.

    ``V_E = sum_ij (x_ij - mean_i)^2 / (m (n - 1))`` with ``mean_i`` the mean of run ``i`` over the
    ``n`` topics and ``m`` runs: the error mean square of a one-way ANOVA whose groups are the runs
    (Sakai, AIRS 2016; ddof 1 in each run).

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least two topics, at least one run.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics, no run, or a cell without a finite score.

    Examples
    --------
    >>> residual_variance([[0.25, 0.5], [0.75, 0.5]])
    0.0625
    """
    matrix = checked_scores(scores, "The residual variance", least_topics=2)
    topics, runs = matrix.shape
    # Deviations from the first topic before those from the mean: the rounded mean of equal scores
    # need not equal them, and a run that never changes must contribute exactly 0.
    centred = matrix - matrix[:1]
    centred -= centred.mean(axis=0)
    dof: int = runs * (topics - 1)
    return _squares(centred.ravel(order="K")) / dof


def two_way_variance(scores: ArrayLike) -> TwoWayVariance:
    """Residual variance of a score matrix once runs and topics are accounted for.

    With ``mean_i`` the mean of run ``i`` over the ``n`` topics, ``mean_j`` that of topic ``j`` over
    the ``m`` runs and ``mean`` that of all cells,

    - residual: ``sum_ij (x_ij - mean_i - mean_j + mean)^2 / ((m - 1) (n - 1))``;
    - systems: ``n sum_i (mean_i - mean)^2 / (m - 1)``;
    - topics: ``m sum_j (mean_j - mean)^2 / (n - 1)``,

    the mean squares of a two-way ANOVA without replication (Brennan, Generalizability Theory, 2001,
    the p x i design; ddof 1 in each direction).

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least two topics and two runs.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or two runs, or a cell without a finite score.

    Examples
    --------
    >>> parts = two_way_variance([[0.25, 0.5], [0.75, 0.5]])
    >>> parts.variance, parts.system_mean_square, parts.topic_mean_square
    (0.0625, 0.0, 0.0625)
    """
    matrix = checked_scores(scores, "The two-way residual variance", least_topics=2, least_runs=2)
    topics, runs = matrix.shape
    # Differences from the first run and the first topic before those from any mean: identical runs
    # then get a system mean square of exactly 0, topics alike one of exactly 0, and where either
    # holds no rounded mean leaves a residual behind.
    differences = matrix - matrix[:1]
    between_topics = _squared_deviations(differences.mean(axis=1))
    np.subtract(matrix, matrix[:, :1], out=differences)
    between_runs = _squared_deviations(differences.mean(axis=0))
    # In place from here on: three arrays of a large matrix would not stay in the cache.
    differences -= differences[:1].copy()
    differences -= differences.mean(axis=0)
    differences -= differences.mean(axis=1, keepdims=True)
    return TwoWayVariance(
        _squares(differences.ravel(order="K")) / ((runs - 1) * (topics - 1)),
        topics * between_runs / (runs - 1),
        runs * between_topics / (topics - 1),
        topics,
        runs,
    )


def _squared_deviations(means: Floats) -> float:
    return _squares(means - means.mean())


def _squares(values: Floats) -> float:
    return float(np.dot(values, values))
