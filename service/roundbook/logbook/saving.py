"""Saving of results, as the next version of their name and with their inputs.

Renewing a result computes it again from today's inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from operator import not_
from typing import Any, Literal, NamedTuple, get_args

from pydantic import Field
from sqlalchemy import Connection, Row, text

from roundbook.database.tables import result as result_table
from roundbook.database.tables import result_input
from roundbook.errors import InputError, RecordError, RevisedMeanwhileError
from roundbook.logbook.events import record_event
from roundbook.logbook.input_rows import CurrentInputs
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.names import check_name, check_text
from roundbook.logbook.result import SOFTWARE, ErrorField, Result
from roundbook.logbook.saved_results import (
    ResultEntry,
    ShownResult,
    judge_result,
    latest_results,
)
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Input, Origin
from roundbook.logbook.stored_results import (
    find_stored,
    is_latest,
    next_name,
    read_row,
    read_stored,
    request_again,
    stored_results,
    versions_of,
)
from roundbook.requests.base import Request
from roundbook.requests.results import RenewResults, SaveResult


class SavedResult(ShownResult):
    """A saved result; `status` is ``unchanged`` if its content was saved already.

    `asked_before` has the former values of fields of the request that differ from those of the
    version before, such as another measure under the same name.
    """

    status: Literal["saved", "unchanged"]
    asked_before: dict[str, Any] = Field(default_factory=dict, exclude_if=not_)


class Renewed(Result):
    """A renewed result: the former version and the new one."""

    before: ResultEntry
    after: ResultEntry
    status: Literal["saved", "unchanged"]


class Renewal(Result):
    """The results renewed (in a dry run: to be renewed), and those left stale, with the errors."""

    renewed: list[Renewed]
    left: list[tuple[ResultEntry, ErrorField]]
    dry_run: bool = False


_UNNAMED = SaveResult()


def save_result(
    session: Session, kind: str, request: Request, under: SaveResult = _UNNAMED
) -> SavedResult:
    """Compute a result and save it as the next version of a name, by default of a numbered one.

    The same content again is ``unchanged``, also without its note. A result without a task needs a
    name.

    Raises
    ------
    InputError
        When the name or the note cannot be used.
    AlreadyRecordedError
        When the name is that of another task's result, or one of them is of no task.
    """
    return _save_version(session, kind, request, _checked(kind, request, under))


def _save_version(session: Session, kind: str, request: Request, under: SaveResult) -> SavedResult:
    # Locked, so that no correction comes between reading the inputs and saving the result.
    task_id = _find_task_of(session.connection, request, lock=True)
    return _store_version(session, compute_result(session, kind, request), task_id, under)


def renew_results(session: Session, request: RenewResults) -> Renewal:
    """Compute saved results again from today's inputs, as their next versions.

    Raises
    ------
    NotRecordedError
        When there is no such result or task.
    RoundbookError
        When a single result is to be renewed and cannot be computed today.
    """
    connection = session.connection
    if request.name is not None:
        row = find_stored(connection, request.kind, request.name, None)
        entries = [judge_result(connection, row)]
    else:
        # Locked, so that results made stale by a correction under way are renewed too.
        task_id = find_task(connection, request.task or "", lock=True)
        entries = [
            entry
            for entry, _ in latest_results(connection, task_id, request.kind)
            if entry.stale and entry.replaced_by is None
        ]
    renewed, left = [], []
    for before in entries:
        try:
            again = request_again(before)
            # The name as it is recorded, which may be one that is refused today.
            under = SaveResult.model_construct(name=before.name, note=before.note)
            after = _save_version(session, before.kind, again, under)
        except (RecordError, InputError) as error:
            # Its inputs no longer exist, or the statistic does not; nothing was written. Other
            # errors, such as that of a time limit, end the renewal.
            if request.name is not None:
                raise
            left.append((before, error))
            continue
        entry = ResultEntry(**dict(after))
        renewed.append(Renewed(before=before, after=entry, status=after.status))
    return Renewal(renewed=renewed, left=left, dry_run=request.dry_run)


class ComputedResult(NamedTuple):
    """A computed result to save, with its request and its inputs."""

    kind: str
    request: Request
    result: Result
    inputs: list[Input]

    def is_of_today(self, connection: Connection) -> bool:
        """Return whether these are today's inputs, as none was corrected since."""
        return self.inputs == _inputs_of(connection, self.kind, self.request, self.result)


def compute_result(session: Session, kind: str, request: Request) -> ComputedResult:
    """Compute a result of a kind."""
    definition = find_kind(kind)
    result = definition.compute(session, request)
    request = definition.saved_request(request, result)
    return ComputedResult(
        kind, request, result, _inputs_of(session.connection, kind, request, result)
    )


def _inputs_of(connection: Connection, kind: str, request: Request, result: Result) -> list[Input]:
    task_id = _find_task_of(connection, request)
    if task_id is None:
        return []
    definition = find_kind(kind)
    return definition.inputs(definition.today(CurrentInputs(connection, task_id), request), result)


def _find_task_of(connection: Connection, request: Request, *, lock: bool = False) -> int | None:
    """Return the id of the task that a request is of, None for a request without one."""
    task = getattr(request, "task", None)
    return None if task is None else find_task(connection, task, lock=lock)


