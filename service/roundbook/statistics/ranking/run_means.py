"""Mean scores of runs over topics, fit to rank the runs by."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.bootstrap import resampled_means
from roundbook.statistics.score_matrix import Floats, checked_scores
from roundbook.statistics.ties import without_rounding


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
