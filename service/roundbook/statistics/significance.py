"""Significance tests: of samples row by row, of pairs of values, and Holm's method.

Welch's t test and the Brown-Forsythe test are on many pairs of samples at once. Paired t, Wilcoxon,
Pearson and Kendall take one pair of values a topic, as two (n,) float arrays. No input is checked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from roundbook.statistics.ranking import kendall_tau
from roundbook.statistics.score_matrix import Bools, Floats, Ints
from roundbook.statistics.ties import centred_rows, without_rounding

NoOutcome = Literal[
    "fewer than 2 values for Welch's test",
    "fewer than 2 values for the Brown-Forsythe test",
    "no spread in either sample",
    "deviations do not vary",
    "fewer than 2 topics",
    "same difference on every topic",
    "no difference on any topic",
    "fewer than 3 topics",
    "one side is constant",
]

# In units of the last place of the largest value: less spread than that is rounding.
_ROUNDING = 8
# Up to here the sums of signs are counted one by one, and the counts are exact in a double.
MOST_EXACT = 50
# Up to so many pairs without ties the p value of Kendall's tau is exact.
_MOST_EXACT_KENDALL = 33


@dataclass(frozen=True)
class Outcome:
    """The outcome of a two-sided test.

    Attributes
    ----------
    statistic : float or None
        None where the test does not exist.
    dof : float or None
        Degrees of freedom, of the denominator in an F statistic; None also for tests without.
    p_value : float or None
    reason : str or None
        Code of why there is no outcome, a `NoOutcome`; None if there is one. Reports of earlier
        versions have a sentence there.
    """

    statistic: float | None = None
    dof: float | None = None
    p_value: float | None = None
    reason: str | None = None


def welch_tests(first: Floats, second: Floats) -> tuple[Outcome, ...]:
    """Welch's t test of each row of `first` against the same row of `second`.

    ``t = (mean_2 - mean_1) / sqrt(v_1/n_1 + v_2/n_2)`` with sample variances ``v`` (ddof 1), on
    ``(v_1/n_1 + v_2/n_2)^2 / ((v_1/n_1)^2 / (n_1 - 1) + (v_2/n_2)^2 / (n_2 - 1))`` degrees of
    freedom (Welch, Biometrika 1947). Positive where the second sample has the larger mean.

    Of (rows, n_1) and (rows, n_2) arrays. Without outcome where a sample has fewer than two values,
    or neither has any spread.

    Examples
    --------
    >>> welch = welch_tests(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 6.0]]))[0]
    >>> round(welch.statistic, 3), round(welch.dof, 3)
    (1.549, 2.941)
    """
    rows, (n, m) = len(first), (first.shape[1], second.shape[1])
    if min(n, m) < 2:
        return (Outcome(reason="fewer than 2 values for Welch's test"),) * rows
    # Both samples from the same origin and in units of their largest deviation, in which neither
    # squares nor fourth powers leave the range of a double.
    start = first[:, :1]
    unit = _largest(first - start, second - start)
    mean_1, ss_1 = _moments((first - start) / unit)
    mean_2, ss_2 = _moments((second - start) / unit)
    error_1, error_2 = ss_1 / (n - 1) / n, ss_2 / (m - 1) / m
    error = error_1 + error_2
    spread = error > 0
    safe = np.where(spread, error, 1.0)
    statistic = (mean_2 - mean_1) / np.sqrt(safe)
    dof = 1 / np.where(
        spread, (error_1 / safe) ** 2 / (n - 1) + (error_2 / safe) ** 2 / (m - 1), 1.0
    )
    p = 2 * scipy.special.stdtr(dof, -np.abs(statistic))
    return _outcomes(statistic, dof, p, spread, "no spread in either sample")


def brown_forsythe_tests(first: Floats, second: Floats) -> tuple[Outcome, ...]:
    """Brown-Forsythe test that each row of both arrays has the same spread.

    The F statistic, on 1 and ``n_1 + n_2 - 2`` degrees of freedom, of a one-way ANOVA of the
    absolute deviations from each sample's median (Brown and Forsythe, JASA 1974).

    Of (rows, n_1) and (rows, n_2) arrays. Without outcome where a sample has fewer than two values,
    or where the deviations do not vary within either sample, as in samples of two or without spread.

    Examples
    --------
    >>> wide, narrow = np.array([[1.0, 5.0, 9.0]]), np.array([[4.0, 5.0, 6.0]])
    >>> round(brown_forsythe_tests(wide, narrow)[0].p_value, 3)
    0.219
    """
    rows, (n, m) = len(first), (first.shape[1], second.shape[1])
    if min(n, m) < 2:
        return (Outcome(reason="fewer than 2 values for the Brown-Forsythe test"),) * rows
    deviation_1 = np.abs(first - np.median(first, axis=1, keepdims=True))
    deviation_2 = np.abs(second - np.median(second, axis=1, keepdims=True))
    unit = _largest(deviation_1, deviation_2)
    (mean_1, ss_1), (mean_2, ss_2) = _moments(deviation_1 / unit), _moments(deviation_2 / unit)
    within = ss_1 + ss_2
    # Two values lie equally far from their median but for its rounding.
    rounding = 4 * np.finfo(np.float64).eps * _largest(first, second) / unit
    varies = within > (n + m) * (rounding[:, 0] ** 2)
    dof = n + m - 2
    with np.errstate(over="ignore"):
        between = (mean_2 - mean_1) ** 2 * (n * m / (n + m))
        statistic = between / np.where(varies, within / dof, 1.0)
    return _outcomes(
        statistic,
        np.full(rows, float(dof)),
        np.asarray(scipy.special.fdtrc(1, dof, statistic)),
        varies,
        "deviations do not vary",
    )


def holm_adjusted(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """P values adjusted so that the chance of any false rejection stays at the level (Holm 1979).

    With the k p values in ascending order, the r-th becomes the largest of ``(k - q + 1) p_q`` over
    ``q <= r``, and at most 1. None, where a test has no outcome, stays and does not count.

    Examples
    --------
    >>> holm_adjusted([0.5, None, 0.125, 0.25])
    (0.5, None, 0.375, 0.5)
    """
    tested = np.array([p is not None for p in p_values], dtype=bool)
    p = np.array([p for p in p_values if p is not None], dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted = np.full(tested.size, None, dtype=object)
    adjusted[np.flatnonzero(tested)[order]] = np.minimum(np.maximum.accumulate(steps), 1)
    return tuple(adjusted.tolist())


def _largest(first: Floats, second: Floats) -> Floats:
    largest = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))[:, np.newaxis]
    return np.asarray(np.where(largest > 0, largest, 1.0))


def _moments(values: Floats) -> tuple[Floats, Floats]:
    means, centred = centred_rows(values)
    return means, np.einsum("ij,ij->i", centred, centred)


def _outcomes(
    statistic: Floats, dof: Floats, p_value: Floats, exists: Bools, reason: NoOutcome
) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(*outcome) if has_outcome else Outcome(reason=reason)
        for *outcome, has_outcome in zip(
            statistic.tolist(), dof.tolist(), p_value.tolist(), exists.tolist(), strict=True
        )
    )


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
    (mean,), (deviations,) = centred_rows((second - first)[np.newaxis])
    if _is_rounding(deviations, first, second):
        return Outcome(reason="same difference on every topic")
    error = math.sqrt(float(np.dot(deviations, deviations)) / (n - 1) / n)
    statistic = float(mean) / error
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
