"""Drift judged on revived systems: systems that ran in both rounds, on whatever topics."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.limits import LARGEST_SCORE
from roundbook.statistics.drift.verdict import Verdict
from roundbook.statistics.t_interval import Interval, inside, outside, t_interval


@dataclass(frozen=True, eq=False)
class RevivedDrift:
    """How far the standardised means of revived systems moved.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
        See :func:`revived_drift`.
    mean_difference : float or None
        Mean of `differences`; None without a system.
    mean_difference_90, mean_difference_95 : (float, float) or None
        Its t intervals over systems; None with fewer than two.
    differences : (systems,) float array
        ``mean_to - mean_from``, in sds of the topics' standardising runs.
    systems : int
        How many there are.
    mean_from, mean_to, margin
        The input.
    """

    verdict: Verdict
    mean_difference: float | None
    mean_difference_90: Interval | None
    mean_difference_95: Interval | None
    differences: NDArray[np.float64]
    systems: int
    mean_from: NDArray[np.float64]
    mean_to: NDArray[np.float64]
    margin: float


def revived_drift(mean_from: ArrayLike, mean_to: ArrayLike, *, margin: float = 0.2) -> RevivedDrift:
    """Whether revived systems stand where they stood, each round by its own factors.

    A system that has not changed should keep its mean standardised score; if all revived systems
    lose alike, the field around them has become better, and the factors of the two rounds do not
    mean the same. The mean of ``mean_to - mean_from`` over systems, with t intervals (ddof 1), is
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
    RevivedDrift

    Raises
    ------
    ImpossibleStatistic
        If the means differ in number or are not finite, or the margin is not positive and finite.

    Examples
    --------
    >>> found = revived_drift([0.4, 0.1, -0.2], [0.1, -0.3, -0.5])
    >>> found.verdict, round(found.mean_difference, 3)
    ('undecided', -0.333)
    """
    before, after = _checked_means(mean_from, mean_to)
    if not (margin > 0 and math.isfinite(margin)):
        raise ImpossibleStatistic(
            f"The margin of revived systems must be positive and finite, not {margin}."
        )
    differences = after - before
    found = t_interval(differences)
    verdict: Verdict = "undecided"
    if found.mean is None:
        verdict = "unbridged"
    elif outside(found.within_95, margin):
        verdict = "aged"
    elif inside(found.within_90, margin):
        verdict = "held"
    return RevivedDrift(
        verdict=verdict,
        mean_difference=found.mean,
        mean_difference_90=found.within_90,
        mean_difference_95=found.within_95,
        differences=differences,
        systems=before.size,
        mean_from=before,
        mean_to=after,
        margin=margin,
    )


def _checked_means(*means: ArrayLike) -> list[NDArray[np.float64]]:
    arrays = [np.asarray(each, dtype=np.float64) for each in means]
    if arrays[0].ndim != 1 or arrays[0].shape != arrays[1].shape:
        raise ImpossibleStatistic(
            "Revived systems need one mean in each round, and the arrays have the shapes"
            f" {arrays[0].shape} and {arrays[1].shape}."
        )
    if not all((np.abs(each) <= LARGEST_SCORE).all() for each in arrays):
        raise ImpossibleStatistic("Revived systems need finite means, and one is not.")
    return arrays
