"""Rows in and out of PostgreSQL by COPY.

A COPY is one statement however many its rows: a trigger that looks at what a statement added runs
once, where it would run for every row of an INSERT that is repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from psycopg import sql
from psycopg.types.json import Json
from sqlalchemy import Connection, Table
from sqlalchemy.dialects.postgresql import JSONB

from roundbook.database.engine import driver_connection
from roundbook.database.table_parts import SCHEMA


def copy_in(connection: Connection, statement: str, blocks: Iterable[bytes]) -> None:
    """Send a binary COPY stream, block by block, to a COPY statement."""
    with driver_connection(connection).cursor() as cursor, cursor.copy(statement) as copy:
        for block in blocks:
            copy.write(block)


def copy_out(connection: Connection, statement: str, number: int) -> bytes:
    """Return the binary COPY stream of a statement with one number as its parameter."""
    with (
        driver_connection(connection).cursor() as cursor,
        cursor.copy(statement, (number,)) as copy,
    ):
        return b"".join(copy)


def copy_rows(
    connection: Connection, table: Table, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Insert the named columns of rows into a table, as one statement."""
    objects = {column.name for column in table.columns if isinstance(column.type, JSONB)}
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(SCHEMA, table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with driver_connection(connection).cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([Json(row[name]) if name in objects else row[name] for name in columns])
