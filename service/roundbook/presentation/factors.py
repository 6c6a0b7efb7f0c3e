"""Factor sets and standardised scores in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from roundbook.presentation.matrices import hidden_notes
from roundbook.presentation.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.factors import FactorSet, OutdatedFactors
    from roundbook.logbook.fitting import FittedFactorSet
    from roundbook.logbook.standardise import StandardisedScores


class RunMean(NamedTuple):
    """A run and its mean standardised score."""

    run: str
    mean: float


def heading(factors: FactorSet) -> str:
    """Return which factors these are, of which runs, and who fitted them when."""
    runs = "all runs" if factors.standardising == "all" else f"{factors.standardising} runs"
    return (
        f"{factors.task}, round '{factors.round}': {factors.measure}, factor version"
        f" {factors.version} (of {', '.join(map(str, factors.versions))}), from matrix"
        f" {factors.matrix} revision {factors.revision}, {runs} standardise, fitted"
        f" {factors.fitted_at:%Y-%m-%d} by {factors.fitted_by}"
    )


def withdrawn_note(factors: FactorSet) -> list[str]:
    """Return that the matrix which factors were fitted on is withdrawn, where it is."""
    if not factors.withdrawn:
        return []
    return [f"Matrix {factors.matrix} is withdrawn: {factors.withdrawn}."]


def fitted_notes(fitted: FittedFactorSet) -> list[str]:
    """Return on which topics all standardising runs of factors just fitted tie."""
    if not fitted.zero_sd_topics:
        return []
    scores = "count as average" if fitted.zero_sd == "average" else "are left out"
    return [
        f"all standardising runs tie on {_topics(fitted.zero_sd_topics)}: scores there {scores}."
    ]


def unchanged(fitted: FittedFactorSet) -> str | None:
    """Return that nothing was fitted, where the latest factors were these already."""
    if fitted.status != "unchanged":
        return None
    return (
        f"These factors were there already, as version {fitted.version}; the reason was not"
        " recorded."
    )


def outdated_note(factors: OutdatedFactors) -> str:
    """Return that factors were used whose matrix counts no more, and why it does not."""
    by = "" if factors.replaced_by is None else f" by matrix {factors.replaced_by}"
    return (
        f"Factor version {factors.version} of round '{factors.round}' was fitted on matrix"
        f" {factors.matrix} (revision {factors.revision}), which is {factors.status}{by}:"
        f" {factors.reason.rstrip('.')}."
    )


def standardised_heading(scores: StandardisedScores) -> str:
    """Return of what these standardised scores are, and by which factors."""
    source = f"round '{scores.round}'" if scores.matrix else ", ".join(scores.files)
    return (
        f"{scores.task}, {source}: {scores.measure} over {len(scores.topics)} topics, by factor"
        f" version {scores.factor_version} of round '{scores.factors_round}' (matrix"
        f" {scores.factors_matrix}, revision {scores.factors_revision})"
    )


def standardised_notes(scores: StandardisedScores) -> list[str]:
    """Return that the factors of standardised scores count no more, where they do not."""
    return [] if scores.outdated is None else [outdated_note(scores.outdated)]


def standardised_remarks(scores: StandardisedScores) -> list[str]:
    """Return which topics standardised scores leave out, and which of them no sd can place."""
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
