"""Score matrices in sentences: what to know of one just logged, its status and its revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.measures import new_measure_notes

if TYPE_CHECKING:
    from roundbook.logbook.matrices.export import ExportedMatrix
    from roundbook.logbook.matrices.history import Changes
    from roundbook.logbook.matrices.logged import Difference, LoggedMatrix
    from roundbook.logbook.matrices.showing import ShownMatrix

_NAMED = 5


def log_notes(logged: LoggedMatrix) -> list[str]:
    """Return what a person who logs a score matrix should know of it, a sentence each."""
    remarks, notes = logged.remarks, []
    if remarks.other_measures:
        notes += new_measure_notes(logged.measure, remarks.other_measures)
    if remarks.difference is not None and remarks.difference.revision is not None:
        notes.append(_from_revision(remarks.difference))
    elif remarks.difference is not None:
        notes += _from_round(remarks.difference, logged)
    if remarks.same_scores is not None:
        notes.append(
            f"Round '{remarks.same_scores.round}' has exactly the same {logged.measure} scores"
            f" (matrix {remarks.same_scores.matrix}); check that the file is of round"
            f" '{logged.round}'."
        )
    if remarks.single_run:
        notes.append(
            "One run only: no standardisation factors, since the standard deviation over one run"
            " does not exist."
        )
    if remarks.tied_topics:
        treatment = "count as 0" if remarks.zero_sd == "average" else "are left out"
        notes.append(
            f"All standardising runs tie on {_named('topic', remarks.tied_topics)}: standardised"
            f" scores there {treatment}."
        )
    if remarks.equal_runs:
        notes.append(
            f"{remarks.equal_runs} of {logged.runs} runs have the same scores as another run on"
            " every topic."
        )
    if logged.missing_cells and logged.status == "logged":
        dropped = ", ".join(logged.dropped_topics)
        treatment = f"topics left out: {dropped}" if dropped else "set to 0"
        notes.append(f"Missing scores: {logged.missing_cells}; {treatment}.")
    if remarks.renewed:
        measures = ", ".join(dict.fromkeys(remarks.renewed))
        notes.append(
            "Teams of runs became known: the intervals of"
            f" {_count(len(remarks.renewed), 'variance estimate')} ({measures}) were estimated anew"
            " by team. What was saved on the earlier ones is stale."
        )
    if remarks.unknown_runs:
        names = _named("run", remarks.unknown_runs)
        notes.append(f"The team file names what is not in the score files: {names}.")
    if remarks.undescribed_runs:
        notes.append(f"The team file says nothing of {_named('run', remarks.undescribed_runs)}.")
    return notes


def status_phrase(matrix: ExportedMatrix | ShownMatrix) -> str:
    """Return the status of a score matrix, and by which one it is superseded."""
    by = "" if matrix.replaced_by is None else f" by matrix {matrix.replaced_by}"
    return f"{matrix.standing}{by}"


def export_notes(exported: ExportedMatrix) -> list[str]:
    """Return what a reader of exported scores should know: that they count no more, and why."""
    if exported.standing == "current":
        return []
    return [
        f"Matrix {exported.matrix} (revision {exported.revision}) is {status_phrase(exported)}:"
        f" {(exported.reason or '').rstrip('.')}."
    ]


def changes_phrase(changes: Changes) -> str:
    """Return what a revision changed."""
    parts = [f"{changes.cells_changed} of {changes.cells} scores changed"]
    if changes.largest_change is not None:
        parts[0] += (
            f", by up to {changes.largest_change:.4g} (topic {changes.largest_topic}, run"
            f" {changes.largest_run})"
        )
    for noun, names, what in (
        ("topic", changes.topics_added, "added"),
        ("topic", changes.topics_removed, "removed"),
        ("run", changes.runs_added, "added"),
        ("run", changes.runs_removed, "removed"),
    ):
        if names:
            first = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
            parts.append(f"{_count(len(names), noun)} {what} ({first})")
    return "; ".join(parts)


def _from_revision(difference: Difference) -> str:
    parts = []
    for noun, new, lacking in (
        ("topic", difference.new_topics, difference.lacking_topics),
        ("run", difference.new_runs, difference.lacking_runs),
    ):
        both = f" ({new} new, {lacking} gone)" if new and lacking else ""
        if new != lacking:
            more = "more" if new > lacking else "fewer"
            number = abs(new - lacking)
            parts.append(f"{number} {more} {noun}{'' if number == 1 else 's'}{both}")
        elif new:
            parts.append(f"as many {noun}s{both}")
    return f"Against revision {difference.revision} it has {' and '.join(parts)}."


def _from_round(difference: Difference, logged: LoggedMatrix) -> list[str]:
    notes = []
    new = [
        f"{number} of its {_count(own, noun)}"
        for noun, number, own in (
            ("run", difference.new_runs, logged.runs),
            ("topic", difference.new_topics, logged.topics),
        )
        if number
    ]
    lacking = [
        _count(number, noun)
        for noun, number in (("run", difference.lacking_runs), ("topic", difference.lacking_topics))
        if number
    ]
    if new:
        notes.append(f"No other matrix of this round has {' and '.join(new)}.")
    if lacking:
        notes.append(
            f"This matrix lacks {' and '.join(lacking)} that other matrices of this round have."
        )
    return notes


def _named(noun: str, names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    first = ", ".join(names[:_NAMED]) + more
    return f"{noun} {first}" if len(names) == 1 else f"{len(names)} {noun}s ({first})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
