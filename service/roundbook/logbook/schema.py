"""The state of the database's schema, and its upgrade."""

from __future__ import annotations

from sqlalchemy import Engine

from roundbook.database import schema
from roundbook.database.engine import unit_of_work
from roundbook.database.server_state import OtherSetting, read_server_state
from roundbook.logbook.result import Result
from roundbook.logbook.session import ReportProgress, ignore_progress


class SchemaState(Result):
    """The schema revision of the database and the one this program needs.

    `status` is ``up to date``, ``out of date``, ``newer``, ``none`` or, after an upgrade that
    did something, ``upgraded``.
    """

    current: str | None
    expected: str
    status: str


class DatabaseState(SchemaState):
    """The schema of the database, and the state of its server.

    `settings` are those of the server, database or role that differ from Roundbook's transactions;
    `pooler` is whether the connection goes through a pooler.
    """

    postgresql: str
    encoding: str
    encrypted: bool
    pooler: bool
    standby: bool
    read_only: bool
    settings: list[OtherSetting]


def read_database(engine: Engine) -> DatabaseState:
    """Return the state of the schema and of the server."""
    with unit_of_work(engine) as connection:
        server = read_server_state(connection)
    return DatabaseState(**dict(read_schema(engine)), **server)


def read_schema(engine: Engine) -> SchemaState:
    """Return the state of the schema."""
    current, expected = schema.current_revision(engine), schema.EXPECTED_REVISION
    if current is None:
        status = "none"
    elif current == expected:
        status = "up to date"
    else:
        status = "out of date" if current in schema.REVISIONS else "newer"
    return SchemaState(current=current, expected=expected, status=status)


def upgrade_schema(engine: Engine, progress: ReportProgress = ignore_progress) -> SchemaState:
    """Bring the schema up to date.

    Raises
    ------
    SchemaOutOfDateError
        When the database is ahead of this program.
    """
    before, after = schema.upgrade(engine, progress)
    status = "up to date" if before == after else "upgraded"
    return SchemaState(current=after, expected=after, status=status)


def require_schema(engine: Engine) -> None:
    """Raise SchemaOutOfDateError, naming the way out, unless the schema is up to date."""
    schema.require_current(engine)