def save_long_result(
    begin: Callable[..., AbstractContextManager[Session]],
    kind: str,
    request: Request,
    under: SaveResult = _UNNAMED,
) -> SavedResult:
    """Compute and save a result that may take long, without locking out other users.

    It is computed from one snapshot of the record, and saved in a second transaction if its inputs
    are still the same; otherwise it is computed again.

    Parameters
    ----------
    begin : callable
        Begins a transaction; with ``one_snapshot`` it reads one snapshot of the record.

    Raises
    ------
    RevisedMeanwhileError
        When its inputs were corrected in each of three attempts.
    RoundbookError
        As `save_result`; a name that cannot be used is refused before anything is computed.
    """
    under = _checked(kind, request, under)
    for _ in range(_ATTEMPTS):
        with begin(one_snapshot=True) as session:
            if under.name is not None:
                task_id = _find_task_of(session.connection, request)
                versions_of(session.connection, kind, under.name, task_id)
            computed = compute_result(session, kind, request)
        with begin() as session:
            task_id = _find_task_of(session.connection, request, lock=True)
            if computed.is_of_today(session.connection):
                return _store_version(session, computed, task_id, under)
    raise RevisedMeanwhileError(
        f"What the {find_kind(kind).title} rests on was corrected each time it was computed; ask for"
        " it again.",
        kind=kind,
    )


_ATTEMPTS = 3


def _checked(kind: str, request: Request, under: SaveResult) -> SaveResult:
    """Return the name and the note as they are recorded; a result of a task needs no name."""
    name = under.name
    if name is not None or getattr(request, "task", None) is None:
        name = check_name(find_kind(kind).title, name or "")
    return SaveResult(name=name, note=check_text("note", under.note))


def _store_version(
    session: Session, computed: ComputedResult, task_id: int | None, under: SaveResult
) -> SavedResult:
    """Save a result as the next version of its name; its task is locked."""
    kind, connection = computed.kind, session.connection
    name, note = under.name, under.note
    content = computed.result.model_dump(mode="json", by_alias=True)
    if name is None:
        same = (
            row.name
            for row in stored_results(connection, task_id, kind)
            if is_latest(row) and _holds(connection, row, content, note)
        )
        task = str(getattr(computed.request, "task", None))
        name = next(same, None) or next_name(connection, kind, task_id, task)
    connection.execute(_LOCK, {"kind": kind, "name": name})
    versions = versions_of(connection, kind, name, task_id)
    last = versions[-1] if versions else None
    # Equal figures from different inputs are a new version, or the result would stay stale.
    unchanged = (
        last is not None
        and _is_same(find_kind(kind), last, content, note)
        and not judge_result(connection, last).stale
    )
    before: dict[str, Any] = {}
    if not unchanged:
        request = computed.request.model_dump(mode="json", exclude_none=True)
        if last is not None:
            before = asked_otherwise(last.request, request)
        columns = {
            "task_id": task_id,
            "kind": kind,
            "name": name,
            "version": last.version + 1 if last else 1,
            "request": request,
            "result": content,
            "note": note,
            "software": SOFTWARE,
            "saved_by": session.user,
        }
        _insert_version(session, columns, computed.inputs)
        versions = stored_results(connection, kind=kind, name=name)
    return SavedResult(
        **dict(judge_result(connection, versions[-1])),
        result=read_stored(versions[-1]),
        status="unchanged" if unchanged else "saved",
        asked_before=before,
    )


def asked_otherwise(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """Return the former values of fields of a saved request that differ from those of now."""
    # A field that only one of them has may be new in this version of Roundbook.
    return {
        field: before[field] for field in now if field in before and before[field] != now[field]
    }


def _insert_version(session: Session, columns: dict[str, Any], inputs: Sequence[Input]) -> None:
    """Insert a version of a result, with these columns and inputs, and record the event."""
    result_id = session.connection.execute(
        result_table.insert().values(columns).returning(result_table.c.id)
    ).scalar_one()
    if inputs:
        session.connection.execute(
            result_input.insert(),
            [
                {"result_id": result_id, "position": position, "known": dict(row.known)}
                | {f"{origin}_id": None for origin in _ORIGINS}
                | {f"{row.origin}_id": row.id}
                for position, row in enumerate(inputs)
            ],
        )
    definition = find_kind(columns["kind"])
    brief = definition.brief(columns["result"])
    details = {definition.title: columns["name"], "version": columns["version"]}
    for key in ("measure", *definition.in_event):
        if brief.get(key) is not None:
            details[key] = brief[key]
    record_event(
        session,
        f"{definition.title} saved",
        why=columns["note"],
        task_id=columns["task_id"],
        details=details,
    )


_ORIGINS = get_args(Origin)

# The name is locked too, as results of another task, or of none, may be saved under it meanwhile.
_LOCK = text(
    "SELECT pg_advisory_xact_lock(hashtextextended("
    "concat('roundbook.result ', CAST(:kind AS text), ' ', CAST(:name AS text)), 0))"
)


def _holds(
    connection: Connection, listed: Row[Any], content: dict[str, Any], note: str | None
) -> bool:
    """Return whether a listed result has the same content; False if it cannot be read."""
    read, kind = read_row(listed), find_kind(listed.kind)
    if read.illegible is not None or read.brief != kind.brief(content):
        return False
    whole = stored_results(connection, kind=listed.kind, name=listed.name)[-1]
    try:
        return _is_same(kind, whole, content, note)
    except RecordError:
        return False


def _is_same(kind: Kind, row: Row[Any], content: dict[str, Any], note: str | None) -> bool:
    # The version of Roundbook does not make a result different.
    beside = dict.fromkeys(("software", *kind.beside))
    stored = read_stored(row).model_dump(mode="json", by_alias=True)
    return note in (None, row.note) and stored | beside == content | beside
