"""``roundbook measure``: the measures of the record, and merging two that are one."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, cast

import typer

from roundbook.errors import RoundbookError
from roundbook.presentation.measures import bounds_phrase, merge_sentence, unknown_measure_note
from roundbook.requests.tasks import ListMeasures, MergeMeasures
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, confirm, count, show, talk
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import record, sessions

if TYPE_CHECKING:
    from typer._click import Context

app = typer.Typer(no_args_is_help=True)

_LISTED = (
    Column("measure", "Measure"),
    Column("tasks", "Tasks", ", ".join),
    count("rounds", "Rounds"),
    count("matrices", "Matrices"),
    count("published_variances", "From papers", spare=1),
    Column("bounds", "Bounds", bounds_phrase, spare=2),
    Column("spellings", "Merged into it", ", ".join, spare=3),
)
_MERGED = (
    Column("measure", "Measure"),
    Column("merged", "Merged"),
    Column("tasks", "Tasks", ", ".join),
    count("matrices", "Matrices"),
    count("published_variances", "From papers"),
)


@app.command("list", epilog="Example: roundbook measure list covid")
def list_(
    context: typer.Context,
    task: str | None = argument(ListMeasures, "task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the measures of the record, or those that a task has numbers for."""
    from roundbook.logbook.recorded_measures import list_measures

    request = ListMeasures(task=task)
    with record(context, database) as session:
        listed = list_measures(session, request)
    notes = [
        f"'{entry.measure}' is a spelling of {entry.spelling_of}; join them with:"
        f" roundbook measure merge {quote(entry.measure)} {quote(entry.spelling_of)}"
        for entry in listed.measures
        if entry.spelling_of is not None
    ]
    empty = "No measure yet. Log scores with 'roundbook log'."
    show(listed, form, listed.measures, _LISTED, below=notes, empty=empty)


@app.command(epilog="Example: roundbook measure merge ndgc@10 nDCG@10 --reason 'mistyped in 2021'")
def merge(
    context: typer.Context,
    merged: str = argument(MergeMeasures, "merged", metavar="FROM"),
    into: str = argument(MergeMeasures, "into", metavar="INTO"),
    reason: str | None = option(MergeMeasures, "reason", metavar="TEXT"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Merge a measure that was recorded under another name into one, in every task, for good."""
    from roundbook.logbook.recorded_measures import merge_measures

    request = MergeMeasures(merged=merged, into=into, reason=reason)
    with sessions(context, database) as begin:
        with begin(keep=False) as session:
            preview = merge_measures(session, request)
        if preview.known_into_unknown:
            warning = unknown_measure_note(preview)
            confirm(warning, f"{warning} Merge {preview.merged} into {preview.measure} for good?")
        with begin() as session:
            result = merge_measures(session, request)
    show(result, form, [result], _MERGED)
    talk(merge_sentence(result))
    for task in result.tasks:
        talk(f"What is to be renewed is listed by: roundbook result list {quote(task)} --stale")


def measures_sentence(context: Context) -> str:
    """Return the clause with the measures of a command's task; empty where they are unknown."""
    from roundbook.logbook.recorded_measures import list_measures

    task = context.params.get("task")
    if task is None:
        return ""
    try:
        with record(cast("typer.Context", context), context.params.get("database")) as session:
            listed = list_measures(session, ListMeasures(task=task))
    except RoundbookError:
        return ""
    # Those whose scores are withdrawn are named where there are no others.
    counting = [entry for entry in listed.measures if entry.rounds]
    names = ", ".join(entry.measure for entry in counting or listed.measures)
    return f"Task '{task}' has {names}" if names else f"Task '{task}' has no scores yet"
