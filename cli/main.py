"""The command ``roundbook``: its groups, and every error as one sentence with an exit code."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from cli import (
    archive,
    db,
    demo,
    drift,
    events,
    factors,
    generalisability,
    impact,
    log,
    matrix,
    plan,
    rank,
    report,
    round_,
    standardise,
    task,
    variance,
)
from cli.options import Database
from cli.session import begin
from service.errors import DatabaseUnreachable, RoundbookError, SchemaOutOfDate

app = typer.Typer(
    name="roundbook",
    epilog="Example: roundbook demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"roundbook {version('roundbook')}")
        raise typer.Exit


@app.callback()
def roundbook(
    database: Database = None,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it, exit."),
    ] = False,
) -> None:
    """The logbook of evaluation campaigns that run round after round."""  # noqa: D401


demo.attach(app)
app.add_typer(task.app, name="task")
app.add_typer(round_.app, name="round")
log.attach(app)
app.add_typer(matrix.app, name="matrix")
impact.attach(app)
app.add_typer(variance.app, name="variance")
app.add_typer(factors.app, name="factors")
standardise.attach(app)
plan.attach(app)
rank.attach(app)
generalisability.attach(app)
drift.attach(app)
app.add_typer(report.app, name="report")
events.attach(app)
archive.attach(app)
app.add_typer(db.app, name="db")


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, or as the README lists them."""
    begin()
    try:
        app(args=list(arguments), prog_name="roundbook")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except RoundbookError as error:
        if _debugging():
            raise
        typer.echo(f"Error: {error}", err=True)
        if isinstance(error, SchemaOutOfDate):
            return 3
        return 4 if isinstance(error, DatabaseUnreachable) else 1
    except Exception as error:
        if _debugging():
            raise
        typer.echo(
            f"Error: Roundbook itself went wrong here ({type(error).__name__}: {error}). Please"
            " report it with what ROUNDBOOK_DEBUG=1 prints; nothing half done was kept.",
            err=True,
        )
        return 1
    return 0


def _debugging() -> bool:
    from service.settings import load_settings

    try:
        return load_settings().debug
    except RoundbookError:
        return False


def main() -> None:
    """Run the command line this process was started with."""
    sys.exit(run(sys.argv[1:]))
