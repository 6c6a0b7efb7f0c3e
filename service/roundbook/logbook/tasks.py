"""Tasks: what a campaign evaluates, round after round."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, distinct, func, select, union
from sqlalchemy.dialects.postgresql import insert

from roundbook.database.tables import matrix, measure, published_variance, round_, task
from roundbook.errors import AlreadyRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_name, optional_text
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.tasks import CreateTask


class Task(Result):
    """A task, with what is recorded in it."""

    task: str
    title: str | None
    rounds: int
    measures: list[str]
    created_at: datetime


class TaskList(Result):
    """All tasks, oldest first."""

    tasks: list[Task]


def create_task(session: Session, request: CreateTask) -> Task:
    """Record a new task.

    Raises
    ------
    AlreadyRecordedError
        When there is a task of that name.
    """
    name = check_name("task", request.task)
    if not ensure_task(session.connection, name, request.title, user=session.user):
        raise AlreadyRecordedError(f"There is a task '{name}' already.", way_out="task exists")
    return _read(session.connection, name)[0]


def list_tasks(session: Session) -> TaskList:
    """Return all tasks, oldest first."""
    return TaskList(tasks=_read(session.connection))


def ensure_task(connection: Connection, name: str, title: str | None = None, *, user: str) -> bool:
    """Record a task unless it is there; return whether it is new."""
    name = check_name("task", name)
    statement = insert(task).values(name=name, title=optional_text("title", title))
    task_id = connection.execute(
        statement.on_conflict_do_nothing().returning(task.c.id)
    ).scalar_one_or_none()
    if task_id is None:
        return False
    record_event(connection, "task created", who=user, task_id=task_id, details={"task": name})
    return True


def _read(connection: Connection, name: str | None = None) -> list[Task]:
    used = union(
        select(matrix.c.round_id, matrix.c.measure_id),
        select(published_variance.c.round_id, published_variance.c.measure_id),
    ).subquery()
    query = (
        select(
            task.c.name.label("task"),
            task.c.title,
            func.count(distinct(round_.c.id)).label("rounds"),
            func.array_remove(func.array_agg(distinct(measure.c.name)), None).label("measures"),
            task.c.created_at,
        )
        .select_from(
            task.outerjoin(round_, round_.c.task_id == task.c.id)
            .outerjoin(used, used.c.round_id == round_.c.id)
            .outerjoin(measure, measure.c.id == used.c.measure_id)
        )
        .group_by(task.c.id)
        .order_by(task.c.id)
    )
    if name is not None:
        query = query.where(task.c.name == name)
    return [Task(**row._mapping) for row in connection.execute(query)]
