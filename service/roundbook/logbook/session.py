"""Transactions on the record, in which use cases work."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine

from roundbook.database.engine import unit_of_work

# Called with a short text before each step.
ReportProgress = Callable[[str], object]


def ignore_progress(_: str) -> None:
    """Ignore the text on the next step."""


class Work(NamedTuple):
    """Settings of work in a transaction: the progress callback, the `map` and a limit of file sizes.

    Attributes
    ----------
    progress : callable
        Called with the name of the pieces of work, how many are completed and their number.
    mapped : callable
        Applies a function to independent pieces of work, as `map` does, and returns the results in
        their order.
    max_file_bytes : int
        Largest file that is read.
    """

    progress: Callable[[str, int, int], object] = lambda *_: None
    mapped: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map
    max_file_bytes: int = sys.maxsize


DEFAULT_WORK = Work()


class Session(NamedTuple):
    """An open transaction, its user, and the settings of work in it."""

    connection: Connection
    user: str = "unknown"
    work: Work = DEFAULT_WORK


@contextmanager
def begin(
    engine: Engine,
    user: str = "unknown",
    *,
    keep: bool = True,
    one_snapshot: bool = False,
    committing: Callable[[], AbstractContextManager[object]] = nullcontext,
    work: Work = DEFAULT_WORK,
) -> Iterator[Session]:
    """Begin a transaction; commit it when the block ends, roll it back when the block raises.

    Parameters
    ----------
    keep : bool
        False to roll it back in any case, for a dry run.
    one_snapshot : bool
        Read one snapshot of the record, and write nothing.
    committing : callable
        Returns the context in which it is committed.

    Raises
    ------
    DatabaseUnreachableError, DatabaseBusyError, DatabaseError
        In place of the driver's own errors.
    """
    if one_snapshot:
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with unit_of_work(engine) as connection:
        yield Session(connection, user, work)
        if keep:
            with committing():
                connection.commit()
