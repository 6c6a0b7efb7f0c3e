"""What would decide about a drift: how many more systems, topics or both."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from roundbook.statistics.drift.jackknife import ROUNDING_VARIANCE, CrossedEstimate, VarianceParts
from roundbook.statistics.drift.topics import Floats, as_ratio

# More than twenty times the systems or topics of a round is no plan.
LARGEST_FACTOR = 20.0
# The search need not fall steadily as sizes grow, so it looks at a whole grid before it narrows.
_GRID = 65
_NARROWINGS = 6
# What the narrowed bracket leaves open, times a thousand units.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Size:
    """A size of both rounds.

    Attributes
    ----------
    factor : float
        By which the present units, topics or both are multiplied.
    units_from, units_to, topics : int
        Numbers of each, rounded up.
    """

    factor: float
    units_from: int
    units_to: int
    topics: int


@dataclass(frozen=True)
class Sizes:
    """Smallest sizes, not below the present ones, that give a verdict in 4 of 5 cases.

    Attributes
    ----------
    verdict : {'held', 'aged'}
        Which verdict they would give.
    units : Size or None
        More units on as many topics; None if 20 times the present ones would not do.
    topics : Size or None
        More topics with as many units.
    both : Size or None
        More of both, by one factor.
    """

    verdict: Literal["held", "aged"]
    units: Size | None
    topics: Size | None
    both: Size | None


@dataclass(frozen=True)
class Needed:
    """What would decide about one statistic of drift.

    Attributes
    ----------
    half_width_90 : float
        Half the 90% interval, in mean first-round sds; of the sd ratio, the factor from the
        estimate to either end.
    aged_from : float
        True shift, to either side, or sd ratio, or its reciprocal, that the present sizes find
        aged in 4 of 5 cases.
    share_of_runs : float or None
        ``R / (R + T)``, the share of the variance that comes from which systems took part; None if
        nothing varies.
    if_unmoved : Sizes
        If there is no drift.
    if_as_measured : Sizes
        If the drift is the corrected estimate.
    """

    half_width_90: float
    aged_from: float
    share_of_runs: float | None
    if_unmoved: Sizes
    if_as_measured: Sizes


@dataclass(frozen=True)
class PresentSize:
    """Units and topics that an estimate rests on."""

    units_from: int
    units_to: int
    topics: int


def needed_for_shift(shift: CrossedEstimate, margin: float, size: PresentSize) -> Needed:
    """Plan what would decide about the shift.

    With ``I = min(V_I, V_T, V_R)``, ``T = V_T - I`` and ``R = V_R - I``, for g times the units and
    h times the topics ``SE^2(g, h) = T/h + R/g + I/(gh)``, with Satterthwaite's degrees of freedom
    of ``(T + I/g)/h`` on ``hk - 1`` and ``(R + I/h)/g`` on ``g nu_R``. The verdict is had in 4 of 5
    cases if

    - there is no drift: held, if ``(t(.95) + t(.90)) SE <= margin``;
    - the drift is within the margin: held, if ``(t(.95) + t(.80)) SE <= margin - |drift|``;
    - it is beyond: aged, if ``(t(.975) + t(.80)) SE <= |drift| - margin``.

    Parameters
    ----------
    shift : CrossedEstimate
    margin : float
        In mean first-round sds.
    size : PresentSize

    Returns
    -------
    Needed
    """
    error = partial(_standard_error, shift.variance, size.topics)
    one = np.ones(1)
    drift = abs(shift.corrected)
    by_system = shift.variance.runs - _interaction(shift.variance)
    by_topic = shift.variance.topics - _interaction(shift.variance)
    varies = shift.variance.total > ROUNDING_VARIANCE and by_system + by_topic > 0
    return Needed(
        half_width_90=float(error(one, one, 0.95)[0]),
        aged_from=margin + float(error(one, one, 0.975, 0.80)[0]),
        share_of_runs=by_system / (by_system + by_topic) if varies else None,
        if_unmoved=_sizes("held", margin, (0.95, 0.90), error, size),
        if_as_measured=(
            _sizes("held", margin - drift, (0.95, 0.80), error, size)
            if drift <= margin
            else _sizes("aged", drift - margin, (0.975, 0.80), error, size)
        ),
    )


def needed_for_sd_ratio(log_ratio: CrossedEstimate, margin: float, size: PresentSize) -> Needed:
    """Plan what would decide about the sd ratio: as for the shift, on the logarithm.

    Parameters
    ----------
    log_ratio : CrossedEstimate
    margin : float
        As a ratio above 1.
    size : PresentSize

    Returns
    -------
    Needed
        With `half_width_90` and `aged_from` as ratios.
    """
    on_log = needed_for_shift(log_ratio, math.log(margin), size)
    return replace(
        on_log,
        half_width_90=as_ratio(on_log.half_width_90),
        aged_from=as_ratio(on_log.aged_from),
    )


def _interaction(variance: VarianceParts) -> float:
    return min(variance.both, variance.topics, variance.runs)


def _standard_error(
    variance: VarianceParts, topics: int, units: Floats, topic_factor: Floats, *quantiles: float
) -> Floats:
    """Sum of some t quantiles times the standard error, with so many times the units and topics."""
    if variance.total <= ROUNDING_VARIANCE:
        return np.zeros_like(units)
    both = _interaction(variance)
    by_topic = (variance.topics - both + both / units) / topic_factor
    by_unit = (variance.runs - both + both / topic_factor) / units
    total = by_topic + by_unit - both / (units * topic_factor)
    dof = total**2 / (
        by_topic**2 / (topic_factor * topics - 1) + by_unit**2 / (units * variance.dof_runs)
    )
    quantile = sum((stdtrit(dof, level) for level in quantiles), np.zeros_like(dof))
    return np.asarray(quantile * np.sqrt(total))


def _sizes(
    verdict: Literal["held", "aged"],
    room: float,
    quantiles: tuple[float, float],
    error: Callable[..., Floats],
    size: PresentSize,
) -> Sizes:
    """Smallest sizes at which the standard error, times its quantiles, is at most `room`."""

    def search(*, units: bool, topics: bool) -> Size | None:
        def enough(factors: Floats) -> NDArray[np.bool_]:
            same = np.ones_like(factors)
            scaled = factors if units else same, factors if topics else same
            return error(*scaled, *quantiles) <= room

        factor = _smallest_factor(enough)
        if factor is None:
            return None
        return Size(
            factor,
            _times(factor if units else 1.0, size.units_from),
            _times(factor if units else 1.0, size.units_to),
            _times(factor if topics else 1.0, size.topics),
        )

    return Sizes(
        verdict,
        search(units=True, topics=False),
        search(units=False, topics=True),
        search(units=True, topics=True),
    )


def _smallest_factor(enough: Callable[[Floats], NDArray[np.bool_]]) -> float | None:
    low, high = 1.0, LARGEST_FACTOR
    for _ in range(_NARROWINGS):
        factors = np.linspace(low, high, _GRID)
        sufficient = np.flatnonzero(enough(factors))
        if not sufficient.size:
            return None
        if sufficient[0] == 0:
            return low
        low, high = float(factors[sufficient[0] - 1]), float(factors[sufficient[0]])
    return high


def _times(factor: float, count: int) -> int:
    return math.ceil(factor * count - _ROUNDING)
