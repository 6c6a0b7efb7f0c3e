"""A record copied from one database to another of the same schema, whatever their versions.

The rows go by binary COPY, which all supported versions of PostgreSQL read and write alike for
the types used here. No trigger is switched off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql
from sqlalchemy import Connection, Table, exc, text

from roundbook.database.faults import driver_error, translate
from roundbook.database.fingerprints import Fingerprint, fingerprint_tables
from roundbook.database.tables import SCHEMA, metadata, round_
from roundbook.errors import DatabaseError

# Takes no matrix without a reason once it is published: so it is published at the end.
_ROUND_AT_FIRST = {"status": "'draft'"}
_NEXT_ID = text(
    "SELECT coalesce(pg_sequence_last_value(pg_get_serial_sequence(:table, :column)::regclass), 0)"
    " + 1"
)


def copy_record(
    source: Connection, target: Connection, progress: Callable[[str], object]
) -> dict[str, Fingerprint]:
    """Copy every row, with its id, and where each sequence stands; the caller commits.

    Parameters
    ----------
    source : Connection
        In a transaction of isolation level REPEATABLE READ.
    target : Connection
        On a record of the same schema without a row, in a transaction of its own.
    progress : callable
        Told in a few words what is done next.

    Returns
    -------
    dict
        The fingerprint of every table, equal on both sides.

    Raises
    ------
    DatabaseError
        When a fingerprint differs afterwards.
    """
    for table in metadata.sorted_tables:
        progress(f"Copying {table.name} ...")
        _copy_rows(source, target, table)
    _publish(source, target)
    target.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
    _set_sequences(source, target)
    progress("Comparing the tables here ...")
    with _reading(source):
        here = fingerprint_tables(source)
    progress("Comparing the tables there ...")
    there = fingerprint_tables(target)
    if here != there:
        names = ", ".join(name for name in here if here[name] != there.get(name))
        raise DatabaseError(
            f"The copy differs from the original in {names}, so it was not kept. Please report"
            " this."
        )
    return here


def _copy_rows(source: Connection, target: Connection, table: Table) -> None:
    columns = [column.name for column in table.columns]
    changed = _ROUND_AT_FIRST if table is round_ else {}
    read = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT binary)").format(
        sql.SQL(", ").join(
            sql.SQL(changed[name]) if name in changed else sql.Identifier(name) for name in columns
        ),
        sql.Identifier(SCHEMA, table.name),
    )
    write = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(
        sql.Identifier(SCHEMA, table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with _driver(target).cursor() as cursor, cursor.copy(write) as copy:
        for block in _blocks(source, read):
            copy.write(block)


def _blocks(source: Connection, statement: sql.Composed) -> Iterator[bytes]:
    with _reading(source), _driver(source).cursor() as cursor, cursor.copy(statement) as copy:
        for block in copy:
            yield bytes(block)


def _publish(source: Connection, target: Connection) -> None:
    with _reading(source):
        published = source.execute(
            round_.select().with_only_columns(round_.c.id).where(round_.c.status != "draft")
        ).scalars()
        ids = list(published)
    if ids:
        target.execute(round_.update().where(round_.c.id.in_(ids)).values(status="published"))


def _set_sequences(source: Connection, target: Connection) -> None:
    """Let new ids begin where they would have at the source, which may have skipped some."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            if column.identity is None:
                continue
            with _reading(source):
                place = {"table": f"{SCHEMA}.{table.name}", "column": column.name}
                first = source.execute(_NEXT_ID, place).scalar_one()
            # Unlike setval, it is taken back with the rest if the copy fails.
            target.exec_driver_sql(
                f'ALTER TABLE {SCHEMA}."{table.name}" ALTER COLUMN "{column.name}"'
                f" RESTART WITH {first:d}"
            )


@contextmanager
def _reading(source: Connection) -> Iterator[None]:
    """Lay errors at the door of the source; the unit of work around is the target's."""
    try:
        yield
    except (exc.DBAPIError, psycopg.Error) as error:
        raise translate(driver_error(error), source.engine.url, "working") from error


def _driver(connection: Connection) -> psycopg.Connection[object]:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    return driver
