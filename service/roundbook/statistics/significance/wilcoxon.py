"""The Wilcoxon signed-rank test."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from roundbook.statistics.significance.two_sample_tests import Outcome

Floats = NDArray[np.float64]

# Up to here the sums of signs are counted one by one, and the counts are exact in a double.
MOST_EXACT = 50


def wilcoxon_test(first: Floats, second: Floats) -> Outcome:
    """Wilcoxon signed-rank test of ``second - first``, two-sided (Wilcoxon 1945).

    Differences of zero, or within rounding of it, are left out; tied ones get the mean of their
    ranks. The statistic is the smaller of the two sums of ranks. For up to 50 differences its p
    value is twice the exact probability of a sum so extreme, given the ties, among all ways to sign
    the ranks; above that it comes from the normal distribution with the variance
    ``n (n + 1) (2 n + 1) / 24 - sum(t^3 - t) / 48`` over groups of ``t`` ties, uncorrected for
    continuity. SciPy's, which with ties is exact for up to 13 only, agrees but for that.

    Parameters
    ----------
    first, second : (n,) float array
        Finite; not checked.

    Returns
    -------
    Outcome
        Without statistic if no difference is left.

    Examples
    --------
    >>> wilcoxon_test(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).p
    0.25
    """
    differences = second - first
    rounding = 8 * np.spacing(np.maximum(np.abs(first), np.abs(second)))
    differences = differences[np.abs(differences) > rounding]
    if not differences.size:
        return Outcome(reason="There is no difference on any topic.")
    _, group, ties = np.unique(np.abs(differences), return_inverse=True, return_counts=True)
    # Twice the mean rank of each group of ties: whole numbers.
    ranks = (2 * np.cumsum(ties) - ties + 1)[group]
    positive, total = int(ranks[differences > 0].sum()), int(ranks.sum())
    smaller = min(positive, total - positive)
    if differences.size <= MOST_EXACT:
        p = 2 * _share_up_to(smaller, ranks)
    else:
        n = differences.size
        variance = n * (n + 1) * (2 * n + 1) / 24 - float(np.sum(ties**3 - ties)) / 48
        p = 2 * float(ndtr((smaller - total / 2) / 2 / math.sqrt(variance)))
    return Outcome(smaller / 2, min(1.0, p))


def _share_up_to(limit: int, ranks: NDArray[np.int64]) -> float:
    """Share of the subsets of `ranks` that sum to at most `limit`."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    return float(ways[: limit + 1].sum() / 2.0**ranks.size)
