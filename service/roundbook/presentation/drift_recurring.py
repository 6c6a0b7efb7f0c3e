"""Sentences on the recurring systems of a drift report."""

from __future__ import annotations

from roundbook.logbook.drift.recurring_systems import RecurringSystems
from roundbook.logbook.drift.report import DriftReport
from roundbook.statistics.t_interval import Interval


def recurring_reason(report: DriftReport, recurring: RecurringSystems) -> str:
    """Return the sentences on how far recurring systems moved, and what follows for the factors."""
    number = len(recurring.systems) if recurring.count is None else recurring.count
    systems = "One system" if number == 1 else f"{number} systems"
    if recurring.mean_difference is None:
        round_ = f" '{recurring.tied_round}'" if recurring.tied_round else ""
        return (
            f"{systems} ran in both rounds, but no topic of round{round_} has an sd above 0, so"
            " nothing can be said of them."
        )
    moved = (
        f"{systems} ran in both rounds; their mean standardised score, each by its own round's"
        f" factors, moved by {recurring.mean_difference:+.3f} sds"
        f" ({_interval(recurring.mean_difference_95)}; up to {recurring.margin:g} does not matter)"
    )
    against = ""
    if recurring.against_others is not None:
        against = (
            f"against the other runs that standardise they moved by {recurring.against_others:+.3f}"
            f" ({_interval(recurring.against_others_95)})"
        )
    if recurring.why == "against other runs":
        return f"{moved}, but {against}: whether they stand where they stood cannot be told."
    if recurring.why is not None:
        return f"{moved}. {_pulled(report, recurring)}"
    meaning = {
        "held": "they stand where they stood among the very runs of these two rounds; other runs"
        " might have moved them",
        "aged": "they do not stand where they stood, so a standardised score no longer means the"
        " same",
        "undecided": "whether they stand where they stood cannot be told",
    }[recurring.verdict]
    beside = f"; {against}" if recurring.verdict == "held" and against else ""
    return f"{moved}{beside}: {meaning}."


def _interval(limits: Interval | None) -> str:
    if limits is None:
        return "no interval exists for one"
    return f"95% interval {limits[0]:.3f} to {limits[1]:.3f}"


def _pulled(report: DriftReport, recurring: RecurringSystems) -> str:
    """Return the sentences on why recurring systems decide nothing where most runs are theirs."""
    runs, recurring_runs = recurring.standardising, recurring.of_recurring
    assert runs is not None
    assert recurring_runs is not None
    pulled = "pulls that score to 0 where they are more than half"
    if recurring.why == "all standardising runs recur":
        pulled = "makes that score 0 in both rounds whatever happened"
    return (
        "Whether they stand where they stood cannot be told: of the runs that standardise,"
        f" {recurring_runs.from_} of {runs.from_} in '{report.from_round}' and {recurring_runs.to} of"
        f" {runs.to} in '{report.to_round}' are theirs, which {pulled}. It takes as many other runs"
        " beside them in either round, or factors that were fitted on other runs alone (`runs`)."
    )
