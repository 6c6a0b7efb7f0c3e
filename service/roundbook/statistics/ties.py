"""Scores, means and values that are equal, or equal but for the rounding of arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.bootstrap import resampled_means
from roundbook.statistics.score_matrix import Bools, Floats, checked_scores

# Scores that a program rounds or averages differ in their last digits where they are meant to be
# equal: a topic whose scores span less than this share of the largest of them bears no difference.
_ROUNDING = 1e-12


def tied_topics(scores: Floats) -> Bools:
    """Return the mask of topics on which all runs tie.

    A topic ties if ``max_i x_ij - min_i x_ij <= 1e-12 max_i |x_ij|``. Of (topics, runs) scores of
    one run at least, finite and not checked.

    Examples
    --------
    >>> tied_topics(np.array([[0.1, 0.2], [0.3, 0.1 + 0.2], [0.0, 0.0]])).tolist()
    [False, True, True]
    """
    high, low = scores.max(axis=1), scores.min(axis=1)
    return np.asarray(high - low <= _ROUNDING * np.maximum(high, -low))


def off_value(scores: Floats, values: Floats) -> Bools:
    """Return the mask of scores that differ from their topic's value by more than rounding.

    A score ``x`` does not if ``|x - v| <= 1e-12 max(|v|, max_i |x_i|)``. Of (topics, runs) scores
    and (topics,) values, finite and not checked.

    Examples
    --------
    >>> off_value(np.array([[0.3, 0.1 + 0.2, 0.4]]), np.array([0.3])).tolist()
    [[False, False, True]]
    """
    largest = np.maximum(np.abs(scores).max(axis=1), np.abs(values))
    return np.asarray(np.abs(scores - values[:, None]) > _ROUNDING * largest[:, None])


def centred_rows(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean of each row and the deviations from it; 0 for a row of one value.

    Of (rows, columns) values, of one column at least.
    """
    # From the first value before the mean: the rounded mean of equal values need not equal them.
    deviations = values - values[:, :1]
    offset = deviations.mean(axis=1)
    deviations -= offset[:, np.newaxis]
    return values[:, 0] + offset, deviations


def without_rounding(values: Floats, largest: float) -> Floats:
    """Return values in which those that differ by rounding only are equal, along the last axis.

    A sum of decimals in binary depends on the order of its terms, so that values that should tie
    differ in their last bits and seem ranked. Of values in order, each that exceeds the one before
    it by at most ``1e-12 largest`` becomes equal to it; `largest` is the largest absolute score
    that they were computed from.

    Examples
    --------
    >>> first, second = without_rounding(np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]), 1.0)
    >>> bool(first == second)
    True
    """
    order = values.argsort(axis=-1)
    ascending = np.take_along_axis(values, order, axis=-1)
    apart = np.diff(ascending, axis=-1, prepend=-np.inf) > _ROUNDING * largest
    least = np.maximum.accumulate(np.where(apart, ascending, -np.inf), axis=-1)
    joined = np.empty_like(ascending)
    np.put_along_axis(joined, order, least, axis=-1)
    return joined


def run_means(scores: ArrayLike, weights: Floats | None = None) -> Floats:
    """Mean of each run over the topics, equal where two differ by rounding only.

    Runs of a coarse measure such as P@10 often tie, and a sum of decimals in binary depends on the
    order of its terms: computed plainly, such means differ in their last bits and seem ranked. Here
    means that differ by at most 1e-12 of the largest absolute score are equal. For figures computed
    from means take plain ones.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells.
    weights : (resamples, topics) float array, optional
        From :func:`roundbook.statistics.bootstrap.topic_weights`, for the means in each resample.

    Returns
    -------
    (runs,) float array, or (resamples, runs) with weights

    Raises
    ------
    ImpossibleStatisticError
        If there is no topic or no run, or a cell without a finite score.

    Examples
    --------
    >>> scores = [[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]
    >>> 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    False
    >>> first, second = run_means(scores)
    >>> bool(first == second)
    True
    """
    matrix = checked_scores(scores, "The mean of a run")
    means = resampled_means(matrix, np.ones((1, len(matrix))) if weights is None else weights)
    means = without_rounding(means, float(np.abs(matrix).max()))
    return np.asarray(means[0] if weights is None else means)


def mid_ranks(values: Floats) -> Floats:
    """Return the ranks of (n,) values, 1 for the smallest; equal ones share the mean of theirs.

    Examples
    --------
    >>> mid_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, ties = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(ties) - (ties - 1) / 2)[group])
