"""Rounds of a task, in the order in which they were created, and the published ones of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from operator import not_
from typing import NamedTuple

from pydantic import Field
from sqlalchemy import Connection, func, select, text

from roundbook.database.tables import round_, task
from roundbook.errors import AlreadyRecordedError, NotRecordedError, RoundPublishedError
from roundbook.logbook.events import record_event
from roundbook.logbook.held_order import OutOfOrder, rounds_out_of_order
from roundbook.logbook.lookup import Series, find_round, find_task, read_round, round_named
from roundbook.logbook.names import NearName, check_name, is_named, near_name, near_recorded
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import ensure_task
from roundbook.logbook.withdrawals import LATEST
from roundbook.requests.matrices import LoggingRequest
from roundbook.requests.runs import LogQrels, LogRuns
from roundbook.requests.tasks import CreateRound, ListRounds
from roundbook.requests.variances import RecordVarianceRequest


class LoggedMeasure(Result):
    """The latest revision of a measure's matrix in a round; `withdrawn` is the reason, if it is."""

    matrix: int
    measure: str
    assessments: str
    revision: int
    topics: int
    runs: int
    withdrawn: str | None


class Round(Result):
    """A round and its score matrices.

    `collection` is its document collection, None if none is declared. `out_of_order` are the pairs
    of it and another round whose dates contradict the order in which they are recorded.
    """

    round: str
    ordinal: int
    held: date | None
    collection: str | None
    status: str
    matrices: list[LoggedMeasure]
    out_of_order: list[OutOfOrder] = Field(default_factory=list, exclude_if=not_)


class CreatedRound(Round):
    """A new round, with the recorded one of its task whose label may have been meant, if any.

    `near_collection` is that of another round which its collection may be a misspelling of.
    """

    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)
    near_collection: str | None = Field(None, exclude_if=not_)


class RoundList(Result):
    """The rounds of a task, in the order they were created."""

    task: str
    rounds: list[Round]


def create_round(session: Session, request: CreateRound) -> CreatedRound:
    """Record a new round, after the last one of its task.

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
        raise round_exists(request.task, label)
    rounds = read_rounds(connection, task_id)
    return CreatedRound(
        **dict(rounds[-1]),
        near_names=near_recorded(session, request.task, label, is_new=True),
        near_collection=near_collection(rounds, collection),
    )


def round_exists(task_name: str, label: str) -> AlreadyRecordedError:
    """Return the error for a label that another round of the task has."""
    return AlreadyRecordedError(
        f"Task '{task_name}' has a round '{label}' already.",
        way_out="round exists",
        task=task_name,
        round=label,
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
    return RoundList(task=request.task, rounds=read_rounds(connection, task_id))


def main_measure(rounds: Sequence[Round]) -> str:
    """Return the measure that most rounds have, the first by name in a tie; empty for none.

    Withdrawn scores count where there are no others.
    """
    rows = [(entry.round, row) for entry in rounds for row in entry.matrices]
    current = [(label, row) for label, row in rows if row.withdrawn is None]
    counts = Counter(name for _, name in {(label, row.measure) for label, row in current or rows})
    return min(counts, key=lambda name: (-counts[name], name), default="")


def other_measures(rounds: Sequence[Round], measure: str) -> list[str]:
    """Return the measures of rounds except `measure`, by name, without withdrawn scores."""
    rows = [row for entry in rounds for row in entry.matrices if row.withdrawn is None]
    return sorted({row.measure for row in rows} - {measure})


def has_scores(entry: Round, measure: str, assessments: str | None) -> bool:
    """Return whether scores of a measure, by its recorded name, count in a round.

    They count under any label of assessments, or under one given.
    """
    return any(
        row.measure == measure and row.withdrawn is None and assessments in (None, row.assessments)
        for row in entry.matrices
    )


def open_round(
    session: Session, request: LoggingRequest | LogRuns | LogQrels | RecordVarianceRequest
) -> tuple[int, int, list[NearName]]:
    """Lock the task of a request; return its id, that of its round, and near names of new ones.

    Both are recorded if they are new and `create` is set.
    """
    task, label, near = request.task, request.round, []
    if request.create and ensure_task(session, task):
        near += near_recorded(session, task, is_new=True)
    task_id = find_task(session.connection, task, lock=True, way_out="no task")
    if request.create and _ensure_round(session, task_id, label):
        near += near_recorded(session, task, label, is_new=True)
    round_id = find_round(session.connection, task_id, task, label, way_out="no round")
    return task_id, round_id, near


def check_first(
    connection: Connection, series: Series, reason: str | None, further: str, missing: str
) -> None:
    """Refuse first scores of a published round without a reason, and of a draft with one.

    The errors name them by `further`, and by the clause `missing` that none are recorded.
    """
    published = read_round(connection, series.round_id).status == "published"
    if published and reason is None:
        raise RoundPublishedError(
            f"Round '{series.round}' is published: it takes {further} only with a reason.",
            way_out="revise with a reason",
            round=series.round,
        )
    if reason is not None and not published:
        raise NotRecordedError(
            f"{missing} yet to revise.",
            way_out="nothing to revise",
            round=series.round,
            measure=series.measure,
        )


def _ensure_round(
    session: Session,
    task_id: int,
    label: str,
    held: date | None = None,
    collection: str | None = None,
) -> bool:
    """Record a round unless it exists; return whether it is new. The task must be locked."""
    connection, label = session.connection, check_name("round", label)
    if round_named(connection, task_id, label) is not None:
        return False
    last = select(func.coalesce(func.max(round_.c.ordinal), 0)).where(round_.c.task_id == task_id)
    round_id = connection.execute(
        round_.insert()
        .values(
            task_id=task_id,
            ordinal=last.scalar_subquery() + 1,
            label=label,
            held=held,
            collection=collection,
        )
        .returning(round_.c.id)
    ).scalar_one()
    facts = {"round": label, "held": held and str(held), "collection": collection}
    details = {name: fact for name, fact in facts.items() if fact is not None}
    record_event(session, "round created", task_id=task_id, round_id=round_id, details=details)
    return True


def collection_name(request: CreateRound) -> str | None:
    """Return the name of a request's collection, None without one."""
    name = request.collection
    return None if name is None else check_name("document collection", name)


