"""``roundbook db``: the database's schema, its embedded server, and the record as a whole."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.requests.access import Access, GrantRequest
from roundbook.requests.record import BackupRequest, RestoreRequest, VerifyRequest
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, counted, progress, show, talk
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import (
    changing,
    checked_address,
    committing,
    database_address,
    is_embedded,
    open_database,
    record,
)

if TYPE_CHECKING:
    from datetime import timedelta

    from roundbook.logbook.embedded_server import EmbeddedServer

app = typer.Typer(no_args_is_help=True)

_SCHEMA = (Column("current", "Schema"), Column("expected", "Needed"), Column("status", "Status"))


@app.command(epilog="Example: roundbook db upgrade")
def upgrade(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Bring the schema up to date, keeping all data.

    What a later schema stores beside the scores is computed from them, matrix by matrix.
    """
    from roundbook.logbook.schema import upgrade_schema

    with (
        open_database(context, database) as engine,
        progress("Upgrading ...") as step,
        committing(context, "roundbook db current"),
    ):
        state = upgrade_schema(engine, step)
    show(state, form, [state], _SCHEMA)


@app.command(epilog="Example: roundbook db current")
def current(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Show which schema the database has and which this program needs."""
    from roundbook.logbook.schema import read_schema

    with open_database(context, database) as engine:
        state = read_schema(engine)
    show(state, form, [state], _SCHEMA)


@app.command(epilog="Example: roundbook db check")
def check(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Exit with 0 if the schema is up to date, else with 3; tell what is unusual about the server.

    JSON has how the server is reached and set up in any case.
    """
    from roundbook.logbook.schema import read_database, require_schema
    from roundbook.presentation.record import database_notes

    with open_database(context, database) as engine:
        state = read_database(engine)
        show(state, form, [state], _SCHEMA, below=database_notes(state))
        require_schema(engine)


_SERVER = (
    Column("directory", "Data directory"),
    Column("status", "Status"),
    Column("until", "Until"),
)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@app.command(epilog="Example: roundbook db start --for 2h")
def start(
    context: typer.Context,
    time_up: Annotated[
        str, typer.Option("--for", metavar="TIME", help="How long it stays up: 30m, 1h, 2d.")
    ] = "1h",
    form: Form = "table",
    database: Database = None,
) -> None:
    """Start the embedded server and keep it up between commands, for a while.

    For a script of many commands: otherwise each of them starts and stops the server.
    """
    from roundbook.logbook.embedded_server import start_embedded_server
    from roundbook.settings import load_settings

    address = database_address(context, database)
    server = start_embedded_server(load_settings(), _read_time(time_up), address)
    assert server.until is not None
    again = {"started": "", "extended": " longer", "unchanged": " already"}[server.status]
    end = server.until.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    _show_server(
        server,
        form,
        f"The embedded server in {server.directory} is kept up{again}, until {end};"
        " 'roundbook db stop' stops it before.",
    )


@app.command(epilog="Example: roundbook db stop")
def stop(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Stop the embedded server that 'db start' keeps up.

    Commands that use it at the moment end as usual; the last of them stops it.
    """
    from roundbook.logbook.embedded_server import stop_embedded_server
    from roundbook.settings import load_settings

    server = stop_embedded_server(load_settings(), database_address(context, database))
    state = {
        "stopped": "is stopped",
        "not running": "was not running",
        "in use": "is not kept up any longer; the last command that uses it stops it",
    }[server.status]
    _show_server(server, form, f"The embedded server in {server.directory} {state}.")


def _read_time(text: str) -> timedelta:
    from datetime import timedelta

    parts = re.fullmatch(r"([1-9]\d{0,4})([smhd])", text.strip(), re.ASCII)
    if parts is None:
        raise typer.BadParameter(
            f"'{text}' is no time; write a whole number of minutes, hours or days: 30m, 1h, 2d.",
            param_hint="--for",
        )
    return timedelta(**{_UNITS[parts[2]]: int(parts[1])})


def _show_server(server: EmbeddedServer, form: Form, sentence: str) -> None:
    if form == "table":
        typer.echo(sentence)
    else:
        show(server, form, [server], _SERVER)


@app.command(epilog="Example: roundbook db verify --task covid")
def verify(
    context: typer.Context,
    task: str | None = option(VerifyRequest, "task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compute everything that is derived again and compare it with what is stored.

    Content hashes, factors, variances and what their intervals rest on are computed from the
    scores, and saved results from what they rest on; events are compared with what they refer
    to. Exits with 1 where anything differs.
    """
    from roundbook.logbook.verifying.record import verify_record
    from roundbook.presentation.record import KINDS, difference_sentence, not_computed_sentences

    request = VerifyRequest(task=task)
    with record(context, database) as session, progress("Verifying ...") as step:
        verification = verify_record(session, request, step)
    verified = {
        "score matrices": verification.matrices,
        "factor versions": verification.factor_sets,
        "variances": verification.variances,
        "saved results": verification.results,
        "events": verification.events,
    }
    if verification.uploads or verification.qrels:
        verified["uploads of runs"] = verification.uploads
        verified["sets of relevance assessments"] = verification.qrels
    show(
        verification,
        form,
        verification.differences,
        (
            Column("kind", "What", lambda kind: KINDS[kind]),
            count("count", "Differ"),
            Column("first", "First", difference_sentence),
        ),
        above=[f"Verified: {', '.join(f'{noun} {size:,}' for noun, size in verified.items())}."],
        empty="Nothing differs.",
        below=not_computed_sentences(verification),
    )
    if verification.differences:
        raise typer.Exit(1)


_SAVED = (
    Column("file", "File"),
    Column("bytes", "Bytes", "{:,}".format, "right"),
    Column("schema_revision", "Schema"),
    Column("postgresql", "PostgreSQL"),
    count("matrices", "Matrices"),
)
_RESTORED = (
    Column("file", "File"),
    Column("schema_revision", "Schema"),
    Column("status", "Status"),
    count("matrices", "Matrices"),
)
_MOVED = (
    Column("schema_revision", "Schema"),
    Column("postgresql_from", "From PostgreSQL"),
    Column("postgresql_to", "To PostgreSQL"),
    count("matrices", "Matrices"),
)


@app.command(epilog="Example: roundbook db backup campaigns.dump")
def backup(
    context: typer.Context,
    file: Path = argument(BackupRequest, "file", metavar="FILE"),
    force: bool = option(BackupRequest, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Save the whole record in a file, as one moment saw it.

    The file is PostgreSQL's own (pg_dump's custom format), and only its owner may read it.
    """
    from roundbook.transfer.backup import save_backup

    request = BackupRequest(file=file, force=force)
    with open_database(context, database) as engine, progress("Saving ..."):
        saved = save_backup(engine, request)
    show(saved, form, [saved], _SAVED)


@app.command(epilog="Example: roundbook db restore campaigns.dump")
def restore(
    context: typer.Context,
    file: Path = argument(RestoreRequest, "file", metavar="FILE"),
    replace: bool = option(RestoreRequest, "replace"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Put a saved record into an empty database, all of it or nothing.

    Who owns the tables then is who restores. Roles that could read or write the record can no
    longer: run 'roundbook db grant' again. Restore only files that you trust.
    """
    from roundbook.transfer.backup import restore_backup

    request = RestoreRequest(file=file, replace=replace)
    with (
        open_database(context, database) as engine,
        progress("Restoring ..."),
        committing(context, "roundbook task list"),
    ):
        restored = restore_backup(engine, request)
    show(restored, form, [restored], _RESTORED)
    if restored.status == "up to date":
        return
    if is_embedded(context, database):
        talk("The schema is an earlier Roundbook's; the next command brings it up to date.")
    else:
        talk("The schema is an earlier Roundbook's: run 'roundbook db upgrade'.")


@app.command(
    epilog="Example: roundbook db move --to postgresql://organiser@db.example.org/campaigns"
)
def move(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="The server to copy to, as postgresql://HOST/DB.",
            show_default=False,
        ),
    ],
    form: Form = "table",
    database: Database = None,
) -> None:
    """Copy the whole record to a server, whatever its version; the old one stays as it is.

    It goes as an archive: the database there must be empty, the tables are made if needed, and
    nothing is kept unless all is verified and every table is equal afterwards.
    """
    from roundbook.logbook.session import open_record
    from roundbook.settings import load_settings
    from roundbook.transfer.move import move_record

    settings, to = load_settings(), checked_address("--to", to)
    with (
        open_record(settings, database_address(context, database)) as source,
        open_record(settings, to, any_schema=True) as target,
        progress("Moving ...") as step,
        committing(context, "roundbook task list --database URL"),
    ):
        moved = move_record(source, target, settings.user, step)
    show(moved, form, [moved], _MOVED)
    talk(
        "Every table is equal. Set ROUNDBOOK_DATABASE_URL to the new address from now on, and write"
        " to the old record no more."
    )
    if moved.tokens_left:
        talk(
            f"{counted(moved.tokens_left, 'access token')} stayed behind: make new ones there with"
            " 'roundbook token create'."
        )


_GRANTED = (Column("on", "On"), Column("privileges", "May", ", ".join))


@app.command(epilog="Example: roundbook db grant analyst --as reader")
def grant(
    context: typer.Context,
    role: str = argument(GrantRequest, "role", metavar="ROLE"),
    access: Access = option(GrantRequest, "access", "--as"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Give a role what it needs to work with the record or to read it, and no more.

    Only the record's owner can. Do it again after each upgrade, for the tables that are new.
    """
    from roundbook.logbook.privileges import grant_access

    request = GrantRequest(role=role, access=access)
    with changing(context, database) as session:
        granted = grant_access(session, request)
    show(
        granted,
        form,
        granted.grants,
        _GRANTED,
        above=[f"Role '{granted.role}' is now a {granted.access} of the record:"],
    )
