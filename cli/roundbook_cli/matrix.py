"""``roundbook matrix``: the logged score matrices, and their corrections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from shlex import quote
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook.presentation.matrices import changes_phrase, export_notes, factor_rows, status_phrase
from roundbook.presentation.tables import variance_column
from roundbook.presentation.terminal import command
from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook.requests.matrices import (
    ExportLayout,
    ExportMatrix,
    ListMatrices,
    RestoreMatrix,
    ShowHistory,
    ShowMatrix,
    WithdrawMatrix,
)
from roundbook_cli.impact import MatrixNumber, dependents_json, tell_impact
from roundbook_cli.options import Database, Form, Format, matrix_number
from roundbook_cli.output import (
    Column,
    count,
    counted,
    print_table,
    section,
    show,
    talk,
    talk_notes,
)
from roundbook_cli.renewal import print_refit
from roundbook_cli.request_options import argument, option, request_of
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.logbook.matrices.corrections import CorrectedMatrix
    from roundbook.logbook.matrices.listing import ListedMatrix
    from roundbook.logbook.matrices.showing import ShownMatrix
    from roundbook.logbook.session import Session

app = typer.Typer(no_args_is_help=True)

_CORRECTED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    Column("matrix_status", "Status", key="standing"),
    Column("reason", "Reason"),
    Column("status", "Change"),
)


def _day(at: datetime) -> str:
    return f"{at:%Y-%m-%d}"


LISTED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    Column("assessments", "Assessments"),
    count("revision", "Revision"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    Column("status", "Status", key="standing"),
    Column("reason", "Reason of the change"),
    Column("logged_at", "Logged", _day),
    Column("logged_by", "By"),
)
# A terminal is not wide enough for all of them.
_LISTED_BRIEFLY = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision", spare=2),
    count("size", "Size", spare=1),
    Column("status", "Status"),
    Column("reason", "Reason of the change"),
    Column("logged", "Logged", spare=3),
)


@app.command("list", epilog="Example: roundbook matrix list covid --round round1 --all")
def list_(
    context: typer.Context,
    task: str = argument(ListMatrices, "task", metavar="TASK"),
    round_label: str | None = option(ListMatrices, "round", "--round", metavar="ROUND"),
    measure: str | None = option(ListMatrices, "measure", metavar="M"),
    assessments: str | None = option(ListMatrices, "assessments", metavar="LABEL"),
    superseded: bool = option(ListMatrices, "superseded", "--all"),
    after: int | None = option(ListMatrices, "after", metavar="MATRIX", parser=matrix_number),
    limit: int | None = option(ListMatrices, "limit", metavar="N"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List a task's score matrices: which count, which are withdrawn, and why."""
    from roundbook.logbook.matrices.listing import list_matrices

    request = request_of(ListMatrices, locals(), round=round_label)
    with record(context, database) as session:
        listed = list_matrices(session, request)
    below = []
    if listed.later:
        last = listed.matrices[-1].matrix
        below = [f"{listed.later} more score matrices; see on with --after {last}."]
    elif not listed.matrices and request.after is None:
        below = [
            f"No such score matrix. Log one with 'roundbook log {quote(request.task)} ROUND FILE"
            " --measure M'."
        ]
    elif not listed.matrices:
        below = [f"No such score matrix comes after matrix {request.after}."]
    outdated = [
        row.matrix
        for row in listed.matrices
        if row.status == "current" and row.source is not None and row.source.outdated
    ]
    if outdated:
        number = outdated[0] if len(outdated) == 1 else "NUMBER"
        below.append(
            f"Computed before the latest runs or assessments: {', '.join(map(str, outdated))}."
            f" 'roundbook impact {number}' has the command that computes one anew."
        )
    if form == "table":
        print_table(*brief_table(listed.matrices), below=below)
    else:
        show(listed, form, listed.matrices, LISTED)


