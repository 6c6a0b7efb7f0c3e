"""What is kept of a score matrix, so that variances can be judged later without its scores."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic
from service.statistics.score_matrix import checked_scores

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


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Runs in the order of their clusters; no order where each run is a cluster."""

    order: NDArray[np.intp] | None
    starts: NDArray[np.intp]
    sizes: NDArray[np.float64]

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum (topics, runs) values over the runs of each cluster; may be the argument itself."""
        return values if self.order is None else np.add.reduceat(values, self.starts, axis=1)


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
    ImpossibleStatistic
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
    groups = _clusters(clusters, runs)
    if groups.order is not None:
        matrix = matrix.take(groups.order, axis=1)
    # Deviations from the first topic, and for the two-way residuals from the first run, before
    # those from any mean: runs that never change, or are all alike, must leave exactly 0.
    differences = matrix - matrix[:1]
    one_way = _part(differences - differences.mean(axis=0), groups, runs * (topics - 1), 0)
    two_way = None
    if runs > 1:
        differences -= differences[:, :1].copy()
        differences -= differences.mean(axis=0)
        differences -= differences.mean(axis=1, keepdims=True)
        two_way = _part(differences, groups, (runs - 1) * (topics - 1), 1)
    return VarianceParts(topics, runs, groups.sizes.size, one_way, two_way)


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


def _clusters(clusters: Sequence[Hashable] | NDArray[np.int64] | None, runs: int) -> _Clusters:
    if clusters is None:
        return _Clusters(None, np.arange(runs), np.ones(runs))
    if len(clusters) != runs:
        raise ImpossibleStatistic(
            f"The runs' part of a variance needs one team for each of the {runs} runs, not"
            f" {len(clusters)}."
        )
    codes: dict[Hashable, int] = {}
    code_of_run = np.array(
        [
            codes.setdefault((run,) if label is None else ("team", label), len(codes))
            for run, label in enumerate(clusters)
        ]
    )
    if len(codes) == runs:
        return _Clusters(None, np.arange(runs), np.ones(runs))
    sizes = np.bincount(code_of_run)
    starts = np.cumsum(sizes) - sizes
    return _Clusters(np.argsort(code_of_run, kind="stable"), starts, sizes.astype(np.float64))


def _part(
    residuals: NDArray[np.float64], groups: _Clusters, dof: int, topic_means: int
) -> VariancePart:
    """Sum up residuals, which are overwritten; `topic_means` is 1 where these were removed."""
    runs = residuals.shape[1]
    left = runs - groups.sizes
    moved: NDArray[np.float64] | float = 0.0
    known = groups.sizes.size >= 2 and bool(left.min() > topic_means)
    if topic_means and known:
        # The topic means move when a cluster goes.
        sums = groups.sums(residuals)
        moved = np.einsum("jg,jg->g", sums, sums) / left
    squares = groups.sums(np.square(residuals, out=residuals))
    by_topic = squares.sum(axis=1)
    total = float(by_topic.sum())
    runs_part = None
    if known and total > 0:
        squares /= total
        kept = 1 - squares.sum(axis=0) - moved / total
        ratios = kept * (runs - topic_means) / (left - topic_means)
        if ratios.min() > _NOTHING_LEFT:
            counted = _counted_with_topics(squares, by_topic / total, groups.sizes / runs)
            runs_part = max(0.0, _jackknife_variance(np.log(ratios)) - counted)
    return VariancePart(total, dof, total / dof, by_topic, runs_part)


def _jackknife_variance(logs: NDArray[np.float64]) -> float:
    deviations = logs - logs.mean()
    return float((logs.size - 1) / logs.size * np.dot(deviations, deviations))


def _counted_with_topics(
    squares: NDArray[np.float64], by_topic: NDArray[np.float64], sizes: NDArray[np.float64]
) -> float:
    """Part of the jackknife over clusters that the one over topics holds; all as shares of SS."""
    topics, count = squares.shape
    # The square multiplied out: the (topics, clusters) differences need not be formed. Without
    # BLAS, whose threads wait for each other longer than these sums take.
    total = (
        np.einsum("jg,jg->", squares, squares)
        - 2 * np.dot(np.einsum("j,jg->g", by_topic, squares), sizes)
        + np.dot(sizes, sizes) * np.dot(by_topic, by_topic)
        - np.square(squares.sum(axis=0) - sizes).sum() / topics
    )
    return float(max(0.0, total) * topics * count / ((topics - 1) * (count - 1)))
