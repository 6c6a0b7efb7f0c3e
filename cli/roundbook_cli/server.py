"""``roundbook db start|stop``: the embedded server, kept up between commands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, show
from roundbook_cli.session import database_address

if TYPE_CHECKING:
    from datetime import timedelta

    from roundbook.logbook.embedded_server import EmbeddedServer

commands = typer.Typer()

_COLUMNS = (
    Column("directory", "Data directory"),
    Column("status", "Status"),
    Column("until", "Until"),
)
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


@commands.command(epilog="Example: roundbook db start --for 2h")
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
    _show(
        server,
        form,
        f"The embedded server in {server.directory} is kept up{again}, until {end};"
        " 'roundbook db stop' stops it before.",
    )


@commands.command(epilog="Example: roundbook db stop")
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
    _show(server, form, f"The embedded server in {server.directory} {state}.")


def _read_time(text: str) -> timedelta:
    from datetime import timedelta

    parts = re.fullmatch(r"([1-9]\d{0,4})([smhd])", text.strip(), re.ASCII)
    if parts is None:
        raise typer.BadParameter(
            f"'{text}' is no time; write a whole number of minutes, hours or days: 30m, 1h, 2d.",
            param_hint="--for",
        )
    return timedelta(**{_UNITS[parts[2]]: int(parts[1])})


def _show(server: EmbeddedServer, form: Form, sentence: str) -> None:
    if form == "table":
        typer.echo(sentence)
    else:
        show(server, form, [server], _COLUMNS)
