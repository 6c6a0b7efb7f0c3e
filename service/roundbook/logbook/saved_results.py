"""Saved results: what was decided, what it was computed from, and whether that still counts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple

from pydantic import SerializeAsAny
from sqlalchemy import Connection, text

from roundbook.database.tables import result as result_table
from roundbook.database.tables import result_input
from roundbook.errors import AlreadyRecordedError, NotRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.input_rows import saved_inputs
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import check_name, check_text, find_task
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, changes, is_stale
from roundbook.logbook.withdrawals import read_withdrawn
from roundbook.requests.base import Request
from roundbook.requests.results import ListResults, RenewResults, ShowResult


class ResultEntry(Result):
    """A version of a saved result: what was asked, when it was decided, by whom.

    `version` counts from 1 within a name; `versions` is how many there are. `changes` is what is
    otherwise today, `stale` whether that makes it stale, `brief` its figures in a line.
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


class ResultList(Result):
    """The latest version of every saved result, of one task or of all, by kind and name."""

    task: str | None
    results: list[ResultEntry]


class ShownResult(ResultEntry):
    """A saved result as it was, and what has changed since."""

    result: SerializeAsAny[Result]


class SavedResult(ShownResult):
    """A result just saved; `status` is ``unchanged`` if its content was there already."""

    status: Literal["saved", "unchanged"]


class Renewed(Result):
    """A result computed again: the version that was renewed and the new one."""

    before: ResultEntry
    after: ResultEntry
    status: Literal["saved", "unchanged"]


class Renewal(Result):
    """What was renewed, and what stays stale, each with why it cannot be renewed."""

    renewed: list[Renewed]
    left: list[tuple[ResultEntry, str]]


class _Stored(NamedTuple):
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
       max(result.version) OVER (PARTITION BY result.kind, result.name) AS versions,
       result.task_id, task.name AS task, result.note, result.saved_at, result.saved_by,
       result.software, result.request, result.result
FROM roundbook.result
LEFT JOIN roundbook.task ON task.id = result.task_id
"""


def save_result(
    session: Session, kind: str, request: Request, name: str | None = None, note: str | None = None
) -> SavedResult:
    """Compute a result and save it under a name, as its next version.

    The same content again is ``unchanged``.

    Parameters
    ----------
    name : str, optional
        Default: the task, the kind and the next number.
    note : str, optional
        Why; leaving it out is no other content.

    Raises
    ------
    InputError
        When the name or the note cannot be used.
    AlreadyRecordedError
        When the name is that of another task's result.
    """
    described = find_kind(kind)
    note = (check_text("note", note) or "").strip() or None
    connection = session.connection
    connection.execute(_LOCK, {"kind": kind})
    computed = described.compute(session, request)
    asked = described.asked(request, computed)
    content = computed.model_dump(mode="json", by_alias=True)
    task = getattr(asked, "task", None)
    task_id = None if task is None else find_task(connection, task)
    if name is None:
        same = _same_result(connection, kind, described, task_id, asked, content, note)
        name = same.name if same else f"{task}/{kind}-{_next_number(connection, kind, task_id)}"
    name = check_name(described.title, name)
    versions = _versions(connection, kind, name)
    other = [row.task for row in versions if row.task_id not in (None, task_id)]
    if task_id is not None and other:
        raise AlreadyRecordedError(
            f"'{name}' is a {described.title} of task '{other[0]}' already; choose another name."
        )
    last = versions[-1] if versions else None
    unchanged = last is not None and _is_same(described, last, content, note)
    if not unchanged:
        rows = described.inputs(connection, computed)
        saved = connection.execute(
            result_table.insert()
            .values(
                task_id=task_id,
                kind=kind,
                name=name,
                version=last.version + 1 if last else 1,
                request=asked.model_dump(mode="json", exclude_defaults=True),
                result=content,
                note=note,
                software=SOFTWARE,
                saved_by=session.user,
            )
            .returning(result_table.c.id)
        ).scalar_one()
        if rows:
            connection.execute(
                result_input.insert(),
                [
                    {"result_id": saved, "position": position, "known": dict(row.known)}
                    | {f"{origin}_id": None for origin in _ORIGINS}
                    | {f"{row.origin}_id": row.id}
                    for position, row in enumerate(rows)
                ],
            )
        versions = _versions(connection, kind, name)
        record_event(
            connection,
            f"{described.title} saved",
            who=session.user,
            why=note,
            task_id=task_id,
            details={described.title: name, "version": versions[-1].version},
        )
    (entry,) = _entries(connection, [versions[-1]])
    return SavedResult(
        **dict(entry),
        result=_read(described, versions[-1]),
        status="unchanged" if unchanged else "saved",
    )


_ORIGINS = ("variance_estimate", "published_variance", "factor_set", "matrix")
# Versions count up without a gap, and two results of one kind are not saved at once.
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('roundbook.result ' || :kind, 0))")


def list_results(session: Session, request: ListResults) -> ResultList:
    """Return the latest version of every saved result, and whether it is stale.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    entries = _entries(connection, _latest(connection, task_id, request.kind))
    return ResultList(
        task=request.task,
        results=[entry for entry in entries if entry.stale or not request.stale],
    )


