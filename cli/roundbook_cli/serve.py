"""``roundbook serve``: the record over HTTP."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook_cli.options import Database
from roundbook_cli.output import talk
from roundbook_cli.session import chosen, record


def serve(
    context: typer.Context,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            help="The address to listen on. Beyond this machine only once a token exists.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="The port; 0 for any that is free.")
    ] = 8765,
    require_token: Annotated[
        bool,
        typer.Option(
            "--require-token", help="Ask for a token on this machine too; without one: published."
        ),
    ] = False,
    database: Database = None,
) -> None:
    """Serve the record over HTTP until Ctrl-C.

    On a loopback address whoever is on this machine may do everything, unless --require-token.
    On any other, tokens say who may do what ('roundbook token create'), and without one only what
    is published is seen.
    """
    from roundbook.api.access import is_loopback
    from roundbook.api.running import run_service
    from roundbook.errors import InputError
    from roundbook.logbook.tokens import list_tokens
    from roundbook.settings import load_settings

    open_to_all = is_loopback(host) and not require_token
    if not open_to_all:
        with record(context, database) as session:
            if not any(token.status == "in force" for token in list_tokens(session).tokens):
                raise InputError(
                    f"On {host} the service asks for tokens, and there is none.",
                    way_out="make a token",
                )
    run_service(
        load_settings(),
        chosen(context, database),
        host=host,
        port=port,
        open_to_all=open_to_all,
        listening=lambda address: talk(f"Serving on {address} (Ctrl-C ends it)."),
    )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook serve --port 8765")(serve)
