"""Saved results: listing and showing them, and whether they are stale."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import Field, SerializeAsAny
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import result, task
from roundbook.errors import InputError, NotRecordedError, RecordError, RoundbookError
from roundbook.limits import LONGEST_NAME
from roundbook.logbook.input_rows import CurrentInputs, saved_inputs
from roundbook.logbook.kinds import find_kind, title_of
from roundbook.logbook.lookup import find_task, suggestion
from roundbook.logbook.measures import measure_named
from roundbook.logbook.names import is_named
from roundbook.logbook.result import Result, unreadable
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input, changes, makes_stale
from roundbook.requests.base import Request
from roundbook.requests.results import ListResults, ShowResult

# The part that cannot be read of a result that another version saved, or that was altered.
Illegible = Literal[
    "kind",  # there is no such kind of result
    "request",  # its request is refused, or its task has nothing to compute it from
    "result",  # the computed result itself
]


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


_STORED = """
SELECT result.id, result.kind, result.name, result.version,
       (SELECT max(version) FROM roundbook.result AS later
        WHERE (later.kind, later.name) = (result.kind, result.name)) AS versions,
       result.task_id, task.name AS task, result.note, result.saved_at, result.saved_by,
       result.software, result.request, {result} AS result,
       result.name IN (SELECT name FROM roundbook.result
                       GROUP BY name HAVING min(kind) <> max(kind)) AS name_is_shared
FROM roundbook.result
LEFT JOIN roundbook.task ON task.id = result.task_id
WHERE (CAST(:task AS bigint) IS NULL OR result.task_id = :task)
  AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)
  AND (CAST(:name AS text) IS NULL OR result.name = :name)
"""


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


def stored_results(
    connection: Connection,
    task_id: int | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> list[Row[Any]]:
    """Return the rows of all versions of results, by kind, name and version.

    Each has its task's name and the number of its versions. Without a name they lack their longest
    list, the topics.
    """
    if kind is not None:
        find_kind(kind)  # there must be such a kind
    query = _STORED.format(result="result.result - 'topics'" if name is None else "result.result")
    values = {"task": task_id, "kind": kind, "name": name}
    # Sorted by the numbers in names: drift-2 before drift-10.
    return sorted(
        connection.execute(text(query), values),
        key=lambda row: (
            row.kind,
            [
                (int(part), "") if part.isdecimal() else (-1, part)
                for part in re.split(r"(\d+)", row.name)
            ],
            row.version,
        ),
    )


def numbered_name(task: str, kind: str, number: int) -> str:
    """Return the name of a result that was saved without one; a long task's is shortened."""
    end = f"/{kind}-{number}"
    return task.strip()[: LONGEST_NAME - len(end)] + end


def is_latest(row: Row[Any] | ResultEntry) -> bool:
    """Return whether a result is the latest version of its name."""
    return row.version == row.versions


def find_stored(
    connection: Connection, kind: str | None, name: str, version: int | None
) -> Row[Any]:
    """Return the row of a result by name: the version asked for, or the latest."""
    name = name.strip()
    title = "result" if kind is None else find_kind(kind).title
    versions = stored_results(connection, kind=kind, name=name)
    if not versions and not name.isascii():
        # Earlier versions recorded names without normalising them.
        spelled = connection.execute(select(result.c.name).where(is_named(result.c.name, name)))
        versions = [
            row
            for recorded in spelled.scalars().unique()
            for row in stored_results(connection, kind=kind, name=recorded)
        ]
    if not versions:
        raise _unknown_result(connection, kind, name)
    kinds = sorted({row.kind for row in versions})
    if len(kinds) > 1:
        raise NotRecordedError(
            f"'{name}' is the name of results of several kinds, {' and '.join(kinds)}: name one.",
            way_out="name the kind",
            name=name,
            kinds=kinds,
        )
    matching = [row for row in versions if version in (None, row.version)]
    if not matching:
        numbers = ", ".join(str(row.version) for row in versions)
        raise NotRecordedError(
            f"{title.capitalize()} '{name}' has no version {version}; it has {numbers}.",
            name=name,
            version=version,
        )
    return matching[-1]


def _unknown_result(connection: Connection, kind: str | None, name: str) -> NotRecordedError:
    """Return the error for a name that no result has, with what may have been meant."""
    title = "result" if kind is None else find_kind(kind).title
    message = f"There is no saved {title} '{name}'"
    if connection.execute(select(task.c.id).where(is_named(task.c.name, name))).first():
        message += "; it is the name of a task."
        return NotRecordedError(message, way_out="results of a task", task=name)
    names = select(result.c.name).distinct().order_by(result.c.name)
    if kind is not None:
        names = names.where(result.c.kind == kind)
    message += suggestion(name, connection.execute(names).scalars())
    return NotRecordedError(message, way_out="list results", name=name)


def tasks_of_results(connection: Connection, name: str, kind: str | None) -> list[str | None]:
    """Return the tasks, or None, of the results of a kind, if given, and a name in NFC."""
    query = text(
        "SELECT DISTINCT task.name FROM roundbook.result"
        " LEFT JOIN roundbook.task ON task.id = result.task_id"
        " WHERE normalize(result.name) = :name"
        " AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)"
    )
    return list(connection.execute(query, {"name": name, "kind": kind}).scalars())


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


def read_request(row: ResultEntry | Row[Any]) -> Request:
    """Return the request of a saved result.

    Raises
    ------
    RecordError
        When there is no such kind of result, or it has no such request.
    """
    with _reading(row):
        return find_kind(row.kind).request(**row.request)


def request_again(entry: ResultEntry) -> Request:
    """Return the request by which a result is renewed.

    Raises
    ------
    RecordError
        When the result or its request cannot be read: another version's is not to be replaced.
    """
    if entry.illegible == "result":
        raise unreadable(_named(entry), "its figures")
    return read_request(entry)


def read_stored(row: Row[Any]) -> Result:
    """Return a stored result as the model of its kind.

    Raises
    ------
    RecordError
        When there is no such kind of result, or it has not the form of that kind.
    """
    with _reading(row):
        return find_kind(row.kind).read(row.result, _named(row))


class ReadRow(NamedTuple):
    """A row as a list reads it: its request, main figures and left out rounds."""

    request: Request | None
    brief: dict[str, Any]
    left_out: list[str]
    illegible: Illegible | None


def read_row(row: Row[Any]) -> ReadRow:
    """Return the readable parts of a row; `illegible` names a part that is not."""
    try:
        kind = find_kind(row.kind)
    except InputError:
        return ReadRow(None, {}, [], "kind")
    try:
        with _reading(row):
            read = ReadRow(None, kind.brief(row.result), kind.left_out(row.result), None)
    except RecordError:
        read = ReadRow(None, {}, [], "result")
    try:
        return read._replace(request=read_request(row))
    except RecordError:
        return read._replace(illegible="request")


@contextmanager
def _reading(row: ResultEntry | Row[Any]) -> Iterator[None]:
    """Turn any failure to read a row, which may have been altered anywhere, into a RecordError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = str(error).rstrip(".")
        if not isinstance(error, RoundbookError):
            reason = f"{type(error).__name__}: {reason}"
        raise unreadable(_named(row), reason) from error


def _named(row: ResultEntry | Row[Any]) -> str:
    return f"{title_of(row.kind).capitalize()} '{row.name}', version {row.version},"
