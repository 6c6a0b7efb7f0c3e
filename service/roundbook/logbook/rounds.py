"""Rounds: one holding of a task, in the order they were created."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import distinct_on, insert

from roundbook.database.tables import current_matrix, event, matrix, measure, round_, withdrawn
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_name, find_round, find_task, optional_text
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import ensure_task


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
    """A round just published; `status` is ``unchanged`` where it was published already."""


class RoundList(Result):
    """The rounds of a task, in the order they were created."""

    task: str
    rounds: list[Round]


def create_round(
    session: Session,
    task: str,
    label: str,
    held: date | None = None,
    collection: str | None = None,
) -> Round:
    """Record a new round after the last one of its task.

    Parameters
    ----------
    collection : str, optional
        The document collection; topics are bridges only between rounds on the same one.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    AlreadyRecordedError
        When the task has a round of that label.
    """
    connection = session.connection
    task_id = find_task(connection, task, lock=True)
    label = check_name("round", label)
    if not ensure_round(connection, task_id, label, held, _named(collection), user=session.user):
        raise AlreadyRecordedError(
            f"Task '{task}' has a round '{label}' already; 'roundbook round list {task}' shows it."
        )
    (created,) = [row for row in _read(connection, task_id) if row.round == label]
    return created


def set_round(
    session: Session,
    task: str,
    label: str,
    *,
    held: date | None = None,
    collection: str | None = None,
    force: bool = False,
) -> Round:
    """Record when and on which collection a round was held.

    What is unknown is filled in; what is recorded changes only by `force`, and what is None
    here stays as it is.

    Raises
    ------
    InputError
        When there is nothing to set.
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When something else is recorded and `force` is not given.
    """
    wanted = {"held": held, "collection": _named(collection)}
    told = {name: value for name, value in wanted.items() if value is not None}
    if not told:
        raise InputError("There is nothing to set: give --collection, --held or both.")
    connection = session.connection
    task_id = find_task(connection, task, lock=True)
    round_id = find_round(connection, task_id, task, label)
    recorded = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    for name, value in told.items():
        was = getattr(recorded, name)
        if was not in (None, value) and not force:
            raise AlreadyRecordedError(
                f"Round '{recorded.label}' is recorded with {name} '{was}', not '{value}'; add"
                " --force to change it."
            )
    new = {name: value for name, value in told.items() if getattr(recorded, name) != value}
    if new:
        connection.execute(round_.update().where(round_.c.id == round_id).values(**new))
        record_event(
            connection,
            "round changed",
            who=session.user,
            task_id=task_id,
            round_id=round_id,
            details={
                name: {"was": _written(getattr(recorded, name)), "is": _written(value)}
                for name, value in new.items()
            },
        )
    (changed,) = [row for row in _read(connection, task_id) if row.round == recorded.label]
    return changed


def publish_round(
    session: Session, task: str, label: str, *, why: str | None = None
) -> PublishedRound:
    """Publish a round: from then on it takes a score matrix only as a revision, with a reason.

    There is no way back. A published round again is ``unchanged``, and `why` is not recorded; see
    `published_at`.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or no matrix in the round that counts.
    """
    why = optional_text("reason", why)
    connection = session.connection
    task_id = find_task(connection, task, lock=True)
    round_id = find_round(connection, task_id, task, label)
    recorded = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    if recorded.status != "published":
        counted = connection.execute(
            select(func.count())
            .select_from(current_matrix)
            .where(current_matrix.c.round_id == round_id)
        ).scalar_one()
        if not counted:
            raise NotRecordedError(
                f"Round '{recorded.label}' has no score matrix to publish; log one with"
                " 'roundbook log'."
            )
        connection.execute(
            round_.update().where(round_.c.id == round_id).values(status="published")
        )
        record_event(
            connection,
            "round published",
            who=session.user,
            why=why,
            task_id=task_id,
            round_id=round_id,
            details={"matrices": counted},
        )
    (published,) = [row for row in _read(connection, task_id) if row.round == recorded.label]
    status = "unchanged" if recorded.status == "published" else "published"
    return PublishedRound(**published.model_dump(exclude={"status"}), status=status)


def published_at(session: Session, task: str, label: str) -> datetime | None:
    """Return when a round was published, None where that is not told or it is a draft.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    """
    connection = session.connection
    round_id = find_round(connection, find_task(connection, task), task, label)
    found: datetime | None = connection.execute(
        select(func.min(event.c.at)).where(
            event.c.round_id == round_id, event.c.what == "round published"
        )
    ).scalar_one()
    return found


def list_rounds(session: Session, task: str) -> RoundList:
    """Return the rounds of a task.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    return RoundList(task=task, rounds=_read(connection, find_task(connection, task)))


def open_round(
    connection: Connection, task: str, label: str, *, create: bool, user: str
) -> tuple[int, int]:
    """Lock a task and return its id and its round's, making both where `create` allows it."""
    if create:
        ensure_task(connection, task, user=user)
    task_id = find_task(connection, task, lock=True)
    if create:
        ensure_round(connection, task_id, label, user=user)
    return task_id, find_round(connection, task_id, task, label)


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
    last = select(func.coalesce(func.max(round_.c.ordinal), 0)).where(round_.c.task_id == task_id)
    statement = insert(round_).values(
        task_id=task_id,
        ordinal=last.scalar_subquery() + 1,
        label=label,
        held=held,
        collection=collection,
    )
    made = connection.execute(
        statement.on_conflict_do_nothing(index_elements=["task_id", "label"]).returning(round_.c.id)
    ).scalar_one_or_none()
    if made is None:
        return False
    told = {"round": label, "held": _written(held), "collection": collection}
    record_event(
        connection,
        "round created",
        who=user,
        task_id=task_id,
        round_id=made,
        details={name: value for name, value in told.items() if value is not None},
    )
    return True


def _written(value: date | str | None) -> str | None:
    return None if value is None else str(value)


def _named(collection: str | None) -> str | None:
    return None if collection is None else check_name("document collection", collection)


def _read(connection: Connection, task_id: int) -> list[Round]:
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
        select(round_).where(round_.c.task_id == task_id).order_by(round_.c.ordinal)
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
