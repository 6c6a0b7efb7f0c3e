"""Saved results: what was decided, what it was computed from, and whether that still counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from unicodedata import normalize

from pydantic import SerializeAsAny
from sqlalchemy import Connection, text

from roundbook.errors import NotRecordedError
from roundbook.logbook.input_rows import saved_inputs
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import measure_named, measures_of
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input, changes
from roundbook.logbook.withdrawals import TaskScores, read_withdrawn
from roundbook.requests.results import ListResults, ShowResult


class ResultEntry(Result):
    """A version of a saved result: what was asked, when it was decided, by whom.

    `version` counts from 1 within a name; `versions` is how many there are. `changes` is what is
    otherwise today, `stale` whether that makes it stale, `brief` its figures in a line. A stale
    result is `replaced_by` a later version, or the same request saved under another name, that is
    not stale; else `renewable` says whether there is still something to compute it from.
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


class ResultList(Result):
    """The latest version of every saved result, of one task or of all, by kind and name."""

    task: str | None
    results: list[ResultEntry]


class ShownResult(ResultEntry):
    """A saved result as it was, and what has changed since."""

    result: SerializeAsAny[Result]


class StoredResult(NamedTuple):
    """A row of the table ``result``, with its task's name and how many versions there are."""

    id: int
    kind: str
    name: str
    version: int
    versions: int
    task_id: int | None
    task: str | None
    note: str | None
    saved_at: datetime
    saved_by: str
    software: str
    request: dict[str, Any]
    result: dict[str, Any]


_STORED = """
SELECT result.id, result.kind, result.name, result.version,
       (SELECT max(version) FROM roundbook.result AS later
        WHERE (later.kind, later.name) = (result.kind, result.name)) AS versions,
       result.task_id, task.name AS task, result.note, result.saved_at, result.saved_by,
       result.software, result.request, {result}
FROM roundbook.result
LEFT JOIN roundbook.task ON task.id = result.task_id
WHERE (CAST(:task AS bigint) IS NULL OR result.task_id = :task)
  AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)
  AND (CAST(:name AS text) IS NULL OR result.name = :name)
"""