def brief_table(
    matrices: Sequence[ListedMatrix], *without: str
) -> tuple[list[SimpleNamespace], list[Column]]:
    """Return the rows and columns of listed matrices for a terminal, except the columns `without`.

    The column of reasons is left out where no matrix has one.
    """
    left_out = {*without, *(() if any(row.reason for row in matrices) else ("reason",))}
    columns = [column for column in _LISTED_BRIEFLY if column.field not in left_out]
    rows = [
        SimpleNamespace(
            **dict(row)
            | {
                "measure": row.measure
                + (f" ({row.assessments})" if row.assessments != DEFAULT_ASSESSMENTS else ""),
                "size": f"{row.topics} x {row.runs}",
                "logged": f"{_day(row.logged_at)} by {row.logged_by}",
            }
        )
        for row in matrices
    ]
    return rows, columns


_RUNS = (
    Column("run", "Run"),
    Column("team", "Team"),
    Column("type", "Type", spare=3),
    Column("contributed_to_pool", "In the pool", lambda pooled: "yes" if pooled else "no", spare=2),
    Column("system", "System", spare=1),
    Column("pseudonym", "In drafts"),
)
_VARIANCES = (
    Column("scale", "Scale"),
    count("factor_version", "Factor version"),
    count("version", "Estimate"),
    variance_column("variance", "Variance"),
    count("dof", "dof"),
    count("clusters", "Teams"),
)
_FACTORS = (
    count("version", "Version"),
    Column("standardising", "Standardising runs"),
    count("runs", "Runs"),
    Column("zero_sd", "Zero sd", spare=2),
    Column("reason", "Reason"),
    Column("fitted_at", "Fitted", _day, "right"),
    Column("fitted_by", "By", spare=1),
)


