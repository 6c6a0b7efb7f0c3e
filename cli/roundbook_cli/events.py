"""``roundbook events``: who did what to the record, when and why."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import typer

from roundbook_cli.matrix_number import matrix_number
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, show
from roundbook_cli.session import record


def _details(details: dict[str, Any]) -> str:
    return ", ".join(
        f"{name}: {_said(value['was'])} → {_said(value['is'])}"
        if isinstance(value, dict) and set(value) == {"was", "is"}
        else f"{name} {_said(value)}"
        for name, value in details.items()
    )


def _said(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return " ".join(f"{name} {_said(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    return "none" if value is None else str(value)


_COLUMNS = (
    count("event", "#"),
    Column("at", "When (UTC)", lambda at: f"{at:%Y-%m-%d %H:%M:%S}"),
    Column("who", "Who"),
    Column("what", "What"),
    Column("task", "Task"),
    Column("round", "Round"),
    count("matrix", "Matrix"),
    Column("why", "Why"),
    Column("details", "Details", _details),
)


def events(
    context: typer.Context,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Only those of this task.")
    ] = None,
    round_label: Annotated[
        str | None, typer.Option("--round", metavar="ROUND", help="Only those of its round.")
    ] = None,
    matrix: Annotated[
        int | None,
        typer.Option(
            "--matrix", metavar="NUMBER", help="Only those of this matrix.", parser=matrix_number
        ),
    ] = None,
    what: Annotated[
        str | None, typer.Option("--what", metavar="TEXT", help="Only these: 'matrix withdrawn'.")
    ] = None,
    who: Annotated[
        str | None, typer.Option("--who", metavar="NAME", help="Only this person's.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option("--since", formats=["%Y-%m-%d"], help="Only from this day (UTC) on."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", min=1, max=10**9, metavar="N", help="Only the latest N. (default: all)"
        ),
    ] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show every change of the record, oldest first: who made it, when, what and why."""
    if round_label is not None and task is None:
        raise typer.BadParameter("--round needs --task")
    from roundbook.logbook.events import event_words, list_events

    with record(context, database) as session:
        found = list_events(
            session,
            task_name=task,
            round_label=round_label,
            matrix=matrix,
            what=what,
            who=who,
            since=since.date() if since else None,
            limit=limit,
        )
        words = [] if found.events else event_words(session)
    below = []
    if found.earlier:
        below = [f"{found.earlier} earlier events; see them without --limit."]
    elif not found.events:
        below = [_why_none(words, what)]
    show(found, form, found.events, _COLUMNS, below=below)


def _why_none(words: list[str], what: str | None) -> str:
    if not words:
        return "No event. Every change tells of one; 'roundbook log' makes the first."
    if what is None or what.strip() in words:
        return "No event fits. The record has others; 'roundbook events' shows them."
    known = ", ".join(f"'{word}'" for word in words)
    return f"No event fits. The record has none with --what '{what.strip()}', only with {known}."


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook events --task covid --since 2020-05-01")(events)
