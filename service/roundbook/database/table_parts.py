"""Parts of the tables' descriptions: the schema, and columns that many tables have."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ARRAY,
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    Text,
    any_,
    func,
    literal,
)
from sqlalchemy.schema import SchemaItem

SCHEMA = "roundbook"
# Alembic's, with the schema's revision.
VERSION_TABLE = "alembic_version"

metadata = MetaData(
    schema=SCHEMA,
    naming_convention={
        "pk": "%(table_name)s_pk",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "fk": "%(table_name)s_%(column_0_N_name)s_fk",
        "ck": "%(table_name)s_%(constraint_name)s",
        "ix": "%(table_name)s_%(column_0_N_name)s_index",
    },
)

# Years that every program can read; PostgreSQL would accept infinity too.
_YEARS = "BETWEEN '0001-01-02 00:00:00+00' AND '9999-12-30 00:00:00+00'"


def identity() -> Column[int]:
    """Return a table's identity column."""
    return Column("id", BigInteger, Identity(always=True), primary_key=True)


def refers(name: str, target: str, *, nullable: bool = False) -> Column[int]:
    """Return a foreign key column to another table's id."""
    return Column(name, BigInteger, ForeignKey(f"{SCHEMA}.{target}.id"), nullable=nullable)


def now(name: str, clock: ColumnElement[object] | None = None) -> Column[object]:
    """Return a column with the time at which a row was recorded."""
    return Column(
        name,
        DateTime(timezone=True),
        CheckConstraint(f"{name} {_YEARS}", name=name),
        nullable=False,
        server_default=func.now() if clock is None else clock,
    )


def recorded(done: str) -> tuple[Column[Any], ...]:
    """Return the columns with the software, time and user by which a row was ``logged``, ..."""
    return required("software"), now(f"{done}_at"), required(f"{done}_by")


def revised() -> tuple[SchemaItem, ...]:
    """Return the columns of a revision and its reason, which only the first may lack."""
    return (
        Column("revision", Integer, nullable=False),
        Column("reason", Text),
        CheckConstraint("revision = 1 OR coalesce(reason, '') <> ''", name="revised_for_a_reason"),
    )


def required(name: str) -> Column[str]:
    """Return a text column that must not be null."""
    return Column(name, Text, nullable=False)


def among(column: ColumnElement[Any], values: Collection[object]) -> ColumnElement[bool]:
    """Return the condition that a column holds one of values, of which there may be very many.

    They are one parameter: `in_` has a parameter for each, and a statement at most 65,535.
    """
    return column == any_(literal(list(values), ARRAY(column.type)))
