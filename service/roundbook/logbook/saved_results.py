"""Saved results: what was decided, what it was computed from, and whether that still counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Literal, NamedTuple, get_args
from unicodedata import normalize

from pydantic import SerializeAsAny
from sqlalchemy import Connection, text

from roundbook.database.tables import result as result_table
from roundbook.database.tables import result_input
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RevisedMeanwhileError,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.input_rows import saved_inputs
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import check_name, find_task, optional_text
from roundbook.logbook.measures import measure_named, measures_of
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.staleness import Change, Input, Origin, changes, is_stale
from roundbook.logbook.withdrawals import read_withdrawn
from roundbook.requests.base import Request
from roundbook.requests.results import ListResults, RenewResults, ShowResult


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


def save_result(
    session: Session, kind: str, request: Request, name: str | None = None, note: str | None = None
) -> SavedResult:
    """Compute a result and save it under a name, as its next version.

    The same content again is ``unchanged``.

    Parameters
    ----------
    name : str, optional
        Default: the task, the kind and the next number. A result of no task needs one.
    note : str, optional
        Why; leaving it out is no other content.

    Raises
    ------
    InputError
        When the name or the note cannot be used.
    AlreadyRecordedError
        When the name is that of another task's result.
    """
    name = _checked_name(kind, request, name)
    return _save(session, kind, request, name, optional_text("note", note))


def _save(
    session: Session, kind: str, request: Request, name: str | None, note: str | None
) -> SavedResult:
    # No correction comes between reading what a result is computed from and saving it.
    if (task := getattr(request, "task", None)) is not None:
        find_task(session.connection, task, lock=True)
    return _keep(session, compute_result(session, kind, request), name, note)


class ComputedResult(NamedTuple):
    """A result that is not saved yet: what is saved as its request, and what it was computed from."""

    kind: str
    asked: Request
    result: Result
    inputs: list[Input]


def compute_result(session: Session, kind: str, request: Request) -> ComputedResult:
    """Compute a result of a kind."""
    described = find_kind(kind)
    computed = described.compute(session, request)
    asked = described.asked(request, computed)
    inputs = described.inputs(session.connection, asked, computed)
    return ComputedResult(kind, asked, computed, inputs)


def save_long_result(
    begin: Callable[..., AbstractContextManager[Session]],
    kind: str,
    request: Request,
    name: str | None = None,
    note: str | None = None,
    work: Work | None = None,
) -> SavedResult:
    """Compute a result that may take long, and save it, while others log and correct.

    It is computed as one moment saw the record, and saved in a second transaction, if what it
    rests on is still the same; else it is computed again.

    Parameters
    ----------
    begin : callable
        Begins a transaction, with ``one_moment`` one that reads as one moment saw the record.
    work : Work, optional
        Default: the session's.

    Raises
    ------
    RevisedMeanwhileError
        When it was corrected each of three times.
    RoundbookError
        As `save_result`; a name that cannot be used is refused before anything is computed.
    """
    name, note = _checked_name(kind, request, name), optional_text("note", note)
    for _ in range(_TIMES):
        with begin(one_moment=True) as session:
            connection, task = session.connection, getattr(request, "task", None)
            if name is not None and task is not None:
                _refuse_taken(
                    kind, name, find_task(connection, task), _versions(connection, kind, name)
                )
            computed = compute_result(session._replace(work=work or session.work), kind, request)
        with begin() as session:
            if task is not None:
                find_task(session.connection, task, lock=True)
            rows = find_kind(kind).inputs(session.connection, computed.asked, computed.result)
            if rows == computed.inputs:
                return _keep(session, computed, name, note)
    raise RevisedMeanwhileError(
        f"What the {find_kind(kind).title} rests on was corrected each time it was computed; ask for"
        " it again."
    )


_TIMES = 3


def _checked_name(kind: str, request: Request, name: str | None) -> str | None:
    if name is None and getattr(request, "task", None) is not None:
        return None
    return check_name(find_kind(kind).title, name or "")


def _refuse_taken(kind: str, name: str, task_id: int | None, versions: Sequence[_Stored]) -> None:
    other = [row.task for row in versions if row.task_id not in (None, task_id)]
    if task_id is not None and other:
        raise AlreadyRecordedError(
            f"'{name}' is a {find_kind(kind).title} of task '{other[0]}' already; choose another"
            " name."
        )


def _keep(
    session: Session, computed_result: ComputedResult, name: str | None, note: str | None
) -> SavedResult:
    """Save a result as the next version of its name; its task is locked."""
    kind, asked, computed, rows = computed_result
    described = find_kind(kind)
    connection = session.connection
    task = getattr(asked, "task", None)
    task_id = None if task is None else find_task(connection, task)
    content = computed.model_dump(mode="json", by_alias=True)
    if name is None:
        same = (
            row.name
            for row in _rows(connection, task_id, kind)
            if _is_latest(row)
            and described.brief(row.result) == described.brief(content)
            and _is_same(described, _versions(connection, kind, row.name)[-1], content, note)
        )
        number = _next_number(connection, kind, task_id)
        name = next(same, None) or f"{str(task).strip()}/{kind}-{number}"
    connection.execute(_LOCK, {"kind": kind, "name": name})
    versions = _versions(connection, kind, name)
    _refuse_taken(kind, name, task_id, versions)
    last = versions[-1] if versions else None
    # The same figures from other inputs are a version of their own, or it would stay stale.
    unchanged = (
        last is not None
        and _is_same(described, last, content, note)
        and not _entry(connection, last).stale
    )
    if not unchanged:
        saved = connection.execute(
            result_table.insert()
            .values(
                task_id=task_id,
                kind=kind,
                name=name,
                version=last.version + 1 if last else 1,
                request=asked.model_dump(mode="json", exclude_none=True),
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
        brief = described.brief(content)
        record_event(
            connection,
            f"{described.title} saved",
            who=session.user,
            why=note,
            task_id=task_id,
            details={described.title: name, "version": versions[-1].version}
            | {key: brief[key] for key in _IN_EVENT if brief.get(key) is not None},
        )
    return SavedResult(
        **dict(_entry(connection, versions[-1])),
        result=_read(described, versions[-1]),
        status="unchanged" if unchanged else "saved",
    )


# What an event tells of a result beside its name.
_IN_EVENT = ("measure", "from", "to", "verdict")
_ORIGINS = get_args(Origin)
# Versions count up without a gap, though a name be taken by two tasks, or by none, at once.
_LOCK = text(
    "SELECT pg_advisory_xact_lock(hashtextextended("
    "concat('roundbook.result ', CAST(:kind AS text), ' ', CAST(:name AS text)), 0))"
)


def list_results(session: Session, request: ListResults) -> ResultList:
    """Return the latest version of every saved result, and whether it is stale.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    entries = _entries(connection, _rows(connection, task_id, request.kind))
    return ResultList(
        task=request.task,
        results=[
            entry for entry in entries if _is_latest(entry) and (entry.stale or not request.stale)
        ],
    )


