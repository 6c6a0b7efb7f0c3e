"""The parts of a matrix's variances that are stored, from which intervals follow without scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import Floats, Ints, checked_scores

# Residuals of this share of the largest score are its last digits, as where runs differ by the same
# amount on every topic.
_ROUNDING = 1e-12
# Less than this share of the sum of squares left without a cluster, or a topic, is rounding.
NOTHING_LEFT = 1e-12
# Scores worked on at a time: they stay in the processor's cache, which halves the time.
_BLOCK = 2**15
# Scores not below it, nor beyond its inverse, have fourth powers that a float holds.
_SMALL = 1e-50


@dataclass(frozen=True, eq=False)
class ResidualVariance:
    """A residual variance of a score matrix, with the parts of its uncertainty.

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
    by_topic: Floats
    runs_part: float | None


@dataclass(frozen=True, eq=False)
class MatrixVariances:
    """Both residual variances of one score matrix.

    Attributes
    ----------
    topics, runs, clusters : int
        Size of the matrix, and how many clusters its runs form.
    one_way : ResidualVariance
        Around each run's own mean (V_E).
    two_way : ResidualVariance or None
        Around run and topic means (V_2); None for a single run.
    """

    topics: int
    runs: int
    clusters: int
    one_way: ResidualVariance
    two_way: ResidualVariance | None


