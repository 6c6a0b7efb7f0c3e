"""Sentences on logged runs, their teams, relevance assessments and computed scores, and columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.phrases import counted, joined, listed, named
from roundbook.presentation.tables import Column, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.runs.assessing import LoggedQrels
    from roundbook.logbook.runs.log_runs import LoggedRuns
    from roundbook.logbook.runs.recorded_runs import RunChange
    from roundbook.logbook.runs.scoring import ScoreComparison
    from roundbook.logbook.teams import DescribedTeams

UPLOADS = (
    Column("round", "Round"),
    count("upload", "Upload"),
    count("runs", "Runs"),
    count("topics", "Topics"),
    count("documents", "Documents"),
    Column("logged_at", "Logged at", "{:%Y-%m-%d %H:%M}".format, spare=2),
    Column("logged_by", "By", spare=1),
)
QRELS = (
    Column("round", "Round"),
    Column("assessments", "Assessments"),
    count("revision", "Revision"),
    count("topics", "Topics"),
    count("judged", "Judged"),
    count("relevant", "Relevant"),
    Column("reason", "Revised because", spare=1),
    Column("logged_at", "Logged at", "{:%Y-%m-%d %H:%M}".format, spare=3),
    Column("logged_by", "By", spare=2),
)


def run_notes(logged: LoggedRuns) -> list[str]:
    """Return the notes on runs just logged, a sentence each."""
    notes = []
    if logged.unchanged_runs and logged.status == "logged":
        notes.append(f"{counted(logged.unchanged_runs, 'run')} had these lists already.")
    if logged.beyond_depth:
        notes.append(
            f"{logged.beyond_depth:,} documents ranked below {logged.depth:,} were left out."
        )
    if logged.new_topics:
        notes.append(f"New topics of the task: {listed(logged.new_topics)}.")
    if logged.without_lists:
        notes.append(
            f"{counted(len(logged.without_lists), 'run')} of the round's score matrices"
            f" {'has' if len(logged.without_lists) == 1 else 'have'} no lists yet:"
            f" {listed(logged.without_lists)}."
        )
    if logged.without_scores:
        notes.append(
            f"{len(logged.without_scores):,} of the {counted(logged.runs, 'new run')}"
            f" {'is' if len(logged.without_scores) == 1 else 'are'} in none of the round's score"
            f" matrices: {listed(logged.without_scores)}; check that the file is of round"
            f" '{logged.round}'."
        )
    if (same := logged.same_lists) is not None:
        of_new = "" if same.runs == logged.runs else f" of the {logged.runs:,} new"
        runs = f"{same.runs:,}{of_new} run{'' if same.runs == logged.runs == 1 else 's'}"
        notes.append(
            f"Round '{same.round}' has exactly the same lists of {runs}; check that the file is of"
            f" round '{logged.round}'."
        )
    if logged.without_round_topics:
        number = len(logged.without_round_topics)
        notes.append(
            f"{number:,} of the {counted(logged.runs, 'new run')} {'has' if number == 1 else 'have'} no"
            f" list for any topic that is assessed or has scores in round '{logged.round}':"
            f" {listed(logged.without_round_topics)}; check that the file is of this round."
        )
    elif logged.foreign_topics:
        number = len(logged.foreign_topics)
        notes.append(
            f"{number:,} of the {counted(logged.topics, 'topic')} of the new runs"
            f" {'is' if number == 1 else 'are'} of other rounds of the task, and in no scores, assessments"
            f" or other run of round '{logged.round}' ({listed(logged.foreign_topics)}); check that the"
            " file is of this round."
        )
    return notes


def qrels_notes(logged: LoggedQrels, reason: str | None = None) -> list[str]:
    """Return the notes on relevance assessments just logged; `reason` is a revision's."""
    grades = ", ".join(f"grade {grade}: {count:,}" for grade, count in logged.grades.items())
    notes = [f"Judgments by grade: {grades}."]
    if reason is not None and logged.status == "unchanged":
        notes.append("They are recorded already, so the reason was not recorded.")
    if (changes := logged.changes) is not None:
        parts = [
            f"{changes.changed:,} of {counted(changes.judgments, 'judgment')} changed",
            *([f"{changes.added:,} added"] if changes.added else []),
            *([f"{changes.removed:,} removed"] if changes.removed else []),
        ]
        notes.append(f"Against revision {logged.revision - 1}: {', '.join(parts)}.")
    if logged.scores_from_files:
        notes.append(
            f"The round's scores of {joined(logged.scores_from_files)} by these assessments were logged"
            " from files: if they rest on an earlier revision, log them anew."
        )
    if (same := logged.same_judgments) is not None:
        notes.append(
            f"Round '{same.round}' has exactly the same judgments ({same.assessments} assessments,"
            f" revision {same.revision}); check that the file is of round '{logged.round}'."
        )
    if logged.repeated:
        notes.append(f"{counted(logged.repeated, 'line')} said again what was said before.")
    if logged.without_relevant:
        notes.append(
            f"No document is relevant for {named('topic', logged.without_relevant)}; every run scores 0"
            " there."
        )
    if logged.without_judgments:
        notes.append(
            f"Runs have lists for {named('topic', logged.without_judgments)}, which"
            f" {'is' if len(logged.without_judgments) == 1 else 'are'} not assessed and will be"
            " left out."
        )
    if logged.new_topics:
        notes.append(f"New topics of the task: {listed(logged.new_topics)}.")
    if logged.foreign_topics:
        notes.append(
            f"{len(logged.foreign_topics)} of {counted(logged.topics, 'topic')}"
            f" {'is' if len(logged.foreign_topics) == 1 else 'are'} in no scores and in no run of"
            f" round '{logged.round}' ({listed(logged.foreign_topics)}): check that the file"
            " is of this round."
        )
    return notes


