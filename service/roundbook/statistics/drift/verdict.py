"""The verdict on drift, and the sizes that would decide an undecided one."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import scipy

from roundbook.statistics.drift.jackknife import (
    ROUNDING_VARIANCE,
    CrossedEstimate,
    PerStatistic,
    VarianceParts,
    as_ratio,
)
from roundbook.statistics.score_matrix import Bools, Floats
from roundbook.statistics.t_interval import inside, outside

# More than twenty times the systems or topics of a round is no plan.
LARGEST_FACTOR = 20.0
# The standard error need not fall steadily as sizes grow, so a whole grid is searched before the
# bracket narrows.
_GRID = 65
_NARROWINGS = 6
# The width of the narrowed bracket times a thousand units, ignored in rounding up.
_ROUNDING = 1e-6

Verdict = Literal["held", "aged", "undecided", "unbridged"]

NoInterval = Literal[
    "no shared topic with spread",
    "fewer than 5 topics",
    "fewer than 5 units in the first round",
    "fewer than 5 units in the later round",
    "no spread in the later round",
    "one unit bears all spread",
    "scores too far apart",
]
Why = NoInterval | Literal["shift", "sd ratio", "shift and sd ratio", "topics of small sd"]
_WHICH: dict[tuple[bool, bool], Why] = {
    (True, True): "shift and sd ratio",
    (True, False): "shift",
    (False, True): "sd ratio",
}


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reason.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
    why : str or None
        None if held. If aged, the statistics outside their margins. If undecided without an
        interval, what is missing for one; else the intervals that are not inside their margins, or
        "topics of small sd" if both are inside and only the mean of the topics' own shifts is not.
    verdicts : PerStatistic of str
        The verdict by the interval of each statistic alone.
    moved : bool
        Whether the 97.5% interval of either excludes no drift: a test at 5% over the two.
    """

    verdict: Verdict
    why: Why | None
    verdicts: PerStatistic[Verdict]
    moved: bool


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
    """The sizes that would decide about one statistic of drift.

    Attributes
    ----------
    half_width_90 : float
        Half the 90% interval, in mean first-round sds; of the sd ratio, the factor from the
        estimate to either limit.
    aged_from : float
        True shift, to either side, or sd ratio, or its reciprocal, for which the present sizes give
        the verdict aged in 4 of 5 cases.
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


def no_judgement(why: NoInterval) -> Judgement:
    """Return the verdict where there is no interval to judge by."""
    verdict: Verdict = "unbridged" if why == "no shared topic with spread" else "undecided"
    return Judgement(verdict, why, PerStatistic(verdict, verdict), moved=False)


def judge(
    estimates: PerStatistic[CrossedEstimate],
    mean_shift: float,
    margin: float,
    sd_ratio_margin: float,
) -> Judgement:
    """Judge by equivalence: by 90% intervals, which are two one-sided tests at 5%.

    - aged: the 95% interval of the shift or of the sd ratio lies wholly outside its margins;
    - held: both 90% intervals lie inside theirs, and so does the mean shift, which a topic of
      small sd can carry far where it hardly touches the weighted one;
    - undecided: anything else.

    Parameters
    ----------
    mean_shift : float
        Mean over topics of each topic's shift in its own sds.
    margin : float
        Largest shift that does not matter, in mean first-round sds.
    sd_ratio_margin : float
        Largest ratio of sds that does not matter, above 1.
    """

    def verdict_on(estimate: CrossedEstimate, limit: float) -> Verdict:
        if outside(estimate.interval(0.95), limit):
            return "aged"
        return "held" if inside(estimate.interval(0.90), limit) else "undecided"

    verdicts = PerStatistic(
        verdict_on(estimates.shift, margin),
        verdict_on(estimates.sd_ratio, math.log(sd_ratio_margin)),
    )
    # Where nothing moved, rounding may put an interval of no width this far from 0.
    moved = any(
        outside(estimate.interval(0.975), math.sqrt(ROUNDING_VARIANCE))
        for estimate in (estimates.shift, estimates.sd_ratio)
    )
    verdict: Verdict = "held"
    why: Why | None = None
    if "aged" in (verdicts.shift, verdicts.sd_ratio):
        verdict, why = "aged", _WHICH[verdicts.shift == "aged", verdicts.sd_ratio == "aged"]
    elif "undecided" in (verdicts.shift, verdicts.sd_ratio):
        verdict, why = "undecided", _WHICH[verdicts.shift != "held", verdicts.sd_ratio != "held"]
    elif abs(mean_shift) > margin:
        verdict, why = "undecided", "topics of small sd"
    return Judgement(verdict, why, verdicts, moved)


def needed_for_shift(shift: CrossedEstimate, margin: float, size: Size) -> Needed:
    """Return the sizes that would decide about the shift.

    With ``I = min(V_I, V_T, V_R)``, ``T = V_T - I`` and ``R = V_R - I``, for g times the units and
    h times the topics ``SE^2(g, h) = T/h + R/g + I/(gh)``, with Satterthwaite's degrees of freedom
    of ``(T + I/g)/h`` on ``hk - 1`` and ``(R + I/h)/g`` on ``g nu_R``. The verdict is had in 4 of 5
    cases if

    - there is no drift: held, if ``(t(.95) + t(.90)) SE <= margin``;
    - the drift is within the margin: held, if ``(t(.95) + t(.80)) SE <= margin - |drift|``;
    - it is beyond: aged, if ``(t(.975) + t(.80)) SE <= |drift| - margin``.

    The margin is in mean first-round sds.
    """
    variance = shift.variance
    error = partial(_standard_error, variance, size.topics)
    present = np.ones(1)
    drift = abs(shift.corrected)
    by_topic, by_system, _ = variance.apart()
    varies = variance.total > ROUNDING_VARIANCE and by_system + by_topic > 0
    return Needed(
        half_width_90=float(error(present, present, 0.95)[0]),
        aged_from=margin + float(error(present, present, 0.975, 0.80)[0]),
        share_of_runs=by_system / (by_system + by_topic) if varies else None,
        if_unmoved=_sizes("held", margin, (0.95, 0.90), error, size),
        if_as_measured=(
            _sizes("held", margin - drift, (0.95, 0.80), error, size)
            if drift <= margin
            else _sizes("aged", drift - margin, (0.975, 0.80), error, size)
        ),
    )


def needed_for_sd_ratio(log_ratio: CrossedEstimate, margin: float, size: Size) -> Needed:
    """Return the sizes that would decide about the sd ratio: as for the shift, on the logarithm.

    `margin` is a ratio above 1, and so are `half_width_90` and `aged_from` of the result.
    """
    on_log = needed_for_shift(log_ratio, math.log(margin), size)
    return replace(
        on_log, half_width_90=as_ratio(on_log.half_width_90), aged_from=as_ratio(on_log.aged_from)
    )


def topics_suffice(variance: VarianceParts, topics: int, margin: float) -> bool:
    """Return whether the same systems, run again unchanged, could show no drift on these topics.

    However many of them run again, ``T = V_T - I`` of `needed_for_shift`, which is how unevenly
    the topics moved, stays: held in 4 of 5 cases takes ``(t(.95) + t(.90)) sqrt(T) <= margin`` on
    ``topics - 1`` degrees of freedom. The margin is that of the shift or of the log sd ratio.
    """
    by_topic, _, _ = variance.apart()
    quantile = sum(scipy.special.stdtrit(topics - 1, level) for level in (0.95, 0.90))
    return bool(quantile * math.sqrt(by_topic) <= margin)


def _standard_error(
    variance: VarianceParts, topics: int, units: Floats, topic_factor: Floats, *quantiles: float
) -> Floats:
    """Return the sum of t quantiles times the standard error, for multiples of units and topics."""
    if variance.total <= ROUNDING_VARIANCE:
        return np.zeros_like(units)
    by_topic, by_unit, both = variance.apart()
    from_topics = (by_topic + both / units) / topic_factor
    from_units = (by_unit + both / topic_factor) / units
    total = from_topics + from_units - both / (units * topic_factor)
    dof = total**2 / (
        from_topics**2 / (topic_factor * topics - 1) + from_units**2 / (units * variance.dof_runs)
    )
    quantile = sum((scipy.special.stdtrit(dof, level) for level in quantiles), np.zeros_like(dof))
    return np.asarray(quantile * np.sqrt(total))


def _sizes(
    verdict: Literal["held", "aged"],
    room: float,
    quantiles: tuple[float, float],
    error: Callable[..., Floats],
    size: Size,
) -> Sizes:
    """Smallest sizes at which the standard error, times its quantiles, is at most `room`."""

    def search(*, units: int, topics: int) -> Size | None:
        # The powers of the factor by which there are more of either: 0 for as many as today.
        factor = _smallest_factor(
            lambda factors: error(factors**units, factors**topics, *quantiles) <= room
        )
        if factor is None:
            return None
        return Size(
            factor,
            math.ceil(factor**units * size.units_from - _ROUNDING),
            math.ceil(factor**units * size.units_to - _ROUNDING),
            math.ceil(factor**topics * size.topics - _ROUNDING),
        )

    return Sizes(
        verdict,
        search(units=1, topics=0),
        search(units=0, topics=1),
        search(units=1, topics=1),
    )


def _smallest_factor(enough: Callable[[Floats], Bools]) -> float | None:
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
