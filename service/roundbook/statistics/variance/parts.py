"""What is kept of a score matrix, so that variances can be judged later without its scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.variance.residual_sums import (
    Clusters,
    ResidualSums,
    clusters_of,
    residual_sums,
    single_runs,
    unit_of,
)

# Residuals of this share of the largest score are its last digits, as where runs differ by the same
# amount on every topic.
_ROUNDING = 1e-12
# Less than this share of the sum of squares left after a deletion is rounding.
_NOTHING_LEFT = 1e-12


@dataclass(frozen=True, eq=False)
class VariancePart:
    """One residual variance of a score matrix, and what its uncertainty is made of.

    Attributes
    ----------
    sum_of_squares : float
        Squared residuals summed over all cells (score unit squared).
    dof : int
        ``runs * (topics - 1)`` one-way, ``(runs - 1) * (topics - 1)`` two-way.
    variance : float
        ``sum_of_squares / dof``.
    by_topic : (topics,) float array
        Squared residuals summed over the runs; they add up to `sum_of_squares`.
    runs_part : float or None
        Variance of ln `variance` that comes from which clusters took part, and not from topics
        (no unit). None where it cannot be known: fewer than two clusters or runs, one cluster with
        all the variance, or for the two-way variance one with all runs but one.
    """

    sum_of_squares: float
    dof: int
    variance: float
    by_topic: NDArray[np.float64]
    runs_part: float | None


@dataclass(frozen=True, eq=False)
class VarianceParts:
    """Both residual variances of one score matrix.

    Attributes
    ----------
    topics, runs, clusters : int
        Size of the matrix, and how many clusters its runs form.
    one_way : VariancePart
        Around each run's own mean (V_E).
    two_way : VariancePart or None
        Around run and topic means (V_2); None for a single run.
    """

    topics: int
    runs: int
    clusters: int
    one_way: VariancePart
    two_way: VariancePart | None


@dataclass(frozen=True)
class RunsParts:
    """The runs' parts of both variances, where the runs form `clusters` clusters."""

    clusters: int
    one_way: float | None
    two_way: float | None


def variance_parts(
    scores: ArrayLike, clusters: Sequence[Hashable] | NDArray[np.int64] | None = None
) -> VarianceParts:
    """Both residual variances of a score matrix, with what their intervals need.

    With ``c_ij = x_ij - mean_i`` for the one-way and ``x_ij - mean_i - mean_j + mean`` for the
    two-way variance, ``d_j = sum_i c_ij^2``, ``SS = sum_j d_j``, and for cluster ``g`` of ``m_g``
    runs ``H_gj = sum_(i in g) c_ij^2``, ``E_g = sum_j H_gj``, ``T_gj = sum_(i in g) c_ij``:

    - deleting ``g`` changes ln V by ``L_g = ln[(SS - E_g)/SS m/(m - m_g)]`` one-way, and by
      ``L_g = ln[(SS - E_g - sum_j T_gj^2/(m - m_g))/SS (m - 1)/(m - m_g - 1)]`` two-way;
    - ``(G - 1)/G sum_g (L_g - mean L)^2`` is the jackknife variance over ``G`` clusters;
    - the topic jackknife holds ``q = nG/((n - 1)(G - 1)) sum_gj (u_gj - mean_j u_gj)^2`` of it
      already, ``u_gj = (H_gj - m_g/m d_j)/SS``;
    - the runs' part is what is more than ``q``, and not below 0.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least two topics, at least one run.
    clusters : (runs,) sequence of hashable, optional
        The team of each run, compared as it is; None in it is a run of its own. Without it, each
        run is a cluster.

    Returns
    -------
    VarianceParts

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics, no run, a cell without a finite score, or not one
        cluster for each run.

    Examples
    --------
    >>> parts = variance_parts([[0.1, 0.2, 0.3], [0.4, 0.3, 0.5], [0.9, 0.7, 0.6]])
    >>> round(parts.one_way.variance, 6), round(parts.two_way.variance, 6)
    (0.085556, 0.019444)
    >>> parts.one_way.by_topic.round(6).tolist()
    [0.202222, 0.015556, 0.295556]
    """
    matrix = checked_scores(scores, "The residual variance", least_topics=2, least_runs=1)
    topics, runs = matrix.shape
    groups, alone = clusters_of(clusters, runs), single_runs(runs)
    # Deviations from the first topic, and for the two-way residuals from the first run, before
    # those from any mean: runs that never change, or are all alike, must leave exactly 0.
    centred = np.empty((runs, topics)).T
    first_run = _centred(matrix[:, :1])
    from_first = np.zeros((topics, 1))
    for block in alone.blocks(topics):
        part = _centred(matrix[:, block.runs])
        centred[:, block.runs] = part
        part -= first_run
        from_first += part.sum(axis=1, keepdims=True)
    of_topics = first_run + from_first / runs
    unit = unit_of(centred)
    noise = matrix.size * (_ROUNDING * max(float(matrix.max()), -float(matrix.min()))) ** 2
    kinds = (None, of_topics) if runs > 1 else (None,)
    # To the last digit, only the runs' parts shall depend on the clusters.
    sums = by_cluster = [residual_sums(centred, means, alone, unit) for means in kinds]
    if groups.order is not None:
        grouped = centred.T[groups.order].T
        by_cluster = [residual_sums(grouped, means, groups, unit) for means in kinds]
    one_way, *two_way = (
        _part(of_runs, of_clusters, groups, lost, noise)
        for lost, (of_runs, of_clusters) in enumerate(zip(sums, by_cluster, strict=True))
    )
    return VarianceParts(topics, runs, groups.sizes.size, one_way, two_way[0] if two_way else None)