def comparison_summary(comparison: ScoreComparison) -> list[str]:
    """Return two sentences: the scores compared, and how many differ."""
    return [
        f"{comparison.task}, round '{comparison.round}': {comparison.measure} as logged (matrix"
        f" {comparison.matrix}, revision {comparison.revision}) and as {comparison.computed_by}"
        f" computes it from the runs (upload {comparison.upload}) and the {comparison.assessments}"
        f" assessments (revision {comparison.assessments_revision})",
        _scores_differing(comparison),
    ]


def comparison_notes(comparison: ScoreComparison) -> list[str]:
    """Return the notes on topics and runs that only one side has, and on scores not listed."""
    unlisted = comparison.different - len(comparison.cells_shown)
    return [
        f"Only {side}: {named(noun, names)}."
        for side, noun, names in (
            ("in the logged matrix", "topic", comparison.only_logged_topics),
            ("in the logged matrix", "run", comparison.only_logged_runs),
            ("among the assessed", "topic", comparison.only_computed_topics),
            ("among the runs uploaded", "run", comparison.only_computed_runs),
        )
        if names
    ] + ([f"Besides, {unlisted:,} scores that differ less are not listed."] if unlisted else [])


def _scores_differing(comparison: ScoreComparison) -> str:
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


_FACTS = {
    "team": "team",
    "type": "type",
    "contributed_to_pool": "in the pool",
    "system": "system",
}
_ANSWERS: dict[str | bool | None, str] = {True: "yes", False: "no", None: "unknown"}


def described_phrase(described: DescribedTeams) -> str:
    """Return the numbers of runs that a team file corrected and filled in, as a phrase."""
    corrected = len(corrections(described.changes))
    filled_in = len({change.run for change in described.changes if change.was is None})
    parts = [f"corrected {corrected}"] if corrected else []
    parts += [f"told something new of {filled_in}"] if filled_in else []
    return f"{' and '.join(parts) or 'nothing new'} of its {counted(described.runs, 'run')}"


def corrections(changes: Sequence[RunChange]) -> dict[str, str]:
    """Return the corrected facts of each corrected run as text, ``team: A → B``, by run."""
    lines: dict[str, list[str]] = {}
    for change in changes:
        if change.was is not None:
            was, now = (_ANSWERS.get(value, value) for value in (change.was, change.now))
            lines.setdefault(change.run, []).append(f"{_FACTS[change.fact]}: {was} → {now}")
    return {run: "; ".join(parts) for run, parts in lines.items()}
