"""``roundbook report``: saved drift reports by their numbers; see ``roundbook result``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook.requests.results import ListResults, ShowResult
from roundbook_cli.options import Database, Form, TaskName
from roundbook_cli.output import Column, count, print_table, section, show, signed
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

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
_ENTRY = ("task", "note", "saved_at", "saved_by", "software", "stale")


def report_number(entry: ResultEntry) -> int:
    """Return the number of a saved drift report within its task."""
    return int(entry.name.rpartition("-")[2])


def _facts(entry: ResultEntry) -> dict[str, Any]:
    from roundbook.presentation.staleness import why_stale
    from roundbook_cli.renewal import renewal

    stored = entry.model_dump(mode="json", include=set(_ENTRY))
    return (
        {"number": report_number(entry), "version": entry.version}
        | stored
        | {
            "why": why_stale(entry),
            "renew": renewal(entry),
        }
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
    reports = [_facts(entry) | entry.brief for entry in entries]
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
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a saved drift report as it was, then whether what it was computed from still counts."""
    from roundbook.logbook.saved_results import show_result

    with record(context, database) as session:
        shown = show_result(session, ShowResult(name=f"{task}/drift-{number}", kind="drift"))
    print_saved_report(shown, form)


def print_saved_report(shown: ShownResult, form: Any) -> None:  # noqa: ANN401
    """Print a saved drift report, and whether it is stale."""
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.presentation.staleness import why_stale
    from roundbook_cli.drift import TOPICS_CSV, print_report
    from roundbook_cli.drift_advice import report_json
    from roundbook_cli.renewal import renewal

    report = shown.result
    assert isinstance(report, DriftReport)
    if form != "table":
        extra = _facts(shown) | {"report": report_json(report)}
        show(shown, form, report.topics, TOPICS_CSV, extra=extra, without=("result",))
        return
    note = f" Note: {shown.note}" if shown.note else ""
    version = f", version {shown.version} of {shown.versions}" if shown.versions > 1 else ""
    head = (
        f"Drift report {report_number(shown)} of task '{shown.task}'{version}, saved"
        f" {shown.saved_at:%Y-%m-%d} by {shown.saved_by} with {shown.software}.{note}"
    )
    print_table([], (), above=[head, ""])
    print_report(report)
    why = why_stale(shown)
    section(f"Stale: {why}." if why else "It stands: these are today's factors.")
    command = renewal(shown)
    if command:
        # Not wrapped, so that it can be copied.
        typer.echo(f"To renew it:\n  {command}")
