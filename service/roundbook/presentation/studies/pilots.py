"""Pilots of fewer teams or topics in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.studies.common import join_protocol, optional_number, percent
from roundbook.presentation.tables import Column, count, values_at

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_teams_out import LeaveTeamsOutStudy
    from roundbook.logbook.studies.pilots import PilotsOfScale, PilotStudy
    from roundbook.logbook.studies.topic_subsets import TopicSubsetsStudy
    from roundbook.statistics.studies.pilot_results import PilotsOfSize

_SPREADS = {
    f"{what}_{name.replace('.', '_')}": f"{what}.{name}"
    for what in ("variance", "planned")
    for name in ("mean", "mean_low", "mean_high", "sd", "low", "high")
}
# The columns of CSV.
LINE = (
    *("size", "trials", "without_value", "single_runs", "fewest_topics", "most_topics"),
    *("fewest_runs", "most_runs", *_SPREADS, "misses"),
)
_FOUND = (
    optional_number("variance_mean", "Variance"),
    optional_number("variance_sd", "sd", spare=1),
    Column("variances", "95% of pilots", spare=2),
    Column("missed", "Mean misses", spare=4),
    optional_number("planned_mean", "Planned", 0),
    Column("plans", "95% of plans"),
)
TOPICS = (count("size", "Topics"), *_FOUND)
TEAMS = (
    count("size", "Teams"),
    Column("runs", "Runs", spare=3),
    Column("topics", "Topics", spare=5),
    *_FOUND,
)


def row(size: PilotsOfSize) -> SimpleNamespace:
    """Return the pilots of one size as a row of the table and a line of CSV."""
    spreads = values_at(size, _SPREADS)
    return SimpleNamespace(
        **vars(size) | spreads,
        runs=_range(size.fewest_runs, size.most_runs, 0),
        topics=_range(size.fewest_topics, size.most_topics, 0),
        variances=_range(spreads["variance_low"], spreads["variance_high"], 4),
        plans=_range(spreads["planned_low"], spreads["planned_high"], 0),
        missed={None: "-", True: "yes", False: "no"}[size.misses],
    )


def _range(low: float | None, high: float | None, digits: int) -> str:
    if low is None or high is None:
        return "-"
    first, last = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return first if first == last else f"{first} to {last}"


def sentences(study: PilotStudy, all_of_them: str) -> list[str]:
    """Return what the whole round gives, a sentence a scale, and how to read the table.

    Parameters
    ----------
    all_of_them : str
        What the whole round has, as ``all 30 topics``.
    """
    whole = [
        f"On {scale.scale}, {all_of_them} give a variance of {scale.variance:.4f}, by which"
        f" {scale.planned:,} topics are planned."
        for scale in study.scales
    ]
    return [*whole, "How far smaller pilots would have been off is in the last column."]


def remarks(study: PilotStudy, what: str) -> list[str]:
    """Return which pilots have no variance, and which that of a single run.

    Parameters
    ----------
    what : str
        What the size of a pilot counts: ``teams`` or ``topics``.
    """
    lines = []
    for scale in study.scales:
        for size in scale.sizes:
            if size.without_value:
                lines.append(
                    f"On {scale.scale}, {size.without_value} of {size.trials} pilots of"
                    f" {_counted(size.size, what)} have no variance: their runs score on fewer than"
                    " two topics."
                )
            if size.single_runs and study.runs > 1:
                lines.append(
                    f"On {scale.scale}, {size.single_runs} of {size.trials} pilots of"
                    f" {_counted(size.size, what)} have a single run, whose variance it is."
                )
    return lines


def _counted(number: int, what: str) -> str:
    return f"1 {what.removesuffix('s')}" if number == 1 else f"{number} {what}"


def topics_protocol(study: TopicSubsetsStudy) -> str:
    """Return every convention of topic subsets in one sentence."""
    return _protocol(
        study,
        f"variance of all runs on the first {_sizes(study.scales[0])} topics of {study.trials} random"
        " orders of the topics",
    )


def teams_protocol(study: LeaveTeamsOutStudy) -> str:
    """Return every convention of leaving teams out in one sentence."""
    alone = ""
    if study.runs_without_team:
        alone = f", of which {study.runs_without_team} are runs without team"
    scores = "on the same scores and so by the same relevance assessments"
    if study.mode == "reduce":
        assessed = study.qrels or f"revision {study.revision}"
        scores = (
            f"by the relevance assessments ({assessed}) without the documents that"
            f" pooled runs of the teams left out have to rank {study.pool_depth} and no other pooled"
            f" run has; {_percent(study.judged_share)} of the pooled runs' documents to that rank are"
            f" judged, and they are {_percent(study.explained_share)} of the judged documents, of"
            " which the others always remain"
        )
    return _protocol(
        study,
        f"variance of the runs of {_sizes(study.scales[0])} teams, drawn {study.trials} times each"
        f" without replacement from {study.teams}{alone}, {scores}",
    )


def _percent(share: float | None) -> str:
    return "?" if share is None else percent(share)


def _sizes(scale: PilotsOfScale) -> str:
    *others, last = [str(size.size) for size in scale.sizes]
    return f"{', '.join(others)} and {last}" if others else last


def _protocol(study: PilotStudy, drawn: str) -> str:
    return join_protocol(
        study,
        [
            f"{drawn} (one-way residual variance V_E; topics on which each of the runs scores 0 are"
            " dropped, and with fewer than two left there is no variance; means with their 95% t"
            " interval over draws, which misses the whole round's variance or not; ranges are 2.5th"
            " to 97.5th percentiles)",
            f"topics planned by one-way ANOVA, exact, of {study.m} runs for minD {study.min_d:g} at"
            f" alpha {study.alpha:g} and beta {study.beta:g}",
        ],
    )
