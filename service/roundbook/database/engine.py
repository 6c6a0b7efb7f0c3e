"""Connections to PostgreSQL, the unit of work, and the translation of PostgreSQL's errors."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakSet

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.array import ListBinaryDumper
from sqlalchemy import Connection, Engine, create_engine, event, exc, text
from sqlalchemy.engine import URL, make_url

from roundbook.database.faults import Moment, driver_error, is_lost, translate
from roundbook.errors import DatabaseError, InputError

_DRIVER = "postgresql+psycopg"

_engines: WeakSet[Engine] = WeakSet()

# The pool logs an interrupt while it closes a connection: a traceback where no log is set up.
logging.getLogger("sqlalchemy.pool").addHandler(logging.NullHandler())


def parse_url(text: str) -> URL:
    """Parse a database address, ``postgresql://user:password@host:port/database``.

    Raises
    ------
    InputError
        When it is no PostgreSQL address. The message does not repeat the address, which may hold
        a password.
    """
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError):
        raise InputError(
            "The database address cannot be read; write it as"
            " postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        ) from None
    # Otherwise part of the password would be taken for the host or database, and shown.
    before, _, rest = text.partition("@")
    after, _, options = rest.partition("?")
    if "@" in after or re.match("[^=]*@", options):
        raise InputError(
            "The database address has an @ too many: write an @ in the user or password as %40."
        )
    if re.search("[@/:]", url.database or "") or (url.password and re.search(r"\?.*=", before)):
        raise InputError(
            "The database address cannot be taken apart: in the user, the password and options"
            " write / as %2F, ? as %3F, @ as %40 and : as %3A."
        )
    if url.drivername not in ("postgresql", "postgres", _DRIVER):
        raise InputError(
            f"Roundbook keeps its record in PostgreSQL only, not in '{url.drivername}'; write the"
            " address as postgresql://USER:PASSWORD@HOST:PORT/DATABASE."
        )
    return url.set(drivername=_DRIVER)


# Settings that results depend on, fixed whatever the database, role or environment set.
PINNED = {
    "client_encoding": "UTF8",
    "DateStyle": "ISO, YMD",
    "extra_float_digits": "1",
    "IntervalStyle": "postgres",
    "jit": "off",
    "search_path": "pg_catalog",
    "standard_conforming_strings": "on",
    "TimeZone": "UTC",
}
OLDEST_SERVER = 15


def make_engine(url: URL, *, connect_timeout: int = 10, lock_timeout: int = 30) -> Engine:
    """Return an engine for `url`; no connection is made yet. Timeouts are in seconds.

    It works behind a pooler that gives each transaction another server session: settings are set
    for the transaction, and no statement is prepared on the server.
    """
    engine = create_engine(
        url,
        connect_args={
            "connect_timeout": connect_timeout,
            "application_name": "roundbook",
            "client_encoding": PINNED["client_encoding"],
            "prepare_threshold": None,
        },
        isolation_level="READ COMMITTED",
        pool_pre_ping=False,
        use_native_hstore=False,  # the record has none, and asking for it is a query
    )
    pins = PINNED | {"lock_timeout": f"{lock_timeout}s"}
    calls = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in pins.items())
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(f"SELECT {calls}"))
    event.listen(engine, "connect", _prepare_connection)
    event.listen(engine, "checkin", _forget_read_only)
    _engines.add(engine)
    return engine


def _leave_connections() -> None:
    """Leave a forked process's connections to its parent, and let the engines make new ones."""
    for engine in list(_engines):
        engine.dispose(close=False)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_connections)


def _forget_read_only(connection: psycopg.Connection | None, _: object) -> None:
    """Have later transactions read-only or not as the server has it.

    After one that only reads, SQLAlchemy asks for read-write, also of a database that is set
    read-only. A connection on which a transaction was interrupted is not changed, and not used.
    """
    if connection is not None and connection.info.transaction_status == TransactionStatus.IDLE:
        connection.read_only = None


def _prepare_connection(connection: psycopg.Connection, _: object) -> None:
    """Refuse a server that cannot hold a record, and send lists in binary."""
    # A list of a thousand numbers takes 0.3 ms in binary and 2.7 ms as text.
    connection.adapters.register_dumper(list, ListBinaryDumper)
    info = connection.info
    major, encoding = info.server_version // 10_000, info.parameter_status("server_encoding")
    if major >= OLDEST_SERVER and encoding == "UTF8":
        return
    database = info.dbname
    connection.close()
    if major < OLDEST_SERVER:
        raise DatabaseError(
            f"The server is PostgreSQL {major}, and Roundbook needs {OLDEST_SERVER} or later.",
            way_out="name another server",
            version=major,
        )
    raise DatabaseError(
        f"The encoding of the database '{database}' is {encoding}, and Roundbook needs UTF8. Make"
        " another for it, in SQL: CREATE DATABASE roundbook ENCODING 'UTF8' TEMPLATE template0"
        " LC_COLLATE 'C' LC_CTYPE 'C'",
        database=database,
        encoding=encoding,
    )


def driver_connection(connection: Connection) -> psycopg.Connection[object]:
    """Return the driver's connection beneath one of SQLAlchemy's."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver


def server_version(connection: Connection) -> tuple[int, str]:
    """Return the server's major version, and its full version as PostgreSQL writes it."""
    number = driver_connection(connection).info.server_version
    return number // 10_000, f"{number // 10_000}.{number % 10_000}"


def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler is in between: then the process number is not the server's."""
    process = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    return bool(process != driver_connection(connection).info.backend_pid)


def _begun(engine: Engine, *, again: bool = True) -> Connection:
    """Return a connection in a new transaction.

    What the pool kept may have been lost since, as when the server was restarted: nothing is
    written yet, so the transaction is begun once more, on a new connection.
    """
    connection = engine.connect()
    try:
        connection.begin()
    except BaseException as error:
        connection.close()
        if again and isinstance(error, exc.DBAPIError) and is_lost(driver_error(error)):
            return _begun(engine, again=False)
        raise
    return connection


@contextmanager
def unit_of_work(engine: Engine) -> Iterator[Connection]:
    """Open one transaction, which is rolled back unless ``connection.commit()`` is called.

    Raises
    ------
    DatabaseUnreachableError, DatabaseBusyError, DatabaseError
        In place of the driver's own errors.
    """
    moment: Moment = "connecting"

    def committing(_: Connection) -> None:
        nonlocal moment
        moment = "committing"

    try:
        with _begun(engine) as connection:
            moment = "working"
            event.listen(connection, "commit", committing)
            try:
                yield connection
            except (exc.DBAPIError, psycopg.Error) as error:
                if is_lost(driver_error(error)):
                    connection.invalidate()  # or leaving would roll back on it
                raise
    except (exc.DBAPIError, psycopg.Error) as error:
        raise translate(driver_error(error), engine.url, moment) from error
