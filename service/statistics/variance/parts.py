"""What is kept of a score matrix, so that variances can be judged later without its scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic
from service.statistics.score_matrix import checked_scores

# Less than this share of the sum of squares left after a deletion is rounding.
_NOTHING_LEFT = 1e-12
# Scores worked on at a time: they stay in the processor's cache, which halves the time.
_BLOCK = 2**15
# Scores not below it, nor beyond its inverse, have fourth powers that a float holds.
_SMALL = 1e-50


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

    def blocks(self, topics: int) -> Iterator[_Block]:
        """Yield whole clusters, as many at a time as are worked on at once."""
        ends = np.cumsum(self.sizes).astype(np.intp)
        most = max(1, _BLOCK // topics)
        first = 0
        while first < ends.size:
            begin = self.starts[first]
            last = max(first + 1, int(np.searchsorted(ends, begin + most, side="right")))
            starts = None if self.order is None else self.starts[first:last] - begin
            yield _Block(slice(first, last), slice(begin, ends[last - 1]), starts)
            first = last


@dataclass(frozen=True, eq=False)
class _Block:
    """Some clusters and their runs, and where among these each begins if it has several."""

    clusters: slice
    runs: slice
    starts: NDArray[np.intp] | None

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum (topics, runs) values over the runs of each cluster; may be the argument itself."""
        return values if self.starts is None else np.add.reduceat(values, self.starts, axis=1)


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
    centred = np.empty((runs, topics)).T
    first_run = _centred(matrix[:, :1])
    from_first = np.zeros((topics, 1))
    for block in groups.blocks(topics):
        part = _centred(matrix[:, block.runs])
        centred[:, block.runs] = part
        part -= first_run
        from_first += part.sum(axis=1, keepdims=True)
    unit = _unit(centred)
    one_way = _part(centred, None, groups, unit)
    two_way = None
    if runs > 1:
        two_way = _part(centred, first_run + from_first / runs, groups, unit)
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


def _centred(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    # Each run's scores side by side in memory, as the logbook has them.
    differences = np.subtract(scores, scores[:1], order="F")
    differences -= differences.mean(axis=0)
    return differences


def _part(
    centred: NDArray[np.float64],
    topic_means: NDArray[np.float64] | None,
    groups: _Clusters,
    unit: float,
) -> VariancePart:
    """Sum up scores less their run's mean, and for the two-way variance less their topic's."""
    topics, runs = centred.shape
    lost = 0 if topic_means is None else 1
    dof = (runs - lost) * (topics - 1)
    left = runs - groups.sizes
    known = groups.sizes.size >= 2 and bool(left.min() > lost)
    sums = _sums(centred, topic_means, groups, unit)
    total = float(sums.by_topic.sum())
    runs_part = None
    if known and total > 0:
        # The topic means move when a cluster goes.
        moved = sums.squared_sums / left if lost else 0.0
        kept = 1 - (sums.by_cluster + moved) / total
        ratios = kept * (runs - lost) / (left - lost)
        if ratios.min() > _NOTHING_LEFT:
            counted = _counted_with_topics(sums, total, groups.sizes / runs)
            runs_part = max(0.0, _jackknife_variance(np.log(ratios)) - counted)
    return VariancePart(total, dof, total / dof, sums.by_topic, runs_part)


@dataclass(frozen=True, eq=False)
class _Sums:
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

    by_topic: NDArray[np.float64]
    by_cluster: NDArray[np.float64]
    squared_sums: NDArray[np.float64]
    weighted: NDArray[np.float64]
    fourth: float
    unit: float


def _sums(
    centred: NDArray[np.float64],
    topic_means: NDArray[np.float64] | None,
    groups: _Clusters,
    unit: float,
) -> _Sums:
    topics, runs = centred.shape
    shares = groups.sizes / runs
    by_topic, weighted = np.zeros(topics), np.zeros(topics)
    by_cluster, squared_sums = np.zeros(shares.size), np.zeros(shares.size)
    fourth = 0.0
    # Without BLAS, whose threads wait for each other longer than these sums take.
    for block in groups.blocks(topics):
        some = block.clusters
        residuals = centred[:, block.runs]
        if topic_means is not None:
            residuals = residuals - topic_means
            sums = block.sums(residuals)
            squared_sums[some] = np.einsum("jg,jg->g", sums, sums)
        squares = block.sums(np.square(residuals))
        by_topic += squares.sum(axis=1)
        by_cluster[some] = squares.sum(axis=0)
        if groups.order is not None:
            weighted += np.einsum("jg,g->j", squares, shares[some])
        if unit != 1:
            squares /= unit
        fourth += float(np.einsum("jg,jg->", squares, squares))
    if groups.order is None:
        weighted = by_topic / runs
    return _Sums(by_topic, by_cluster, squared_sums, weighted, fourth, unit)


def _unit(centred: NDArray[np.float64]) -> float:
    largest = max(float(centred.max()), -float(centred.min()))
    return 1.0 if _SMALL < largest < 1 / _SMALL or largest == 0 else largest**2


def _jackknife_variance(logs: NDArray[np.float64]) -> float:
    deviations = logs - logs.mean()
    return float((logs.size - 1) / logs.size * np.dot(deviations, deviations))


def _counted_with_topics(sums: _Sums, total: float, shares: NDArray[np.float64]) -> float:
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
