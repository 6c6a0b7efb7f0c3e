"""Captions of the charts of a page, also for readers who cannot see the charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.drift_verdict import signed
from roundbook.presentation.phrases import counted, joined, other_pool
from roundbook.presentation.tables import decimals_beside, fixed
from roundbook.requests.plans import INTERVALS

if TYPE_CHECKING:
    from roundbook.logbook.drift.assessment import StandardisingRuns
    from roundbook.logbook.drift.report import DriftCurve, DriftReport
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.matrices.overview import ScoreOverview
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.variance_history import VarianceHistory

# The most rounds and topics that a chart of a page has.
MOST_ROUNDS, MOST_TOPICS = 60, 120
# This many topics dominate where they carry more than this share of the whole shift.
_FEW, _MUCH = 3, 0.5


def variances_caption(history: VarianceHistory) -> str:
    """Return the caption of a chart of variances."""
    pooled, number = history.pooled, len(history.rounds)
    interval = ""
    if pooled.interval is not None:
        low, high = pooled.interval.low, pooled.interval.high
        interval = f", its 95% interval ({short(low)} to {_limit(high)}) as a band"
    rounds = "the round" if number == 1 else f"the {_latest(number)}rounds"
    planning = ""
    if (limit := pooled.of_kind("one-way").planning_variance) is not None:
        planning = f"; planning variance {short(limit)}"
    return (
        f"Variance of {history.measure}, {history.scale} scale, in {rounds} with 95% intervals;"
        f" pooled {short(pooled.variance)}"
        f"{interval}{planning}."
    )


def ageing_caption(curve: DriftCurve) -> str:
    """Return the caption of an ageing curve."""
    number = len(curve.rounds)
    rounds = "the later round" if number == 1 else f"the {_latest(number)}later rounds"
    return (
        f"Shift of {curve.measure} in {rounds} for systems and topics like these, in standard"
        f" deviations of '{curve.from_round}', with 95% intervals; up to ±{curve.margin:.3g}, the"
        " band, does not matter."
    )


def fitted_on(version: int, runs: StandardisingRuns) -> str:
    """Return the table cell with a factor version and the runs that it was fitted to."""
    if runs.which == "all":
        return f"v{version}, all runs"
    if runs.pool_now is not None:
        return f"v{version}, {other_pool(f'{runs.runs} runs', runs.pool_now)}"
    return f"v{version}, {runs.runs} {runs.which} runs"


def means_caption(report: DriftReport) -> str:
    """Return the caption of a chart of the shared topics' means."""
    higher = sum(topic.mean_to > topic.mean_from for topic in report.topics)
    return _of_shared_topics(report, "Mean", f"{higher} of them, it is higher")


def sds_caption(report: DriftReport) -> str:
    """Return the caption of a chart of the shared topics' standard deviations."""
    wider = sum(topic.sd_to > topic.sd_from for topic in report.topics)
    return _of_shared_topics(report, "Standard deviation of", f"{wider} of them, it is wider")


def _of_shared_topics(report: DriftReport, statistic: str, above: str) -> str:
    return (
        f"{statistic} {report.measure} over the runs on the {counted(report.shared_topics, 'shared topic')};"
        f" above the dashed line, {above} in '{report.to_round}'."
    )


def factors_caption(factors: FactorSet) -> str:
    """Return the caption of a chart of factors."""
    runs = f"{factors.factors[0].runs if factors.factors else 0} runs"
    if factors.pool_now is not None:
        runs = other_pool(runs, factors.pool_now)
    elif factors.standardising == "all":
        runs = f"all {runs}"
    else:
        runs = f"the {factors.standardising} {runs}"
    return (
        f"Version {factors.version}, {runs}: mean and sd of {factors.measure} on"
        f" {counted(len(factors.factors), 'topic')}."
    )


def topics_caption(overview: ScoreOverview) -> str:
    """Return the caption of a chart of topics."""
    return (
        f"Mean and sd of {overview.measure} over {counted(len(overview.runs), 'run')} on"
        f" {counted(len(overview.topics), 'topic')}."
    )


def scores_caption(overview: ScoreOverview) -> str:
    """Return the caption of a heat map; it notes where neighbouring scores are averaged."""
    topics, runs = len(overview.topics), len(overview.runs)
    scores = [score for row in overview.cells for score in row]
    averaged = ""
    if topics > len(overview.cell_topics) or runs > len(overview.cell_runs):
        averaged = (
            f" They are drawn as {len(overview.cell_topics)} x {len(overview.cell_runs)} cells,"
            " neighbours averaged."
        )
    return (
        f"{overview.measure} of {counted(topics, 'topic')} by {counted(runs, 'run')},"
        f" {min(scores):.3g} faint to"
        f" {max(scores):.3g} strong.{averaged}"
    )


def plan_caption(plan: Plan) -> str:
    """Return the caption of the chart of a plan."""
    if plan.design in INTERVALS:
        return "Expected full width of the interval by the number of topics; the dots are planned."
    level, power = "", 1 - plan.beta
    if plan.solve != "power":
        level = f"; dashed, the power asked, {short(power, decimals_beside(power, [1], 2))}"
    return f"Power by the number of topics, a line a minD; the dots are planned{level}."


def dominating_topics(report: DriftReport) -> str | None:
    """Return the sentence on the three topics that moved most, and the mean shift without them.

    The mean shift is that of the topics' shifts, each in its own standard deviation. With few
    topics, or a mean shift of 0, it is None.
    """
    shifts = {topic.topic: topic.shift for topic in report.topics if topic.shift is not None}
    whole = sum(shifts.values())
    if len(shifts) < 2 * _FEW + 1 or whole == 0:
        return None
    names = sorted(shifts, key=lambda name: -shifts[name] if whole > 0 else shifts[name])[:_FEW]
    moved = sum(shifts[name] for name in names)
    share, rest = moved / whole, (whole - moved) / (len(shifts) - _FEW)
    return (
        f"The three topics that moved the mean most, {joined(names)}, "
        + ("dominate: they carry" if share > _MUCH else "do not dominate: they carry")
        + f" {share:.0%} of the mean shift in each topic's own sd"
        f" ({signed(whole / len(shifts))}); without them it is {signed(rest)}."
    )


def _latest(number: int) -> str:
    return f"latest {MOST_ROUNDS} of {number} " if number > MOST_ROUNDS else f"{number} "


def short(value: float, digits: int = 4) -> str:
    """Return a number without its leading zero, as the field's papers print it: ``.0531``."""
    written = fixed(value, digits)
    return written.replace("0.", ".", 1) if written.lstrip("-").startswith("0.") else written


def interval_phrase(low: float | None, high: float | None) -> str:
    """Return a 95% interval as a phrase to follow a number; empty where there is none."""
    return "" if low is None else f", 95% {short(low)} to {_limit(high)}"


def _limit(value: float | None) -> str:
    return "no limit" if value is None else short(value)
