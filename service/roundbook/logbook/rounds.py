"""Rounds: one holding of a task, in the order they were created."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date

from sqlalchemy import Connection, func, select, true
from sqlalchemy.dialects.postgresql import distinct_on, insert

from roundbook.database.tables import matrix, measure, round_, withdrawn
from roundbook.errors import AlreadyRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_name, find_round, find_task, is_named
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import ensure_task
from roundbook.requests.tasks import CreateRound, ListRounds


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
    collection = collection_name(request)
    if not _ensure_round(session, task_id, label, request.held, collection):
        raise AlreadyRecordedError(
            f"Task '{request.task}' has a round '{label}' already.",
            way_out="round exists",
            task=request.task,
            round=label,
        )
    return read_rounds(connection, task_id, label)[0]


def list_rounds(session: Session, request: ListRounds) -> RoundList:
    """Return the rounds of a task.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = find_task(connection, request.task)
    return RoundList(task=request.task, rounds=read_rounds(connection, task_id))


def main_measure(rounds: Sequence[Round]) -> str:
    """Return the measure that most rounds have, the first by name of several; empty for none."""
    counted = Counter(name for one in rounds for name in {row.measure for row in one.matrices})
    return min(counted, key=lambda name: (-counted[name], name), default="")


def other_measures(rounds: Sequence[Round], measure: str) -> list[str]:
    """Return the measures of rounds but one, by name."""
    return sorted({row.measure for one in rounds for row in one.matrices} - {measure})


def open_round(session: Session, task: str, label: str, *, create: bool) -> tuple[int, int]:
    """Lock a task and return its id and its round's, making both where `create` allows it."""
    if create:
        ensure_task(session, task)
    task_id = find_task(session.connection, task, lock=True, way_out="no task")
    if create:
        _ensure_round(session, task_id, label)
    return task_id, find_round(session.connection, task_id, task, label, way_out="no round")


def _ensure_round(
    session: Session,
    task_id: int,
    label: str,
    held: date | None = None,
    collection: str | None = None,
) -> bool:
    """Record a round unless it is there; return whether it is new. The task must be locked."""
    connection, label = session.connection, check_name("round", label)
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
        session,
        "round created",
        task_id=task_id,
        round_id=round_id,
        details=details,
    )
    return True


def collection_name(request: CreateRound) -> str | None:
    """Return the name of the collection that a request gives, None where it gives none."""
    name = request.collection
    return None if name is None else check_name("document collection", name)


def read_rounds(connection: Connection, task_id: int, label: str | None = None) -> list[Round]:
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
        logged.setdefault(row.round_id, []).append(LoggedMeasure(**row._mapping))
    rounds = connection.execute(
        select(round_, round_.c.label.label("round"))
        .where(round_.c.task_id == task_id, true() if label is None else round_.c.label == label)
        .order_by(round_.c.ordinal)
    )
    return [Round(**row._mapping, matrices=logged.get(row.id, [])) for row in rounds]
