"""The paired t test of every pair of runs, alone and among all pairs by Holm's method."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import Floats, check_share
from roundbook.statistics.significance import holm_adjusted
from roundbook.statistics.studies.common import MOST_BYTES, pairs, study_scores, tolerance

_STUDY = "Discriminative power"


@dataclass(frozen=True, eq=False)
class PairedTTest:
    """The paired t test of every pair of runs, alone and among all pairs.

    Attributes
    ----------
    p_values, holm : (pairs,) float array
        Two-sided; alone, and adjusted over all pairs by Holm's method. 1 for identical runs.
    share, holm_share : float
        Of the pairs with such a p value below alpha.
    alpha
        The input.
    """

    p_values: Floats
    holm: Floats
    share: float
    holm_share: float
    alpha: float


def paired_t_tests(scores: ArrayLike, *, alpha: float = 0.05) -> PairedTTest:
    """Paired t test of every pair of runs, two-sided with n - 1 dof, and Holm's method over pairs.

    Parameters
    ----------
    scores, alpha
        As for :func:`roundbook.statistics.studies.discriminative_power.tukey.tukey_test`.

    Returns
    -------
    PairedTTest
        Pairs that differ by the same on every topic have p value 0, identical ones 1.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`roundbook.statistics.studies.discriminative_power.tukey.tukey_test`.

    Examples
    --------
    >>> test = paired_t_tests([[0.7, 0.5], [0.3, 0.1], [0.4, 0.2], [0.9, 0.6]])
    >>> test.p_values.round(4).tolist()
    [0.0029]
    """
    matrix = study_scores(scores, _STUDY)
    check_share(alpha, "Alpha")
    topics, runs = matrix.shape
    first, second = pairs(runs)
    slack = tolerance(matrix)
    p_values = np.empty(first.size)
    chunk = max(1, MOST_BYTES // (8 * topics) // 8)
    for start in range(0, first.size, chunk):
        span = slice(start, start + chunk)
        differences = matrix[:, first[span]] - matrix[:, second[span]]
        mean = differences.mean(axis=0)
        centred = differences - mean
        sd = np.sqrt(np.einsum("jp,jp->p", centred, centred) / (topics - 1))
        sd[np.abs(centred).max(axis=0) <= slack] = 0.0
        t = np.where(np.abs(mean) <= slack, 0.0, np.inf)
        np.divide(np.abs(mean), sd / math.sqrt(topics), out=t, where=sd > 0)
        p_values[span] = 2 * scipy.special.stdtr(topics - 1, -t)
    holm = np.array(holm_adjusted(p_values.tolist()), dtype=np.float64)
    return PairedTTest(
        p_values, holm, float((p_values < alpha).mean()), float((holm < alpha).mean()), alpha
    )
