"""Drift of standardisation factors between two rounds that share topics (bridges)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic
from service.statistics.t_interval import Interval, TInterval, inside, outside, t_interval

Verdict = Literal["held", "aged", "undecided", "unbridged"]


@dataclass(frozen=True, eq=False)
class Drift:
    """How far the factors of shared topics moved from one round to another.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
        See :func:`factor_drift`.
    mean_shift : float or None
        Mean of the defined `shifts`, in first-round sds; None without any.
    mean_shift_90, mean_shift_95 : (float, float) or None
        Its t intervals over topics; None with fewer than two defined shifts.
    sd_ratio : float or None
        Geometric mean of the defined `sd_ratios`; None without any.
    sd_ratio_90, sd_ratio_95 : (float, float) or None
        Its t intervals over topics, taken on the logarithm; None with fewer than two.
    shifts, sd_ratios : (topics,) float array
        Per topic; NaN where ``sd_from`` is 0.
    shift_defined, sd_ratio_defined : (topics,) bool array
        The topics in each summary: ``sd_from > 0``, and for the ratio also ``sd_to > 0``.
    shift_topics, sd_ratio_topics : int
        How many those are.
    topics : int
        Number of bridges given, usable or not.
    mean_from, sd_from, mean_to, sd_to, margin, sd_ratio_margin
        The input.
    """

    verdict: Verdict
    mean_shift: float | None
    mean_shift_90: Interval | None
    mean_shift_95: Interval | None
    sd_ratio: float | None
    sd_ratio_90: Interval | None
    sd_ratio_95: Interval | None
    shifts: NDArray[np.float64]
    sd_ratios: NDArray[np.float64]
    shift_defined: NDArray[np.bool_]
    sd_ratio_defined: NDArray[np.bool_]
    shift_topics: int
    sd_ratio_topics: int
    topics: int
    mean_from: NDArray[np.float64]
    sd_from: NDArray[np.float64]
    mean_to: NDArray[np.float64]
    sd_to: NDArray[np.float64]
    margin: float
    sd_ratio_margin: float


def factor_drift(
    mean_from: ArrayLike,
    sd_from: ArrayLike,
    mean_to: ArrayLike,
    sd_to: ArrayLike,
    *,
    margin: float = 0.2,
    sd_ratio_margin: float = 1.25,
) -> Drift:
    """Whether the factors of one round still hold in another, judged on their shared topics.

    Per topic ``shift = (mean_to - mean_from) / sd_from`` and ``ratio = sd_to / sd_from``. Over
    topics: the mean shift with t intervals (sample sd, ddof 1), and the geometric mean ratio with
    those of the mean log ratio. The verdict asks for equivalence by two one-sided tests at 5%,
    which is what a 90% interval tells (Schuirmann 1987), not for significance:

    - ``unbridged``: no shift is defined, for want of shared topics or of any ``sd_from > 0``;
    - ``held``: the 90% interval of the mean shift lies inside ``[-margin, margin]``, and that of
      the ratio inside ``[1 / sd_ratio_margin, sd_ratio_margin]``;
    - ``aged``: the 95% interval of either lies wholly outside its margins;
    - ``undecided``: anything else. A single usable topic has no interval, so it is undecided.

    Parameters
    ----------
    mean_from, sd_from, mean_to, sd_to : (topics,) array_like of float
        Factors of the shared topics in the earlier and the later round, in the same order; sds
        with ddof 1. A topic with a zero sd is left out of the summaries it has no value for.
    margin : float
        Largest mean shift that does not matter, in first-round sds.
    sd_ratio_margin : float
        Largest ratio of sds that does not matter, above 1.

    Returns
    -------
    Drift

    Raises
    ------
    ImpossibleStatistic
        If the factors differ in length or are not finite, an sd is negative, or a margin is out
        of range.
    """
    old_mean, old_sd, new_mean, new_sd = _checked_factors(mean_from, sd_from, mean_to, sd_to)
    _check_margins(margin, sd_ratio_margin)
    moved = old_sd > 0
    compared = moved & (new_sd > 0)
    shifts = np.full(old_mean.shape, np.nan)
    ratios = np.full(old_mean.shape, np.nan)
    np.divide(new_mean - old_mean, old_sd, out=shifts, where=moved)
    np.divide(new_sd, old_sd, out=ratios, where=moved)
    shift = t_interval(shifts[moved])
    log_ratio = t_interval(np.log(ratios[compared]))
    return Drift(
        verdict=_verdict(shift, margin, log_ratio, math.log(sd_ratio_margin)),
        mean_shift=shift.mean,
        mean_shift_90=shift.within_90,
        mean_shift_95=shift.within_95,
        sd_ratio=None if log_ratio.mean is None else math.exp(log_ratio.mean),
        sd_ratio_90=_exponential(log_ratio.within_90),
        sd_ratio_95=_exponential(log_ratio.within_95),
        shifts=shifts,
        sd_ratios=ratios,
        shift_defined=moved,
        sd_ratio_defined=compared,
        shift_topics=int(moved.sum()),
        sd_ratio_topics=int(compared.sum()),
        topics=old_mean.size,
        mean_from=old_mean,
        sd_from=old_sd,
        mean_to=new_mean,
        sd_to=new_sd,
        margin=margin,
        sd_ratio_margin=sd_ratio_margin,
    )


def _verdict(shift: TInterval, margin: float, log_ratio: TInterval, log_margin: float) -> Verdict:
    if shift.mean is None:
        return "unbridged"
    if outside(shift.within_95, margin) or outside(log_ratio.within_95, log_margin):
        return "aged"
    if inside(shift.within_90, margin) and inside(log_ratio.within_90, log_margin):
        return "held"
    return "undecided"


def _exponential(interval: Interval | None) -> Interval | None:
    return None if interval is None else (_exp(interval[0]), _exp(interval[1]))


def _exp(value: float) -> float:
    # Two wildly different log ratios have an interval whose end no double holds.
    return math.inf if value > 709 else math.exp(value)


def _checked_factors(*factors: ArrayLike) -> list[NDArray[np.float64]]:
    arrays = [np.asarray(factor, dtype=np.float64) for factor in factors]
    shapes = {array.shape for array in arrays}
    if len(shapes) != 1 or arrays[0].ndim != 1:
        raise ImpossibleStatistic(
            "Drift needs four factors for each shared topic, and the arrays have the shapes"
            f" {', '.join(str(array.shape) for array in arrays)}."
        )
    if not all(np.isfinite(array).all() for array in arrays):
        raise ImpossibleStatistic("Drift needs factors that are finite, and one is not.")
    if not all((array >= 0).all() for array in (arrays[1], arrays[3])):
        raise ImpossibleStatistic("Drift needs sds that are not negative, and one is.")
    return arrays


def _check_margins(margin: float, sd_ratio_margin: float) -> None:
    if not (margin > 0 and math.isfinite(margin)):
        raise ImpossibleStatistic(f"The margin of the mean shift must be positive, not {margin}.")
    if not (sd_ratio_margin > 1 and math.isfinite(sd_ratio_margin)):
        raise ImpossibleStatistic(
            f"The margin of the sd ratio must exceed 1, not {sd_ratio_margin}."
        )
