"""Factor sets and standardised scores in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roundbook.presentation.matrices import hidden_notes
from roundbook.presentation.phrases import counted, other_pool, under_label
from roundbook.presentation.rounds import assumed_collection
from roundbook.presentation.tables import Column, count, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.factors import FactorSet, OutdatedFactors
    from roundbook.logbook.fitting import FittedFactorSet
    from roundbook.logbook.standardise import StandardisedScores

FACTORS = (
    Column("topic", "Topic"),
    number("mean", "Mean"),
    number("sd", "sd"),
    count("runs", "Runs"),
)


class RunMean(NamedTuple):
    """A run and its mean standardised score."""

    run: str
    mean: float


def heading(factors: FactorSet) -> str:
    """Return the heading of a factor set: round, measure, version, matrix, runs, day and user."""
    runs = "all runs" if factors.standardising == "all" else f"{factors.standardising} runs"
    if factors.pool_now is not None:
        runs = f"{other_pool(f'{factors.factors[0].runs} runs', factors.pool_now)},"
    return (
        f"{factors.task}, round '{factors.round}':"
        f" {factors.measure}{under_label(factors.assessments)}, factor version"
        f" {factors.version} (of {', '.join(map(str, factors.versions))}), from matrix"
        f" {factors.matrix} revision {factors.revision}, {runs} standardise, fitted"
        f" {factors.fitted_at:%Y-%m-%d} by {factors.fitted_by}"
    )


def withdrawn_note(factors: FactorSet) -> list[str]:
    """Return a note if the matrix that factors were fitted on is withdrawn, else an empty list."""
    if not factors.withdrawn:
        return []
    return [f"Matrix {factors.matrix} is withdrawn: {factors.withdrawn}."]


def fitted_notes(fitted: FittedFactorSet) -> list[str]:
    """Return a note on the topics where all standardising runs tie, for factors just fitted."""
    if not fitted.zero_sd_topics:
        return []
    scores = "count as average" if fitted.zero_sd == "average" else "are left out"
    return [
        f"all standardising runs tie on {_topics(fitted.zero_sd_topics)}: scores there {scores}."
    ]


def unchanged(fitted: FittedFactorSet) -> str | None:
    """Return the note that the latest factors were these already; None if new ones were fitted."""
    if fitted.status != "unchanged":
        return None
    return (
        f"These factors were there already, as version {fitted.version}; the reason was not"
        " recorded."
    )


def outdated_note(factors: OutdatedFactors) -> str:
    """Return the note that the matrix behind factors in use counts no more, and why."""
    by = "" if factors.replaced_by is None else f" by matrix {factors.replaced_by}"
    return (
        f"Factor version {factors.version} of round '{factors.round}' was fitted on matrix"
        f" {factors.matrix} (revision {factors.revision}), which is {factors.status}{by}:"
        f" {factors.reason.rstrip('.')}."
    )


def standardised_heading(scores: StandardisedScores) -> str:
    """Return the heading of standardised scores: task, source, measure, topics and factors."""
    source = f"round '{scores.round}'" if scores.matrix else ", ".join(scores.files)
    label = under_label(scores.assessments)
    return (
        f"{scores.task}, {source}: {scores.measure}{label and f'{label},'} over"
        f" {len(scores.topics)} topics, by factor version {scores.factor_version} of round"
        f" '{scores.factors_round}' (matrix"
        f" {scores.factors_matrix}, revision {scores.factors_revision})"
    )


def standardised_notes(scores: StandardisedScores) -> list[str]:
    """Return the notes on factors that count no more, and on an assumed document collection."""
    notes = [] if scores.outdated is None else [outdated_note(scores.outdated)]
    collections = (
        (scores.round, scores.collection),
        (scores.factors_round, scores.factors_collection),
    )
    if undeclared_round(scores) and (assumed := assumed_collection(collections)):
        notes.append(assumed)
    return notes


def undeclared_round(scores: StandardisedScores) -> str | None:
    """Return the round that declares no collection where only the other round does, else None."""
    if (scores.collection is None) == (scores.factors_collection is None):
        return None
    return scores.round if scores.collection is None else scores.factors_round


def standardised_remarks(scores: StandardisedScores) -> list[str]:
    """Return the remarks on topics left out, scores off a tie, and hidden cells that were read."""
    remarks = []
    if scores.left_out:
        remarks.append(
            f"left out, for want of usable factors in round '{scores.factors_round}':"
            f" {_topics(scores.left_out)}."
        )
    if scores.off_ties:
        first = scores.off_ties[0]
        remarks.append(
            f"{counted(len(scores.off_ties), 'score')} off a tie of all standardising runs"
            f" (first: run {first.run}, topic {first.topic}); an sd of 0 counts them as average."
        )
    return remarks + hidden_notes(scores.hidden)


def run_means(scores: StandardisedScores) -> list[RunMean]:
    """Return the runs with their mean standardised scores, the best first."""
    means = map(RunMean, scores.runs, scores.means)
    return sorted(means, key=lambda run: -run.mean)


def _topics(names: Sequence[str]) -> str:
    return f"{counted(len(names), 'topic')} ({', '.join(names)})"
