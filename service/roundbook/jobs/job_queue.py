"""The job queue: procrastinate's, in its own schema, on Roundbook's connections."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from importlib import resources
from typing import Any

from procrastinate.connector import BaseAsyncConnector
from procrastinate.manager import JobManager
from procrastinate.schema import SchemaManager
from procrastinate.sql import queries
from psycopg import sql
from psycopg.rows import dict_row
from psycopg.types.array import ListDumper
from psycopg.types.json import Jsonb
from sqlalchemy import Connection, Engine, text

from roundbook.database.engine import driver_connection, unit_of_work
from roundbook.errors import DatabaseError, DatabaseUnreachableError
from roundbook.logbook.privileges import QUEUE_SCHEMA as SCHEMA

QUEUE = "studies"
# The facts of a job that procrastinate does not keep: its progress and its result.
_STUDY_JOB = f"""
CREATE TABLE {SCHEMA}.study_job (
    job bigint PRIMARY KEY REFERENCES {SCHEMA}.procrastinate_jobs ON DELETE CASCADE,
    task_id bigint,
    asked_by text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz,
    part text,
    done bigint,
    total bigint,
    seconds_left double precision,
    result text,
    version integer,
    saved text,
    lost integer NOT NULL DEFAULT 0,
    error text
)
"""


class Connector(BaseAsyncConnector):
    """Runs procrastinate's queries in Roundbook's transactions.

    So the queue needs no second connection pool, works behind a pooler that gives each transaction
    another session, and raises Roundbook's errors. `transaction` opens the transaction of one query,
    and commits it at its end.
    """

    def __init__(self, transaction: Callable[[], AbstractContextManager[Connection]]) -> None:
        self.transaction = transaction

    def get_sync_connector(self) -> Connector:
        """Return this connector, which is synchronous too."""
        return self

    def execute_query_all(self, query: str, **arguments: object) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        values = {name: _adapted(value) for name, value in arguments.items()}
        with self.transaction() as connection:
            use_queue(connection)
            with driver_connection(connection).cursor(row_factory=dict_row) as cursor:
                # Lists of procrastinate's composite types must be sent as text.
                cursor.adapters.register_dumper(list, ListDumper)
                cursor.execute(query, values)
                return cursor.fetchall() if cursor.description else []

    def execute_query_one(self, query: str, **arguments: object) -> dict[str, Any]:
        """Return the one row of a query."""
        return self.execute_query_all(query, **arguments)[0]

    def execute_query(self, query: str, **arguments: object) -> None:
        """Run a query."""
        self.execute_query_all(query, **arguments)

    async def execute_query_all_async(
        self, query: str, **arguments: object
    ) -> list[dict[str, Any]]:
        """Return the rows of a query, run in a thread."""
        return await asyncio.to_thread(self.execute_query_all, query, **arguments)

    async def execute_query_one_async(self, query: str, **arguments: object) -> dict[str, Any]:
        """Return the one row of a query, run in a thread."""
        return await asyncio.to_thread(self.execute_query_one, query, **arguments)

    async def execute_query_async(self, query: str, **arguments: object) -> None:
        """Run a query in a thread."""
        await asyncio.to_thread(self.execute_query, query, **arguments)

    async def open_async(self, pool: object = None) -> None:
        """Open nothing: connections are the engine's."""

    async def close_async(self) -> None:
        """Close nothing."""


def _adapted(value: object) -> object:
    if isinstance(value, dict):
        return Jsonb(value)
    if isinstance(value, list):
        return [_adapted(part) for part in value]
    if isinstance(value, tuple):
        return tuple(map(_adapted, value))
    return value


def use_queue(connection: Connection) -> None:
    """Set the transaction's search path to the queue's schema: procrastinate's SQL names none."""
    connection.execute(text("SELECT set_config('search_path', :schema, true)"), {"schema": SCHEMA})


