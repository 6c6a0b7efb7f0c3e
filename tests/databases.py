"""Databases for tests: made and dropped, asked in SQL, and changed by hand."""

from __future__ import annotations

from contextlib import contextmanager
from uuid import uuid4

from sqlalchemy import text

from roundbook.database.engine import make_engine, unit_of_work
from roundbook.database.fingerprints import fingerprint_tables
from roundbook.database.tables import metadata
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session

TABLES = [table.name for table in metadata.sorted_tables]


@contextmanager
def database_on(server, options=""):
    """Yield an engine on a new database of a server."""
    name = f"test_{uuid4().hex}"
    administer(server, f"CREATE DATABASE {name} {options}")
    engine = make_engine(server.set(database=name), lock_timeout=20)
    try:
        yield engine
    finally:
        engine.dispose()
        administer(server, f"DROP DATABASE {name} WITH (FORCE)")


def administer(server, *statements):
    """Run statements outside of any transaction."""
    engine = make_engine(server)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def rows(engine, statement, **values):
    with unit_of_work(engine) as connection:
        return connection.execute(text(statement), values).all()


def scalar(engine, statement, **values):
    return rows(engine, statement, **values)[0][0]


def commit(engine, *statements):
    """Run statements in one transaction."""
    with unit_of_work(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
        connection.commit()


def execute(engine, *statements):
    """Change a record by hand, with an event of it."""
    with unit_of_work(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
        record_event(Session(connection, "tester"), "changed by hand")
        connection.commit()


def counts(engine):
    """Return how many rows each table has."""
    query = " UNION ALL ".join(
        f"SELECT '{name}', (SELECT count(*) FROM roundbook.{name})" for name in TABLES
    )
    return dict(rows(engine, query))


def fingerprints(engine):
    """Return a fingerprint of what is in each table."""
    with unit_of_work(engine) as connection:
        return fingerprint_tables(connection)
