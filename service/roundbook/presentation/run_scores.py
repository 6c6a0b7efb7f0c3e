"""Logged scores beside computed ones, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.phrases import listed

if TYPE_CHECKING:
    from roundbook.logbook.runs.comparing import ScoreComparison


def summary(comparison: ScoreComparison) -> list[str]:
    """Return two sentences: the scores compared, and how many differ."""
    return [
        f"{comparison.task}, round '{comparison.round}': {comparison.measure} as logged (matrix"
        f" {comparison.matrix}, revision {comparison.revision}) and as {comparison.computed_by}"
        f" computes it from the runs (upload {comparison.upload}) and the {comparison.assessments}"
        f" assessments (revision {comparison.assessments_revision})",
        _verdict(comparison),
    ]


def notes(comparison: ScoreComparison) -> list[str]:
    """Return the notes on topics and runs that only one side has, and on scores not listed."""
    unlisted = comparison.different - len(comparison.cells_shown)
    return [
        f"Only {side}: {noun}{'s' if len(names) > 1 else ''} {listed(names)}."
        for side, noun, names in (
            ("in the logged matrix", "topic", comparison.only_logged_topics),
            ("in the logged matrix", "run", comparison.only_logged_runs),
            ("among the assessed", "topic", comparison.only_computed_topics),
            ("among the runs uploaded", "run", comparison.only_computed_runs),
        )
        if names
    ] + ([f"Besides, {unlisted:,} scores that differ less are not listed."] if unlisted else [])


def _verdict(comparison: ScoreComparison) -> str:
    if comparison.largest is None:
        return "They have no topic and run in common."
    largest = f"the largest difference is {comparison.largest:.2g}"
    if not comparison.different:
        return (
            f"All {comparison.cells:,} scores are the same within {comparison.tolerance:g};"
            f" {largest}."
        )
    return (
        f"{comparison.different:,} of {comparison.cells:,} scores"
        f" differ{'s' if comparison.different == 1 else ''} by more than"
        f" {comparison.tolerance:g}, on {comparison.different_topics} of {comparison.topics} topics"
        f" and in {comparison.different_runs} of {comparison.runs} runs; {largest}."
    )
