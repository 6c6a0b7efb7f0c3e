"""The record that a command works on: the settings, the chosen database, the transaction."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from roundbook.logbook.session import Session


@dataclass
class CommandLine:
    """A command line as typed, and how much of its work is kept so far; the context's object."""

    words: tuple[str, ...] = ()
    kept: Literal["nothing", "unknown", "all"] = "nothing"


@contextmanager
def keeping(context: typer.Context) -> Iterator[None]:
    """Set `kept` of the command line: `unknown` within the block, `all` after it."""
    line = context.ensure_object(CommandLine)
    line.kept = "unknown"
    yield
    line.kept = "all"


@contextmanager
def record(
    context: typer.Context, database: str | None, *, keep: bool = True, one_moment: bool = False
) -> Iterator[Session]:
    """Yield a transaction on the record that the command line, else the settings, name.

    It is committed when the block ends, unless `keep` is False or the block raises.
    """
    with sessions(context, database) as begin, begin(keep=keep, one_moment=one_moment) as session:
        yield session


@contextmanager
def sessions(
    context: typer.Context, database: str | None
) -> Iterator[Callable[..., AbstractContextManager[Session]]]:
    """Yield a function that begins a transaction, for commands that need more than one."""
    from roundbook.logbook.record import open_record
    from roundbook.logbook.session import begin
    from roundbook.settings import load_settings
    from roundbook_cli.completion import note_names
    from roundbook_cli.output import talk

    settings = load_settings()
    lines = ["The record is brought up to date with this version of Roundbook ..."]

    def talk_once(_: str) -> None:
        while lines:
            talk(lines.pop())

    address = chosen(context, database)
    with open_record(settings, address, talk_once) as engine:
        yield partial(begin, engine, settings.user, keeping=partial(keeping, context))
        if sys.stderr.isatty():  # only a person completes names
            note_names(engine, settings, address)


@contextmanager
def open_database(context: typer.Context, database: str | None) -> Iterator[Engine]:
    """Yield the server that the command line, else the settings, name, whatever its schema."""
    from roundbook.logbook.record import open_record
    from roundbook.settings import load_settings

    with open_record(load_settings(), chosen(context, database), any_schema=True) as engine:
        yield engine


def chosen(context: typer.Context, database: str | None) -> str | None:
    """Return --database as given to the command, else as given before it; None without either.

    Every command that opens a database asks here first, so here the whole command line is checked.

    Raises
    ------
    InputError
        When it is empty, such as a variable of a script that is not set.
    typer.BadParameter
        When the value of an option looks like an option, or an option is repeated.
    """
    check(context)
    given = database if database is not None else context.find_root().params.get("database")
    return None if given is None else address("--database", given)


def address(option: str, given: str) -> str:
    """Return the address given to an option; refuse an empty one, which would mean another."""
    from roundbook.errors import InputError

    if not given.strip():
        raise InputError(
            f"{option} is empty; give it a server's address,"
            " postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        )
    return given


def check(context: typer.Context) -> None:
    """Refuse an option that took the next one for its value, or that is given twice.

    What is logged with ``--revise --dry-run`` would be written, for the reason '--dry-run'; of
    ``--assessments gold --assessments bronze`` only the last would count. A value that begins
    with ``--`` can be given after an equals sign.

    Raises
    ------
    typer.BadParameter
        Naming the option.
    """
    arguments = context.ensure_object(CommandLine).words
    given: Counter[str] = Counter()
    for argument in arguments:
        if argument == "--":
            break
        given[argument.partition("=")[0]] += 1
    root = context.find_root()
    names = set(context.help_option_names)
    for parameter in context.command.params:
        names.update(parameter.opts, parameter.secondary_opts)
    for parameter in context.command.params:
        if parameter.param_type_name != "option":
            continue
        name, option, what = parameter.name or "", parameter.opts[0], parameter.metavar or "value"
        values = [context.params.get(name)]
        while values:
            value = values.pop()
            if isinstance(value, (list, tuple)):
                values += value[::-1]
            elif isinstance(value, (str, Path)):
                text = str(value)
                if (text.startswith("--") or text in names) and f"{option}={text}" not in arguments:
                    raise typer.BadParameter(
                        f"{option} needs its {what}, but '{text}' after it looks like an option;"
                        f" put the {what} between the two, or write {option}='{text}'",
                        context,
                    )
        count = sum(map(given.__getitem__, parameter.opts))
        # --database may stand before the command too, as a default that the command's own replaces.
        if root is not context and root.params.get(name) is not None:
            count -= 1
        once = not (getattr(parameter, "multiple", False) or getattr(parameter, "is_flag", False))
        if once and count > 1:
            raise typer.BadParameter(
                f"{option} is given more than once, and takes one {what} here", context
            )
