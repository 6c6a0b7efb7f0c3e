"""Saved results: legible, of inputs of their own task, and as these inputs give.

Whatever a method may change is not computed again: neither sizes nor intervals, verdicts or tests.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, select

from roundbook.database.tables import result, task
from roundbook.errors import RecordError
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.verifying.differences import Difference

_AT_ONCE = 100


def result_differences(connection: Connection, results: Sequence[int]) -> Iterator[Difference]:
    """Yield what of saved results cannot be read, or is not what their inputs give."""
    for first in range(0, len(results), _AT_ONCE):
        rows = connection.execute(
            select(result, task.c.name.label("task"))
            .outerjoin(task)
            .where(result.c.id.in_(results[first : first + _AT_ONCE]))
            .order_by(result.c.id)
        )
        for row in rows.all():
            kind = find_kind(row.kind)
            about = {
                "kind": "result",
                "table": "result",
                "task": row.task,
                "result_kind": kind.title,
                "result": row.name,
                "version": row.version,
            }
            try:
                read = kind.read(row.result, "a result")
            except RecordError as error:
                yield Difference(**about, what="result", reason=str(error).rstrip("."))
                continue
            for facts in kind.differences(connection, row, read):
                yield Difference(**about, **facts)