@app.command("show", epilog="Example: roundbook matrix show 3")
def show_(
    context: typer.Context,
    matrix: MatrixNumber,
    anonymous: bool = option(ShowMatrix, "anonymous"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show everything known of a score matrix but its scores."""
    from roundbook.logbook.matrices.showing import show_matrix

    request = ShowMatrix(matrix=matrix, anonymous=anonymous)
    with record(context, database) as session:
        details = show_matrix(session, request)
    if form != "table":
        show(details, form, details.runs, _RUNS)
        return
    print_table(details.variances, _VARIANCES, above=[*_facts(details), "", "Variances:"])
    if details.factors:
        section("Factor versions:", rows=factor_rows(details), columns=_FACTORS)
        if details.status == "current" and (details.factors[-1].pool_now or 0) > 1:
            print_refit(details)
    section(f"{counted(len(details.topics), 'topic')}: {', '.join(details.topics)}")
    runs = _RUNS[:2] if request.anonymous else _RUNS if details.runs[0].pseudonym else _RUNS[:-1]
    section(f"{counted(len(details.runs), 'run')}:", rows=details.runs, columns=runs)


def _facts(details: ShownMatrix) -> list[str]:
    decided = f"{_day(details.since)} by {details.decided_by}"
    why = f": {details.why}" if details.why else ""
    missing = f"{details.missing_cells} scores missing, policy {details.missing_policy}"
    if details.dropped_topics:
        missing += f", topics left out: {', '.join(details.dropped_topics)}"
    return [
        f"Matrix {details.matrix}: {details.task}, {details.round_status} round '{details.round}',"
        f" {details.measure}, {details.assessments} assessments, revision {details.revision}",
        f"Status: {status_phrase(details)}, {decided}{why}",
        f"Logged {_day(details.logged_at)} by {details.logged_by} with {details.software}"
        + (f": {details.reason}" if details.reason else ""),
        f"Files ({details.layout}): {', '.join(details.files) or 'hidden'}",
        f"Scored by: {details.tool or 'unknown'}",
        f"Missing scores: {missing}",
        f"Hash of the scores: {details.content_hash or 'hidden'}",
    ]


_HISTORY = (
    Column("at", "When", _day, "right"),
    Column("who", "Who"),
    Column("what", "What"),
    count("matrix", "Matrix"),
    count("revision", "Revision", spare=2),
    count("factor_version", "Factors", spare=1),
    Column("why", "Why"),
)


@app.command(epilog="Example: roundbook matrix history 3")
def history(
    context: typer.Context,
    matrix: MatrixNumber,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show what became of a round's scores: every revision, withdrawal, restoration and fit."""
    from roundbook.logbook.matrices.history import show_history

    request = ShowHistory(matrix=matrix)
    with record(context, database) as session:
        series = show_history(session, request)
    lines = [
        SimpleNamespace(
            **dict(entry) | {"changes": entry.changes and changes_phrase(entry.changes)}
        )
        for entry in series.entries
    ]
    title = f"{series.task}, round '{series.round}': {series.measure}, {series.assessments}"
    show(
        series,
        form,
        lines,
        _HISTORY if form == "table" else (*_HISTORY, Column("changes", "Changes")),
        above=[f"{title} assessments"],
        below=[f"Revision {line.revision}: {line.changes}" for line in lines if line.changes],
    )


_EXPORTED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    Column("status", "Status", key="standing"),
    Column("layout", "Layout"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    Column("output", "Written to"),
)


@app.command(epilog="Example: roundbook matrix export 3 --layout long --output scores.xlsx")
def export(
    context: typer.Context,
    matrix: MatrixNumber,
    layout: ExportLayout = option(ExportMatrix, "layout"),
    output: Path | None = option(ExportMatrix, "output", metavar="PATH"),
    runs: list[str] | None = option(ExportMatrix, "runs", "--run", metavar="TAG"),
    force: bool = option(ExportMatrix, "force"),
    anonymous: bool = option(ShowMatrix, "anonymous"),
    form: Annotated[
        Format | None,
        typer.Option(
            "--format", help="With --output: how to print what was written. (default: table)"
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Export a score matrix: reading it back gives exactly the same scores."""
    request = request_of(ExportMatrix, locals())
    if request.output is None and (form is not None or request.force):
        raise typer.BadParameter("--format and --force need --output")
    from roundbook.logbook.matrices.export import export_matrix

    with record(context, database) as session:
        exported = export_matrix(session, request)
    notes = export_notes(exported)
    if exported.content is not None:
        typer.echo(exported.content, nl=False)
    else:
        show(exported, form or "table", [exported], _EXPORTED, extra={"notes": notes})
    talk_notes(notes)


@app.command(epilog="Example: roundbook matrix withdraw 3 --reason 'scored with the wrong qrels'")
def withdraw(
    context: typer.Context,
    matrix: MatrixNumber,
    reason: str = option(WithdrawMatrix, "reason", metavar="TEXT"),
    dry_run: bool = option(WithdrawMatrix, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Withdraw a score matrix: it stays readable and counts in nothing, until restored."""
    from roundbook.logbook.matrices.corrections import withdraw_matrix

    request = WithdrawMatrix(matrix=matrix, reason=reason, dry_run=dry_run)
    _correct(withdraw_matrix, context, request, form, database)


@app.command(epilog="Example: roundbook matrix restore 3 --reason 'the qrels were right after all'")
def restore(
    context: typer.Context,
    matrix: MatrixNumber,
    reason: str = option(WithdrawMatrix, "reason", metavar="TEXT"),
    dry_run: bool = option(WithdrawMatrix, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Take a withdrawal back: the score matrix counts again."""
    from roundbook.logbook.matrices.corrections import restore_matrix

    request = RestoreMatrix(matrix=matrix, reason=reason, dry_run=dry_run)
    _correct(restore_matrix, context, request, form, database)


def _correct(
    correct: Callable[[Session, Any], CorrectedMatrix],
    context: typer.Context,
    request: WithdrawMatrix,
    form: Format,
    database: str | None,
) -> None:
    """Withdraw or restore a score matrix, and print the dependents that this makes stale."""
    from roundbook.presentation.decisions import rename_note, uncorrected_note

    with changing(context, database, keep=not request.dry_run) as session:
        corrected = correct(session, request)
    impact = {"impact": dependents_json(corrected.impact)}
    show(corrected, form, [corrected], _CORRECTED, extra=impact)
    if note := uncorrected_note(corrected, request.reason):
        talk(f"Note: {note}")
    if note := rename_note(corrected):
        renamed = command("round", "rename", corrected.task, corrected.round, "LABEL", "--force")
        talk(f"Note: {note.removesuffix('.')}: {renamed}")
    tell_impact(corrected)