def show_result(session: Session, request: ShowResult) -> ShownResult:
    """Return a saved result by name, the latest version or the one asked for.

    Raises
    ------
    NotRecordedError
        Naming the versions there are.
    """
    row = _find(session.connection, request.kind, request.name, request.version)
    entry = _entry(session.connection, row)
    return ShownResult(**dict(entry), result=_read(find_kind(row.kind), row))


def renew_results(session: Session, request: RenewResults) -> Renewal:
    """Compute saved results again from what counts today, as their next versions.

    Raises
    ------
    NotRecordedError
        When there is no such result or task.
    RoundbookError
        When one result is renewed that cannot be computed today.
    """
    connection = session.connection
    if request.name is not None:
        one = _find(connection, request.kind, request.name, None)
        entries = [_entry(connection, one)]
    else:
        # What is stale by a correction under way is renewed with the rest.
        task_id = find_task(connection, request.task or "", lock=True)
        rows = _rows(connection, task_id, request.kind)
        entries = [
            entry
            for entry in _entries(connection, rows)
            if _is_latest(entry) and entry.stale and entry.replaced_by is None
        ]
    renewed, left = [], []
    for before in entries:
        asked = find_kind(before.kind).request(**before.request)
        try:
            after = _save(session, before.kind, asked, before.name, before.note)
        except (NotRecordedError, InputError) as error:
            # There is nothing to compute it from any more, or no result; nothing was written.
            if request.name is not None:
                raise
            left.append((before, str(error)))
            continue
        entry = ResultEntry(**{name: getattr(after, name) for name in ResultEntry.model_fields})
        renewed.append(Renewed(before=before, after=entry, status=after.status))
    return Renewal(renewed=renewed, left=left)


class ResultInputs(NamedTuple):
    """A saved result, and what it was computed from."""

    entry: ResultEntry
    inputs: list[Input]


def results_of_task(connection: Connection, task_id: int) -> list[ResultInputs]:
    """Return every version of a task's saved results, by kind, name and version."""
    rows = _rows(connection, task_id, None)
    inputs = saved_inputs(connection, [row.id for row in rows])
    entries = _entries(connection, rows)
    return [ResultInputs(entry, inputs[row.id]) for row, entry in zip(rows, entries, strict=True)]


def _rows(
    connection: Connection, task_id: int | None, kind: str | None, name: str | None = None
) -> list[_Stored]:
    """Return all versions of results; without a name, without their longest list, the topics."""
    if kind is not None:
        find_kind(kind)  # there must be such a kind
    wanted = _STORED.format(result="result.result - 'topics'" if name is None else "result.result")
    values = {"task": task_id, "kind": kind, "name": name}
    rows = [_Stored._make(row) for row in connection.execute(text(wanted), values)]
    return sorted(rows, key=lambda row: (row.kind, _by_number(row.name), row.version))


