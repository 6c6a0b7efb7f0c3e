"""Sentences on the verdict on drift: the verdict itself, and the figures that it rests on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from roundbook.logbook.drift.assessment import Assessment
from roundbook.logbook.drift.report import DriftCurve, DriftReport, LaterRound
from roundbook.logbook.same_topics import collections_differ
from roundbook.presentation.tables import decimals_beside
from roundbook.statistics.drift.jackknife import PerStatistic
from roundbook.statistics.t_interval import Interval

UNITS = {"team": "teams", "system": "teams or systems", "kin": "groups of runs", "run": "runs"}
JUDGED_BY = "Held is judged by the 90% interval, aged by the 95% one."


class Comparison(NamedTuple):
    """An assessment of the drift between two rounds, with their shared topics and the margins."""

    assessment: Assessment
    from_round: str
    from_collection: str | None
    to_round: str
    to_collection: str | None
    shared_topics: int
    margin: float
    sd_ratio_margin: float


def _of_report(report: DriftReport) -> Comparison:
    return Comparison(
        report,
        report.from_round,
        report.from_collection,
        report.to_round,
        report.to_collection,
        report.shared_topics,
        report.margin,
        report.sd_ratio_margin,
    )


def headline(report: DriftReport) -> str:
    """Return the verdict in one sentence."""
    first, later = f"'{report.from_round}'", f"'{report.to_round}'"
    verdicts = {
        "held": f"HELD: the factors of round {first} still hold in round {later}",
        "aged": f"AGED: the factors of round {first} no longer hold in round {later}",
        "undecided": f"UNDECIDED: whether the factors of round {first} still hold in round"
        f" {later} cannot be told from these systems and topics"
        + (f", though {moved_parts(report)} did move" if report.moved else ""),
        "unbridged": f"NO SHARED TOPICS: rounds {first} and {later} have no usable shared topic",
    }
    unknown = " (provisional: teams unknown)" if report.provisional else ""
    return f"{verdicts[report.verdict]}{unknown}."


def moved_parts(report: DriftReport) -> str:
    """Return the noun phrase for what moved, the scores or their spread, by the 95% intervals."""
    like = report.systems_like_these
    if like is None or like.sd_ratio_95 is None or _reaches(like.sd_ratio_95, 1):
        return "the scores"
    # `moved` is judged by wider intervals, which a report does not hold.
    both = like.shift_95 is not None and not _reaches(like.shift_95, 0)
    return "the scores or their spread" if both else "their spread"


def _reaches(interval: Interval, value: float) -> bool:
    return interval[0] <= value <= interval[1]


def reason(report: DriftReport) -> str:
    """Return the figures that the verdict rests on, in sentences."""
    return _reason(_of_report(report))


def curve_reason(curve: DriftCurve, later: LaterRound) -> str:
    """Return the figures that the verdict on one round of a curve rests on, in sentences."""
    return _reason(
        Comparison(
            later,
            curve.from_round,
            curve.from_collection,
            later.round,
            later.collection,
            later.shared_topics,
            curve.margin,
            curve.sd_ratio_margin,
        )
    )


def brief_reason(report: DriftReport) -> str:
    """Return the figures that the verdict rests on, in brief sentences."""
    like = report.systems_like_these
    if report.verdict == "unbridged" or like is None or like.shift is None or like.sd_ratio is None:
        return reason(report)
    # One interval each suffices: a 95% one is inside no margin that the 90% one is not inside.
    by_itself = _by_itself(report)
    shift_by, ratio_by = (
        "held" if verdict == "held" else "aged" for verdict in (by_itself.shift, by_itself.sd_ratio)
    )
    compared = _of_report(report)
    write_shift, write_ratio = writers(report.margin, report.sd_ratio_margin)
    shift = intervals(shift_by, like.shift_95, like.shift_90, write_shift)
    ratio = intervals(ratio_by, like.sd_ratio_95, like.sd_ratio_90, write_ratio)
    return (
        f"For systems and topics like these the mean score moved by {signed(like.shift)}"
        f" standard deviations of round '{report.from_round}' ({shift}; up to"
        f" {report.margin:.3g} does not matter), and the spread is {plain(like.sd_ratio)} times"
        f" what it was ({ratio}; {1 / report.sd_ratio_margin:.3g} to {report.sd_ratio_margin:g} does"
        " not matter)."
        f" {_deciding(compared)} {JUDGED_BY} It rests on {_topics(compared)}, {_units(compared)}."
    )


def _reason(compared: Comparison) -> str:
    assessment, first = compared.assessment, compared.from_round
    if assessment.verdict == "unbridged":
        if collections_differ(compared.from_collection, compared.to_collection):
            return (
                f"Round '{first}' was held on the document collection '{compared.from_collection}'"
                f" and round '{compared.to_round}' on '{compared.to_collection}': a topic of the same"
                " name on other documents is another topic, and not a shared one."
            )
        if not compared.shared_topics:
            return "The two rounds share no topic, so no shift exists."
        return (
            f"On every topic the two rounds share ({compared.shared_topics}), all standardising runs"
            f" of '{first}' tie: with no standard deviation above 0 there is no unit for a shift."
        )
    like = assessment.systems_like_these
    if like is None:
        return (
            "An earlier version of Roundbook judged this, by a rule that took the runs for fixed:"
            f" on {_topics(compared)}, the mean of the topics' shifts, each in its own"
            f" standard deviation, is {signed(assessment.mean_shift)}."
        )
    if like.shift is None or like.sd_ratio is None:
        return (
            f"On {_topics(compared)}, the mean score of these runs moved by"
            f" {signed(assessment.shift)} standard deviations of round '{first}', and their spread"
            f" is {plain(assessment.sd_ratio)} times what it was."
            f" {_why_no_interval(compared)}"
        )
    by_itself = _by_itself(assessment)
    write_shift, write_ratio = writers(compared.margin, compared.sd_ratio_margin)
    shift = intervals(by_itself.shift, like.shift_95, like.shift_90, write_shift)
    ratio = intervals(by_itself.sd_ratio, like.sd_ratio_95, like.sd_ratio_90, write_ratio)
    return (
        f"For systems and topics like these, the mean score moved by {signed(like.shift)} standard"
        f" deviations of round '{first}' ({shift}), where -{compared.margin:.3g} to"
        f" +{compared.margin:.3g} does not matter. The spread of the runs is {plain(like.sd_ratio)}"
        f" times what it was ({ratio}), where {1 / compared.sd_ratio_margin:.3g} to"
        f" {compared.sd_ratio_margin:g} does not matter. {_deciding(compared)} {JUDGED_BY} This"
        f" rests on {_topics(compared)} and on {_units(compared)}."
    )


def _by_itself(assessment: Assessment) -> PerStatistic[str]:
    """Return the verdicts by shift and by spread alone; older reports have a single verdict."""
    return assessment.verdicts or PerStatistic(assessment.verdict, assessment.verdict)


def _topics(compared: Comparison) -> str:
    shared, used = compared.shared_topics, compared.assessment.topics_used
    used = shared if used is None else used
    if used < shared:
        tie = f"on the others all standardising runs of '{compared.from_round}' tie"
        return f"{used} of the {shared} topics that both rounds share ({tie})"
    return f"the {used} topics that both rounds share" if used > 1 else "the one shared topic"


def _units(compared: Comparison) -> str:
    units = compared.assessment.units
    assert units is not None
    both = f", {units.shared or 'none'} of them in both rounds"
    if units.by == "kin":
        # A group found in the scores of one round is not looked for in the other.
        both = f"{both if units.shared else ''}, inferred from the scores where no team is known"
    return (
        f"{units.from_} {UNITS[units.by]} of '{compared.from_round}' and {units.to} of"
        f" '{compared.to_round}'{both}"
    )


def _why_no_interval(compared: Comparison) -> str:
    """Return the sentence on why there is no interval for systems and topics like these."""
    assessment, units = compared.assessment, compared.assessment.units
    assert units is not None
    noun = UNITS[units.by]
    needs = (
        "Nothing follows from it for other systems: an interval needs at least 5"
        f" {noun} in each round, and"
    )
    return {
        "fewer than 5 topics": "Nothing follows from it for other topics: an interval needs at"
        f" least 5 of them, and there {'are' if assessment.topics_used != 1 else 'is'}"
        f" {assessment.topics_used}.",
        "fewer than 5 units in the first round": f"{needs} '{compared.from_round}' has"
        f" {units.from_}.",
        "fewer than 5 units in the later round": f"{needs} '{compared.to_round}' has {units.to}.",
        "no spread in the later round": f"All standardising runs of '{compared.to_round}' tie on every one of"
        " them, which leaves no spread to compare.",
        "scores too far apart": "The scores of the two rounds are too far apart in size for any"
        " interval: look for what is wrong with them.",
    }.get(
        assessment.why or "",
        f"Without one of the {noun}, all other standardising runs of its round tie on every one of them: so"
        " nothing follows from it for other systems.",
    )


def _deciding(compared: Comparison) -> str:
    """Return the sentence on where the intervals lie that decide the verdict, or leave it open."""
    assessment, why = compared.assessment, compared.assessment.why
    if assessment.verdict == "held":
        return "Both intervals lie wholly inside."
    if why == "topics of small sd":
        return (
            "Both intervals lie inside, but the mean over topics of each one's shift in its own"
            f" standard deviation is {signed(assessment.mean_shift, compared.margin)}: topics on which"
            " the runs hardly differ moved by more."
        )
    names = {"shift": "shift", "sd ratio": "spread"}
    if assessment.verdict == "aged":
        if why not in names:
            return "Both intervals lie wholly outside."
        return f"The interval of the {names[why]} lies wholly outside."
    if why not in names:
        return "Both intervals reach over their limits, and neither lies wholly outside."
    clear = "spread" if why == "shift" else "shift"
    return (
        f"The {clear} is clear, as its interval lies inside; that of the {names[why]} reaches over"
        " its limit."
    )


def intervals(
    verdict: str, at_95: Interval | None, at_90: Interval | None, write: Callable[[float], str]
) -> str:
    """Return the intervals that a verdict rests on: held on the 90% one, aged on the 95% one."""
    if at_95 is None or at_90 is None:
        return "too far apart for an interval"
    levels = {"held": {90: at_90}, "aged": {95: at_95}}.get(verdict, {95: at_95, 90: at_90})
    return ", ".join(
        f"{level}% interval {write(low)} to {write(high)}" for level, (low, high) in levels.items()
    )


def writers(
    margin: float, sd_ratio_margin: float
) -> tuple[Callable[[float], str], Callable[[float], str]]:
    """Return how the limits of shifts and of ratios are written beside the margins of a verdict."""
    return partial(signed, margin=margin), partial(plain, margin=sd_ratio_margin)


def at_95(limits: Interval | None, write: Callable[[float], str]) -> str:
    """Return the 95% interval alone."""
    return intervals("aged", limits, limits, write)


def signed(value: float | None, margin: float | None = None) -> str:
    """Return a shift as text, with its sign; one just beyond the margin is written so."""
    if value is None:
        return "an unknown number of"
    digits = decimals_beside(value, [] if margin is None else [-margin, margin], 3)
    return f"{value:+z.{digits}f}" if abs(value) < 1e6 else f"{value:+.3g}"


def plain(value: float | None, margin: float | None = None) -> str:
    """Return a ratio as text; one just beyond the margin is written so."""
    if value is None:
        return "an unknown number of"
    digits = decimals_beside(value, [] if margin is None else [1 / margin, margin], 3)
    fixed = value == 0 or 0.001 <= value < 1e6
    return f"{value:.{digits}f}" if fixed else f"{value:.3g}"
