"""Tests on one pair of values a topic: paired t, Pearson and Kendall."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, stdtr

from roundbook.statistics.rounding import without_rounding
from roundbook.statistics.significance.two_sample_tests import Outcome

Floats = NDArray[np.float64]

# In units of the last place of the largest value: less spread than that is rounding.
_ROUNDING = 8


def paired_t_test(first: Floats, second: Floats) -> Outcome:
    """Paired t test of ``second - first``, two-sided: ``t = mean / (sd / sqrt(n))``, ddof 1.

    Parameters
    ----------
    first, second : (n,) float array
        Finite; not checked.

    Returns
    -------
    Outcome
        Without statistic with fewer than two pairs, or if all differences are equal.

    Examples
    --------
    >>> round(paired_t_test(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])).statistic, 3)
    3.464
    """
    n = first.size
    if n < 2:
        return Outcome(reason="A paired t test needs at least two topics.")
    differences = second - first
    deviations = differences - differences[0]
    offset = float(deviations.mean())
    deviations -= offset
    if _is_rounding(deviations, first, second):
        return Outcome(reason="The difference is the same on every topic.")
    error = math.sqrt(float(np.dot(deviations, deviations)) / (n - 1) / n)
    statistic = (float(differences[0]) + offset) / error
    return Outcome(statistic, 2 * float(stdtr(n - 1, -abs(statistic))), float(n - 1))


def pearson_test(first: Floats, second: Floats) -> Outcome:
    """Pearson correlation, with the two-sided p value of ``t = r sqrt((n - 2) / (1 - r^2))``.

    Parameters
    ----------
    first, second : (n,) float array
        Finite; not checked.

    Returns
    -------
    Outcome
        Without statistic with fewer than three pairs, or if either array is constant.

    Examples
    --------
    >>> round(pearson_test(np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])).statistic, 9)
    0.5
    """
    if reason := _no_correlation(first, second):
        return Outcome(reason=reason)
    one, other = (values - values[0] for values in (first, second))
    one, other = (values - values.mean() for values in (one, other))
    one, other = (values / np.abs(values).max() for values in (one, other))
    r = float(np.dot(one, other)) / math.sqrt(float(np.dot(one, one) * np.dot(other, other)))
    r = min(1.0, max(-1.0, r))
    dof = first.size - 2
    # P(|t| > t_0) as a beta probability, which r = 1 does not trouble.
    return Outcome(r, float(betainc(dof / 2, 0.5, 1 - r * r)), float(dof))


def kendall_test(first: Floats, second: Floats) -> Outcome:
    """Kendall tau-b, with the two-sided p value of `scipy.stats.kendalltau`.

    Parameters
    ----------
    first, second : (n,) float array
        Finite; not checked.

    Returns
    -------
    Outcome
        Without statistic with fewer than three pairs, or if either array is constant.

    Examples
    --------
    >>> kendall_test(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).p
    0.3333333333333333
    """
    # Importing it takes half a second.
    from scipy.stats import kendalltau  # noqa: PLC0415

    if reason := _no_correlation(first, second):
        return Outcome(reason=reason)
    # Means that differ in their last bits alone are ties.
    found = kendalltau(
        *(without_rounding(values, float(np.abs(values).max())) for values in (first, second))
    )
    return Outcome(float(found.statistic), float(found.pvalue))


def _no_correlation(first: Floats, second: Floats) -> str | None:
    if first.size < 3:
        return "A correlation over topics needs at least three topics."
    if any(_is_rounding(values - values[0], values) for values in (first, second)):
        return "The values of one side are the same on every topic."
    return None


def _is_rounding(deviations: Floats, *values: Floats) -> bool:
    largest = max(float(np.abs(each).max()) for each in values)
    return bool(np.abs(deviations).max() <= _ROUNDING * np.finfo(np.float64).eps * largest)
