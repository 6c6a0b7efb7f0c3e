"""``roundbook serve`` and ``roundbook worker``: the record over HTTP, and its background jobs."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Annotated

import typer

from roundbook.errors import InputError, MissingExtraError
from roundbook_cli.options import Database
from roundbook_cli.output import progress, talk
from roundbook_cli.session import database_address

commands = typer.Typer()


@commands.command(
    epilog="Example: roundbook serve --port 8765\n\nTo look around: roundbook serve --demo"
)
def serve(
    context: typer.Context,
    host: Annotated[
        str,
        typer.Option(
            "--host", help="The address to listen on. Beyond this machine only once a token exists."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65_535, help="The port; 0 for any that is free.")
    ] = 8765,
    require_token: Annotated[
        bool,
        typer.Option(
            "--require-token",
            help="Ask for a token on this machine too; without one, only what is published is seen.",
        ),
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo", help="Serve the demonstration's data, thrown away at the end; see 'demo'."
        ),
    ] = False,
    worker: Annotated[
        bool,
        typer.Option(
            "--worker/--no-worker",
            help="Take jobs beside it, or leave them to 'roundbook worker' elsewhere.",
        ),
    ] = True,
    database: Database = None,
) -> None:
    """Serve the record over HTTP: an API, and pages for a browser.

    It does so until Ctrl-C. On a loopback address whoever is on this machine may do everything,
    unless --require-token. On any other, tokens say who may do what ('roundbook token create'), and
    without one only what is published is seen.
    """
    try:
        from roundbook.api.callers import is_loopback
        from roundbook.api.running import run_service
        from roundbook.jobs.worker_beside import worker_beside
    except ModuleNotFoundError as error:
        raise MissingExtraError(f"A service needs {error.name}.", "serve") from None
    from roundbook.logbook.demonstration import demonstration_record
    from roundbook.logbook.session import begin, open_record
    from roundbook.logbook.tokens import list_tokens
    from roundbook.settings import load_settings

    address, settings = database_address(context, database), load_settings()
    open_to_all = is_loopback(host) and not require_token
    if demo and (address is not None or not open_to_all):
        raise typer.BadParameter(
            "--demo serves a record of its own, on this machine and without tokens; leave out"
            " --database, --require-token and other addresses than 127.0.0.1"
        )
    with ExitStack() as stack:
        if demo:
            talk("Making the demonstration's record, of four rounds; it takes up to half a minute.")
            with progress("Making the demonstration's record ...") as step:
                settings = stack.enter_context(
                    demonstration_record(settings, lambda doing: step(f"{doing} ..."))
                )
        # Opened before the server runs, which would answer a refusal with a traceback.
        engine = stack.enter_context(open_record(settings, address))
        if not open_to_all:
            with begin(engine) as session:
                tokens = list_tokens(session).tokens
            if not any(token.status == "in force" for token in tokens):
                raise InputError(
                    f"On {host} the service asks for tokens, and there is none.",
                    way_out="make a token",
                )
        if worker:
            stack.enter_context(worker_beside(settings, address, talk))
        run_service(
            settings,
            engine,
            host=host,
            port=port,
            open_to_all=open_to_all,
            listening=lambda at: talk(f"Serving on {at} (Ctrl-C ends it)."),
        )


@commands.command(epilog="Example: roundbook worker")
def worker(context: typer.Context, database: Database = None) -> None:
    """Take the jobs that the service was given, one by one, until Ctrl-C.

    A job is a study that is computed and saved. When the worker is ended, the study under way goes
    back into the queue; when it is lost, another worker takes up its job. Start several to have
    several studies computed at once.
    """
    from roundbook.settings import load_settings

    try:
        from roundbook.jobs.worker import run_worker
    except ModuleNotFoundError:
        raise MissingExtraError("Jobs are kept by procrastinate.", "serve") from None

    run_worker(load_settings(), database_address(context, database), talk)
