"""Records that many tests share: what a test writes is taken back at its end, commits and all."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from inspect import Parameter, Signature, signature
from operator import itemgetter
from typing import Any, NamedTuple

import psycopg
import pytest
from psycopg.pq import ExecStatus
from sqlalchemy import Engine
from sqlalchemy.engine import URL
from sqlalchemy.event import listen
from tests.databases import address_of

from roundbook.database.engine import PINNED, make_engine
from roundbook.logbook import session as logbook_session
from roundbook.settings import Settings

_NUMBERS = (
    "SELECT sequencename, last_value FROM pg_sequences"
    " WHERE schemaname = 'roundbook' AND last_value IS NOT NULL"
)
_NUMBER_ON = (
    "SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass,"
    " coalesce((%(numbers)s::jsonb ->> sequencename)::bigint, 1),"
    " %(numbers)s::jsonb ? sequencename)"
    " FROM pg_sequences WHERE schemaname = 'roundbook' AND last_value IS NOT NULL"
)


class _Prepared(NamedTuple):
    """What tests start from: its fixture, what that returns given its arguments, last numbers."""

    fixture: object
    value: Callable[[dict[str, Any]], object]
    numbers: dict[str, int]


class Savepoints(psycopg.Connection):
    """A connection on which commits are savepoints, so that a test can be taken back whole."""

    holds = False
    changed = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # What the tests before have prepared, each on top of the one before.
        self.prepared: list[_Prepared] = []

    def hold(self, fixtures: Collection[object] = (), *, number: bool = True) -> None:
        """Begin what will be taken back; in an empty record, number rows from 1 again.

        What is prepared stays as far as it was made by the test's own `fixtures`.
        """
        while any(part.fixture not in fixtures for part in self.prepared):
            self.prepared.pop()
            self._go_back()
        if number:
            numbers = self.prepared[-1].numbers if self.prepared else {}
            self.execute(_NUMBER_ON, {"numbers": json.dumps(numbers)})
        self.execute("SAVEPOINT kept")
        self.holds, self.changed = True, False

    def prepare(self, fixture: object, value: Callable[[dict[str, Any]], object]) -> None:
        """Keep what was done since `hold` for the next tests with this fixture."""
        self.prepared.append(_Prepared(fixture, value, dict(self.execute(_NUMBERS).fetchall())))
        self._run(f"RELEASE kept; SAVEPOINT prepared_{len(self.prepared)}; SAVEPOINT kept")
        self.changed = False

    def take_back(self) -> None:
        """Take everything back since `hold`."""
        self.holds = False
        self._go_back()

    def _go_back(self) -> None:
        if self.prepared:
            self._run(f"ROLLBACK TO prepared_{len(self.prepared)}")
        else:
            super().rollback()

    def _run(self, statements: str) -> None:
        # Not by `execute`, which would forget what is prepared on the server.
        result = self.pgconn.exec_(statements.encode())
        if result.status != ExecStatus.COMMAND_OK:
            raise psycopg.errors.error_from_result(result)

    def commit(self) -> None:
        if not self.holds:
            super().commit()
            return
        self.changed = True
        try:  # what waits for the commit is checked now, as there will be none
            self._run(
                "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED;"
                " RELEASE kept; SAVEPOINT kept"
            )
        except psycopg.Error:
            self.rollback()  # as a commit that fails does
            raise

    def rollback(self) -> None:
        if self.holds:
            self._run("ROLLBACK TO kept")
        else:
            super().rollback()

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
    pins = PINNED | {"lock_timeout": "30s"}
    with engine.connect():
        # Once for all transactions, not anew in each.
        made[0].execute(
            "SELECT " + ", ".join(f"set_config('{name}', '{pins[name]}', false)" for name in pins)
        )
        made[0].commit()
        engine.dispatch.begin.clear()
        yield engine.execution_options(savepoints=made[0]), made[0]
    made[0].close()


def opening(engine: Engine, opened: Callable[..., Any]) -> Callable[..., Any]:
    """Return what opens a record as `opened` does, but the shared one by its engine."""
    if engine.get_execution_options().get("savepoints") is None:
        return opened
    url = address_of(engine.url)

    @contextmanager
    def open_record(
        settings: Settings, address: str | None = None, *more: Any, any_schema: bool = False
    ) -> Iterator[Engine]:
        if logbook_session.chosen_address(settings, address) == url and not any_schema:
            yield engine
        else:
            with opened(settings, address, *more, any_schema=any_schema) as other:
                yield other

    return open_record


def prepared(build: Callable[..., Any]) -> Any:
    """Make a fixture of what fills the shared record: done once for tests one after another.

    It returns what can be read again, or one of its arguments, which is then the test's own.
    """
    name, own = build.__name__, list(signature(build).parameters)

    def fixture(request: pytest.FixtureRequest, engine: Engine, **arguments: Any) -> object:
        arguments = {n: {"engine": engine, **arguments}[n] for n in own}
        connection = engine.get_execution_options().get("savepoints")
        if connection is None:
            return build(**arguments)
        key = (request.module, name)
        for part in connection.prepared:
            if part.fixture == key:
                return part.value(arguments)
        alone = not connection.changed
        made = build(**arguments)
        if alone:
            same = [n for n in own if arguments[n] is made]
            connection.prepare(key, itemgetter(same[0]) if same else lambda _: made)
        return made

    fixture.__signature__ = Signature(  # type: ignore[attr-defined]
        Parameter(n, Parameter.KEYWORD_ONLY) for n in dict.fromkeys(["request", "engine", *own])
    )
    return pytest.fixture(fixture, name=name)
