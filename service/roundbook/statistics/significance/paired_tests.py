"""Tests on one pair of values a topic: paired t, Wilcoxon, Pearson and Kendall.

All take the two sides as (n,) float arrays, finite and not checked, and return an
:class:`~roundbook.statistics.significance.two_sample_tests.Outcome`.
"""

from __future__ import annotations

import math

import numpy as np
import scipy

from roundbook.statistics.ranking.agreement import kendall_tau
from roundbook.statistics.score_matrix import Floats, Ints
from roundbook.statistics.significance.two_sample_tests import NoOutcome, Outcome
from roundbook.statistics.ties import without_rounding

# In units of the last place of the largest value: less spread than that is rounding.
_ROUNDING = 8
# Up to here the sums of signs are counted one by one, and the counts are exact in a double.
MOST_EXACT = 50
# Up to so many pairs without ties the p value of Kendall's tau is exact.
_MOST_EXACT_KENDALL = 33


def paired_t_test(first: Floats, second: Floats) -> Outcome:
    """Paired t test of ``second - first``, two-sided: ``t = mean / (sd / sqrt(n))``, ddof 1.

    Without statistic with fewer than two pairs, or if all differences are equal.

    Examples
    --------
    >>> round(paired_t_test(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).statistic, 3)
    3.464
    """
    n = first.size
    if n < 2:
        return Outcome(reason="fewer than 2 topics")
    differences = second - first
    deviations = differences - differences[0]
    offset = float(deviations.mean())
    deviations -= offset
    if _is_rounding(deviations, first, second):
        return Outcome(reason="same difference on every topic")
    error = math.sqrt(float(np.dot(deviations, deviations)) / (n - 1) / n)
    statistic = (float(differences[0]) + offset) / error
    return Outcome(statistic, float(n - 1), 2 * float(scipy.special.stdtr(n - 1, -abs(statistic))))


def wilcoxon_test(first: Floats, second: Floats) -> Outcome:
    """Wilcoxon signed-rank test of ``second - first``, two-sided (Wilcoxon 1945).

    Differences of zero, or within rounding of it, are left out; tied ones get the mean of their
    ranks. The statistic is the smaller of the two sums of ranks. For up to 50 differences its p
    value is twice the exact probability of a sum so extreme, given the ties, among all ways to sign
    the ranks; above that it comes from the normal distribution with the variance
    ``n (n + 1) (2 n + 1) / 24 - sum(t^3 - t) / 48`` over groups of ``t`` ties, uncorrected for
    continuity. SciPy's, which with ties is exact for up to 13 only, agrees but for that.

    Without statistic if no difference is left.

    Examples
    --------
    >>> wilcoxon_test(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).p_value
    0.25
    """
    differences = second - first
    rounding = _ROUNDING * np.spacing(np.maximum(np.abs(first), np.abs(second)))
    differences = differences[np.abs(differences) > rounding]
    if not differences.size:
        return Outcome(reason="no difference on any topic")
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
        p = 2 * float(scipy.special.ndtr((smaller - total / 2) / 2 / math.sqrt(variance)))
    return Outcome(smaller / 2, p_value=min(1.0, p))


def pearson_test(first: Floats, second: Floats) -> Outcome:
    """Pearson correlation, with the two-sided p value of ``t = r sqrt((n - 2) / (1 - r^2))``.

    Without statistic with fewer than three pairs, or if either array is constant.

    Examples
    --------
    >>> round(pearson_test(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).statistic, 9)
    0.5
    """
    if reason := _no_correlation(first, second):
        return Outcome(reason=reason)
    x, y = (values - values[0] for values in (first, second))
    x, y = (values - values.mean() for values in (x, y))
    x, y = (values / np.abs(values).max() for values in (x, y))
    r = float(np.dot(x, y)) / math.sqrt(float(np.dot(x, x) * np.dot(y, y)))
    r = min(1.0, max(-1.0, r))
    dof = first.size - 2
    # P(|t| > t_0) as a beta probability, which is defined for r = 1 too.
    return Outcome(r, float(dof), float(scipy.special.betainc(dof / 2, 0.5, 1 - r * r)))


