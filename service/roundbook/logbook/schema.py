"""The state of the database's schema and of its server, and the upgrade of the schema."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Engine, text

from roundbook.database import schema
from roundbook.database.engine import (
    PINNED,
    driver_connection,
    is_pooled,
    server_version,
    unit_of_work,
)
from roundbook.logbook.result import Result
from roundbook.logbook.session import ReportProgress, ignore_progress

# The time zone is the machine's, which nobody set on purpose.
_EXPECTED = {name: value for name, value in PINNED.items() if name != "TimeZone"} | {
    "default_transaction_isolation": "read committed"
}
# Settings that somebody changed: neither PostgreSQL's default nor the value that transactions set
# anyway. The order of day and month does not matter for ISO dates.
_SET = text(
    """
    SELECT name, reset_val FROM pg_settings
    WHERE name = ANY(:names) AND lower(reset_val) <> lower(boot_val)
      AND NOT (name = 'DateStyle' AND reset_val ILIKE 'ISO%')
    ORDER BY lower(name)
    """
)
_STATE = text(
    "SELECT pg_is_in_recovery() AS standby,"
    " current_setting('server_encoding') AS encoding,"
    " current_setting('default_transaction_read_only')::bool AS read_only"
)


class SchemaState(Result):
    """The schema revision of the database and the one this program needs.

    `status` is ``up to date``, ``out of date``, ``newer``, ``none`` or, after an upgrade that
    did something, ``upgraded``.
    """

    current: str | None
    expected: str
    status: str


class OtherSetting(NamedTuple):
    """A setting of the database, role or server that differs from Roundbook's transactions."""

    name: str
    value: str
    pinned: str


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
    state = read_schema(engine)
    with unit_of_work(engine) as connection:
        row = connection.execute(_STATE).one()
        _, version = server_version(connection)
        return DatabaseState(
            **dict(state),
            **row._mapping,
            postgresql=version,
            encrypted=driver_connection(connection).pgconn.ssl_in_use,
            pooler=is_pooled(connection),
            settings=[
                OtherSetting(name, value, _EXPECTED[name])
                for name, value in connection.execute(_SET, {"names": list(_EXPECTED)})
                if value.lower() != _EXPECTED[name].lower()
            ],
        )


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
