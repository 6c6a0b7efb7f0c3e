"""``roundbook worker``: computing long studies in the background."""

from __future__ import annotations

import typer

from roundbook_cli.options import Database
from roundbook_cli.output import talk
from roundbook_cli.session import database_address

commands = typer.Typer()


@commands.command(epilog="Example: roundbook worker")
def worker(context: typer.Context, database: Database = None) -> None:
    """Take the jobs that the service was given, one by one, until Ctrl-C.

    A job is a study that is computed and saved. When the worker is ended, the study under way goes
    back into the queue; when it is lost, another worker takes up its job. Start several to have
    several studies computed at once.
    """
    from roundbook.errors import MissingExtraError
    from roundbook.settings import load_settings

    try:
        from roundbook.jobs.worker import run_worker
    except ModuleNotFoundError:
        raise MissingExtraError("Jobs are kept by procrastinate.", "serve") from None

    run_worker(load_settings(), database_address(context, database), talk)
