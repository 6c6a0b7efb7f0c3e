"""Pilots of fewer teams or topics in sentences and tables."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from roundbook.presentation.phrases import counted
from roundbook.presentation.studies.common import (
    SCALE,
    by_scale,
    computed_scores,
    join_protocol,
    percent,
)
from roundbook.presentation.tables import Column, Table, count, number, values_at

if TYPE_CHECKING:
    from roundbook.logbook.studies.pilots import LeaveTeamsOutStudy, PilotsOfScale, PilotStudy
    from roundbook.statistics.studies.pilot_results import PilotsOfSize

FIGURE = ("topics planned", "{:,}")
_SPREADS = {
    f"{figure}_{name.replace('.', '_')}": f"{figure}.{name}"
    for figure in ("variance", "planned")
    for name in ("mean", "mean_low", "mean_high", "sd", "low", "high")
}
_FIELDS = (
    *("size", "trials", "without_value", "single_runs", "fewest_topics", "most_topics"),
    *("fewest_runs", "most_runs", *_SPREADS, "misses"),
)
_FIGURES = (
    number("variance_mean", "Variance"),
    number("variance_sd", "sd", spare=4),
    Column("variances", "95% of draws", spare=2),
    Column("bias", "Bias", "{:+z.1%}".format, "right", spare=1),
    number("planned_mean", "Planned", 0),
    Column("plans", "95% of draws"),
)
# The columns of pilots that are drawn by team.
_DRAWN = (Column("runs", "Runs", spare=3), Column("topics", "Topics", spare=5))


def _noun(study: PilotStudy) -> str:
    """Return the noun for the units of a pilot's size, ``topic`` or ``team``."""
    return "topic" if _of_teams(study) is None else "team"


def _of_teams(study: PilotStudy) -> LeaveTeamsOutStudy | None:
    """Return a study of pilots of fewer teams as such, None for one of fewer topics."""
    return cast("LeaveTeamsOutStudy", study) if study.study == "leave-teams-out" else None


def _reduced(study: PilotStudy) -> bool:
    """Return whether pilots are scored by fewer relevance assessments than the whole round."""
    of_teams = _of_teams(study)
    return of_teams is not None and of_teams.mode == "reduce"


def tables(study: PilotStudy) -> list[Table]:
    """Return the table of the results of pilots of each size."""
    noun = _noun(study)
    # On the same scores the mean over draws differs from the whole round's variance by chance, or
    # hardly where some teams have more runs.
    figures = [column for column in _FIGURES if _reduced(study) or column.field != "bias"]
    drawn = _DRAWN if noun == "team" else ()
    return [
        Table(
            f"Pilots of fewer {noun}s, drawn from this round, on {{}}:",
            [_row(scale, size) for scale in study.scales for size in scale.sizes],
            (count("size", f"{noun.capitalize()}s"), *drawn, *figures),
            by=SCALE,
            fields=_FIELDS,
            main=True,
        )
    ]


def _row(scale: PilotsOfScale, size: PilotsOfSize) -> SimpleNamespace:
    spreads = values_at(size, _SPREADS)
    mean = size.variance.mean
    return SimpleNamespace(
        **vars(size) | spreads,
        scale=scale.scale,
        bias=None if mean is None or not scale.variance else mean / scale.variance - 1,
        runs=_range(size.fewest_runs, size.most_runs, 0),
        topics=_range(size.fewest_topics, size.most_topics, 0),
        variances=_range(spreads["variance_low"], spreads["variance_high"], 4),
        plans=_range(spreads["planned_low"], spreads["planned_high"], 0),
    )


def _range(low: float | None, high: float | None, digits: int) -> str:
    if low is None or high is None:
        return "-"
    first, last = f"{low:,.{digits}f}", f"{high:,.{digits}f}"
    return first if first == last else f"{first} to {last}"


