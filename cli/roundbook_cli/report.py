"""``roundbook report``: drift reports as they were saved, and whether they still stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from roundbook_cli.drift import TOPICS_CSV, print_report
from roundbook_cli.options import Database, Form, TaskName
from roundbook_cli.output import Column, count, print_table, section, show, signed
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.drift.saved import ShownReport

app = typer.Typer(no_args_is_help=True, help="Saved drift reports: list, show.")

_LISTED = (
    Column("task", "Task"),
    count("number", "Report"),
    Column("measure", "Measure"),
    Column("from_round", "From"),
    Column("to_round", "To"),
    Column("verdict", "Verdict"),
    signed("shift", "Shift"),
    Column("saved_at", "Saved", lambda when: f"{when:%Y-%m-%d}"),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("note", "Note"),
)


@app.command("list", epilog="Example: roundbook report list --task covid")
def list_(
    context: typer.Context,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Only reports of this task.")
    ] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved drift reports, and whether each still stands."""
    from roundbook.logbook.drift.saved import list_reports

    with record(context, database) as session:
        found = list_reports(session, task)
    hint = "No drift report is saved. Save one with: roundbook drift TASK --measure M --save"
    show(found, form, found.reports, _LISTED, below=[] if found.reports else [hint])


@app.command("show", epilog="Example: roundbook report show covid 1")
def show_(
    context: typer.Context,
    task: TaskName,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Its number, as report list prints it.")
    ],
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a saved drift report as it was, then whether what it rests on still stands."""
    from roundbook.logbook.drift.saved import show_report

    with record(context, database) as session:
        shown = show_report(session, task, number)
    if form != "table":
        show(shown, form, shown.report.topics, TOPICS_CSV)
        return
    print_table([], (), above=[_head(shown), ""])
    print_report(shown.report)
    section(f"Stale: {shown.why}." if shown.why else "It stands: these are today's factors.")
    if shown.renew:
        # Not wrapped, so that it can be copied.
        typer.echo(f"To renew it:\n  {shown.renew}")


def _head(shown: ShownReport) -> str:
    note = f" Note: {shown.note}" if shown.note else ""
    return (
        f"Drift report {shown.number} of task '{shown.task}', saved {shown.saved_at:%Y-%m-%d} by"
        f" {shown.saved_by} with {shown.software}.{note}"
    )
