"""``roundbook result``: the saved results, whether they are stale, and their renewal."""

from __future__ import annotations

from pkgutil import resolve_name
from types import SimpleNamespace
from typing import Annotated

import typer

from roundbook.requests.results import ListResults, RenewResults, ShowResult
from roundbook_cli.completion import offer
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, show, talk, talk_notes
from roundbook_cli.renewal import SAVED, STALE, entry_json
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing, record

app = typer.Typer(no_args_is_help=True)

_LISTED = (
    Column("name", "Name"),
    count("version", "Version"),
    Column("measure", "Measure"),
    Column("brief", "Result"),
    SAVED,
    STALE,
)
_RENEWED = (
    Column("name", "Name"),
    count("version", "Version"),
    Column("before", "Before"),
    Column("after", "Now"),
)


@app.command("list", epilog="Example: roundbook result list covid --stale")
def list_(
    context: typer.Context,
    task: str | None = argument(ListResults, "task", metavar="TASK"),
    stale: bool = option(ListResults, "stale"),
    kind: str | None = option(ListResults, "kind", metavar="KIND"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved results, the latest version of each, and whether it is stale."""
    from roundbook.logbook.saved_results import list_results
    from roundbook.presentation.saved_results import brief_sentence, entry_row, entry_types

    request = ListResults(task=task, stale=stale, kind=kind)
    with record(context, database) as session:
        listed = list_results(session, request)
    rows = [
        SimpleNamespace(
            **entry_row(entry), measure=entry.brief.get("measure"), brief=brief_sentence(entry)
        )
        for entry in listed.results
    ]
    hint = "see 'roundbook plan save', 'roundbook drift --save' and 'roundbook study NAME --save'"
    columns: tuple[Column, ...] = _LISTED
    if form == "csv":
        columns = tuple(Column(name, name) for name in entry_types())
    elif len({row.task for row in rows}) > 1:
        columns = (Column("task", "Task", spare=2), *columns)
    empty = "No result is stale." if request.stale else f"No result is saved: {hint}."
    show(
        listed,
        form,
        rows,
        columns,
        empty=empty,
        extra={"results": [entry_json(entry) for entry in listed.results]},
    )


@app.command("show", epilog="Example: roundbook result show round6")
def show_(
    context: typer.Context,
    name: str = argument(ShowResult, "name", metavar="NAME", autocompletion=offer("results")),
    version: int | None = option(ShowResult, "version", metavar="N"),
    kind: str | None = option(ShowResult, "kind", metavar="KIND"),
    details: Annotated[
        bool, typer.Option("--details", help="Print also what its page leaves out.")
    ] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a saved result as it was, and whether what it was computed from still counts."""
    from roundbook.logbook.kinds import KINDS
    from roundbook.logbook.saved_results import show_result

    request = ShowResult(name=name, version=version, kind=kind)
    with record(context, database) as session:
        saved = show_result(session, request)
    print_saved = resolve_name(f"roundbook_cli.saved_{KINDS[saved.kind]}:print_saved")
    print_saved(saved, form, details=details)


@app.command(epilog="Example: roundbook result renew covid --stale")
def renew(
    context: typer.Context,
    name: str = argument(
        RenewResults, "name", metavar="NAME", default=..., autocompletion=offer("results")
    ),
    stale: bool = option(RenewResults, "task", "--stale", default=False),
    kind: str | None = option(RenewResults, "kind", metavar="KIND"),
    dry_run: bool = option(RenewResults, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compute a saved result again from what counts today, as its next version.

    With --stale, everything of a task that is stale and can be computed, in one transaction.
    """
    from roundbook.logbook.saving import renew_results
    from roundbook.presentation.decisions import DRY_RUN, NOTHING_STALE, renewal_notes
    from roundbook.presentation.saved_results import brief_sentence

    target = {"task" if stale else "name": name}
    request = RenewResults(**target, kind=kind, dry_run=dry_run)
    with changing(context, database, keep=not dry_run) as session:
        renewal = renew_results(session, request)
    rows = [
        SimpleNamespace(
            name=renewed.after.name,
            before=brief_sentence(renewed.before),
            version=renewed.after.version,
            after=brief_sentence(renewed.after),
        )
        for renewed in renewal.renewed
    ]
    show(renewal, form, rows, _RENEWED, empty=NOTHING_STALE)
    talk_notes(renewal_notes(renewal))
    if dry_run:
        talk(DRY_RUN)