def show_result(session: Session, request: ShowResult) -> ShownResult:
    """Return a saved result by name, the latest version or the one asked for.

    Raises
    ------
    NotRecordedError
        Naming the versions there are.
    """
    row = _find(session.connection, request.kind, request.name, request.version)
    (entry,) = _entries(session.connection, [row])
    return ShownResult(**dict(entry), result=_read(find_kind(row.kind), row))


def renew_results(session: Session, request: RenewResults) -> Renewal:
    """Compute saved results again from what counts today, as their next versions.

    Raises
    ------
    NotRecordedError
        When there is no such result or task.
    """
    connection = session.connection
    if request.name is not None:
        rows = [_find(connection, request.kind, request.name, None)]
    else:
        rows = _latest(connection, find_task(connection, request.task or ""), request.kind)
    renewed, left = [], []
    for row, before in zip(rows, _entries(connection, rows), strict=True):
        if request.name is None and not before.stale:
            continue
        kind = find_kind(row.kind)
        try:
            after = save_result(session, row.kind, kind.request(**row.request), row.name, row.note)
        except NotRecordedError as error:
            # Nothing is there any more to compute it from; nothing was written.
            if request.name is not None:
                raise
            left.append((before, str(error)))
            continue
        entry = ResultEntry(**{name: getattr(after, name) for name in ResultEntry.model_fields})
        renewed.append(Renewed(before=before, after=entry, status=after.status))
    return Renewal(renewed=renewed, left=left)


def results_of_task(connection: Connection, task_id: int) -> list[tuple[int, ResultEntry]]:
    """Return every version of a task's saved results, each with its id, by kind and name."""
    rows = _rows(connection, "WHERE result.task_id = :task", task=task_id)
    return [(row.id, entry) for row, entry in zip(rows, _entries(connection, rows), strict=True)]


def _rows(connection: Connection, wanted: str, **values: object) -> list[_Stored]:
    ordered = f"{_STORED} {wanted} ORDER BY result.kind, result.name, result.version"
    return [_Stored._make(row) for row in connection.execute(text(ordered), values)]


def _versions(connection: Connection, kind: str | None, name: str) -> list[_Stored]:
    return _rows(
        connection,
        "WHERE result.name = :name AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)",
        name=name,
        kind=kind,
    )


def _latest(connection: Connection, task_id: int | None, kind: str | None) -> list[_Stored]:
    rows = _rows(
        connection,
        "WHERE (CAST(:task AS bigint) IS NULL OR result.task_id = :task)"
        " AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)",
        task=task_id,
        kind=kind,
    )
    return [row for row in rows if row.version == row.versions]