def kendall_test(first: Floats, second: Floats) -> Outcome:
    """Kendall tau-b, with the two-sided p value of independent rankings (Kendall 1970).

    The p value is exact for up to 33 pairs without ties, or where at most one pair of pairs is out
    of order; else from the normal distribution of concordant less discordant pairs, with the
    variance for ties, uncorrected for continuity.

    Without statistic with fewer than three pairs, or if either array is constant.

    Examples
    --------
    >>> kendall_test(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).p_value
    0.3333333333333333
    """
    if reason := _no_correlation(first, second):
        return Outcome(reason=reason)
    # Means that differ in their last bits alone are ties.
    first, second = (
        without_rounding(values, float(np.abs(values).max())) for values in (first, second)
    )
    tau = kendall_tau(first, second)
    if tau.tau_b is None:
        return Outcome(reason="one side is constant")
    n, fewer = first.size, min(tau.concordant, tau.discordant)
    if not (tau.tied_a or tau.tied_b) and (n <= _MOST_EXACT_KENDALL or fewer <= 1):
        return Outcome(tau.tau_b, p_value=_kendall_exact(n, fewer))
    ties = [np.unique(values, return_counts=True)[1] for values in (first, second)]
    pairs, triples, squares = (
        [float(np.sum(t * (t - 1) * factor(t))) for t in ties]
        for factor in (lambda _: 1, lambda t: t - 2, lambda t: 2 * t + 5)
    )
    m = n * (n - 1)
    variance = (
        (m * (2 * n + 5) - squares[0] - squares[1]) / 18
        + pairs[0] * pairs[1] / (2 * m)
        + triples[0] * triples[1] / (9 * m * (n - 2))
    )
    z = (tau.concordant - tau.discordant) / math.sqrt(variance)
    return Outcome(tau.tau_b, p_value=2 * float(scipy.special.ndtr(-abs(z))))


def _kendall_exact(n: int, fewer: int) -> float:
    """Share of the orders of n values with at most `fewer` pairs in one of the two directions."""
    if 4 * fewer == n * (n - 1):
        return 1.0
    # The share of the orders of 1, 2, ... values by their number of pairs out of order.
    orders = np.zeros(fewer + 1)
    orders[0] = 1
    for size in range(2, n + 1):
        shifted = orders.cumsum() / size
        shifted[size:] -= orders.cumsum()[:-size] / size
        orders = shifted
    return min(1.0, 2 * float(orders.sum()))


def _no_correlation(first: Floats, second: Floats) -> NoOutcome | None:
    if first.size < 3:
        return "fewer than 3 topics"
    if any(_is_rounding(values - values[0], values) for values in (first, second)):
        return "one side is constant"
    return None


def _is_rounding(deviations: Floats, *values: Floats) -> bool:
    largest = max(float(np.abs(side).max()) for side in values)
    return bool(np.abs(deviations).max() <= _ROUNDING * np.finfo(np.float64).eps * largest)


def _share_up_to(limit: int, ranks: Ints) -> float:
    """Share of the subsets of `ranks` that sum to at most `limit`."""
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    return float(ways[: limit + 1].sum() / 2.0**ranks.size)


def sign_test(more: int, fewer: int) -> float:
    """P value of the two-sided sign test, each sign being as likely; 1 without any difference.

    `more` and `fewer` count the differences above and below 0; those that are 0 are left out.

    Examples
    --------
    >>> sign_test(5, 0), sign_test(2, 1)
    (0.0625, 1.0)
    """
    number = more + fewer
    tail = sum(math.comb(number, count) for count in range(min(more, fewer) + 1))
    return min(1.0, tail / 2.0 ** (number - 1))
