"""The state of the database's schema, and bringing it up to date."""

from __future__ import annotations

from sqlalchemy import Engine

from service.database import schema
from service.logbook.result import Result


class SchemaState(Result):
    """The schema revision of the database and the one this program needs.

    `status` is ``up to date``, ``out of date``, ``none`` or, after an upgrade that did
    something, ``upgraded``.
    """

    current: str | None
    expected: str
    status: str


def read_schema(engine: Engine) -> SchemaState:
    """Return the state of the schema."""
    current, expected = schema.current_revision(engine), schema.expected_revision()
    status = "up to date" if current == expected else "out of date" if current else "none"
    return SchemaState(current=current, expected=expected, status=status)


def upgrade_schema(engine: Engine) -> SchemaState:
    """Bring the schema up to date.

    Raises
    ------
    SchemaOutOfDate
        When the database is ahead of this program.
    """
    before, after = schema.upgrade(engine)
    status = "up to date" if before == after else "upgraded"
    return SchemaState(current=after, expected=after, status=status)
