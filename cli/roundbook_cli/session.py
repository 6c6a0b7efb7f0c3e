"""The record that a command works on: the settings, the chosen database, the transaction."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from roundbook.errors import InputError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from roundbook.logbook.session import Session


@dataclass
class CommandLine:
    """A command line as typed, and how much of its work is kept so far; the context's object.

    `shown_by` is the command that shows what is kept.
    """

    arguments: tuple[str, ...] = ()
    kept: Literal["nothing", "unknown", "all"] = "nothing"
    shown_by: str = "roundbook events"


@contextmanager
def committing(context: typer.Context, shown_by: str | None = None) -> Iterator[None]:
    """Set `kept` of the command line: `unknown` within the block, `all` after it."""
    line = context.ensure_object(CommandLine)
    line.kept = "unknown"
    line.shown_by = shown_by or line.shown_by
    yield
    line.kept = "all"


@contextmanager
def record(context: typer.Context, database: str | None) -> Iterator[Session]:
    """Yield a transaction on the record that the command line, else the settings, name.

    It reads one snapshot of the record, and cannot write; see `changing`.
    """
    with sessions(context, database) as begin, begin(one_snapshot=True) as session:
        yield session


@contextmanager
def changing(
    context: typer.Context, database: str | None, *, keep: bool = True
) -> Iterator[Session]:
    """Yield a transaction that can change the record; see `record`.

    It is committed when the block ends, unless `keep` is False or the block raises.
    """
    with sessions(context, database) as begin, begin(keep=keep) as session:
        yield session


@contextmanager
def sessions(
    context: typer.Context, database: str | None
) -> Iterator[Callable[..., AbstractContextManager[Session]]]:
    """Yield a function that begins a transaction, for commands that need more than one."""
    from roundbook.logbook.session import Work, begin, open_record
    from roundbook.settings import load_settings
    from roundbook_cli.completion import note_names
    from roundbook_cli.output import talk

    settings = load_settings()
    lines = ["The record is brought up to date with this version of Roundbook ..."]

    def talk_once(_: str) -> None:
        while lines:
            talk(lines.pop())

    address = database_address(context, database)
    with open_record(settings, address, talk_once) as engine:
        yield partial(
            begin,
            engine,
            settings.user,
            committing=partial(committing, context),
            work=Work(max_file_bytes=settings.max_file_bytes),
        )
        if sys.stderr.isatty():  # only a person completes names
            note_names(engine, settings, address)


@contextmanager
def open_database(context: typer.Context, database: str | None) -> Iterator[Engine]:
    """Yield the server that the command line, else the settings, name, whatever its schema."""
    from roundbook.logbook.session import open_record
    from roundbook.settings import load_settings

    settings, address = load_settings(), database_address(context, database)
    with open_record(settings, address, any_schema=True) as engine:
        yield engine


def database_address(context: typer.Context, database: str | None) -> str | None:
    """Return --database as given to the command, else as given before it; None without either.

    Every command that opens a database calls this first, so it checks the whole command line.
    """
    check(context)
    value = database if database is not None else context.find_root().params.get("database")
    return None if value is None else checked_address("--database", value)


def is_embedded(context: typer.Context, database: str | None) -> bool:
    """Return whether a command works on the embedded server."""
    from roundbook.logbook.session import chosen_address
    from roundbook.settings import load_settings

    return chosen_address(load_settings(), database_address(context, database)) is None


def checked_address(option: str, value: str) -> str:
    """Return the address given to an option; refuse an empty one, which would mean the default.

    It is empty where a variable of a script is not set.
    """
    if not value.strip():
        raise InputError(
            f"{option} is empty; give it a server's address,"
            " postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        )
    return value


def check(context: typer.Context) -> None:
    """Refuse an option that took the next one for its value, or that is given twice.

    Otherwise ``--revise --dry-run`` would write a revision for the reason '--dry-run', and of
    ``--assessments gold --assessments bronze`` only the last would count. A value that begins
    with ``--`` can be given after an equals sign.
    """
    arguments = context.ensure_object(CommandLine).arguments
    before_rest = takewhile("--".__ne__, arguments)
    times = Counter(argument.partition("=")[0] for argument in before_rest)
    root = context.find_root()
    names = set(context.help_option_names)
    for parameter in context.command.params:
        names.update(parameter.opts, parameter.secondary_opts)
    for parameter in context.command.params:
        if parameter.param_type_name != "option":
            continue
        name, option = parameter.name or "", parameter.opts[0]
        metavar = parameter.metavar or "value"
        given = context.params.get(name)
        for value in given if isinstance(given, (list, tuple)) else [given]:
            if isinstance(value, (str, Path)):
                text = str(value)
                if (text.startswith("--") or text in names) and f"{option}={text}" not in arguments:
                    raise typer.BadParameter(
                        f"{option} needs its {metavar}, but '{text}' after it looks like an option;"
                        f" put the {metavar} between the two, or write {option}='{text}'",
                        context,
                    )
        typed = sum(map(times.__getitem__, parameter.opts))
        # --database may stand before the command too, as a default that the command's own replaces.
        if root is not context and root.params.get(name) is not None:
            typed -= 1
        single = not (getattr(parameter, "multiple", False) or getattr(parameter, "is_flag", False))
        if single and typed > 1:
            raise typer.BadParameter(
                f"{option} is given more than once, and takes one {metavar} here", context
            )
