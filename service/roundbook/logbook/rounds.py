"""Rounds: one holding of a task, in the order they were created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any
from unicodedata import normalize

from sqlalchemy import Connection, Row, func, select, true
from sqlalchemy.dialects.postgresql import distinct_on, insert

from roundbook.database.tables import current_matrix, event, matrix, measure, round_, withdrawn
from roundbook.database.tables import task as task_table
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RecordError,
    RoundPublishedError,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.input_rows import results_of_round
from roundbook.logbook.lookup import check_name, find_round, find_task, is_named, optional_text
from roundbook.logbook.near_names import near_name
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import (
    PUBLISHED,
    fingerprint_round,
    published_fingerprint,
)
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import ensure_task, is_held_error, what_is_held
from roundbook.requests.tasks import (
    CreateRound,
    ListRounds,
    PublishRound,
    RemoveRound,
    RenameRound,
    SetRound,
)


class LoggedMeasure(Result):
    """The latest revision of a measure's score matrix in a round; `withdrawn` is why it is so."""

    matrix: int
    measure: str
    assessments: str
    revision: int
    topics: int
    runs: int
    withdrawn: str | None


class Round(Result):
    """A round, with the score matrices logged in it.

    `collection` is the document collection it was held on, None where that is not declared.
    """

    round: str
    ordinal: int
    held: date | None
    collection: str | None
    status: str
    matrices: list[LoggedMeasure]


class PublishedRound(Round):
    """A round just published; `status` is ``unchanged`` where it was published already.

    `published_at` is when it was published, None where that is not known; `fingerprint` is that of
    what counts in the round today, `published_fingerprint` that which was noted when it was
    published, None where none was.
    """

    published_at: datetime | None
    fingerprint: str
    published_fingerprint: str | None


class RenamedRound(Round):
    """A round under its new label, and the one it had."""

    was: str


class RemovedRound(Result):
    """A round that is gone."""

    task: str
    round: str


class RoundList(Result):
    """The rounds of a task, in the order they were created."""

    task: str
    rounds: list[Round]


def create_round(session: Session, request: CreateRound) -> Round:
    """Record a new round after the last one of its task.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    AlreadyRecordedError
        When the task has a round of that label.
    """
    connection = session.connection
    task_id = find_task(connection, request.task, lock=True, way_out="create the task")
    label = check_name("round", request.round)
    collection = _collection_name(request)
    if not ensure_round(connection, task_id, label, request.held, collection, user=session.user):
        raise AlreadyRecordedError(
            f"Task '{request.task}' has a round '{label}' already.",
            way_out="round exists",
            task=request.task,
        )
    return _read(connection, task_id, label)[0]


def set_round(session: Session, request: SetRound) -> Round:
    """Record when and on which collection a round was held.

    What is unknown is filled in; what is recorded changes only by `force`, and what is None in
    the request stays as it is.

    Raises
    ------
    InputError
        When there is nothing to set.
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When something else is recorded and `force` is not given.
    """
    given = {"held": request.held, "collection": _collection_name(request)}
    if not any(given.values()):
        raise InputError("There is nothing to set.", way_out="nothing to set")
    connection = session.connection
    task_id, recorded = _locked(connection, request)
    new = {
        name: value
        for name, value in given.items()
        if value is not None and value != getattr(recorded, name)
    }
    for name, value in new.items():
        was = getattr(recorded, name)
        if was is not None and not request.force:
            raise AlreadyRecordedError(
                f"Round '{recorded.label}' is recorded with {name} '{was}', not '{value}'.",
                way_out="force a change",
            )
    if new:
        connection.execute(round_.update().where(round_.c.id == recorded.id).values(**new))
        record_event(
            connection,
            "round changed",
            who=session.user,
            task_id=task_id,
            round_id=recorded.id,
            details={
                name: {"was": _text(getattr(recorded, name)), "is": _text(value)}
                for name, value in new.items()
            },
        )
    return _read(connection, task_id, recorded.label)[0]


