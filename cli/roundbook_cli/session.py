"""From the command line to the record: the settings, the chosen database, the open engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

import typer

from roundbook_cli.words import check_words

if TYPE_CHECKING:
    from roundbook.logbook.session import Session


@contextmanager
def record(
    context: typer.Context, database: str | None, *, keep: bool = True, one_moment: bool = False
) -> Iterator[Session]:
    """Yield a transaction on the record that the command line, else the settings, name.

    It is committed when the block ends, unless `keep` is False or the block raises.
    """
    from roundbook.logbook.record import open_record
    from roundbook.logbook.session import begin
    from roundbook.settings import load_settings

    settings = load_settings()
    with (
        open_record(settings, chosen(context, database), _tell_once()) as engine,
        begin(engine, settings.user, keep=keep, one_moment=one_moment) as session,
    ):
        yield session


def _tell_once() -> Callable[[str], None]:
    """Return what says once that an embedded record is brought up to date, which may take long."""
    from roundbook_cli.output import talk

    told: list[str] = []

    def tell(what: str) -> None:
        if not told:
            talk("The record is brought up to date with this version of Roundbook ...")
        told.append(what)

    return tell


class _Asked(NamedTuple):
    """What a person asked for, and when, by ``time.monotonic()``."""

    at: float
    words: tuple[str, ...]


_asked: ContextVar[_Asked | None] = ContextVar("asked", default=None)


def begin(words: Sequence[str]) -> None:
    """Note that a person has just asked for something, in these words."""
    _asked.set(_Asked(time.monotonic(), tuple(words)))


def asked() -> float | None:
    """Return when the person asked, by ``time.monotonic()``; None where nobody noted it."""
    noted = _asked.get()
    return noted.at if noted else None


def check(context: typer.Context) -> None:
    """Refuse a command line in which an option's value was forgotten, or an option repeated.

    Raises
    ------
    typer.BadParameter
        Naming the option.
    """
    noted = _asked.get()
    check_words(context, noted.words if noted else ())


def chosen(context: typer.Context, database: str | None) -> str | None:
    """Return --database as given to the command, else as given before it.

    Every command that opens a database asks here first, so here the whole command line is checked.

    Raises
    ------
    InputError
        When it is empty, as where a script's variable is not set.
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
