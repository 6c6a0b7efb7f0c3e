"""The record: how it is opened, and the transactions on it in which use cases work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine

from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.schema import require_current, upgrade
from roundbook.settings import Settings

# Called with a short text before each step.
ReportProgress = Callable[[str], object]


def ignore_progress(_: str) -> None:
    """Ignore the text on the next step."""


class Work(NamedTuple):
    """Settings of work in a transaction: the progress callback, the `map` and a limit of file sizes.

    Attributes
    ----------
    progress : callable
        Called with the name of the pieces of work, how many are completed and their number.
    mapped : callable
        Applies a function to independent pieces of work, as `map` does, and returns the results in
        their order.
    max_file_bytes : int
        Largest file that is read.
    """

    progress: Callable[[str, int, int], object] = lambda *_: None
    mapped: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map
    max_file_bytes: int = sys.maxsize


DEFAULT_WORK = Work()


class Session(NamedTuple):
    """An open transaction, its user, and the settings of work in it.

    `only_task` is the task of a user who may see no other one, None for others.
    """

    connection: Connection
    user: str = "unknown"
    work: Work = DEFAULT_WORK
    only_task: str | None = None


@contextmanager
def open_record(
    settings: Settings,
    address: str | None = None,
    progress: ReportProgress = ignore_progress,
    *,
    any_schema: bool = False,
) -> Iterator[Engine]:
    """Yield an engine on the record, with its schema up to date.

    The embedded server's schema is upgraded here. A server's schema is only checked, as other
    people may use it too.

    Parameters
    ----------
    address : str, optional
        A server's address; default ``settings.database_url``, default the embedded server.
    any_schema : bool
        Accept any schema, and leave it as it is.

    Raises
    ------
    DatabaseUnreachableError
    SchemaOutOfDateError
        Naming the command to run.
    """
    chosen = chosen_address(settings, address)
    server = (
        _embedded_server(settings.data_dir / "postgres") if chosen is None else nullcontext(chosen)
    )
    with server as url, _engine(url, settings) as engine:
        if chosen is None and not any_schema:
            upgrade(engine, progress)
        elif not any_schema:
            require_current(engine)
        yield engine


@contextmanager
def embedded_record(
    directory: Path, settings: Settings, *, throw_away: bool = False
) -> Iterator[Engine]:
    """Yield an engine on the embedded server in `directory`, with its schema upgraded."""
    server = _embedded_server(directory, throw_away=throw_away)
    with server as url, _engine(url, settings) as engine:
        upgrade(engine)
        yield engine


@contextmanager
def record_if_up(
    settings: Settings, address: str | None = None, *, seconds: int
) -> Iterator[Engine | None]:
    """Yield an engine that waits at most `seconds`, or None if no server runs; start none."""
    url = chosen_address(settings, address)
    if url is None:
        from roundbook.embedded.server import running_address  # noqa: PLC0415

        url = running_address(settings.data_dir / "postgres")
    if url is None:
        yield None
        return
    waited = {"connect_timeout": seconds, "lock_timeout": seconds}
    with _engine(url, settings.model_copy(update=waited)) as engine:
        yield engine


def chosen_address(settings: Settings, address: str | None) -> str | None:
    """Return the address of the chosen PostgreSQL server, None for the embedded one."""
    if address:
        return address
    return settings.database_url.get_secret_value() if settings.database_url else None


def _embedded_server(directory: Path, *, throw_away: bool = False) -> AbstractContextManager[str]:
    # The modules that start and watch processes are not imported for a PostgreSQL server.
    from roundbook.embedded.server import embedded_server  # noqa: PLC0415

    return embedded_server(directory, throw_away=throw_away)


@contextmanager
def _engine(url: str, settings: Settings) -> Iterator[Engine]:
    engine = make_engine(
        parse_url(url), connect_timeout=settings.connect_timeout, lock_timeout=settings.lock_timeout
    )
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def begin(
    engine: Engine,
    user: str = "unknown",
    *,
    keep: bool = True,
    one_snapshot: bool = False,
    committing: Callable[[], AbstractContextManager[object]] = nullcontext,
    work: Work = DEFAULT_WORK,
) -> Iterator[Session]:
    """Begin a transaction; commit it when the block ends, roll it back when the block raises.

    Parameters
    ----------
    keep : bool
        False to roll it back in any case, for a dry run.
    one_snapshot : bool
        Read one snapshot of the record, and write nothing.
    committing : callable
        Returns the context in which it is committed.

    Raises
    ------
    DatabaseUnreachableError, DatabaseBusyError, DatabaseError
        In place of the driver's own errors.
    """
    if one_snapshot:
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with unit_of_work(engine) as connection:
        yield Session(connection, user, work)
        if keep:
            with committing():
                connection.commit()
