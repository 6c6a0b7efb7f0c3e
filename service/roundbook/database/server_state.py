"""The state of a server: version, encoding, encryption, pooler and settings."""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from roundbook.database.engine import PINNED, driver_connection

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


class OtherSetting(NamedTuple):
    """A setting of the database, role or server that differs from Roundbook's transactions."""

    name: str
    value: str
    pinned: str


def read_server_state(connection: Connection) -> dict[str, Any]:
    """Return the version and the settings of the connection's server, each by its name."""
    row = connection.execute(_STATE).one()
    driver = driver_connection(connection)
    number = driver.info.server_version
    return {
        "postgresql": f"{number // 10_000}.{number % 10_000}",
        "encoding": row.encoding,
        "encrypted": driver.pgconn.ssl_in_use,
        "pooler": is_pooled(connection),
        "standby": row.standby,
        "read_only": row.read_only,
        "settings": [
            OtherSetting(name, value, _EXPECTED[name])
            for name, value in connection.execute(_SET, {"names": list(_EXPECTED)})
            if value.lower() != _EXPECTED[name].lower()
        ],
    }


def is_pooled(connection: Connection) -> bool:
    """Return whether a pooler is in between: then the process number is not the server's."""
    process = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    return bool(process != driver_connection(connection).info.backend_pid)