def near_collection(rounds: Sequence[Round], collection: str | None) -> str | None:
    """Return the collection of a round that one just declared may be a misspelling of, or None."""
    declared = Counter(row.collection for row in rounds)
    if collection is None or declared[collection] > 1:
        return None
    return near_name(collection, filter(None, declared))


def read_rounds(connection: Connection, task_id: int, label: str | None = None) -> list[Round]:
    """Return a task's rounds, or the one with this label."""
    logged: dict[int, list[LoggedMeasure]] = {}
    for row in connection.execute(_MATRICES, {"task": task_id}):
        logged.setdefault(row.round_id, []).append(LoggedMeasure(**row._mapping))
    rounds = connection.execute(
        select(round_, round_.c.label.label("round"))
        .where(round_.c.task_id == task_id)
        .order_by(round_.c.ordinal)
    )
    entries = [Round(**row._mapping, matrices=logged.get(row.id, [])) for row in rounds]
    return [entry for entry in with_order(entries) if label in (None, entry.round)]


_MATRICES = text(f"""
SELECT matrix.round_id, measure.name AS measure, matrix.assessments, matrix.revision, matrix.topics,
       matrix.runs, matrix.id AS matrix, matrix.withdrawn
FROM {LATEST} AS matrix
JOIN roundbook.measure ON measure.id = matrix.measure_id
JOIN roundbook.round ON round.id = matrix.round_id
WHERE round.task_id = :task
ORDER BY matrix.round_id, measure.name, matrix.assessments
""")  # noqa: S608


def with_order(rounds: Sequence[Round]) -> list[Round]:
    """Return rounds with the pairs of them whose dates contradict their order."""
    pairs: dict[str, list[OutOfOrder]] = {}
    for pair in rounds_out_of_order(rounds):
        pairs.setdefault(pair.round, []).append(pair)
        pairs.setdefault(pair.recorded_after, []).append(pair)
    return [
        entry.model_copy(update={"out_of_order": pairs.get(entry.round, [])}) for entry in rounds
    ]


class PublishedPart(NamedTuple):
    """The published part of a task: the number of its rounds, and the measures that count there."""

    rounds: int
    measures: list[str]


def published_rounds(connection: Connection, task_name: str) -> dict[str, bool]:
    """Return, by label, whether each round of a task is published."""
    rows = connection.execute(
        select(round_.c.label, round_.c.status)
        .join(task, task.c.id == round_.c.task_id)
        .where(is_named(task.c.name, task_name))
    )
    return {row.label: row.status == "published" for row in rows}


def published_tasks(connection: Connection) -> dict[str, PublishedPart]:
    """Return the tasks that have published rounds, by name."""
    return {name: PublishedPart(*part) for name, *part in connection.execute(_PUBLISHED)}


_PUBLISHED = text("""
SELECT task.name, count(DISTINCT round.id), array_remove(array_agg(DISTINCT measure.name), NULL)
FROM roundbook.task
JOIN roundbook.round ON round.task_id = task.id
LEFT JOIN roundbook.current_matrix AS matrix ON matrix.round_id = round.id
LEFT JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE round.status = 'published'
GROUP BY task.name
""")
