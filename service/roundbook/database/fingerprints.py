"""Fingerprints of the record's tables, which are equal if the rows are.

A fingerprint does not depend on the server, its version, or the order of rows on its disk. The
tables are read from the catalogue, not from `tables`: a record may have an older schema.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

from psycopg import sql
from sqlalchemy import Connection, Row, literal, select, text
from sqlalchemy import table as table_clause

from roundbook.database.engine import driver_connection
from roundbook.database.table_parts import SCHEMA, VERSION_TABLE

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


def fingerprint_tables(connection: Connection) -> dict[str, Fingerprint]:
    """Return the fingerprints of the record's tables by name.

    The settings of `make_engine` fix how values are written as text; doubles are exact.
    """
    tables = connection.execute(_TABLES, {"schema": SCHEMA}).all()
    return {table.name: _fingerprint(connection, table) for table in tables}


def filled_tables(connection: Connection) -> list[str]:
    """Return the names of the record's tables that have rows, without the schema's version."""
    return [
        table.name
        for table in connection.execute(_TABLES, {"schema": SCHEMA}).all()
        if table.name != VERSION_TABLE
        and connection.execute(
            select(literal(1)).select_from(table_clause(table.name, schema=SCHEMA)).limit(1)
        ).first()
    ]


def _fingerprint(connection: Connection, table: Row[Any]) -> Fingerprint:
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
