"""Sentences on score matrices: notes on one just logged, its status and its revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.measures import did_you_mean, new_measure_notes, ratio_notes
from roundbook.presentation.phrases import counted, counted_names, listed
from roundbook.presentation.teams import refittable_notes, renewed_note, team_file_notes
from roundbook.requests.fields import ROUNDING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.formats.matrix import HiddenCells
    from roundbook.logbook.matrices.export import ExportedMatrix
    from roundbook.logbook.matrices.history import Changes
    from roundbook.logbook.matrices.logged import LoggedMatrix, MatrixDifference
    from roundbook.logbook.matrices.showing import MatrixFactors, ShownMatrix

_NAMED = 5


def log_notes(logged: LoggedMatrix) -> list[str]:
    """Return the notes on a score matrix just logged, a sentence each."""
    remarks, notes = logged.remarks, _beside_others(logged)
    if remarks.single_run:
        notes.append(
            "One run only: no standardisation factors, since the standard deviation over one run"
            " does not exist."
        )
    if remarks.topics_without_relevant:
        notes.append(
            f"No document is relevant on {counted_names('topic', remarks.topics_without_relevant)}: all"
            " runs score 0."
        )
    if remarks.runs_without_lists:
        one = len(remarks.runs_without_lists) == 1
        notes.append(
            f"{len(remarks.runs_without_lists):,} of {counted(logged.runs, 'run')}"
            f" {'has' if one else 'have'} no list for any assessed topic and"
            f" {'scores' if one else 'score'} 0 throughout: {listed(remarks.runs_without_lists)}."
            f" {'It' if one else 'They'} may be of another round."
        )
    if remarks.lacking_lists:
        one = len(remarks.lacking_lists) == 1
        most = sorted(remarks.lacking_lists.items(), key=lambda run: -run[1])
        runs = [f"{tag} ({number:,} of {logged.topics:,})" for tag, number in most]
        notes.append(
            f"{len(runs):,} of {counted(logged.runs, 'run')} {'has' if one else 'have'} no list for some"
            f" assessed topics, where {'it scores' if one else 'they score'} 0: {listed(runs)}."
        )
    if remarks.lists_end_at is not None:
        notes.append(
            f"No list of the runs goes beyond rank {remarks.lists_end_at}, and {logged.measure} looks"
            " further: if they were cut there, full lists score otherwise."
        )
    if remarks.standardising_before is not None:
        notes.append(
            f"The factors of revision {logged.revision - 1} rest on"
            f" {_STANDARDISING[remarks.standardising_before]}, these do not: they differ for that"
            " reason too."
        )
    if remarks.tied_topics:
        treatment = "count as the mean" if remarks.zero_sd == "average" else "are left out"
        notes.append(
            f"All standardising runs tie on {counted_names('topic', remarks.tied_topics)}: standardised"
            f" scores there {treatment}."
        )
    if remarks.equal_runs:
        notes.append(
            f"{remarks.equal_runs:,} of {logged.runs:,} runs"
            f" {'repeats' if remarks.equal_runs == 1 else 'repeat'} the scores of another run on"
            f" every topic: {_alike(remarks.alike)}."
        )
    if logged.missing_cells and logged.status == "logged":
        dropped = ", ".join(logged.dropped_topics)
        treatment = f"topics left out: {dropped}" if dropped else "set to 0"
        notes.append(f"Missing scores: {logged.missing_cells}; {treatment}.")
    if note := renewed_note(remarks.renewed, dry_run=logged.dry_run):
        notes.append(note)
    if remarks.not_recorded:
        notes.append(_not_recorded(remarks.not_recorded, dry_run=logged.dry_run))
    notes += hidden_notes(remarks.hidden)
    notes += team_file_notes(remarks, "the score files")
    if note := standardising_note(logged):
        notes.append(note)
    return notes + [note for note, _ in refittable_notes(remarks.refittable)]


def _beside_others(logged: LoggedMatrix) -> list[str]:
    """Return the notes from comparing a matrix and its names with what else is recorded.

    They warn of what may be misspelt, on another scale, transposed, or of another round.
    """
    remarks, notes = logged.remarks, []
    notes += new_measure_notes(logged.measure, remarks.other_measures, remarks.near_measure)
    if remarks.other_assessments:
        notes.append(
            f"The assessments label '{logged.assessments}' is new to this task, which has"
            f" {listed(remarks.other_assessments)}; scores under different labels are not mixed."
            + did_you_mean(logged.assessments, remarks.other_assessments)
        )
    if remarks.difference is not None and remarks.difference.revision is not None:
        notes.append(_from_revision(remarks.difference))
    elif remarks.difference is not None:
        notes += _from_round(remarks.difference, logged)
    if remarks.changes is not None and remarks.changes.cells:
        notes.append(f"Against revision {logged.revision - 1}: {_cells_phrase(remarks.changes)}.")
    if (twin := remarks.same_scores) is not None:
        same_measure = twin.measure == logged.measure
        where = f"Round '{twin.round}'" if same_measure else "The round"
        subject = f"round '{logged.round}'" if same_measure else logged.measure
        if twin.task is not None:
            where, subject = f"Round '{twin.round}' of task '{twin.task}'", f"task '{logged.task}'"
        notes.append(
            f"{where} has exactly the same {twin.measure} scores (matrix {twin.matrix}); check that"
            f" the file is of {subject}."
        )
    if remarks.same_values is not None:
        notes.append(
            f"Round '{remarks.same_values}' has the same {logged.measure} scores under other names of"
            f" topics or runs; check that the file is of round '{logged.round}'."
        )
    if remarks.beyond_one:
        notes.append(
            f"{remarks.beyond_one:,} of {logged.topics * logged.runs:,} scores are below 0 or above"
            f" 1, which {logged.measure} never is; check their scale."
        )
    notes += ratio_notes(logged.measure, remarks.variance_ratio)
    if remarks.runs_named_as_topics:
        notes.append(
            f"{remarks.runs_named_as_topics:,} of {counted(logged.runs, 'run')} have the names of"
            " topics; check that the file has a topic a row and a run a column."
        )
    if remarks.zeros_apart:
        pairs = [f"{name} and {other}" for name, other in remarks.zeros_apart.items()]
        notes.append(
            f"{len(pairs):,} of {counted(logged.topics, 'topic')} differ from recorded ones by"
            f" leading zeros alone ({listed(pairs)}), and count as others. Where they are the same,"
            " number them alike, or declare them (topic alias)."
        )
    elif remarks.no_shared_topics and not remarks.runs_named_as_topics:
        notes.append(
            f"Round '{logged.round}' shares no topic with the {remarks.no_shared_topics} other rounds,"
            " which share topics with each other; check the file, or say which topics returned under"
            " other ids (topic alias)."
        )
    return notes


def _not_recorded(options: Sequence[str], *, dry_run: bool) -> str:
    lost = " and ".join(_OPTIONS[name] for name in options)
    if dry_run:
        change = f"nothing would be logged and {lost} would not be recorded"
    else:
        were = "was" if len(options) == 1 else "were"
        change = f"nothing was logged and {lost} {were} not recorded"
    return f"These very scores are recorded already, so {change}."


_STANDARDISING = {
    "all": "all runs",
    "pooled": "the runs that contributed to the pool",
    "chosen": "runs that were chosen",
}
_OPTIONS = {
    "reason": "the reason",
    "tool": "the tool",
    "zero_sd": "what is to become of ties (factors are fitted anew for that)",
}


def hidden_notes(hidden: Sequence[HiddenCells]) -> list[str]:
    """Return a sentence for each workbook of which hidden rows, columns or sheets were read."""
    notes = []
    for of_file in hidden:
        parts = [
            counted(number, f"hidden {noun}")
            for number, noun in ((of_file.rows, "row"), (of_file.columns, "column"))
            if number
        ]
        if of_file.sheet is not None:
            parts.append(f"the hidden sheet '{of_file.sheet}'")
        notes.append(f"{of_file.file}: read like all else: {', '.join(parts)}.")
    return notes


def standardising_note(logged: LoggedMatrix) -> str | None:
    """Return the note on which runs of a matrix just logged standardise and why, or None.

    It is None where nothing was logged, or where all runs standardise as the pool is unknown.
    """
    if logged.status == "unchanged" or logged.standardising is None:
        return None
    if logged.standardising == "pooled":
        return (
            f"{logged.standardising_runs} of {logged.runs} runs standardise: those that contributed"
            " to the pool (team file)."
        )
    why = {
        "partly known": f"of {logged.pool_unknown} it is not known whether they contributed to the"
        " pool",
        "all": "all contributed to the pool (team file)",
        "too few": "fewer than two contributed to the pool (team file)",
    }.get(logged.pool)
    return why and f"All {logged.runs} runs standardise: {why}."


def factor_rows(matrix: ShownMatrix) -> list[MatrixFactors]:
    """Return the factor versions of a matrix; runs that are not the pool known now are labelled."""
    return [
        factors
        if factors.pool_now is None
        else factors.model_copy(
            update={"standardising": f"not the pool known now ({factors.pool_now})"}
        )
        for factors in matrix.factors
    ]


def status_phrase(matrix: ExportedMatrix | ShownMatrix) -> str:
    """Return the status of a score matrix as a phrase, with those that supersede it: next and latest."""
    by = "" if matrix.replaced_by is None else f" by matrix {matrix.replaced_by}"
    if matrix.replaced_by not in (None, matrix.latest_matrix):
        by += f" (the latest is matrix {matrix.latest_matrix}, revision {matrix.latest_revision})"
    return f"{matrix.status}{by}"


def export_notes(exported: ExportedMatrix) -> list[str]:
    """Return a note if exported scores count no more, with the reason; else an empty list."""
    if exported.status == "current":
        return []
    return [
        f"Matrix {exported.matrix} (revision {exported.revision}) is {status_phrase(exported)}:"
        f" {(exported.reason or '').rstrip('.')}."
    ]


def changes_phrase(changes: Changes) -> str:
    """Return the changes of a revision as a phrase: scores, topics and runs."""
    parts = [_cells_phrase(changes)]
    for noun, names, change in (
        ("topic", changes.topics_added, "added"),
        ("topic", changes.topics_removed, "removed"),
        ("run", changes.runs_added, "added"),
        ("run", changes.runs_removed, "removed"),
    ):
        if names:
            first = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
            parts.append(f"{counted(len(names), noun)} {change} ({first})")
    return "; ".join(parts)


def _cells_phrase(changes: Changes) -> str:
    by = ""
    beyond, changed = changes.cells_beyond_rounding, changes.cells_changed
    if beyond < changed:
        by = f", {f'{beyond:,}' if beyond else 'none'} by more than {ROUNDING:g}"
    if changes.largest_change is not None:
        by += (
            f", by up to {changes.largest_change:.4g} (topic {changes.largest_topic}, run"
            f" {changes.largest_run})"
        )
    return f"{changed:,} of {changes.cells:,} scores changed{by}"


def _alike(groups: Sequence[Sequence[str]]) -> str:
    """Return the first groups of runs with equal scores as text."""
    first = "; ".join(" = ".join(tags[:_NAMED]) for tags in groups[:_NAMED])
    more = len(groups) > _NAMED or any(len(tags) > _NAMED for tags in groups)
    return first + (", and more" if more else "")


def _from_revision(difference: MatrixDifference) -> str:
    parts = []
    for noun, new, lacking in (
        ("topic", difference.new_topic_names, difference.lacking_topic_names),
        ("run", difference.new_run_names, difference.lacking_run_names),
    ):
        more = len(new) - len(lacking)
        named = "; ".join(
            (f"{len(names):,} " if new and lacking else "") + f"{which}: {listed(names)}"
            for names, which in ((new, "new"), (lacking, "gone"))
            if names
        )
        if more:
            change = counted(abs(more), f"{'more' if more > 0 else 'fewer'} {noun}")
            parts.append(f"{change} ({named})")
        elif new:
            parts.append(f"as many {noun}s ({named})")
    return f"Against revision {difference.revision} it has {' and '.join(parts)}."


def _from_round(difference: MatrixDifference, logged: LoggedMatrix) -> list[str]:
    notes = []
    new = [
        f"{len(names):,} of its {counted(own, noun)} ({listed(names)})"
        for noun, names, own in (
            ("run", difference.new_run_names, logged.runs),
            ("topic", difference.new_topic_names, logged.topics),
        )
        if names
    ]
    lacking = [
        f"{counted(len(names), noun)} ({listed(names)})"
        for noun, names in (
            ("run", difference.lacking_run_names),
            ("topic", difference.lacking_topic_names),
        )
        if names
    ]
    if new:
        notes.append(f"No other matrix of this round has {' and '.join(new)}.")
    if lacking:
        notes.append(
            f"This matrix lacks {' and '.join(lacking)} that other matrices of this round have."
        )
    return notes