def queue_in(connection: Connection) -> JobManager:
    """Return the queue's manager, working in this transaction."""
    return JobManager(Connector(lambda: nullcontext(connection)))


@contextmanager
def committed(engine: Engine) -> Iterator[Connection]:
    """Yield a transaction that is committed when the block ends."""
    with unit_of_work(engine) as connection:
        yield connection
        connection.commit()


_SECONDS_TO_ASK_AGAIN = 1.0


class WorkerConnector(Connector):
    """A connector that asks again while the database does not answer, and in the end gives up.

    Otherwise what came of a job could be lost in a moment without a connection, and the job would
    be this living worker's for ever. A worker whose connector gave up must end.
    """

    def __init__(self, engine: Engine, seconds: float) -> None:
        super().__init__(partial(committed, engine))
        self.lost: DatabaseUnreachableError | None = None
        self._seconds = seconds
        self._away_since: float | None = None

    def execute_query_all(self, query: str, **arguments: object) -> list[dict[str, Any]]:
        """Return the rows of a query."""
        while self.lost is None:
            try:
                rows = super().execute_query_all(query, **arguments)
            except DatabaseUnreachableError as error:
                now = time.monotonic()
                self._away_since = self._away_since or now
                # A job may have been taken without an answer: asked again, another would be taken.
                asked_once = query == queries["fetch_job"]
                if asked_once or now - self._away_since > self._seconds:
                    self.lost = error
                else:
                    time.sleep(_SECONDS_TO_ASK_AGAIN)
            else:
                self._away_since = None
                return rows
        raise self.lost


def has_queue(connection: Connection) -> bool:
    """Return whether the queue's tables exist."""
    return _exists(connection, "to_regclass", f"{SCHEMA}.study_job")


def make_queue(engine: Engine) -> None:
    """Create the queue's tables, or migrate them, unless they are up to date.

    The schema's comment names procrastinate's last migration there.

    Raises
    ------
    DatabaseError
        When the role may not create or use them.
    """
    directory = resources.files("procrastinate.sql") / "migrations"
    migrations = sorted(file.name for file in directory.iterdir() if file.name.endswith(".sql"))
    with committed(engine) as connection:
        if (_version(connection) or "") >= migrations[-1]:
            has_queue(connection)  # raises where the role may not use it
            return
        connection.execute(
            text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"), {"name": SCHEMA}
        )
        version = _version(connection)
        if version is None and not _exists(connection, "to_regnamespace", SCHEMA):
            _make_schema(connection)
        use_queue(connection)
        driver = driver_connection(connection)
        if version is None:
            # Its first block creates the language plpgsql, which every database has already.
            driver.execute(
                re.sub(r"DO \$\$.*?\$\$;", "", SchemaManager.get_schema(), count=1, flags=re.DOTALL)
            )
            driver.execute(_STUDY_JOB)
        else:
            for name in migrations:
                if name > version:
                    driver.execute((directory / name).read_text(encoding="utf-8"))
        driver.execute(f"COMMENT ON SCHEMA {SCHEMA} IS '{migrations[-1]}'")


def _make_schema(connection: Connection) -> None:
    may_create, role = connection.execute(
        text("SELECT has_database_privilege(current_database(), 'CREATE'), current_user")
    ).one()
    if not may_create:
        owner = sql.Identifier(role).as_string()
        raise DatabaseError(
            "The queue of jobs is not there, and the role that connects may not make it. The"
            f" database's owner does, in SQL: CREATE SCHEMA {SCHEMA} AUTHORIZATION {owner}"
        )
    connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))


def _exists(connection: Connection, function: str, name: str) -> bool:
    exists = connection.execute(text(f"SELECT {function}(:name) IS NOT NULL"), {"name": name})
    return bool(exists.scalar_one())


def _version(connection: Connection) -> str | None:
    comment = text("SELECT obj_description(to_regnamespace(:schema), 'pg_namespace')")
    version: str | None = connection.execute(comment, {"schema": SCHEMA}).scalar_one()
    return version