def rename_round(session: Session, request: RenameRound) -> RenamedRound:
    """Give a round another label; where it holds scores, only by `force`.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When the task has a round of the new label.
    RoundPublishedError
        When it is published.
    RecordError
        When a saved result rests on it, or it holds scores and `force` is not given.
    """
    connection = session.connection
    label = check_name("round", request.name)
    task_id, recorded = _locked(connection, request)
    was = recorded.label
    taken = select(round_.c.id).where(
        round_.c.task_id == task_id, is_named(round_.c.label, label), round_.c.id != recorded.id
    )
    if connection.execute(taken).first():
        raise AlreadyRecordedError(
            f"Task '{request.task}' has a round '{label}' already.",
            way_out="round exists",
            task=request.task,
        )
    if recorded.status == "published":
        raise RoundPublishedError(f"Round '{was}' is published, so it keeps its label.")
    if saved := results_of_round(connection, recorded.id):
        raise RecordError(
            f"The saved result '{saved[0]}' rests on round '{was}', so it keeps its label."
        )
    held = what_is_held(connection, [recorded.id])
    if held is not None and not request.force:
        raise RecordError(f"Round '{was}' holds {held}.", way_out="force a rename")
    if label != was:
        connection.execute(round_.update().where(round_.c.id == recorded.id).values(label=label))
        record_event(
            connection,
            "round renamed",
            who=session.user,
            task_id=task_id,
            round_id=recorded.id,
            details={"round": {"was": was, "is": label}},
        )
    return RenamedRound(**dict(_read(connection, task_id, label)[0]), was=was)


def remove_round(session: Session, request: RemoveRound) -> RemovedRound:
    """Take out a round that holds no scores; those after it move up, and its events stay.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    RecordError
        When it holds scores.
    """
    connection = session.connection
    task_id, recorded = _locked(connection, request)
    if held := what_is_held(connection, [recorded.id]):
        raise is_held_error(f"Round '{recorded.label}'", held, request.task)
    connection.execute(round_.delete().where(round_.c.id == recorded.id))
    later = connection.execute(
        select(round_.c.id)
        .where(round_.c.task_id == task_id, round_.c.ordinal > recorded.ordinal)
        .order_by(round_.c.ordinal)
    ).scalars()
    # One by one: no two rounds may have one place in between.
    for round_id in later.all():
        moved_up = round_.update().where(round_.c.id == round_id)
        connection.execute(moved_up.values(ordinal=round_.c.ordinal - 1))
    record_event(
        connection,
        "round removed",
        who=session.user,
        task_id=task_id,
        details={"round": recorded.label},
    )
    return RemovedRound(task=request.task, round=recorded.label)


def near_round(session: Session, task: str, label: str) -> str | None:
    """Return the round of a task that a new label may be a slip for.

    None where it is like none, or is one, and where there is no such task.
    """
    labels = session.connection.execute(
        select(round_.c.label)
        .join(task_table, task_table.c.id == round_.c.task_id)
        .where(is_named(task_table.c.name, task))
        .order_by(round_.c.ordinal)
    ).scalars()
    label = check_name("round", label)
    known = [normalize("NFC", other) for other in labels]
    return None if label in known else near_name(label, known)


def publish_round(session: Session, request: PublishRound) -> PublishedRound:
    """Publish a round: from then on it takes a score matrix only as a revision, with a reason.

    There is no way back. A published round again is ``unchanged``, and the reason is not recorded.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or no matrix in the round that counts.
    """
    reason = optional_text("reason", request.reason)
    connection = session.connection
    task_id, recorded = _locked(connection, request)
    fingerprint = fingerprint_round(connection, recorded.id)
    if recorded.status != "published":
        counted = connection.execute(
            select(func.count())
            .select_from(current_matrix)
            .where(current_matrix.c.round_id == recorded.id)
        ).scalar_one()
        if not counted:
            raise NotRecordedError(
                f"Round '{recorded.label}' has no score matrix to publish.",
                way_out="nothing to publish",
            )
        connection.execute(
            round_.update().where(round_.c.id == recorded.id).values(status="published")
        )
        record_event(
            connection,
            PUBLISHED,
            who=session.user,
            why=reason,
            task_id=task_id,
            round_id=recorded.id,
            details={"matrices": counted, "fingerprint": fingerprint},
        )
    published_at = connection.execute(
        select(func.min(event.c.at)).where(
            event.c.round_id == recorded.id, event.c.what == PUBLISHED
        )
    ).scalar_one()
    published = _read(connection, task_id, recorded.label)[0]
    status = "unchanged" if recorded.status == "published" else "published"
    return PublishedRound(
        **published.model_dump(exclude={"status"}),
        status=status,
        published_at=published_at,
        fingerprint=fingerprint,
        published_fingerprint=published_fingerprint(connection, recorded.id),
    )


