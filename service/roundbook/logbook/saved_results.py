"""Saved results: listing and showing them, and whether they are stale."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from pydantic import Field, SerializeAsAny
from sqlalchemy import Connection, Row

from roundbook.errors import InputError, RecordError
from roundbook.logbook.input_rows import CurrentInputs, saved_inputs
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import measure_named
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input, changes, makes_stale
from roundbook.logbook.stored_results import (
    Illegible,
    find_stored,
    is_latest,
    read_row,
    read_stored,
    stored_results,
)
from roundbook.requests.results import ListResults, ShowResult


class ResultEntry(Result):
    """A version of a saved result: its request, when it was saved, and by whom.

    `version` counts from 1 within a name; `versions` is the number of versions. `changes` are the
    changes of its inputs since, `stale` is whether they make it stale, and `brief` has its main
    figures. A stale result is `replaced_by` a later version, or by the same request saved under
    another name, that is not stale; otherwise `renewable` is whether it can still be computed.
    What is `illegible` cannot be judged: it counts as stale, and is not renewable. `name_is_shared`
    is whether results of another kind have this name.
    """

    kind: str
    name: str
    version: int
    versions: int
    task: str | None
    note: str | None
    saved_at: datetime
    saved_by: str
    software: str
    request: dict[str, Any]
    brief: dict[str, Any]
    stale: bool
    changes: list[Change]
    replaced_by: str | None = None
    renewable: bool = False
    illegible: Illegible | None = None
    name_is_shared: bool = Field(default=False, exclude=True)


class ResultList(Result):
    """The latest version of each saved result of a task, or of all tasks, by kind and name."""

    task: str | None
    results: list[ResultEntry]


class ShownResult(ResultEntry):
    """A saved result, and its entry with the changes since."""

    result: SerializeAsAny[Result]


def list_results(session: Session, request: ListResults) -> ResultList:
    """Return the latest version of each saved result, with its staleness.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    entries = [entry for entry, _ in latest_results(connection, task_id, request.kind)]
    return ResultList(
        task=request.task,
        results=[entry for entry in entries if entry.stale or not request.stale],
    )


def show_result(session: Session, request: ShowResult) -> ShownResult:
    """Return a saved result by name: the latest version, or the one asked for.

    Raises
    ------
    NotRecordedError
        Naming the existing versions.
    """
    row = find_stored(session.connection, request.kind, request.name, request.version)
    entry = judge_result(session.connection, row)
    return ShownResult(**dict(entry), result=read_stored(row))


def latest_results(
    connection: Connection, task_id: int | None, kind: str | None = None
) -> list[tuple[ResultEntry, list[Input]]]:
    """Return the latest version of each result of a task, or of all, as `judge_results` does."""
    rows = stored_results(connection, task_id, kind)
    return judge_results(connection, [row for row in rows if is_latest(row)])


def judge_result(connection: Connection, row: Row[Any]) -> ResultEntry:
    """Return the entry of a result with the changes since and, if it is stale, its replacement."""
    ((entry, _),) = judge_results(connection, [row])
    if not entry.stale or entry.illegible == "kind":
        return entry
    rows = stored_results(connection, row.task_id, row.kind)
    judged = zip(rows, judge_results(connection, rows), strict=True)
    return next(entry for stored, (entry, _) in judged if stored.id == row.id)


def judge_results(
    connection: Connection, rows: Sequence[Row[Any]]
) -> list[tuple[ResultEntry, list[Input]]]:
    """Return the entries of results with the changes since, each with the inputs it rests on.

    The number of queries does not grow with that of the results.
    """
    inputs = saved_inputs(connection, [row.id for row in rows])
    current = {
        task_id: CurrentInputs(connection, task_id)
        for task_id in {row.task_id for row in rows}
        if task_id is not None
    }
    entries: list[tuple[ResultEntry, tuple[str, str] | None]] = []
    for row in rows:
        request, brief, left_out, illegible = read_row(row)
        changed: list[Change] = []
        renewable = False
        if request is not None and illegible is None and row.task_id is not None:
            kind, of_task = find_kind(row.kind), current[row.task_id]
            try:
                today = kind.today(of_task, request)
            except (RecordError, InputError):  # its task has no such measure
                illegible = "request"
            else:
                measure = getattr(request, "measure", None) or ""
                recorded = measure_named(of_task.measures, measure)
                changed = changes(
                    inputs[row.id],
                    today,
                    withdrawn={
                        (matrix.round, matrix.assessments): matrix.reason
                        for matrix in of_task.withdrawn
                        if recorded is not None and matrix.measure == recorded.name
                    },
                    left_out=left_out,
                )
                renewable = kind.renewable(today)
        stale = makes_stale(changed, illegible=illegible is not None)
        entry = ResultEntry(
            **row._mapping,
            brief=brief,
            stale=stale,
            changes=changed,
            renewable=stale and renewable,
            illegible=illegible,
        )
        # With defaults that earlier versions did not save.
        same_request = None if request is None else (row.kind, request.model_dump_json())
        entries.append((entry, same_request))
    return [
        (entry, inputs[row.id])
        for row, entry in zip(rows, _with_replacements(entries), strict=True)
    ]


def _with_replacements(
    entries: Sequence[tuple[ResultEntry, tuple[str, str] | None]],
) -> Iterator[ResultEntry]:
    """Yield entries, given with kind and request as JSON, the stale ones with their replacement."""
    latest = {(entry.kind, entry.name): (entry, request) for entry, request in entries}
    # Of several with an equal request the first; results without a task are never stale.
    current = {
        request: entry.name
        for entry, request in reversed(latest.values())
        if not entry.stale and entry.task is not None
    }
    for entry, request in entries:
        replaced_by: str | None = f"version {entry.versions}"
        if latest[entry.kind, entry.name][0].stale:
            replaced_by = None if entry.illegible else current.get(request)
        replaced = entry.stale and replaced_by is not None
        update = {"replaced_by": replaced_by, "renewable": False}
        yield entry.model_copy(update=update) if replaced else entry