def sentences(study: PilotStudy) -> list[str]:
    """Return a sentence for each scale on topics planned by the whole round and small pilots."""
    lines = []
    noun = _noun(study)
    for scale in study.scales:
        whole = getattr(study, f"{noun}s")
        if noun == "topic" and scale.scale != "raw":
            whole = scale.topics  # those that the factors' policy on topics with sd 0 leaves
        line = (
            f"On {scale.scale}, all {whole} {noun}s give a variance of {scale.variance:.4f}, by which"
            f" one-way ANOVA plans {scale.planned:,} topics for {study.m} runs and minD"
            f" {study.min_d:g}."
        )
        # Larger pilots hardly differ from the whole round; the smallest one is the extreme.
        half = next((size for size in scale.sizes if 2 * size.size <= whole), scale.sizes[0])
        ranges = {
            size.size: _range(size.planned.low, size.planned.high, 0)
            for size in (half, scale.sizes[-1])
            if size.planned.low is not None
        }
        if ranges:
            (size, plans), *fewest = ranges.items()
            line += f" The middle 95% of pilots with {size} of {whole} {noun}s plan {plans}"
            line += "".join(f"; with {size}: {plans}" for size, plans in fewest) + "."
        lines.append(line)
    shared = "runs and topics" if noun == "topic" else "topics and teams"
    lines.append(
        f"Drawn from one round, these pilots share its {shared}: separate pilots would scatter more."
    )
    if len(study.scales) > 1:
        lines.append(f"A minD of {study.min_d:g} is another difference on each scale.")
    of_teams = _of_teams(study)
    return lines + (computed_scores(of_teams, of_teams.known_depth) if of_teams else [])


def remarks(study: PilotStudy) -> list[str]:
    """Return the remarks on the bias, and on pilots without a variance or of a single run."""
    lines = []
    if _reduced(study):
        # 3 standard errors, as there are many sizes: by chance, all of ten stay within in 97%.
        lines.append(
            "Bias is that of the mean variance of the pilots against the whole round's; one of up"
            f" to 3 sd / sqrt({study.trials:,}) may be chance."
        )
    noun = _noun(study)
    for scale in study.scales:
        for size in scale.sizes:
            if size.without_value:
                lines.append(
                    f"On {scale.scale}, {size.without_value:,} of {size.trials:,} pilots of"
                    f" {counted(size.size, noun)} have no variance: their runs score on fewer than"
                    " two topics."
                )
            if size.single_runs and study.runs > 1:
                lines.append(
                    f"On {scale.scale}, {size.single_runs:,} of {size.trials:,} pilots of"
                    f" {counted(size.size, noun)} have one run only: the variance is that run's"
                    " alone."
                )
    return lines


def protocol(study: PilotStudy) -> str:
    """Return every convention of pilots in one sentence."""
    of_teams = _of_teams(study)
    drawn = f"all runs on the first {_sizes(study)} of {study.trials:,} random orders of the topics"
    if of_teams is not None:
        drawn = _drawn_teams(of_teams)
    return join_protocol(
        study,
        [
            f"variance of {drawn} (one-way residual variance V_E; topics on which each of the runs"
            " scores 0 are dropped, and with fewer than two left there is no variance; ranges are"
            " 2.5th to 97.5th percentiles)",
            f"topics planned by one-way ANOVA, exact, of {study.m} runs for minD {study.min_d:g} at"
            f" alpha {study.alpha:g} and beta {study.beta:g}",
        ],
    )


def _drawn_teams(study: LeaveTeamsOutStudy) -> str:
    """Return how the runs of fewer teams are drawn, and by which assessments they are scored."""
    alone = ""
    if study.runs_without_team:
        alone = f", of which {study.runs_without_team} are runs without team"
    scores = "on the same scores and so by the same relevance assessments"
    if study.mode == "reduce":
        assessed = study.qrels or f"revision {study.revision}"
        judged, explained = (
            "?" if share is None else percent(share)
            for share in (study.judged_share, study.explained_share)
        )
        scores = (
            f"by the relevance assessments ({assessed}) without the documents that"
            f" pooled runs of the teams left out have to rank {study.pool_depth} and no other pooled"
            f" run has; {judged} of the pooled runs' documents to that rank are judged, and they are"
            f" {explained} of the judged documents, of which the others always remain"
        )
    return (
        f"the runs of {_sizes(study)}, drawn {study.trials:,} times each without replacement from"
        f" {study.teams}{alone}, {scores}"
    )


def _sizes(study: PilotStudy) -> str:
    """Return the sizes of pilots as text: ``2, 4 and 8 topics``."""
    return by_scale(study.scales, lambda scale: _listed(scale, _noun(study)))


def _listed(scale: PilotsOfScale, noun: str) -> str:
    *others, last = [size.size for size in scale.sizes]
    if not others:
        return counted(last, noun)
    return f"{', '.join(map(str, others))} and {last} {noun}s"