def list_rounds(session: Session, request: ListRounds) -> RoundList:
    """Return the rounds of a task.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = find_task(connection, request.task)
    return RoundList(task=request.task, rounds=_read(connection, task_id))


def main_measure(rounds: Sequence[Round]) -> str:
    """Return the measure that most rounds have, the first by name of several; empty for none."""
    counted = Counter(name for one in rounds for name in {row.measure for row in one.matrices})
    return min(counted, key=lambda name: (-counted[name], name), default="")


def open_round(
    connection: Connection, task: str, label: str, *, create: bool, user: str
) -> tuple[int, int]:
    """Lock a task and return its id and its round's, making both where `create` allows it."""
    if create:
        ensure_task(connection, task, user=user)
    task_id = find_task(connection, task, lock=True, way_out="no task")
    if create:
        ensure_round(connection, task_id, label, user=user)
    return task_id, find_round(connection, task_id, task, label, way_out="no round")


def ensure_round(
    connection: Connection,
    task_id: int,
    label: str,
    held: date | None = None,
    collection: str | None = None,
    *,
    user: str,
) -> bool:
    """Record a round unless it is there; return whether it is new. The task must be locked."""
    label = check_name("round", label)
    known = select(round_.c.id).where(round_.c.task_id == task_id, is_named(round_.c.label, label))
    if connection.execute(known).first():
        return False
    last = select(func.coalesce(func.max(round_.c.ordinal), 0)).where(round_.c.task_id == task_id)
    statement = insert(round_).values(
        task_id=task_id,
        ordinal=last.scalar_subquery() + 1,
        label=label,
        held=held,
        collection=collection,
    )
    round_id = connection.execute(
        statement.on_conflict_do_nothing(index_elements=["task_id", "label"]).returning(round_.c.id)
    ).scalar_one_or_none()
    if round_id is None:
        return False
    details = {"round": label}
    if held is not None:
        details["held"] = str(held)
    if collection is not None:
        details["collection"] = collection
    record_event(
        connection,
        "round created",
        who=user,
        task_id=task_id,
        round_id=round_id,
        details=details,
    )
    return True


def _text(value: date | str | None) -> str | None:
    return None if value is None else str(value)


def _collection_name(request: CreateRound) -> str | None:
    name = request.collection
    return None if name is None else check_name("document collection", name)


def _locked(
    connection: Connection, request: SetRound | PublishRound | RenameRound | RemoveRound
) -> tuple[int, Row[Any]]:
    """Lock a task and return its id and a row of its round."""
    task_id = find_task(connection, request.task, lock=True)
    round_id = find_round(connection, task_id, request.task, request.round)
    return task_id, connection.execute(select(round_).where(round_.c.id == round_id)).one()


def _read(connection: Connection, task_id: int, label: str | None = None) -> list[Round]:
    """Return a task's rounds, or the one of this label."""
    logged: dict[int, list[LoggedMeasure]] = {}
    matrices = connection.execute(
        select(
            matrix.c.round_id,
            measure.c.name.label("measure"),
            matrix.c.assessments,
            matrix.c.revision,
            matrix.c.topics,
            matrix.c.runs,
            matrix.c.id.label("matrix"),
            withdrawn.c.reason.label("withdrawn"),
        )
        .ext(distinct_on(matrix.c.round_id, measure.c.name, matrix.c.assessments))
        .join(measure, measure.c.id == matrix.c.measure_id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .outerjoin(withdrawn, withdrawn.c.matrix_id == matrix.c.id)
        .where(round_.c.task_id == task_id)
        .order_by(matrix.c.round_id, measure.c.name, matrix.c.assessments, matrix.c.revision.desc())
    )
    for row in matrices:
        logged.setdefault(row.round_id, []).append(LoggedMeasure.model_validate(dict(row._mapping)))
    rounds = connection.execute(
        select(round_)
        .where(round_.c.task_id == task_id, true() if label is None else round_.c.label == label)
        .order_by(round_.c.ordinal)
    )
    return [
        Round(
            round=row.label,
            ordinal=row.ordinal,
            held=row.held,
            collection=row.collection,
            status=row.status,
            matrices=logged.get(row.id, []),
        )
        for row in rounds
    ]
