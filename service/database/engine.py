"""Connections to PostgreSQL, the unit of work, and PostgreSQL's errors in Roundbook's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import Connection, Engine, create_engine, exc
from sqlalchemy.engine import URL, make_url

from service.errors import DatabaseBusy, DatabaseError, DatabaseUnreachable, InputError

_DRIVER = "postgresql+psycopg"


def parse_url(text: str) -> URL:
    """Parse a database address, ``postgresql://user:password@host:port/database``.

    Raises
    ------
    InputError
        When it is no PostgreSQL address. The address itself is not repeated: it may hold
        a password.
    """
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError):
        raise InputError(
            "The database address cannot be read; write it as"
            " postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        ) from None
    if "@" in (url.host or ""):
        raise InputError(
            "The database address has an @ too many: write an @ in the user or password as %40."
        )
    if url.drivername not in ("postgresql", "postgres", _DRIVER):
        raise InputError(
            f"Roundbook keeps its record in PostgreSQL only, not in '{url.drivername}'; write the"
            " address as postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        )
    return url.set(drivername=_DRIVER)


def make_engine(url: URL, *, connect_timeout: int = 10, lock_timeout: int = 30) -> Engine:
    """Return an engine for `url`; no connection is made yet. Timeouts are in seconds."""
    query = url.query
    options = f"-c lock_timeout={lock_timeout}s -c jit=off -c timezone=UTC"
    if isinstance(query.get("options"), str):
        options = f"{options} {query['options']}"
    return create_engine(
        url.difference_update_query(["options"]),
        connect_args={
            "connect_timeout": connect_timeout,
            "application_name": "roundbook",
            "options": options,
        },
        pool_pre_ping=False,
    )


@contextmanager
def unit_of_work(engine: Engine) -> Iterator[Connection]:
    """Open one transaction: all of it is kept by ``connection.commit()``, else none.

    Raises
    ------
    DatabaseUnreachable, DatabaseBusy, DatabaseError
        In place of the driver's own errors.
    """
    with translated_errors(engine.url), engine.connect() as connection:
        yield connection


@contextmanager
def translated_errors(url: URL) -> Iterator[None]:
    """Raise the driver's errors as Roundbook's."""
    try:
        yield
    except exc.DBAPIError as error:
        raise _translate(error.orig, url) from error
    except psycopg.Error as error:  # COPY goes to the driver without SQLAlchemy between
        raise _translate(error, url) from error


def _translate(error: BaseException | None, url: URL) -> DatabaseError:
    said = _first_line(error)
    if isinstance(error, psycopg.errors.LockNotAvailable | psycopg.errors.DeadlockDetected):
        return DatabaseBusy(
            "Somebody else is writing to the same place and held it longer than the lock timeout;"
            " nothing was written. Try again, or raise ROUNDBOOK_LOCK_TIMEOUT."
        )
    if isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None:
        return DatabaseUnreachable(
            "The database address has an option that PostgreSQL does not know; write it as"
            " postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        )
    if isinstance(error, psycopg.OperationalError) and error.sqlstate is None:
        place = f"{url.host or 'localhost'}:{url.port or 5432}/{url.database or ''}"
        return DatabaseUnreachable(
            f"The database at {place} cannot be reached: {said}. Check ROUNDBOOK_DATABASE_URL or"
            " --database, or leave both unset to use the embedded server."
        )
    return DatabaseError(f"PostgreSQL refused, so nothing was changed: {said}.")


def _first_line(error: BaseException | None) -> str:
    lines = str(error).strip().splitlines() if error is not None else []
    return lines[0].strip().rstrip(".") if lines else "it gave no reason"
