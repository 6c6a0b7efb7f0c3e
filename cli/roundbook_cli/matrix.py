"""``roundbook matrix``: what is logged, matrix by matrix, and its corrections."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from roundbook_cli.impact import tell_impact
from roundbook_cli.matrix_number import MatrixNumber
from roundbook_cli.options import Anonymous, Database, Form, Format, TaskName
from roundbook_cli.output import Column, count, counted, number, print_table, section, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.matrices.corrections import CorrectedMatrix
    from roundbook.logbook.matrices.history import HistoryEntry, Revised
    from roundbook.logbook.matrices.listing import ListedMatrix
    from roundbook.logbook.matrices.showing import ShownMatrix

app = typer.Typer(no_args_is_help=True, help="Score matrices: list, show, correct, export.")

Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept for good.")]

_DECIDED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    Column("standing", "Standing"),
    Column("reason", "Reason"),
    Column("status", "Status"),
)


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


_LISTED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    Column("assessments", "Assessments"),
    count("revision", "Revision"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    Column("standing", "Standing"),
    Column("reason", "Reason"),
    Column("logged_at", "Logged", _day),
    Column("logged_by", "By"),
)
# A terminal is not wide enough for all of them.
_LISTED_BRIEFLY = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    count("size", "Size"),
    Column("standing", "Standing"),
    Column("reason", "Reason"),
    Column("logged", "Logged"),
)


class _Brief(NamedTuple):
    """A listed matrix in fewer columns."""

    matrix: int
    round: str
    measure: str
    revision: int
    size: str
    standing: str
    reason: str | None
    logged: str


@app.command("list", epilog="Example: roundbook matrix list covid --round round1 --all")
def list_(
    context: typer.Context,
    task: TaskName,
    round_label: Annotated[
        str | None, typer.Option("--round", metavar="ROUND", help="Only those of this round.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", metavar="M", help="Only those of this measure.")
    ] = None,
    assessments: Annotated[
        str | None, typer.Option("--assessments", metavar="LABEL", help="Only those by these.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those whose place a later revision took.")
    ] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List a task's score matrices: which count, which are withdrawn, and why."""
    from roundbook.logbook.matrices.listing import list_matrices

    with record(context, database) as session:
        listed = list_matrices(
            session,
            task,
            round_label=round_label,
            measure=measure,
            assessments=assessments,
            superseded=everything,
        )
    way_out = f"No such score matrix. Log one with 'roundbook log {task} ROUND FILE --measure M'."
    if form != "table":
        show(listed, form, listed.matrices, _LISTED)
        return
    rows = [_brief(each) for each in listed.matrices]
    print_table(rows, _LISTED_BRIEFLY, below=[] if rows else [way_out])


def _brief(each: ListedMatrix) -> _Brief:
    return _Brief(
        each.matrix,
        each.round,
        each.measure + (f" ({each.assessments})" if each.assessments != "official" else ""),
        each.revision,
        f"{each.topics} x {each.runs}",
        each.standing,
        each.reason,
        f"{_day(each.logged_at)} by {each.logged_by}",
    )


_RUNS = (
    Column("run", "Run"),
    Column("team", "Team"),
    Column("type", "Type"),
    Column("contributed_to_pool", "In the pool", lambda pooled: "yes" if pooled else "no"),
    Column("system", "System"),
    Column("pseudonym", "In drafts"),
)
_VARIANCES = (
    Column("scale", "Scale"),
    count("factor_version", "Factor version"),
    count("version", "Estimate"),
    number("variance", "Variance", 5),
    count("dof", "dof"),
    count("clusters", "Teams"),
)
_FACTORS = (
    count("version", "Version"),
    Column("standardising", "Standardising runs"),
    count("runs", "Runs"),
    Column("zero_sd", "Zero sd"),
    Column("reason", "Reason"),
    Column("fitted_at", "Fitted", _day, "right"),
    Column("fitted_by", "By"),
)


