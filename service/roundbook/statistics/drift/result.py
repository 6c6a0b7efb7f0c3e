"""What an assessment of drift says."""

from __future__ import annotations

from dataclasses import dataclass

from roundbook.statistics.drift.jackknife import VarianceParts
from roundbook.statistics.drift.needed import Needed
from roundbook.statistics.drift.topics import Floats, PerStatistic
from roundbook.statistics.drift.verdict import Verdict, Why
from roundbook.statistics.t_interval import Interval


@dataclass(frozen=True)
class TheseRuns:
    """Intervals for these very runs on topics like these; None where there is none.

    The runs are fixed and the topics a sample: no answer on whether factors hold for other systems.
    """

    shift_95: Interval | None = None
    sd_ratio_95: Interval | None = None


@dataclass(frozen=True)
class SystemsLikeThese:
    """Estimates and intervals for systems and topics like these; None where there is none.

    The estimates are less their jackknife bias, which moves them by a few hundredths.
    """

    shift: float | None = None
    shift_90: Interval | None = None
    shift_95: Interval | None = None
    sd_ratio: float | None = None
    sd_ratio_90: Interval | None = None
    sd_ratio_95: Interval | None = None


@dataclass(frozen=True, eq=False)
class DriftAssessment:
    """How far the factors of shared topics moved from one round to another.

    Attributes
    ----------
    shift : float or None
        Mean change of the topics' means over the mean of their first-round sds; None if unbridged.
    mean_shift, median_shift : float or None
        Mean and median over topics of each topic's shift in its own first-round sd.
    sd_ratio : float or None
        Mean sd of the later round over that of the first.
    sd_ratio_geometric : float or None
        Geometric mean of the topics' ratios that are not 0; None without one.
    mean_shift_differs : bool
        Whether `mean_shift` is farther than half the margin from `shift`: topics of small sd move
        otherwise than the rest.
    these_runs : TheseRuns
    systems_like_these : SystemsLikeThese
        What the verdict rests on.
    units_from, units_to, units_shared : int
        Units of runs in each round and in both.
    topics, topics_used : int
        Shared topics, and those among them with an sd in the first round: all statistics are over
        these.
    tied_from, tied_to : int
        Shared topics that all runs of the round tie on.
    variance_parts : PerStatistic of VarianceParts or None
        For the sd ratio, of its natural logarithm.
    verdict, why, verdicts, moved
        See :class:`roundbook.statistics.drift.verdict.Judgement`.
    needed : PerStatistic of Needed or None
        What would decide.
    shifts, sd_ratios : (topics,) float array
        Per topic; NaN where ``sd_from`` is 0.
    mean_from, sd_from, mean_to, sd_to : (topics,) float array
        Factors in the measure's unit; sds with ddof 1, exactly 0 where the runs tie.
    margin, sd_ratio_margin : float
        The input.
    """

    shift: float | None
    mean_shift: float | None
    median_shift: float | None
    sd_ratio: float | None
    sd_ratio_geometric: float | None
    mean_shift_differs: bool
    these_runs: TheseRuns
    systems_like_these: SystemsLikeThese
    units_from: int
    units_to: int
    units_shared: int
    topics: int
    topics_used: int
    tied_from: int
    tied_to: int
    variance_parts: PerStatistic[VarianceParts | None]
    verdict: Verdict
    why: Why | None
    verdicts: PerStatistic[Verdict]
    moved: bool
    needed: PerStatistic[Needed | None]
    shifts: Floats
    sd_ratios: Floats
    mean_from: Floats
    sd_from: Floats
    mean_to: Floats
    sd_to: Floats
    margin: float
    sd_ratio_margin: float