def _by_number(name: str) -> list[tuple[int, str]]:
    """Return what sorts names by the numbers in them: drift-2 before drift-10."""
    return [
        (int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)
    ]


def _versions(connection: Connection, kind: str | None, name: str) -> list[_Stored]:
    return _rows(connection, None, kind, name)


def _is_latest(row: _Stored | ResultEntry) -> bool:
    return row.version == row.versions


def _find(connection: Connection, kind: str | None, name: str, version: int | None) -> _Stored:
    name = name.strip()
    title = "result" if kind is None else find_kind(kind).title
    versions = _versions(connection, kind, name)
    if not versions and not name.isascii():
        versions = _versions(connection, kind, normalize("NFC", name))
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


def _entry(connection: Connection, row: _Stored) -> ResultEntry:
    """Return a result with what has changed since, judged among the results of its task."""
    rows = [row] if row.task_id is None else _rows(connection, row.task_id, row.kind)
    entries = _entries(connection, rows)
    return next(
        entry for entry in entries if (entry.name, entry.version) == (row.name, row.version)
    )


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
    measures = {task_id: measures_of(connection, task_id) for task_id in withdrawn}
    today: dict[str, list[Any]] = {}
    entries = []
    for row in rows:
        kind = find_kind(row.kind)
        changed: list[Change] = []
        if row.task_id is not None:
            request = kind.request(**row.request)
            key = f"{row.kind} {row.task_id} {_today_key(request)}"
            if key not in today:
                today[key] = kind.today(connection, row.task_id, request)
            recorded = measure_named(measures[row.task_id], getattr(request, "measure", None) or "")
            changed = changes(
                inputs[row.id],
                today[key],
                withdrawn={
                    (label, assessments): reason
                    for (measure, label, assessments), reason in withdrawn[row.task_id].items()
                    if recorded is not None and measure == recorded.name
                },
                left_out=kind.left_out(row.result),
            )
        entries.append(
            ResultEntry(
                **{name: getattr(row, name) for name in _ENTRY},
                brief=kind.brief(row.result),
                stale=is_stale(changed),
                changes=changed,
                renewable=is_stale(changed) and bool(kind.renewable(changed, today[key])),
            )
        )
    return _with_successors(entries)


def _with_successors(entries: Sequence[ResultEntry]) -> list[ResultEntry]:
    latest = {(entry.kind, entry.name): entry for entry in entries}
    standing = [entry for entry in latest.values() if not entry.stale]
    judged = []
    for entry in entries:
        replaced_by = None
        if entry.stale:
            if not latest[entry.kind, entry.name].stale:
                replaced_by = f"version {entry.versions}"
            else:
                same = (other for other in standing if _asks_the_same(other, entry))
                replaced_by = next((other.name for other in same), None)
        replaced = {"replaced_by": replaced_by, "renewable": False} if replaced_by else {}
        judged.append(entry.model_copy(update=replaced))
    return judged


def _asks_the_same(one: ResultEntry, other: ResultEntry) -> bool:
    request = find_kind(one.kind).request
    return one.kind == other.kind and request(**one.request) == request(**other.request)


_ENTRY = set(ResultEntry.model_fields) - {
    "brief",
    "stale",
    "changes",
    "replaced_by",
    "renewable",
}


def _today_key(request: Request) -> tuple[object, ...]:
    """Return what of a request decides from which inputs it is computed."""
    of_rounds = ("assessments", "round", "from_round", "to_round", "rounds")
    names = ("measure", "scale", "scales", *of_rounds, "rests_on", "by_teams")
    return tuple(getattr(request, name, None) for name in names)


def _read(kind: Kind, row: _Stored) -> Result:
    return kind.read(row.result, f"{kind.title.capitalize()} '{row.name}', version {row.version},")


def _is_same(kind: Kind, row: _Stored, content: dict[str, Any], note: str | None) -> bool:
    # The same result by another version of Roundbook, or of a default that was named, is the same.
    beside = {"software": "", "margin_from": None}
    stored = _read(kind, row).model_dump(mode="json", by_alias=True)
    return note in (None, row.note) and stored | beside == content | beside


def _next_number(connection: Connection, kind: str, task_id: int | None) -> int:
    names = connection.execute(
        text("SELECT DISTINCT name FROM roundbook.result WHERE kind = :kind AND task_id = :task"),
        {"kind": kind, "task": task_id},
    ).scalars()
    numbers = [str(name).rpartition("-")[2] for name in names]
    return 1 + max((int(number) for number in numbers if number.isdigit()), default=0)
