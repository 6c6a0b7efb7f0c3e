"""``roundbook events``: who did what to the record, when and why."""

from __future__ import annotations

from datetime import date

import typer

from roundbook.presentation.record import differing_users, event_details
from roundbook.presentation.tables import Column, count
from roundbook.requests.record import EventsRequest
from roundbook_cli.options import Database, Form, matrix_number, read_day
from roundbook_cli.output import show
from roundbook_cli.request_options import option, request_of, usage_errors
from roundbook_cli.session import is_embedded, record

commands = typer.Typer()

_COLUMNS = (
    count("event", "#"),
    Column("at", "When (UTC)", lambda at: f"{at:%Y-%m-%d %H:%M:%S}"),
    Column("who", "Who"),
    Column("what", "What"),
    Column("task", "Task"),
    Column("round", "Round"),
    count("matrix", "Matrix", spare=1),
    Column("why", "Why"),
    Column("details", "Details", event_details, spare=2, below=True),
)


_USER = Column("database_user", "Database user")


@commands.command(epilog="Example: roundbook events --task covid --since 2020-05-01")
def events(
    context: typer.Context,
    task: str | None = option(EventsRequest, "task", metavar="TASK"),
    round_label: str | None = option(EventsRequest, "round", "--round", metavar="ROUND"),
    matrix: int | None = option(EventsRequest, "matrix", metavar="NUMBER", parser=matrix_number),
    what: str | None = option(EventsRequest, "what", metavar="TEXT"),
    who: str | None = option(EventsRequest, "who", metavar="NAME"),
    since: date | None = option(EventsRequest, "since", metavar="DATE", parser=read_day),
    after: int | None = option(EventsRequest, "after", metavar="EVENT"),
    limit: int | None = option(EventsRequest, "limit", metavar="N"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show every change of the record, oldest first: who made it, when, what and why."""
    with usage_errors():
        request = request_of(EventsRequest, locals(), round=round_label)
    from roundbook.logbook.events import event_kinds, list_events

    with record(context, database) as session:
        listed = list_events(session, request)
        kinds = [] if listed.events else event_kinds(session)
    below = []
    if listed.earlier:
        below = [f"{listed.earlier} earlier events; see them without --limit."]
    elif listed.later:
        below = [f"{listed.later} later events; see on with --after {listed.events[-1].event}."]
    elif not listed.events:
        below = [_why_none(kinds, request.what)]
    rows, columns = listed.events, list(_COLUMNS)
    if form == "csv":
        columns.append(_USER)
    elif not is_embedded(context, database):
        # On the embedded server everybody has the same user.
        rows = differing_users(rows)
        if any(event.database_user for event in rows):
            columns.insert(3, _USER)
    show(listed, form, rows, columns, below=below)


def _why_none(kinds: list[str], text: str | None) -> str:
    if not kinds:
        return "No event. Every change tells of one; 'roundbook log' makes the first."
    if text is None or text.strip() in kinds:
        return "No event fits. The record has others; 'roundbook events' shows them."
    names = ", ".join(f"'{kind}'" for kind in kinds)
    return f"No event fits. The record has none with --what '{text.strip()}', only with {names}."
