"""An open transaction on the record, which a door begins and ends and use cases work in."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine

from roundbook.database.engine import unit_of_work

# Told in a few words what is done next.
Tell = Callable[[str], object]


def tell_nobody(_: str) -> None:
    """Tell nobody what is done next."""


class Work(NamedTuple):
    """How long computations are done, and who is told how far they are.

    Attributes
    ----------
    progress : callable
        Told what is done, how many of them, and of how many.
    mapped : callable
        Applies a function to independent pieces of work, as `map` does, and returns what they give
        in their order.
    max_file_bytes : int
        How long files may be, in bytes, that are read for it.
    """

    progress: Callable[[str, int, int], object] = lambda *_: None
    mapped: Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]] = map
    max_file_bytes: int = sys.maxsize


class Session(NamedTuple):
    """An open transaction, who asks for what is done in it, and how long work is done."""

    connection: Connection
    user: str = "unknown"
    work: Work = Work()


@contextmanager
def begin(
    engine: Engine,
    user: str = "unknown",
    *,
    keep: bool = True,
    one_moment: bool = False,
    keeping: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Iterator[Session]:
    """Begin a transaction; commit it when the block ends, take it back when the block raises.

    Parameters
    ----------
    keep : bool
        False to take it back in any case, as a dry run does.
    one_moment : bool
        Read the record as one moment saw it, and write nothing.
    keeping : callable
        Returns the context that it is committed in.

    Raises
    ------
    DatabaseUnreachableError, DatabaseBusyError, DatabaseError
        In place of the driver's own errors.
    """
    if one_moment:
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with unit_of_work(engine) as connection:
        yield Session(connection, user)
        if keep:
            with keeping():
                connection.commit()
