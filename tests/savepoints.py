"""Records that many tests share: what a test writes is taken back at its end, commits and all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.pq import ExecStatus
from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.event import listen

from roundbook.database.engine import make_engine

_NUMBER_FROM_1 = (
    "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)"
    " FROM pg_sequences WHERE schemaname = 'roundbook' AND last_value IS NOT NULL"
)


class Savepoints(psycopg.Connection):
    """A connection on which commits are savepoints, so that a test can be taken back whole."""

    holds = False

    def hold(self, *, number_from_1: bool = True) -> None:
        """Begin what will be taken back; in an empty record, number rows from 1 again."""
        if number_from_1:
            self.execute(_NUMBER_FROM_1)
        self.execute("SAVEPOINT kept")
        self.holds = True

    def take_back(self) -> None:
        """Take everything back since `hold`."""
        self.holds = False
        self.rollback()

    def commit(self) -> None:
        if not self.holds:
            super().commit()
            return
        try:  # what waits for the commit is checked now, as there will be none
            self.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except psycopg.Error:
            self.rollback()  # as a commit that fails does
            raise
        self.execute("SET CONSTRAINTS ALL DEFERRED")
        self.execute("RELEASE SAVEPOINT kept")
        self.execute("SAVEPOINT kept")

    def rollback(self) -> None:
        if not self.holds:
            super().rollback()
            return
        # Not by `execute`, which would forget what is prepared.
        assert self.pgconn.exec_(b"ROLLBACK TO SAVEPOINT kept").status == ExecStatus.COMMAND_OK

    # A transaction that is under way keeps its level and takes writes.

    def set_autocommit(self, value: bool) -> None:
        if not self.holds:
            super().set_autocommit(value)

    def set_isolation_level(self, value: psycopg.IsolationLevel | None) -> None:
        if not self.holds:
            super().set_isolation_level(value)

    def set_read_only(self, value: bool | None) -> None:
        if not self.holds:
            super().set_read_only(value)


@contextmanager
def savepoint_engine(url: URL) -> Iterator[tuple[Engine, Savepoints]]:
    """Yield an engine on a database that nobody else uses, and its only connection."""
    engine = make_engine(url)
    made: list[Savepoints] = []

    def connect(_: object, __: object, arguments: list[str], options: dict[str, object]) -> object:
        if not made:
            # Each statement is planned once for all tests.
            options |= {"prepare_threshold": 0, "options": "-c plan_cache_mode=force_generic_plan"}
            made.append(Savepoints.connect(*arguments, **options))
            made[0].prepared_max = None
        return made[0]

    listen(engine, "do_connect", connect)
    with engine.connect():
        yield engine.execution_options(savepoints=True), made[0]
    made[0].close()
