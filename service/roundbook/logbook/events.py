"""Events: every change of the record with its user, time and reason."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, func, select, text

from roundbook.database.tables import event, round_, task
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session

if TYPE_CHECKING:
    from roundbook.requests.record import EventsRequest


class Event(Result):
    """One change of the record.

    `who` is the name that the user gave, `database_user` the database user of the session. These
    and `software` are None where unknown, as in events recorded before Roundbook stored them.
    """

    event: int
    at: datetime
    who: str | None
    what: str
    task: str | None
    round: str | None
    matrix: int | None
    why: str | None
    details: dict[str, Any]
    software: str | None
    database_user: str | None = None


class EventList(Result):
    """Events, oldest first; `earlier` and `later` count those that the limit left out."""

    events: list[Event]
    earlier: int
    later: int


def record_event(
    session: Session,
    what: str,
    *,
    why: str | None = None,
    task_id: int | None = None,
    round_id: int | None = None,
    matrix_id: int | None = None,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Record a change, named in two or three words, as an event in the same transaction.

    Its `details` are names and figures, never ids of the database.
    """
    # In a savepoint, so that the row's xmin is assigned right after its number; see `_first_not_final`.
    with session.connection.begin_nested():
        session.connection.execute(
            event.insert().values(
                who=session.user,
                what=what,
                why=why,
                task_id=task_id,
                round_id=round_id,
                matrix_id=matrix_id,
                details=dict(details or {}),
                software=SOFTWARE,
            )
        )


def event_kinds(session: Session) -> list[str]:
    """Return the distinct kinds of events in the record, in alphabetical order."""
    return sorted(session.connection.execute(select(event.c.what).distinct()).scalars())


def list_events(session: Session, request: EventsRequest) -> EventList:
    """Return events, oldest first; with a limit the latest ones, or the first after a given event.

    After a given event, the list ends where a transaction still under way may add an event, so that
    a reader who continues after the last event misses none.

    Raises
    ------
    NotRecordedError
        When there is no such task, round or matrix.
    """
    connection = session.connection
    filters = []
    if request.task is not None:
        task_id = find_task(connection, request.task)
        filters.append(event.c.task_id == task_id)
        if request.round is not None:
            round_id = find_round(connection, task_id, request.task, request.round)
            filters.append(event.c.round_id == round_id)
    if request.matrix is not None:
        # Most commands record an event; few look one up.
        from roundbook.logbook.matrices.listing import find_matrix  # noqa: PLC0415

        filters.append(event.c.matrix_id == find_matrix(connection, request.matrix).id)
    if request.what is not None:
        filters.append(event.c.what == request.what.strip())
    if request.who is not None:
        filters.append(event.c.who == request.who)
    if request.since is not None:
        filters.append(event.c.at >= request.since)
    if request.after is not None:
        filters += [event.c.id > request.after, event.c.id < _first_not_final(request.after)]
    limit, forwards = request.limit, request.after is not None
    rows = connection.execute(
        select(
            event,
            event.c.id.label("event"),
            event.c.matrix_id.label("matrix"),
            task.c.name.label("task"),
            round_.c.label.label("round"),
        )
        .outerjoin(task, task.c.id == event.c.task_id)
        .outerjoin(round_, round_.c.id == event.c.round_id)
        .where(*filters)
        .order_by(event.c.id if forwards else event.c.id.desc())
        .limit(limit)
    ).all()
    total = len(rows)
    if limit is not None and total == limit:
        total = connection.execute(
            select(func.count()).select_from(event).where(*filters)
        ).scalar_one()
    events = [
        Event(**{**row._mapping, "software": None if row.software == "unknown" else row.software})
        for row in (rows if forwards else reversed(rows))
    ]
    rest = total - len(events)
    return EventList(events=events, earlier=0 if forwards else rest, later=rest if forwards else 0)


# A transaction that has just ended holds no lock, and counts as one of this database. A standby
# only knows the oldest transaction under way, not the others or their locks.
_FIRST_UNDER_WAY = """
    SELECT CASE WHEN pg_is_in_recovery() THEN pg_snapshot_xmin(pg_current_snapshot())
        ELSE coalesce(min(under_way), pg_snapshot_xmax(pg_current_snapshot())) END
    FROM pg_snapshot_xip(pg_current_snapshot()) under_way
    WHERE NOT EXISTS (
        SELECT FROM pg_locks JOIN pg_stat_activity USING (pid)
        WHERE locktype = 'transactionid' AND mode = 'ExclusiveLock'
            AND transactionid = under_way::xid AND datname <> current_database()
    )
"""


def _first_not_final(after: int) -> ColumnElement[int]:
    """Return the number of the first event that one of a transaction under way may still precede.

    Events are numbered when they are recorded and visible when their transactions are committed,
    which may be in another order. A transaction that has changed something has its own number
    before it numbers an event. An event whose xmin is below that of all transactions under way was
    therefore numbered before any event of theirs. Transactions of the server's other databases are
    ignored. Transaction numbers wrap round at 2^32, so `age` compares them, and events older than a
    day are taken as final.
    """
    later = event.alias("later")
    may_be_preceded = text(f"age(later.xmin) <= age(({_FIRST_UNDER_WAY})::xid)")
    first = select(func.min(later.c.id)).where(
        later.c.id > after, later.c.at > func.now() - timedelta(days=1), may_be_preceded
    )
    return func.coalesce(first.scalar_subquery(), 2**63 - 1)