def _find(connection: Connection, kind: str | None, name: str, version: int | None) -> _Stored:
    name = name.strip()
    title = "result" if kind is None else find_kind(kind).title
    versions = _versions(connection, kind, name)
    if not versions:
        raise NotRecordedError(
            f"There is no saved {title} '{name}'.", way_out=f"list {kind or 'result'}s", name=name
        )
    kinds = sorted({row.kind for row in versions})
    if len(kinds) > 1:
        raise NotRecordedError(
            f"'{name}' is the name of results of several kinds, {' and '.join(kinds)}: name one.",
            way_out="name the kind",
        )
    wanted = [row for row in versions if version in (None, row.version)]
    if not wanted:
        known = ", ".join(str(row.version) for row in versions)
        raise NotRecordedError(
            f"{title.capitalize()} '{name}' has no version {version}; it has {known}."
        )
    return wanted[-1]


def _entries(connection: Connection, rows: Sequence[_Stored]) -> list[ResultEntry]:
    """Return results with what has changed since; the queries do not grow with the results."""
    inputs = saved_inputs(connection, [row.id for row in rows])
    withdrawn = {
        task_id: {
            (matrix.measure, matrix.round, matrix.assessments): matrix.reason
            for matrix in read_withdrawn(connection, task_id)
        }
        for task_id in {row.task_id for row in rows}
        if task_id is not None
    }
    today: dict[str, list[Any]] = {}
    entries = []
    for row in rows:
        kind = find_kind(row.kind)
        found: list[Change] = []
        if row.task_id is not None:
            request = kind.request(**row.request)
            key = f"{row.kind} {row.task_id} {_today_key(request)}"
            if key not in today:
                today[key] = kind.today(connection, row.task_id, request)
            found = changes(
                inputs[row.id],
                today[key],
                withdrawn={
                    (label, assessments): reason
                    for (measure, label, assessments), reason in withdrawn[row.task_id].items()
                    if measure == getattr(request, "measure", None)
                },
                left_out=kind.left_out(row.result),
            )
        entries.append(
            ResultEntry(
                **{name: getattr(row, name) for name in _ENTRY},
                brief=kind.brief(row.result),
                stale=is_stale(found),
                changes=found,
            )
        )
    return entries


_ENTRY = set(ResultEntry.model_fields) - {"brief", "stale", "changes"}


def _today_key(request: Request) -> tuple[object, ...]:
    """Return what of a request decides from which inputs it is computed."""
    names = ("measure", "scale", "assessments", "from_round", "to_round")
    return tuple(getattr(request, name, None) for name in names)


def _read(kind: Kind, row: _Stored) -> Result:
    return kind.read(row.result, f"{kind.title.capitalize()} '{row.name}', version {row.version},")


def _is_same(kind: Kind, row: _Stored, content: dict[str, Any], note: str | None) -> bool:
    # The same result by another version of Roundbook is the same result.
    stored = _read(kind, row).model_dump(mode="json", by_alias=True)
    return note in (None, row.note) and {**stored, "software": ""} == {**content, "software": ""}


def _same_result(
    connection: Connection,
    kind: str,
    described: Kind,
    task_id: int | None,
    asked: Request,
    content: dict[str, Any],
    note: str | None,
) -> _Stored | None:
    """Return the unnamed result of the same content that a task has already."""
    stored = asked.model_dump(mode="json", exclude_defaults=True)
    rows = [row for row in _latest(connection, task_id, kind) if row.request == stored]
    return next((row for row in rows if _is_same(described, row, content, note)), None)


def _next_number(connection: Connection, kind: str, task_id: int | None) -> int:
    names = connection.execute(
        text("SELECT DISTINCT name FROM roundbook.result WHERE kind = :kind AND task_id = :task"),
        {"kind": kind, "task": task_id},
    ).scalars()
    numbers = [str(name).rpartition("-")[2] for name in names]
    return 1 + max((int(number) for number in numbers if number.isdigit()), default=0)