def runs_parts(scores: ArrayLike, clusters: Sequence[Hashable] | NDArray[np.int64]) -> RunsParts:
    """Estimate the runs' parts anew, as when the teams of the runs become known later.

    Parameters, errors and formulas are those of :func:`variance_parts`.

    Returns
    -------
    RunsParts
    """
    parts = variance_parts(scores, clusters)
    two_way = None if parts.two_way is None else parts.two_way.runs_part
    return RunsParts(parts.clusters, parts.one_way.runs_part, two_way)


def _centred(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    # Each run's scores side by side in memory, as the logbook has them.
    differences = np.subtract(scores, scores[:1], order="F")
    differences -= differences.mean(axis=0)
    return differences


def _part(
    sums: ResidualSums, by_cluster: ResidualSums, groups: Clusters, lost: int, noise: float
) -> VariancePart:
    """Return a variance from its sums by run and by cluster; 0 if these are at most `noise`.

    `lost` is 1 for residuals without topic means: then deleting a cluster moves these.
    """
    topics, runs = sums.by_topic.size, sums.by_cluster.size
    dof = (runs - lost) * (topics - 1)
    total = float(sums.by_topic.sum())
    if total <= noise:
        return VariancePart(0.0, dof, 0.0, np.zeros(topics), None)
    left = runs - groups.sizes
    runs_part = None
    if groups.sizes.size >= 2 and left.min() > lost:
        moved = by_cluster.squared_sums / left if lost else 0.0
        kept = 1 - (by_cluster.by_cluster + moved) / total
        ratios = kept * (runs - lost) / (left - lost)
        if ratios.min() > _NOTHING_LEFT:
            counted = _counted_with_topics(by_cluster, total, groups.sizes / runs)
            logs = np.log(ratios)
            logs -= logs.mean()
            jackknife = float((logs.size - 1) / logs.size * np.dot(logs, logs))
            runs_part = max(0.0, jackknife - counted)
    return VariancePart(total, dof, total / dof, sums.by_topic, runs_part)


def _counted_with_topics(sums: ResidualSums, total: float, shares: NDArray[np.float64]) -> float:
    """Part of the jackknife over clusters that the one over topics holds, as a share of SS^2."""
    topics, count = sums.by_topic.size, shares.size
    by_topic = sums.by_topic / total
    # The square multiplied out: the (topics, clusters) differences need not be formed.
    squared = (
        sums.fourth * (sums.unit / total) ** 2
        - 2 * np.dot(by_topic, sums.weighted / total)
        + np.dot(shares, shares) * np.dot(by_topic, by_topic)
        - np.square(sums.by_cluster / total - shares).sum() / topics
    )
    return float(max(0.0, squared) * topics * count / ((topics - 1) * (count - 1)))
