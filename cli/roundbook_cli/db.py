"""``roundbook db``: the database's schema, and the record as a whole."""

from __future__ import annotations

import typer

from roundbook_cli import backup, db_grant, server, verify
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, progress, show
from roundbook_cli.session import committing, open_database

app = typer.Typer(
    no_args_is_help=True, help="The database: its schema, backups, moving to another server."
)

_COLUMNS = (Column("current", "Schema"), Column("expected", "Needed"), Column("status", "Status"))


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
    show(state, form, [state], _COLUMNS)


@app.command(epilog="Example: roundbook db current")
def current(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Show which schema the database has and which this program needs."""
    from roundbook.logbook.schema import read_schema

    with open_database(context, database) as engine:
        state = read_schema(engine)
    show(state, form, [state], _COLUMNS)


@app.command(epilog="Example: roundbook db check")
def check(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """Exit with 0 if the schema is up to date, else with 3; tell what is unusual about the server.

    JSON has how the server is reached and set up in any case.
    """
    from roundbook.logbook.schema import read_database, require_schema
    from roundbook.presentation.record import database_notes

    with open_database(context, database) as engine:
        state = read_database(engine)
        show(state, form, [state], _COLUMNS, below=database_notes(state))
        require_schema(engine)


for part in (server.commands, verify.of_db, backup.commands, db_grant.commands):
    app.add_typer(part)
