"""Alembic's environment: migrations run under a lock, with timeouts, in Roundbook's schema.

The program passes a connection. On Alembic's own command line (``alembic revision``, ``alembic
check``) the database is that of ROUNDBOOK_DATABASE_URL.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection, event, text
from sqlalchemy.sql.schema import SchemaItem

from roundbook.database.engine import make_engine, parse_url
from roundbook.database.table_parts import SCHEMA, VERSION_TABLE
from roundbook.database.tables import metadata
from roundbook.errors import InputError
from roundbook.settings import load_settings

# The lock's number: any that nothing else in the database uses for an advisory lock.
_LOCK = 0x726F756E64626F6F % 2**63


def _is_in_schema(name: str | None, kind: str, *_: object) -> bool:
    return name == SCHEMA if kind == "schema" else True


def _is_compared(_: SchemaItem, name: str | None, kind: str, *__: object) -> bool:
    return not (kind == "table" and name == VERSION_TABLE)


def _migrate(connection: Connection) -> None:
    # Of two upgrades at once the second waits, then finds nothing left to do. The lock belongs to a
    # transaction of its own: behind a pooler a session's lock would outlive the program.
    with connection.engine.connect() as beside:
        beside.execute(text("SET LOCAL idle_in_transaction_session_timeout = 0"))
        beside.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        event.listen(connection, "begin", _allow_time)
        connection.execute(text(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}"))
        connection.commit()
        context.configure(
            connection=connection,
            target_metadata=metadata,
            version_table_schema=SCHEMA,
            include_schemas=True,
            include_name=_is_in_schema,
            include_object=_is_compared,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()


def _allow_time(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL statement_timeout = '15min'")


def _run() -> None:
    if context.is_offline_mode():
        raise InputError("Roundbook's migrations need a database; there is no offline mode.")
    connection = context.config.attributes.get("connection")
    if connection is not None:
        _migrate(connection)
        return
    settings = load_settings()
    if settings.database_url is None:
        raise InputError("Set ROUNDBOOK_DATABASE_URL to run Alembic by hand.")
    engine = make_engine(parse_url(settings.database_url.get_secret_value()))
    with engine.connect() as own:
        _migrate(own)
    engine.dispose()


_run()
