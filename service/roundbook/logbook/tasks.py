"""Tasks, which a campaign evaluates in round after round."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import not_

from psycopg.errors import UniqueViolation
from pydantic import Field
from sqlalchemy import Connection, exc, select, text
from sqlalchemy.dialects.postgresql import insert

from roundbook.database.run_tables import qrels, run_upload
from roundbook.database.tables import (
    current_matrix,
    matrix,
    published_variance,
    result,
    round_,
    task,
)
from roundbook.database.token_tables import access_token
from roundbook.errors import AlreadyRecordedError, RecordError, RoundPublishedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import find_task
from roundbook.logbook.names import NearName, check_name, check_text, is_named, near_recorded
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.tasks import CreateTask, RemoveTask, RenameTask

# The noun for scores none of which count.
_WITHDRAWN = "withdrawn scores"


class Task(Result):
    """A task, with its number of rounds and the measures of which anything counts in it."""

    task: str
    title: str | None
    rounds: int
    measures: list[str]
    created_at: datetime


class CreatedTask(Task):
    """A new task, with the recorded one whose name may have been meant, if any."""

    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)


class TaskList(Result):
    """All tasks, oldest first."""

    tasks: list[Task]


class RenamedTask(Task):
    """A task's new name, and its former one."""

    was: str


class RemovedTask(Result):
    """A removed task, and its rounds, which held no scores."""

    task: str
    rounds: list[str]


def create_task(session: Session, request: CreateTask) -> CreatedTask:
    """Record a new task.

    Raises
    ------
    AlreadyRecordedError
        When there is a task of that name.
    """
    name = check_name("task", request.task)
    if not ensure_task(session, name, request.title):
        raise _task_exists(name)
    (created,) = _read(session.connection, name)
    return CreatedTask(**dict(created), near_names=near_recorded(session, name, is_new=True))


def _task_exists(name: str) -> AlreadyRecordedError:
    return AlreadyRecordedError(
        f"There is a task '{name}' already.", way_out="task exists", task=name
    )


def rename_task(session: Session, request: RenameTask) -> RenamedTask:
    """Give a task another name; if it holds scores, only with `force`.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    AlreadyRecordedError
        When there is a task of the new name.
    RoundPublishedError
        When one of its rounds is published.
    RecordError
        When it has a saved result, or it holds scores and `force` is not given.
    """
    connection = session.connection
    name = check_name("task", request.name)
    task_id = find_task(connection, request.task, lock=True)
    was = connection.execute(select(task.c.name).where(task.c.id == task_id)).scalar_one()
    other = select(task.c.name).where(is_named(task.c.name, name), task.c.id != task_id)
    if connection.execute(other).first():
        raise _task_exists(name)
    rounds = connection.execute(select(round_).where(round_.c.task_id == task_id)).all()
    for row in rounds:
        if row.status == "published":
            raise RoundPublishedError(
                f"Task '{was}' has the published round '{row.label}', so it keeps its name.",
                task=was,
                round=row.label,
            )
    _refuse_saved(connection, task_id, was, "keeps its name")
    content = content_of_rounds(connection, [row.id for row in rounds])
    if content is not None and not request.force:
        raise RecordError(f"Task '{was}' holds {content}.", way_out="force a rename", task=was)
    if name != was:
        try:
            connection.execute(task.update().where(task.c.id == task_id).values(name=name))
        except exc.IntegrityError as error:
            if isinstance(error.orig, UniqueViolation):  # another task has just taken it
                raise _task_exists(name) from None
            raise
        details = {"task": {"was": was, "is": name}}
        record_event(session, "task renamed", task_id=task_id, details=details)
    return RenamedTask(**dict(_read(connection, name)[0]), was=was)