def list_results(session: Session, request: ListResults) -> ResultList:
    """Return the latest version of every saved result, and whether it is stale.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    rows = stored_results(connection, task_id, request.kind)
    return ResultList(
        task=request.task,
        results=[
            entry
            for entry, _ in judge_results(connection, rows)
            if is_latest(entry) and (entry.stale or not request.stale)
        ],
    )


def show_result(session: Session, request: ShowResult) -> ShownResult:
    """Return a saved result by name, the latest version or the one asked for.

    Raises
    ------
    NotRecordedError
        Naming the versions there are.
    """
    row = find_stored(session.connection, request.kind, request.name, request.version)
    entry = judge_result(session.connection, row)
    return ShownResult(**dict(entry), result=read_stored(find_kind(row.kind), row))


def stored_results(
    connection: Connection,
    task_id: int | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> list[StoredResult]:
    """Return all versions of results, by kind, name and version.

    Without a name they are without their longest list, the topics.
    """
    if kind is not None:
        find_kind(kind)  # there must be such a kind
    wanted = _STORED.format(result="result.result - 'topics'" if name is None else "result.result")
    values = {"task": task_id, "kind": kind, "name": name}
    rows = [StoredResult._make(row) for row in connection.execute(text(wanted), values)]
    # By the numbers in names: drift-2 before drift-10.
    return sorted(
        rows,
        key=lambda row: (
            row.kind,
            [
                (int(part), "") if part.isdecimal() else (-1, part)
                for part in re.split(r"(\d+)", row.name)
            ],
            row.version,
        ),
    )


def is_latest(row: StoredResult | ResultEntry) -> bool:
    """Return whether a result is the latest version of its name."""
    return row.version == row.versions


def find_stored(
    connection: Connection, kind: str | None, name: str, version: int | None
) -> StoredResult:
    """Return a result by its name: the version asked for, or the latest."""
    name = name.strip()
    title = "result" if kind is None else find_kind(kind).title
    versions = stored_results(connection, kind=kind, name=name)
    if not versions and not name.isascii():
        versions = stored_results(connection, kind=kind, name=normalize("NFC", name))
    if not versions:
        raise NotRecordedError(
            f"There is no saved {title} '{name}'.", way_out=f"list {kind or 'result'}s", name=name
        )
    kinds = sorted({row.kind for row in versions})
    if len(kinds) > 1:
        raise NotRecordedError(
            f"'{name}' is the name of results of several kinds, {' and '.join(kinds)}: name one.",
            way_out="name the kind",
            name=name,
            kinds=kinds,
        )
    wanted = [row for row in versions if version in (None, row.version)]
    if not wanted:
        known = ", ".join(str(row.version) for row in versions)
        raise NotRecordedError(
            f"{title.capitalize()} '{name}' has no version {version}; it has {known}.",
            name=name,
            version=version,
        )
    return wanted[-1]


def judge_result(connection: Connection, row: StoredResult) -> ResultEntry:
    """Return a result with what has changed since; of a stale one, what takes its place too."""
    ((entry, _),) = judge_results(connection, [row])
    if not entry.stale:
        return entry
    rows = stored_results(connection, row.task_id, row.kind)
    judged = zip(rows, judge_results(connection, rows), strict=True)
    return next(result.entry for other, result in judged if other.id == row.id)


class JudgedResult(NamedTuple):
    """A saved result with what has changed since, and what it was computed from."""

    entry: ResultEntry
    inputs: list[Input]


def judge_results(connection: Connection, rows: Sequence[StoredResult]) -> list[JudgedResult]:
    """Return results with what has changed since; the queries do not grow with the results."""
    inputs = saved_inputs(connection, [row.id for row in rows])
    withdrawn = {
        task_id: read_withdrawn(connection, TaskScores(task_id))
        for task_id in {row.task_id for row in rows}
        if task_id is not None
    }
    measures = {task_id: measures_of(connection, task_id) for task_id in withdrawn}
    today: dict[tuple[object, ...], list[Input]] = {}
    entries = []
    for row in rows:
        kind = find_kind(row.kind)
        changed: list[Change] = []
        if row.task_id is not None:
            request = kind.request(**row.request)
            key = row.kind, row.task_id, kind.today_by(request)
            if key not in today:
                today[key] = kind.today(connection, row.task_id, request)
            recorded = measure_named(measures[row.task_id], getattr(request, "measure", None) or "")
            changed = changes(
                inputs[row.id],
                today[key],
                withdrawn={
                    (matrix.round, matrix.assessments): matrix.reason
                    for matrix in withdrawn[row.task_id]
                    if recorded is not None and matrix.measure == recorded.name
                },
                left_out=kind.left_out(row.result),
            )
        stale = any(change.stale for change in changed)
        entries.append(
            ResultEntry(
                **row._asdict(),
                brief=kind.brief(row.result),
                stale=stale,
                changes=changed,
                renewable=stale and kind.renewable(changed, today[key]),
            )
        )
    return [
        JudgedResult(entry, inputs[row.id])
        for row, entry in zip(rows, _with_successors(entries), strict=True)
    ]


def _with_successors(entries: Sequence[ResultEntry]) -> Iterator[ResultEntry]:
    """Yield results, those that are stale with what takes their place among them."""
    latest = {(entry.kind, entry.name): entry for entry in entries}
    # Of several that were asked alike, the first; what is of no task is never stale.
    current = {
        _asked(entry): entry.name
        for entry in reversed(latest.values())
        if not entry.stale and entry.task is not None
    }
    for entry in entries:
        replaced_by: str | None = f"version {entry.versions}"
        if latest[entry.kind, entry.name].stale:
            replaced_by = current.get(_asked(entry))
        replaced = entry.stale and replaced_by is not None
        update = {"replaced_by": replaced_by, "renewable": False}
        yield entry.model_copy(update=update) if replaced else entry


def _asked(entry: ResultEntry) -> tuple[str, str]:
    # With the defaults that a version before did not save.
    return entry.kind, find_kind(entry.kind).request(**entry.request).model_dump_json()


def read_stored(kind: Kind, row: StoredResult) -> Result:
    """Return what was saved of a result as the result of its kind."""
    return kind.read(row.result, f"{kind.title.capitalize()} '{row.name}', version {row.version},")
