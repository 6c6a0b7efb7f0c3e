"""``roundbook report``: saved drift reports by their numbers; see ``roundbook result``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated

import typer

from roundbook.requests.results import ListResults, ShowResult
from roundbook_cli.options import Database, Form, TaskName
from roundbook_cli.output import Column, count, show, signed
from roundbook_cli.saved_drift import print_saved, report_facts, report_number
from roundbook_cli.session import record

app = typer.Typer(no_args_is_help=True, help="Saved drift reports: list, show.")

_LISTED = (
    Column("task", "Task"),
    count("number", "Report"),
    Column("measure", "Measure"),
    Column("from_round", "From"),
    Column("to_round", "To"),
    Column("verdict", "Verdict"),
    signed("shift", "Shift"),
    Column("saved_at", "Saved", lambda when: f"{when:%Y-%m-%d}", spare=1),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("note", "Note", spare=2),
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
    """List the saved drift reports, and whether each is stale."""
    from roundbook.logbook.saved_results import list_results

    with record(context, database) as session:
        listed = list_results(session, ListResults(task=task, kind="drift"))
    entries = sorted(listed.results, key=lambda entry: (entry.task or "", report_number(entry)))
    rows = [
        SimpleNamespace(
            **dict(entry) | dict(entry.brief),
            number=report_number(entry),
            from_round=entry.brief["from"],
            to_round=entry.brief["to"],
        )
        for entry in entries
    ]
    hint = "No drift report is saved. Save one with: roundbook drift TASK --measure M --save"
    reports = [report_facts(entry) | entry.brief for entry in entries]
    show(
        listed,
        form,
        rows,
        _LISTED,
        below=[] if rows else [hint],
        extra={"reports": reports},
        without=("results",),
    )


@app.command("show", epilog="Example: roundbook report show covid 1")
def show_(
    context: typer.Context,
    task: TaskName,
    number: Annotated[
        int, typer.Argument(metavar="NUMBER", help="Its number, as report list prints it.")
    ],
    details: Annotated[
        bool, typer.Option("--details", help="Print also the tests, what is assumed, each topic.")
    ] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a saved drift report as it was, then whether what it was computed from still counts."""
    from roundbook.logbook.saved_results import show_result

    with record(context, database) as session:
        shown = show_result(session, ShowResult(name=f"{task}/drift-{number}", kind="drift"))
    print_saved(shown, form, details=details)
