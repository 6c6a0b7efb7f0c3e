"""What a server says of itself, as far as it matters to who keeps a record there."""

from __future__ import annotations

from typing import NamedTuple

import psycopg
from sqlalchemy import Connection, text

from roundbook.database.engine import PINNED

# Where it runs decides the time zone, and nobody set it for a reason.
_DECIDED = {name: value for name, value in PINNED.items() if name != "TimeZone"} | {
    "default_transaction_isolation": "read committed"
}
# What somebody set: neither PostgreSQL's own default nor what is pinned anyway. Other orders of
# day and month mean the same where dates are written as ISO has them.
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


class OtherSetting(NamedTuple):
    """A setting that the database, the role or the server has otherwise than a transaction."""

    name: str
    value: str
    pinned: str


class ServerState(NamedTuple):
    """How a server is reached and set up; `pooler` is whether a pooler answers in its place."""

    postgresql: str
    encoding: str
    encrypted: bool
    pooler: bool
    standby: bool
    read_only: bool
    settings: list[OtherSetting]


def read_server_state(connection: Connection) -> ServerState:
    """Return how the server is reached and set up."""
    row = connection.execute(_STATE).one()
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    number = driver.info.server_version
    return ServerState(
        postgresql=f"{number // 10_000}.{number % 10_000}",
        encoding=row.encoding,
        encrypted=driver.pgconn.ssl_in_use,
        pooler=is_pooled(connection),
        standby=row.standby,
        read_only=row.read_only,
        settings=[
            OtherSetting(name, value, _DECIDED[name])
            for name, value in connection.execute(_SET, {"names": list(_DECIDED)})
            if value.lower() != _DECIDED[name].lower()
        ],
    )


def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler answers, which gives its clients other process numbers."""
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    process = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    return bool(process != driver.info.backend_pid)
