"""Kin groups: which runs of a round behave so alike that they may be one team's."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.ties import tied_topics

# Groups are joined while the mean correlation between their runs is at least .4. On TREC-COVID,
# where teams are known, this gives about as many groups as there are teams.
LARGEST_DISTANCE = 0.6


def kin_groups(scores: ArrayLike) -> NDArray[np.int64]:
    """Group the runs of a round by the topics they do well and badly on.

    Scores become mid-ranks within each topic. The similarity of two runs is the correlation of
    their ranks over topics; average linkage on one minus it is cut where the mean correlation
    falls below .4. Equal runs have the similarity 1; a run of one rank throughout has 0 with every
    other.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        The whole matrix of the round, not only the topics shared with another.

    Returns
    -------
    (runs,) int array
        Group of each run, numbered from 0 in the order of the runs.

    Raises
    ------
    ImpossibleStatistic
        If a cell has no finite score.

    Examples
    --------
    >>> kin_groups([[0.1, 0.2, 0.8, 0.9], [0.7, 0.8, 0.2, 0.1], [0.1, 0.3, 0.6, 0.5]]).tolist()
    [0, 0, 1, 1]
    """
    matrix = checked_scores(scores, "A kin group", least_runs=1)
    runs = matrix.shape[1]
    if runs < 2:
        return np.zeros(runs, dtype=np.int64)
    # SciPy's clustering takes .2 s to import, and rounds whose teams are known need none of it.
    from scipy.cluster.hierarchy import fcluster, linkage  # noqa: PLC0415
    from scipy.spatial.distance import squareform  # noqa: PLC0415

    ranks = _mid_ranks(matrix)
    # Without its last digits, so that distances that are equal but for rounding tie.
    distance = np.round(1 - _similarity(ranks), 12)
    # Tied distances are joined in the order of the runs, which should change nothing.
    order = np.lexsort(np.vstack([ranks, np.sort(distance, axis=0)]))
    tree = linkage(squareform(distance[np.ix_(order, order)], checks=False), method="average")
    groups = np.empty(runs, dtype=np.int64)
    groups[order] = fcluster(tree, LARGEST_DISTANCE, criterion="distance")
    return _numbered_by_appearance(groups)


def _mid_ranks(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank the runs within each topic; equal scores share the mean of their ranks."""
    tied = tied_topics(matrix)
    ranks = np.full(matrix.shape, (matrix.shape[1] + 1) / 2)
    for topic in np.flatnonzero(~tied):
        _, group, ties = np.unique(matrix[topic], return_inverse=True, return_counts=True)
        ranks[topic] = (np.cumsum(ties) - (ties - 1) / 2)[group]
    return ranks


def _similarity(ranks: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlate the columns; one that is constant is only similar to its equals."""
    deviations = ranks - ranks.mean(axis=0)
    length = np.sqrt(np.sum(deviations**2, axis=0))
    constant = np.ptp(ranks, axis=0) == 0
    deviations = np.where(constant, 0.0, deviations / np.where(constant, 1.0, length))
    similarity = np.asarray(deviations.T @ deviations)
    _, column = np.unique(ranks, axis=1, return_inverse=True)
    similarity[column[:, np.newaxis] == column] = 1.0
    return similarity


def _numbered_by_appearance(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, group = np.unique(groups, return_index=True, return_inverse=True)
    number = np.empty_like(first)
    number[np.argsort(first)] = np.arange(first.size)
    return number[group]
