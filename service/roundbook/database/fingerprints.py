"""Fingerprints of the record's tables, which are equal if the rows are.

A fingerprint does not depend on the server, its version, or the order of rows on its disk. The
tables are read from the catalogue, not from `tables`: a record may have an older schema.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from psycopg import sql
from sqlalchemy import Connection, literal, select, text
from sqlalchemy import table as table_clause

from roundbook.database.engine import driver_connection
from roundbook.database.tables import SCHEMA

VERSION_TABLE = "alembic_version"

# Columns are sorted by name, as later schemas may have another order. Rows are sorted by the
# key's columns, by byte, as collations differ between machines.
_TABLES = text(
    """
    SELECT class.relname AS name,
           array_agg(attname::text ORDER BY attname) AS columns,
           array_agg(attname::text ORDER BY place) FILTER (WHERE place IS NOT NULL) AS key,
           array_agg(attcollation <> 0 ORDER BY place) FILTER (WHERE place IS NOT NULL) AS by_byte
    FROM pg_class AS class
    JOIN pg_attribute ON attrelid = class.oid AND attnum > 0 AND NOT attisdropped
    LEFT JOIN pg_index ON indrelid = class.oid AND indisprimary
    LEFT JOIN LATERAL array_position(indkey::int2[], attnum) AS place ON true
    WHERE relnamespace = to_regnamespace(:schema) AND relkind = 'r'
    GROUP BY class.relname
    ORDER BY class.relname
    """
)


class Fingerprint(NamedTuple):
    """The number of a table's rows, and a hash of all of them in the order of its key."""

    rows: int
    hash: str


class _TableColumns(NamedTuple):
    name: str
    columns: list[str]
    key: list[str] | None
    by_byte: list[bool] | None


def fingerprint_tables(connection: Connection) -> dict[str, Fingerprint]:
    """Return the fingerprints of the record's tables by name.

    The settings of `make_engine` fix how values are written as text; doubles are exact.
    """
    return {table.name: _fingerprint(connection, table) for table in _tables(connection)}


def filled_tables(connection: Connection) -> list[str]:
    """Return the names of the record's tables that have rows, without the schema's version."""
    return [
        table.name
        for table in _tables(connection)
        if table.name != VERSION_TABLE
        and connection.execute(
            select(literal(1)).select_from(table_clause(table.name, schema=SCHEMA)).limit(1)
        ).first()
    ]


def _tables(connection: Connection) -> list[_TableColumns]:
    return [_TableColumns(*row) for row in connection.execute(_TABLES, {"schema": SCHEMA})]


def _fingerprint(connection: Connection, table: _TableColumns) -> Fingerprint:
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    order = sql.SQL(", ").join(
        sql.SQL('{} COLLATE "C"' if by_byte else "{}").format(sql.Identifier(column))
        for column, by_byte in zip(table.key or [], table.by_byte or [], strict=True)
    )
    statement = sql.SQL("COPY (SELECT {} FROM {} ORDER BY {}) TO STDOUT").format(
        columns,
        sql.Identifier(SCHEMA, table.name),
        order if table.key else sql.SQL('({})::text COLLATE "C"').format(columns),
    )
    rows, digest = 0, blake2b("\t".join(table.columns).encode() + b"\n", digest_size=16)
    with driver_connection(connection).cursor() as cursor, cursor.copy(statement) as copy:
        for block in copy:
            rows += bytes(block).count(b"\n")  # inside a value it is written as \n
            digest.update(block)
    return Fingerprint(rows, digest.hexdigest())