@app.command("show", epilog="Example: roundbook matrix show 3")
def show_(
    context: typer.Context,
    matrix: MatrixNumber,
    anonymous: Anonymous = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show everything known of a score matrix but its scores."""
    from roundbook.logbook.matrices.showing import show_matrix

    with record(context, database) as session:
        found = show_matrix(session, matrix, anonymous=anonymous)
    if form != "table":
        show(found, form, found.runs, _RUNS)
        return
    print_table(found.variances, _VARIANCES, above=[*_facts(found), "", "Variances:"])
    if found.factors:
        section("Factor versions:", rows=found.factors, columns=_FACTORS)
    section(f"{counted(len(found.topics), 'topic')}: {', '.join(found.topics)}")
    runs = _RUNS[:2] if anonymous else _RUNS if found.runs[0].pseudonym else _RUNS[:-1]
    section(f"{counted(len(found.runs), 'run')}:", rows=found.runs, columns=runs)


def _facts(found: ShownMatrix) -> list[str]:
    decided = f"{_day(found.since)} by {found.decided_by}"
    place = f" by matrix {found.replaced_by}" if found.replaced_by else ""
    why = f": {found.why}" if found.why else ""
    missing = f"{found.missing_cells} scores missing, policy {found.missing_policy}"
    if found.dropped_topics:
        missing += f", topics left out: {', '.join(found.dropped_topics)}"
    return [
        f"Matrix {found.matrix}: {found.task}, {found.round_status} round '{found.round}',"
        f" {found.measure}, {found.assessments} assessments, revision {found.revision}",
        f"Standing: {found.standing}{place}, {decided}{why}",
        f"Logged {_day(found.logged_at)} by {found.logged_by} with {found.software}"
        + (f": {found.reason}" if found.reason else ""),
        f"Files ({found.layout}): {', '.join(found.files) or 'hidden'}",
        f"Scored by: {found.tool or 'unknown'}",
        f"Missing scores: {missing}",
        f"Hash of the scores: {found.content_hash or 'hidden'}",
    ]


def _changes(changes: Revised) -> str:
    said = f"{changes.cells_changed} of {changes.cells} scores changed"
    if changes.largest_change is not None:
        said += (
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
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
            said += f"; {counted(len(names), noun)} {what} ({shown})"
    return said


_HISTORY = (
    Column("at", "When", _day, "right"),
    Column("who", "Who"),
    Column("what", "What"),
    count("matrix", "Matrix"),
    count("revision", "Revision"),
    count("factor_version", "Factors"),
    Column("why", "Why"),
)


class _Line(NamedTuple):
    """An entry as a row, the changes in words."""

    at: datetime
    who: str
    what: str
    matrix: int
    revision: int
    factor_version: int | None
    why: str | None
    changes: str | None


@app.command(epilog="Example: roundbook matrix history 3")
def history(
    context: typer.Context,
    matrix: MatrixNumber,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show what became of a round's scores: every revision, withdrawal, restoration and fit."""
    from roundbook.logbook.matrices.history import show_history

    with record(context, database) as session:
        found = show_history(session, matrix)
    lines = [_line(entry) for entry in found.entries]
    if form == "table":
        where = f"{found.task}, round '{found.round}': {found.measure}, {found.assessments}"
        changed = [f"Revision {each.revision}: {each.changes}" for each in lines if each.changes]
        print_table(lines, _HISTORY, above=[f"{where} assessments"], below=changed)
    else:
        show(found, form, lines, (*_HISTORY, Column("changes", "Changes")))


def _line(entry: HistoryEntry) -> _Line:
    return _Line(
        entry.at,
        entry.who,
        entry.what,
        entry.matrix,
        entry.revision,
        entry.factor_version,
        entry.why,
        None if entry.changes is None else _changes(entry.changes),
    )


_EXPORTED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    Column("standing", "Standing"),
    Column("layout", "Layout"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    Column("output", "Written to"),
)


@app.command(epilog="Example: roundbook matrix export 3 --layout trec_eval --output round1/")
def export(
    context: typer.Context,
    matrix: MatrixNumber,
    layout: Annotated[
        Literal["wide", "long", "trec_eval"], typer.Option("--layout", help="How to lay it out.")
    ] = "wide",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="PATH",
            help="The file, or for trec_eval the directory, to write. (default: stdout)",
        ),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="TAG", help="Only this run. Repeat for several."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace the file or directory that is there.")
    ] = False,
    anonymous: Anonymous = False,
    form: Annotated[
        Format | None,
        typer.Option(
            "--format", help="With --output: how to print what was written. (default: table)"
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Export a score matrix: reading it back gives exactly the same scores."""
    if output is None and (form is not None or force):
        raise typer.BadParameter("--format and --force need --output")
    from roundbook.logbook.matrices.export import export_matrix

    with record(context, database) as session:
        exported = export_matrix(
            session,
            matrix,
            layout=layout,
            output=output,
            runs=runs or [],
            force=force,
            anonymous=anonymous,
        )
    if exported.content is not None:
        typer.echo(exported.content, nl=False)
    else:
        show(exported, form or "table", [exported], _EXPORTED)
    for note in exported.notes:
        talk(f"Note: {note}")


@app.command(epilog="Example: roundbook matrix withdraw 3 --reason 'scored with the wrong qrels'")
def withdraw(
    context: typer.Context,
    matrix: MatrixNumber,
    reason: Reason,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Withdraw a score matrix: it stays readable and counts in nothing, until restored."""
    from roundbook.logbook.matrices.corrections import withdraw_matrix

    with record(context, database) as session:
        decided = withdraw_matrix(session, matrix, reason)
    show(decided, form, [decided], _DECIDED)
    _tell_unrecorded(decided, reason)
    tell_impact(decided.impact, _headline(matrix))


@app.command(epilog="Example: roundbook matrix restore 3 --reason 'the qrels were right after all'")
def restore(
    context: typer.Context,
    matrix: MatrixNumber,
    reason: Reason,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Take a withdrawal back: the score matrix counts again."""
    from roundbook.logbook.matrices.corrections import restore_matrix

    with record(context, database) as session:
        decided = restore_matrix(session, matrix, reason)
    show(decided, form, [decided], _DECIDED)
    _tell_unrecorded(decided, reason)
    tell_impact(decided.impact, _headline(matrix))


def _headline(matrix: int) -> str:
    # A plan that left the matrix out is listed too.
    return f"Stale now, of what rests on matrix {matrix} or was planned without it:"


def _tell_unrecorded(decided: CorrectedMatrix, reason: str) -> None:
    """Say that nothing changed, and so the reason given went nowhere."""
    if decided.status != "unchanged":
        return
    how = "is withdrawn" if decided.standing == "withdrawn" else "counts"
    since = f", since {_day(decided.decided_at)}" if decided.decided_at else ""
    talk(
        f"Note: Matrix {decided.matrix} {how} already{since}; the reason '{reason}' was not"
        " recorded."
    )
