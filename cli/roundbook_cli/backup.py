"""``roundbook db backup|restore|move``: the whole record saved, restored, or moved elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, progress, show, talk
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import checked_address, committing, database_address, open_database

commands = typer.Typer()

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


@commands.command(epilog="Example: roundbook db backup campaigns.dump")
def backup(
    context: typer.Context,
    file: Path = argument(BackupRequest, "file", metavar="FILE"),
    force: bool = option(BackupRequest, "force", "--force"),
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


@commands.command(epilog="Example: roundbook db restore campaigns.dump")
@commands.command(
    epilog="Example: roundbook db move --to postgresql://organiser@db.example.org/campaigns"
)
def restore(
    context: typer.Context,
    file: Path = argument(RestoreRequest, "file", metavar="FILE"),
    replace: bool = option(RestoreRequest, "replace", "--replace"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Put a saved record into an empty database, all of it or nothing.

    Who owns the tables then is who restores. Roles that could read or write the record can no
    longer: run 'roundbook db grant' again. Restore only files that you trust.
    """
    from roundbook.logbook.record import chosen_address
    from roundbook.settings import load_settings
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
    if chosen_address(load_settings(), database_address(context, database)) is None:
        talk("The schema is an earlier Roundbook's; the next command brings it up to date.")
    else:
        talk("The schema is an earlier Roundbook's: run 'roundbook db upgrade'.")


@commands.command(
    epilog="Example: roundbook db move --to postgresql://organiser@db.example.org/campaigns"
)
def move(
    context: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="URL",
            help="The server to copy to: postgresql://USER:PASSWORD@HOST:PORT/DATABASE.",
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
    from roundbook.logbook.record import open_record
    from roundbook.presentation.phrases import counted
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