def variance_parts(
    scores: ArrayLike, clusters: Sequence[Hashable] | Ints | None = None
) -> MatrixVariances:
    """Both residual variances of a score matrix, with the parts that their intervals need.

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
    matrix = checked_scores(scores, "The residual variance", least_topics=2)
    topics, runs = matrix.shape
    groups, alone = _clusters_of(clusters, runs), _clusters_of(None, runs)
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
    largest = max(float(centred.max()), -float(centred.min()))
    # Squares below the least float are 0 in any unit.
    unit = 1.0 if _SMALL < largest < 1 / _SMALL else largest**2 or 1.0
    noise = matrix.size * (_ROUNDING * max(float(matrix.max()), -float(matrix.min()))) ** 2
    kinds = (None, of_topics) if runs > 1 else (None,)
    # To the last digit, only the runs' parts shall depend on the clusters.
    sums = by_cluster = [_residual_sums(centred, means, alone, unit) for means in kinds]
    if groups.order is not None:
        grouped = centred.T[groups.order].T
        by_cluster = [_residual_sums(grouped, means, groups, unit) for means in kinds]
    one_way, *two_way = (
        _part(of_runs, of_clusters, groups, lost, noise)
        for lost, (of_runs, of_clusters) in enumerate(zip(sums, by_cluster, strict=True))
    )
    return MatrixVariances(
        topics, runs, groups.sizes.size, one_way, two_way[0] if two_way else None
    )


def _centred(scores: Floats) -> Floats:
    # Each run's scores side by side in memory, as the logbook has them.
    differences = np.subtract(scores, scores[:1], order="F")
    differences -= differences.mean(axis=0)
    return differences


def _part(
    sums: _ResidualSums, by_cluster: _ResidualSums, groups: _Clusters, lost: int, noise: float
) -> ResidualVariance:
    """Return a variance from its sums by run and by cluster; 0 if these are at most `noise`.

    `lost` is 1 for residuals without topic means: then deleting a cluster moves these.
    """
    topics, runs = sums.by_topic.size, sums.by_cluster.size
    dof = (runs - lost) * (topics - 1)
    total = float(sums.by_topic.sum())
    if total <= noise:
        return ResidualVariance(0.0, dof, 0.0, np.zeros(topics), None)
    left = runs - groups.sizes
    runs_part = None
    if groups.sizes.size >= 2 and left.min() > lost:
        moved = by_cluster.squared_sums / left if lost else 0.0
        kept = 1 - (by_cluster.by_cluster + moved) / total
        ratios = kept * (runs - lost) / (left - lost)
        if ratios.min() > NOTHING_LEFT:
            counted = _counted_with_topics(by_cluster, total, groups.sizes / runs)
            logs = np.log(ratios)
            logs -= logs.mean()
            jackknife = float((logs.size - 1) / logs.size * np.dot(logs, logs))
            runs_part = max(0.0, jackknife - counted)
    return ResidualVariance(total, dof, total / dof, sums.by_topic, runs_part)


def _counted_with_topics(sums: _ResidualSums, total: float, shares: Floats) -> float:
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


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Runs in the order of their clusters; no order where each run is a cluster."""

    order: NDArray[np.intp] | None
    starts: NDArray[np.intp]
    sizes: Floats

    def blocks(self, topics: int) -> Iterator[_Block]:
        """Yield blocks of whole clusters, each small enough for the processor's cache."""
        stops = np.cumsum(self.sizes).astype(np.intp)
        most = max(1, _BLOCK // topics)
        first = 0
        while first < stops.size:
            begin = self.starts[first]
            last = max(first + 1, int(np.searchsorted(stops, begin + most, side="right")))
            starts = None if self.order is None else self.starts[first:last] - begin
            yield _Block(slice(first, last), slice(begin, stops[last - 1]), starts)
            first = last


@dataclass(frozen=True, eq=False)
class _Block:
    """Some clusters and their runs, and where among these each begins if it has several."""

    clusters: slice
    runs: slice
    starts: NDArray[np.intp] | None

    def sums(self, values: Floats) -> Floats:
        """Sum (topics, runs) values over the runs of each cluster; may be the argument itself."""
        return values if self.starts is None else np.add.reduceat(values, self.starts, axis=1)


def _clusters_of(clusters: Sequence[Hashable] | Ints | None, runs: int) -> _Clusters:
    """Order runs by their clusters, which :func:`variance_parts` describes."""
    alone = _Clusters(None, np.arange(runs), np.ones(runs))
    if clusters is None:
        return alone
    if len(clusters) != runs:
        raise ImpossibleStatisticError(
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
        return alone
    sizes = np.bincount(code_of_run)
    starts = np.cumsum(sizes) - sizes
    return _Clusters(np.argsort(code_of_run, kind="stable"), starts, sizes.astype(np.float64))


@dataclass(frozen=True, eq=False)
class _ResidualSums:
    """Sums of squared residuals, which by topic and cluster are ``H_jg``.

    Attributes
    ----------
    by_topic : (topics,) float array
    by_cluster : (clusters,) float array
    squared_sums : (clusters,) float array
        Of the residuals themselves: summed over a cluster's runs, squared, summed over topics.
    weighted : (topics,) float array
        ``H_jg`` summed over clusters, each times its share of the runs.
    fourth : float
        ``H_jg^2`` summed over topics and clusters, in squares of `unit`.
    unit : float
        1, or a sum of squares where a fourth power would be too large or too small.
    """

    by_topic: Floats
    by_cluster: Floats
    squared_sums: Floats
    weighted: Floats
    fourth: float
    unit: float


def _residual_sums(
    centred: Floats, topic_means: Floats | None, groups: _Clusters, unit: float
) -> _ResidualSums:
    """Sum squared residuals, a block of clusters at a time.

    `centred` are (topics, runs) scores less their run's mean, in the order of `groups`; the
    (topics, 1) means of topics are taken off besides for two-way residuals.
    """
    topics, runs = centred.shape
    shares = groups.sizes / runs
    by_topic, weighted = np.zeros(topics), np.zeros(topics)
    by_cluster, squared_sums = np.zeros(shares.size), np.zeros(shares.size)
    fourth = 0.0
    # Without BLAS, whose threads wait for each other longer than these sums take.
    for block in groups.blocks(topics):
        clusters = block.clusters
        residuals = centred[:, block.runs]
        if topic_means is not None:
            residuals = residuals - topic_means
            sums = block.sums(residuals)
            squared_sums[clusters] = np.einsum("jg,jg->g", sums, sums)
        squares = block.sums(np.square(residuals))
        by_topic += squares.sum(axis=1)
        by_cluster[clusters] = squares.sum(axis=0)
        if groups.order is not None:
            weighted += np.einsum("jg,g->j", squares, shares[clusters])
        if unit != 1:
            squares /= unit
        fourth += float(np.einsum("jg,jg->", squares, squares))
    if groups.order is None:
        weighted = by_topic / runs
    return _ResidualSums(by_topic, by_cluster, squared_sums, weighted, fourth, unit)
