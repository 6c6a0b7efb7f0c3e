"""The command ``roundbook``: its groups, imported when called, and errors as one sentence each."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from inspect import cleandoc
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main
from typer._click.exceptions import MissingParameter, UsageError
from typer.core import TyperCommand, TyperGroup

from roundbook.errors import DatabaseUnreachableError, RoundbookError, SchemaOutOfDateError
from roundbook_cli.options import Database
from roundbook_cli.request_options import reword
from roundbook_cli.session import CommandLine
from roundbook_cli.streams import OutputLostError

if TYPE_CHECKING:
    from typer._click import Command, Context

# In the order of the help; groups have their line from here, other commands repeat their own.
COMMANDS = {
    "demo": ("demo", "Show what Roundbook does, in a database that is thrown away."),
    "log": ("log", "Log a round's score matrix, with its variances and standardisation factors."),
    "impact": (
        "impact",
        "List what rests on a score matrix, what of it is stale, and the command that renews it.",
    ),
    "standardise": (
        "standardise",
        "Standardise a round's scores, or new runs from a file, by a round's factors.",
    ),
    "rank": ("rank", "Compare run rankings: raw against standardised, or by two factor versions."),
    "generalisability": (
        "generalisability",
        "Show variance components, E-rho-squared, Phi, and the topics a reliability needs.",
    ),
    "drift": (
        "drift",
        "Compare two rounds' factors on their shared topics and say whether the first have aged.",
    ),
    "events": (
        "events",
        "Show every change of the record, oldest first: who made it, when, what and why.",
    ),
    "export": ("archive", "Write the record, or some tasks, into a zip of plain CSV and JSON."),
    "import": ("archive", "Read an archive into the record: all of it, or nothing."),
    "task": ("task", "Tasks: what a campaign evaluates."),
    "round": ("round_", "Rounds: one holding of a task after another."),
    "topic": ("topic", "Topics: list, and declare their other ids."),
    "matrix": ("matrix", "Score matrices: list, show, correct, export."),
    "run": ("run", "Runs: log what they retrieved, list them."),
    "qrels": ("qrels", "Relevance assessments: log them, list them."),
    "measure": ("measure", "Measures: list them, merge two that are one."),
    "variance": ("variance", "Variances: of a measure in each round, and pooled."),
    "factors": ("factors", "Standardisation factors of a round, by version."),
    "plan": (
        "plan",
        "Compute topic set sizes for the next round, from a task's rounds or a given variance.",
    ),
    "study": ("study", "Studies: what the scores of a round support."),
    "result": ("result", "Saved results: list, show, renew what is stale."),
    "report": (
        "report",
        "Reports for others: html, latex, datacite. Saved drift reports: list, show.",
    ),
    "serve": ("serve", "Serve the record over HTTP: an API, and pages for a browser."),
    "worker": ("serve", "Take the jobs that the service was given, one by one, until Ctrl-C."),
    "token": ("tokens", "Tokens: who may use the service."),
    "db": ("db", "The database: its schema, backups, moving to another server."),
}
# The beginnings of errors about a word that a command does not take.
_WORD_TOO_MANY = ("Got unexpected extra argument", "No such command")


@cache
def load_group(name: str) -> TyperGroup:
    """Import the module of a command and return the group of its commands."""
    module = import_module(f"roundbook_cli.{COMMANDS[name][0]}")
    parent = typer.Typer()
    if hasattr(module, "app"):
        parent.add_typer(module.app, name=name, help=COMMANDS[name][1])
    else:
        parent.add_typer(module.commands)
    group = typer.main.get_group(parent)
    commands: list[Command] = [group]
    while commands:
        command = commands.pop()
        # The paragraphs of a help wrap at the terminal's width, not where the docstring does.
        paragraphs = cleandoc(command.help or "").split("\n\n")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
        commands += getattr(command, "commands", {}).values()
    return group


class LazyGroup(TyperGroup):
    """A group that lists its commands by name and help line, and imports one when it is called."""

    def __init__(self, **settings: Any) -> None:  # noqa: ANN401
        super().__init__(**settings)
        for name, (_, line) in COMMANDS.items():
            self.add_command(TyperCommand(name, help=line))

    def invoke(self, ctx: Context) -> Any:  # noqa: ANN401
        """Run the command; reword its usage errors, and name the measures where one is missing."""
        try:
            return super().invoke(ctx)
        except MissingParameter as missing:
            if missing.param is not None and missing.param.name == "measure" and missing.ctx:
                from roundbook_cli.measure import measures_sentence

                missing.message = measures_sentence(missing.ctx)
            raise
        except UsageError as wrong:
            reword(wrong)
            # Most commands have the task as an argument.
            parameters = wrong.cmd.params if wrong.cmd else ()
            options = [name for parameter in parameters for name in parameter.opts]
            guessed = wrong.message.endswith("?")
            if "--task" in options and wrong.message.startswith(_WORD_TOO_MANY) and not guessed:
                wrong.message = f"{wrong.message.removesuffix('.')}. A task is named by --task."
            elif "task" in options and getattr(wrong, "option_name", None) == "--task":
                wrong.message = "No such option: --task. A task is named without it."
                wrong.possibilities = []  # type: ignore[attr-defined]
            elif "--beta" in options and getattr(wrong, "option_name", None) == "--power":
                wrong.message = "No such option: --power. Power is 1 - beta; give --beta."
            raise

    def resolve_command(
        self, ctx: Context, args: list[str]
    ) -> tuple[str | None, Command | None, list[str]]:
        """Return the name of the command, the imported command and the remaining arguments."""
        name, listed, rest = super().resolve_command(ctx, args)
        return name, load_group(name).commands[name] if name else listed, rest


app = typer.Typer(
    name="roundbook",
    cls=LazyGroup,
    epilog="Example: roundbook demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        typer.echo(f"roundbook {version('roundbook')}")
        raise typer.Exit


@app.callback()
def roundbook(
    database: Database = None,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """The logbook of evaluation campaigns that run round after round."""  # noqa: D401


INTERRUPTED = 130  # as shells have it for a program that SIGINT ended
_KEPT = {
    "nothing": "Interrupted. The record is as it was.",
    "unknown": "Interrupted while the work was being kept: all of it is, or nothing. '{shown_by}'"
    " shows which; where nothing is, give the same command again.",
    "all": "Interrupted when the work was done. Whatever the command changed in the record is"
    " kept; '{shown_by}' shows it.",
}


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code: 0, or as the README lists them."""
    line = CommandLine(tuple(arguments))
    try:
        try:
            app(args=list(arguments), prog_name="roundbook", obj=line)
        finally:
            # Typer leaves by SystemExit, and writing the rest of the buffer may fail.
            sys.stdout.flush()
    except (KeyboardInterrupt, SystemExit) as stop:
        code = stop.code if isinstance(stop, SystemExit) else INTERRUPTED
        if code == INTERRUPTED:
            typer.echo(_KEPT[line.kept].format(shown_by=line.shown_by), err=True)
        return code if isinstance(code, int) else int(code is not None)
    except OutputLostError as lost:
        return 0 if lost.unread else _tell(lost, 1)
    except RoundbookError as error:
        if _debugging():
            raise
        codes = ((SchemaOutOfDateError, 3), (DatabaseUnreachableError, 4), (RoundbookError, 1))
        return _tell(error, next(code for kind, code in codes if isinstance(error, kind)))
    except Exception as error:
        if _debugging():
            raise
        return _tell(
            f"Roundbook itself went wrong here ({type(error).__name__}: {error}). Please"
            " report it with what ROUNDBOOK_DEBUG=1 prints; nothing half done was kept.",
            1,
        )
    return 0


def _tell(error: Exception | str, code: int) -> int:
    from roundbook_cli.output import talk
    from roundbook_cli.ways_out import sentence

    message = sentence(error) if isinstance(error, RoundbookError) else error
    talk(f"Error: {message}")
    return code


def _debugging() -> bool:
    from roundbook.settings import load_settings

    try:
        return load_settings().debug
    except RoundbookError:
        return False