def remove_task(session: Session, request: RemoveTask) -> RemovedTask:
    """Remove a task without scores, with its rounds; its events stay.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    RecordError
        When it holds scores, or has a saved result or an access token, revoked ones too.
    """
    connection = session.connection
    task_id = find_task(connection, request.task, lock=True)
    name = connection.execute(select(task.c.name).where(task.c.id == task_id)).scalar_one()
    rounds = connection.execute(
        select(round_.c.id, round_.c.label, round_.c.status)
        .where(round_.c.task_id == task_id)
        .order_by(round_.c.ordinal)
    ).all()
    if content := content_of_rounds(connection, [row.id for row in rounds]):
        saved = connection.execute(select(result.c.id).where(result.c.task_id == task_id)).first()
        rename = saved is None and all(row.status == "draft" for row in rounds)
        raise not_empty_error(content, name, rename=rename)
    _refuse_saved(connection, task_id, name, "stays")
    of_task = select(access_token.c.name).where(access_token.c.task_id == task_id)
    if (token := connection.execute(of_task.limit(1)).scalar()) is not None:
        raise RecordError(
            f"Task '{name}' has the access token '{token}', which is recorded for good, so it stays.",
            way_out="rename instead",
            task=name,
            token=token,
        )
    connection.execute(round_.delete().where(round_.c.task_id == task_id))
    connection.execute(task.delete().where(task.c.id == task_id))
    labels = [row.label for row in rounds]
    record_event(session, "task removed", details={"task": name, "rounds": labels})
    return RemovedTask(task=name, rounds=labels)


def _refuse_saved(connection: Connection, task_id: int, name: str, effect: str) -> None:
    saved = connection.execute(select(result.c.name).where(result.c.task_id == task_id)).scalar()
    if saved is not None:
        raise RecordError(
            f"Task '{name}' has the saved result '{saved}', so it {effect}.",
            task=name,
            result=saved,
        )


def content_of_rounds(connection: Connection, rounds: Sequence[int]) -> str | None:
    """Return the noun for content that keeps rounds from being removed, or None without any."""
    contents = (
        (current_matrix, "scores"),
        (matrix, _WITHDRAWN),
        (published_variance, "a published variance"),
        (run_upload, "runs"),
        (qrels, "relevance assessments"),
    )
    for table, noun in contents:
        row = select(table.c.id).where(table.c.round_id.in_(rounds)).limit(1)
        if connection.execute(row).first() is not None:
            return noun
    return None


def not_empty_error(
    content: str, task_name: str, label: str | None = None, *, rename: bool
) -> RecordError:
    """Return the error for a task, or a round of this label, that its content keeps from removal.

    `rename` is whether it may have another name.
    """
    name = f"Task '{task_name}'" if label is None else f"Round '{label}'"
    stay = ", which stay in the record" if content == _WITHDRAWN else ""
    sentence = f"{name} holds {content}{stay}, so it stays."
    facts = {"task": task_name} | ({} if label is None else {"round": label})
    if content == "scores":
        renamable = rename and label is not None
        return RecordError(
            sentence, way_out="withdraw or rename" if renamable else "withdraw instead", **facts
        )
    if not rename:
        return RecordError(sentence, **facts)
    return RecordError(
        sentence, way_out="rename the task" if label is None else "rename the round", **facts
    )


def list_tasks(session: Session) -> TaskList:
    """Return all tasks, oldest first."""
    return TaskList(tasks=_read(session.connection))


def ensure_task(session: Session, name: str, title: str | None = None) -> bool:
    """Record a task unless it exists; return whether it is new."""
    connection, name = session.connection, check_name("task", name)
    if connection.execute(select(task.c.id).where(is_named(task.c.name, name))).first():
        return False
    statement = insert(task).values(name=name, title=check_text("title", title))
    task_id = connection.execute(
        statement.on_conflict_do_nothing().returning(task.c.id)
    ).scalar_one_or_none()
    if task_id is None:
        return False
    record_event(session, "task created", task_id=task_id, details={"task": name})
    return True


def _read(connection: Connection, name: str | None = None) -> list[Task]:
    return [Task(**row._mapping) for row in connection.execute(_TASKS, {"name": name})]


_TASKS = text("""
SELECT task.name AS task, task.title, count(DISTINCT round.id) AS rounds,
       array_remove(array_agg(DISTINCT measure.name), NULL) AS measures, task.created_at
FROM roundbook.task
LEFT JOIN roundbook.round ON round.task_id = task.id
LEFT JOIN (
    SELECT round_id, measure_id FROM roundbook.current_matrix
    UNION
    SELECT round_id, measure_id FROM roundbook.published_variance
) AS used ON used.round_id = round.id
LEFT JOIN roundbook.measure ON measure.id = used.measure_id
WHERE CAST(:name AS text) IS NULL OR task.name = :name
GROUP BY task.id ORDER BY task.id
""")
