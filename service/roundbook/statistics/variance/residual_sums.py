"""Sums of squared residuals by topic and by cluster of runs, in one pass through the scores."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import ImpossibleStatisticError

# Scores worked on at a time: they stay in the processor's cache, which halves the time.
_BLOCK = 2**15
# Scores not below it, nor beyond its inverse, have fourth powers that a float holds.
_SMALL = 1e-50


@dataclass(frozen=True, eq=False)
class Clusters:
    """Runs in the order of their clusters; no order where each run is a cluster."""

    order: NDArray[np.intp] | None
    starts: NDArray[np.intp]
    sizes: NDArray[np.float64]

    def blocks(self, topics: int) -> Iterator[Block]:
        """Yield whole clusters, as many at a time as are worked on at once."""
        stops = np.cumsum(self.sizes).astype(np.intp)
        most = max(1, _BLOCK // topics)
        first = 0
        while first < stops.size:
            begin = self.starts[first]
            last = max(first + 1, int(np.searchsorted(stops, begin + most, side="right")))
            starts = None if self.order is None else self.starts[first:last] - begin
            yield Block(slice(first, last), slice(begin, stops[last - 1]), starts)
            first = last


@dataclass(frozen=True, eq=False)
class Block:
    """Some clusters and their runs, and where among these each begins if it has several."""

    clusters: slice
    runs: slice
    starts: NDArray[np.intp] | None

    def sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum (topics, runs) values over the runs of each cluster; may be the argument itself."""
        return values if self.starts is None else np.add.reduceat(values, self.starts, axis=1)


def clusters_of(clusters: Sequence[Hashable] | NDArray[np.int64] | None, runs: int) -> Clusters:
    """Order runs by their clusters, as :func:`~roundbook.statistics.variance.parts.variance_parts`.

    Raises
    ------
    ImpossibleStatisticError
        If there is not one cluster for each run.
    """
    if clusters is None:
        return single_runs(runs)
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
        return single_runs(runs)
    sizes = np.bincount(code_of_run)
    starts = np.cumsum(sizes) - sizes
    return Clusters(np.argsort(code_of_run, kind="stable"), starts, sizes.astype(np.float64))


def single_runs(runs: int) -> Clusters:
    """Return runs in their own order, each a cluster."""
    return Clusters(None, np.arange(runs), np.ones(runs))


@dataclass(frozen=True, eq=False)
class ResidualSums:
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


def residual_sums(
    centred: NDArray[np.float64],
    topic_means: NDArray[np.float64] | None,
    groups: Clusters,
    unit: float,
) -> ResidualSums:
    """Sum squared residuals, a block of clusters at a time.

    Parameters
    ----------
    centred : (topics, runs) float array
        Scores less their run's mean, the runs in the order of `groups`.
    topic_means : (topics, 1) float array or None
        What is taken off besides, for two-way residuals.
    groups : Clusters
    unit : float
        From :func:`unit_of`.

    Returns
    -------
    ResidualSums
    """
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
    return ResidualSums(by_topic, by_cluster, squared_sums, weighted, fourth, unit)


def unit_of(centred: NDArray[np.float64]) -> float:
    """Return by what sums of squares are to be divided before they are squared: mostly 1."""
    largest = max(float(centred.max()), -float(centred.min()))
    if _SMALL < largest < 1 / _SMALL:
        return 1.0
    return largest**2 or 1.0  # squares below the least float are 0 in any unit
