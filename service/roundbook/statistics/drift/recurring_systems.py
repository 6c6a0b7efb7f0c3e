"""Drift judged on recurring systems: systems that ran in both rounds, on whatever topics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import LARGEST_SCORE
from roundbook.statistics.drift.verdict import Verdict
from roundbook.statistics.t_interval import Interval, inside, outside, t_interval


@dataclass(frozen=True)
class RecurringDrift:
    """How far the standardised means of recurring systems moved.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
        See :func:`recurring_drift`.
    mean_difference : float or None
        Mean of ``mean_to - mean_from``, in sds of the topics' standardising runs; None without a
        system.
    mean_difference_90, mean_difference_95 : (float, float) or None
        Its t intervals over systems; None with fewer than two.
    systems : int
        Number of systems.
    margin : float
        The input.
    """

    verdict: Verdict
    mean_difference: float | None
    mean_difference_90: Interval | None
    mean_difference_95: Interval | None
    systems: int
    margin: float


def recurring_drift(
    mean_from: ArrayLike, mean_to: ArrayLike, *, margin: float = 0.2
) -> RecurringDrift:
    """Whether recurring systems keep their mean scores, each round by its own factors.

    A system that has not changed should keep its mean standardised score; if all recurring systems
    lose alike, the other systems have become better, and the factors of the two rounds do not mean
    the same. The mean of ``mean_to - mean_from`` over systems, with t intervals (ddof 1), is
    judged by two one-sided tests at 5% (Schuirmann 1987): ``held`` if the 90% interval lies inside
    ``[-margin, margin]``, ``aged`` if the 95% interval lies wholly outside, ``unbridged`` without a
    system, and else ``undecided``, as with a single one. The intervals treat systems as independent
    and the topics as fixed: what the topics of a round do to all systems alike is not in them, so
    they are too narrow for other topics.

    Parameters
    ----------
    mean_from, mean_to : (systems,) array_like of float
        Mean over topics of each system's standardised scores (std, not std-AB) under its round's
        own factors, in the same order.
    margin : float
        Largest mean difference that does not matter, in sds.

    Returns
    -------
    RecurringDrift

    Raises
    ------
    ImpossibleStatisticError
        If the means differ in number or are not finite, or the margin is not positive and finite.

    Examples
    --------
    >>> drift = recurring_drift([0.4, 0.1, -0.2], [0.1, -0.3, -0.5])
    >>> drift.verdict, round(drift.mean_difference, 3)
    ('undecided', -0.333)
    """
    before, after = (np.asarray(means, dtype=np.float64) for means in (mean_from, mean_to))
    if before.ndim != 1 or before.shape != after.shape:
        raise ImpossibleStatisticError(
            "Recurring systems need one mean in each round, and the arrays have the shapes"
            f" {before.shape} and {after.shape}."
        )
    if not all((np.abs(means) <= LARGEST_SCORE).all() for means in (before, after)):
        raise ImpossibleStatisticError("Recurring systems need finite means, and one is not.")
    if not (margin > 0 and math.isfinite(margin)):
        raise ImpossibleStatisticError(
            f"The margin of recurring systems must be positive and finite, not {margin}."
        )
    difference = t_interval(after - before)
    verdict: Verdict = "undecided"
    if difference.mean is None:
        verdict = "unbridged"
    elif outside(difference.within_95, margin):
        verdict = "aged"
    elif inside(difference.within_90, margin):
        verdict = "held"
    return RecurringDrift(
        verdict,
        difference.mean,
        difference.within_90,
        difference.within_95,
        before.size,
        margin,
    )
