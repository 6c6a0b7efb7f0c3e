"""Saved results: legible, of inputs of their own task, and what these inputs give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, select

from roundbook.database.tables import result, task
from roundbook.errors import RoundbookError
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.session import Tell, tell_nobody
from roundbook.logbook.verifying.differences import Difference, NotComputed, ResultNotComputed

_AT_ONCE = 100


def result_differences(
    connection: Connection,
    results: Sequence[int],
    progress: Tell = tell_nobody,
) -> Iterator[Difference | ResultNotComputed]:
    """Yield what of saved results cannot be read, or is not what their inputs give.

    They are computed again from the inputs that they name; what cannot be is yielded too.
    """
    for first in range(0, len(results), _AT_ONCE):
        rows = connection.execute(
            select(result, task.c.name.label("task"))
            .outerjoin(task)
            .where(result.c.id.in_(results[first : first + _AT_ONCE]))
            .order_by(result.c.id)
        )
        for number, row in enumerate(rows.all(), first + 1):
            progress(f"Verifying saved result {number} of {len(results)} ...")
            about = {"task": row.task, "result_kind": row.kind}
            about |= {"result": row.name, "version": row.version}
            of_result = {"kind": "result", "table": "result"}
            try:
                kind = find_kind(row.kind)
                about["result_kind"] = kind.title
                read = kind.read(row.result, "a result")
                for facts in kind.differences(connection, row, read, kind.request(**row.request)):
                    if isinstance(facts, NotComputed):
                        yield ResultNotComputed(**about, reason=facts.reason)
                    else:
                        yield Difference(**of_result, **about, **facts)
            # What was altered may fail anywhere, and the verification goes on.
            except (RoundbookError, ValueError, LookupError, TypeError) as error:
                reason = str(error).rstrip(".")
                if not isinstance(error, RoundbookError):
                    reason = f"it cannot be computed again ({type(error).__name__}: {reason})"
                yield Difference(**of_result, **about, what="result", reason=reason)
