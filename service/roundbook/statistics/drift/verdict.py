"""The verdict on a drift, from the intervals of its two statistics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from roundbook.statistics.drift.jackknife import ROUNDING_VARIANCE, CrossedEstimate
from roundbook.statistics.drift.topics import PerStatistic
from roundbook.statistics.t_interval import inside, outside

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


@dataclass(frozen=True)
class Margins:
    """What does not matter.

    Attributes
    ----------
    shift : float
        Largest shift, in mean first-round sds.
    sd_ratio : float
        Largest ratio of sds, above 1.
    """

    shift: float
    sd_ratio: float


@dataclass(frozen=True)
class Judgement:
    """A verdict with its reason.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
    why : str or None
        None if held. If aged, which statistics are outside their margins. If undecided for want of
        an interval, what is wanting; else which intervals are not inside their margins, or "topics
        of small sd" if both are and only the mean over topics of each topic's shift is not.
    verdicts : PerStatistic of str
        What the interval of each statistic says by itself.
    moved : bool
        Whether the 97.5% interval of either excludes no drift: a test at 5% over the two.
    """

    verdict: Verdict
    why: Why | None
    verdicts: PerStatistic[Verdict]
    moved: bool


def no_judgement(why: NoInterval) -> Judgement:
    """Return the verdict where there is no interval to judge by."""
    verdict: Verdict = "unbridged" if why == "no shared topic with spread" else "undecided"
    return Judgement(verdict, why, PerStatistic(verdict, verdict), moved=False)


def judge(
    estimates: PerStatistic[CrossedEstimate], mean_shift: float, margins: Margins
) -> Judgement:
    """Judge by equivalence: two one-sided tests at 5% are what a 90% interval tells.

    - aged: the 95% interval of the shift or of the sd ratio lies wholly outside its margins;
    - held: both 90% intervals lie inside theirs, and so does the mean shift, which a topic of
      small sd can carry far where it hardly touches the weighted one;
    - undecided: anything else.

    Parameters
    ----------
    estimates : PerStatistic of CrossedEstimate
    mean_shift : float
        Mean over topics of each topic's shift in its own sds.
    margins : Margins

    Returns
    -------
    Judgement
    """
    verdicts = PerStatistic(
        _verdict(estimates.shift, margins.shift),
        _verdict(estimates.sd_ratio, math.log(margins.sd_ratio)),
    )
    moved = _excludes_0(estimates.shift) or _excludes_0(estimates.sd_ratio)
    aged = _which(verdicts.shift == "aged", verdicts.sd_ratio == "aged")
    if aged:
        return Judgement("aged", aged, verdicts, moved)
    open_ = _which(verdicts.shift != "held", verdicts.sd_ratio != "held")
    if open_:
        return Judgement("undecided", open_, verdicts, moved)
    if abs(mean_shift) > margins.shift:
        return Judgement("undecided", "topics of small sd", verdicts, moved)
    return Judgement("held", None, verdicts, moved)


def _verdict(estimate: CrossedEstimate, margin: float) -> Verdict:
    if outside(estimate.interval(0.95), margin):
        return "aged"
    return "held" if inside(estimate.interval(0.90), margin) else "undecided"


def _excludes_0(estimate: CrossedEstimate) -> bool:
    # An interval that is a point by rounding is off 0 by as much where nothing moved.
    return outside(estimate.interval(0.975), math.sqrt(ROUNDING_VARIANCE))


def _which(shift: bool, sd_ratio: bool) -> Why | None:  # noqa: FBT001
    if shift and sd_ratio:
        return "shift and sd ratio"
    if shift:
        return "shift"
    return "sd ratio" if sd_ratio else None
