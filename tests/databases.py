"""Databases for tests: made and dropped, asked in SQL, and changed by hand."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
from sqlalchemy import text

from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.fingerprints import fingerprint_tables
from roundbook.database.schema import alembic_config
from roundbook.database.tables import metadata
from roundbook.embedded.server import embedded_server
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session

RELEASES = Path(__file__).parent / "releases"
TABLES = [table.name for table in metadata.sorted_tables]


@contextmanager
def database_on(server, options=""):
    """Yield an engine on a new database of a server."""
    name = f"test_{uuid4().hex}"
    administer(server, f"CREATE DATABASE {name} {options}")
    engine = make_engine(server.set(database=name))
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


def address_of(url):
    """Return an address as a person would write it."""
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


def load_release(engine, release):
    """Fill a database with the record of an earlier release."""
    dump = (RELEASES / f"{release}.sql").read_text(encoding="utf-8")
    with psycopg.connect(address_of(engine.url)) as connection:
        connection.execute(dump)


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


def run_alembic(engine, do, *arguments):
    """Run a command of Alembic on a database."""
    with unit_of_work(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        do(config, *arguments)
        connection.commit()


@contextmanager
def served(directory):
    """Run the server kept in a directory; yield its address and an engine."""
    with embedded_server(directory) as address:
        url = parse_url(address)
        engine = make_engine(url)
        yield url, engine
        engine.dispose()


def fingerprints(engine):
    """Return a fingerprint of what is in each table."""
    with unit_of_work(engine) as connection:
        return fingerprint_tables(connection)
