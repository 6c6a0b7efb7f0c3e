"""An open transaction on the record, which a door begins and ends and use cases work in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy import Connection, Engine

from roundbook.database.engine import unit_of_work


class Session(NamedTuple):
    """An open transaction, and who asks for what is done in it."""

    connection: Connection
    user: str = "unknown"


@contextmanager
def begin(
    engine: Engine, user: str = "unknown", *, keep: bool = True, one_moment: bool = False
) -> Iterator[Session]:
    """Begin a transaction; commit it when the block ends, take it back when the block raises.

    Parameters
    ----------
    keep : bool
        False to take it back in any case, as a dry run does.
    one_moment : bool
        Read the record as one moment saw it, and write nothing.

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
            connection.commit()
