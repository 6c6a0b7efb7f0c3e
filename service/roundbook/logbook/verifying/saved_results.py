"""Verification of saved results: readable, with inputs of their task, and equal when recomputed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import result, task
from roundbook.errors import RecordError, RoundbookError
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import Result
from roundbook.logbook.saved_results import read_request, read_stored
from roundbook.logbook.session import ReportProgress, ignore_progress
from roundbook.logbook.verifying.differences import (
    Difference,
    Facts,
    NotComputed,
    ResultNotComputed,
    unlike,
)
from roundbook.logbook.verifying.known import known_differences
from roundbook.requests.base import Request

_BATCH = 100


def result_differences(
    connection: Connection, results: Sequence[int], progress: ReportProgress = ignore_progress
) -> Iterator[Difference | ResultNotComputed]:
    """Yield saved results that cannot be read, and differences from a new computation.

    They are computed again from their saved inputs; those that cannot be computed are yielded too.
    """
    for number, row in enumerate(_rows(connection, results), 1):
        progress(f"Verifying saved result {number} of {len(results)} ...")
        about = _about(row)
        try:
            kind = find_kind(row.kind)
            about["result_kind"] = kind.title
            read, request = kind.read(row.result, "a result"), kind.request(**row.request)
            differences = list(kind.differences(connection, row, read, request))
            if all(isinstance(facts, NotComputed) for facts in differences):
                wrong = [*_request_differences(connection, row, kind, request, read)]
                if not wrong and row.task_id is not None:
                    today = kind.inputs(kind.today(connection, row.task_id, request), read)
                    earlier = NotComputed("form") in differences
                    wrong = [*known_differences(connection, row, today, earlier=earlier)]
                differences = [*wrong] or differences
            for facts in differences:
                if isinstance(facts, NotComputed):
                    yield ResultNotComputed(**about, reason=facts.reason)
                else:
                    yield Difference(**_OF_RESULT, **about, **facts)
        # An altered result may fail anywhere; the verification goes on.
        except (RoundbookError, ValueError, LookupError, TypeError) as error:
            reason = str(error).rstrip(".")
            if not isinstance(error, RoundbookError):
                reason = f"it cannot be computed again ({type(error).__name__}: {reason})"
            yield Difference(**_OF_RESULT, **about, what="result", reason=reason)


def _request_differences(
    connection: Connection, row: Row[Any], kind: Kind, request: Request, read: Result
) -> Iterator[Facts]:
    """Yield the fields of a saved request that contradict the result's task or the result."""
    task_name: str | None = getattr(request, "task", None)
    if (task_name and find_task(connection, task_name)) != row.task_id:
        yield {"what": "task", "recorded": task_name, "computed": row.task}
    resolved = kind.saved_request(request, read)
    yield from unlike(request.model_dump(mode="json"), resolved.model_dump(mode="json"))


def illegible_results(connection: Connection, results: Sequence[int]) -> Iterator[Difference]:
    """Yield the saved results that cannot be read; none is computed again."""
    for row in _rows(connection, results):
        try:
            read_request(row)
            read_stored(row)
        except RecordError as error:
            reason = f"this Roundbook cannot read it ({error.facts['reason']})"
            yield Difference(**_OF_RESULT, **_about(row), what="result", reason=reason)


_OF_RESULT: dict[str, Any] = {"kind": "result", "table": "result"}


def _about(row: Row[Any]) -> dict[str, Any]:
    names = {"task": row.task, "result_kind": row.kind}
    return names | {"result": row.name, "version": row.version}


def _rows(connection: Connection, results: Sequence[int]) -> Iterator[Row[Any]]:
    for first in range(0, len(results), _BATCH):
        rows = connection.execute(
            select(result, task.c.name.label("task"))
            .outerjoin(task)
            .where(result.c.id.in_(results[first : first + _BATCH]))
            .order_by(result.c.id)
        )
        yield from rows.all()
