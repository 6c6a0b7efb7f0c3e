"""Access by HTTP: the token's own task, or without a token the published rounds."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast
from unicodedata import normalize

from pydantic import BaseModel

from roundbook.api.callers import Caller
from roundbook.api.problems import HttpError
from roundbook.errors import AlreadyRecordedError, NotRecordedError
from roundbook.logbook.impact import Impact
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.recorded_measures import MeasureList
from roundbook.logbook.rounds import RoundList, published_rounds, published_tasks, with_order
from roundbook.logbook.session import Session
from roundbook.logbook.stored_results import tasks_of_results
from roundbook.logbook.tasks import Task, TaskList, list_tasks
from roundbook.requests.base import Request
from roundbook.requests.matrices import ListMatrices
from roundbook.requests.plans import PlanRequest
from roundbook.requests.record import EventsRequest, VerifyRequest
from roundbook.requests.reports import HtmlReport, LatexReport
from roundbook.requests.results import ListJobs, ListResults, RenewResults, ShowResult
from roundbook.requests.studies import StudyRequest
from roundbook.requests.tasks import CreateTask, ListMeasures, ListRounds, RenameTask

_Request = TypeVar("_Request", bound=Request)
_RequestOrNone = TypeVar("_RequestOrNone", bound=Request | None)
_Answer = TypeVar("_Answer", bound=BaseModel)
_WITH_FILES = frozenset({"file", "files", "to_files", "uploads", "qrels", "result"})
_HIDDEN = "It is not there, or takes a token."
# Requests that cover all tasks where they name none.
_OF_EVERY_TASK = (ListMeasures, ListResults, ListJobs, EventsRequest, VerifyRequest, RenewResults)


def permit(caller: Caller, session: Session, request: _Request) -> _Request:
    """Return the request, limited to the token's task where it covers all tasks.

    A caller without access is refused before anything is looked up, even if the rest of the request
    is wrong: error messages would reveal what is recorded.

    Raises
    ------
    HttpError
        401 without a token for what is not published, 403 for another task than the token's.
    """
    if caller.scope is not None and caller.task is None:
        return request
    if (
        caller.task is not None
        and isinstance(request, _OF_EVERY_TASK)
        and request.task is None
        and getattr(request, "name", None) is None
    ):
        request = cast("_Request", request.model_copy(update={"task": caller.task}))
    tasks, rounds = _named(session, request)
    if caller.task is not None:
        free = isinstance(request, (PlanRequest, StudyRequest))
        names_none = isinstance(request, (CreateTask, RenameTask)) or (not tasks and not free)
        if names_none or tasks - {_plain(caller.task)}:
            raise _of_another_task(caller)
        return request
    if not tasks and isinstance(request, PlanRequest):
        return request  # from a given variance, it is of no task
    for name in tasks or {None}:
        statuses = {} if name is None else published_rounds(session.connection, name)
        if not _is_published(statuses, rounds, request):
            raise HttpError(401, _HIDDEN)
    return request


def permit_saving(
    caller: Caller, session: Session, kind: str, request: Request, name: str | None
) -> None:
    """Refuse a token of one task to save a result of no task, or under another task's name.

    The error does not say which task has the name.
    """
    if caller.task is None:
        return
    if getattr(request, "task", None) is None:
        raise _of_another_task(caller)
    owners = [] if name is None else _tasks_of_results(session, name, kind)
    if set(owners) - {_plain(caller.task)}:
        raise AlreadyRecordedError(f"'{name}' is taken already; choose another name.", name=name)


def run_permitted(
    caller: Caller,
    session: Session,
    use_case: Callable[[Session, _RequestOrNone], _Answer],
    request: _RequestOrNone,
) -> _Answer:
    """Run a use case; return its result, reduced to what the caller may see (see `permit`).

    Without a token these are published rounds, and answers on a whole task if none of its rounds is
    a draft. Lists leave out the tasks and rounds that the caller may not see.

    Raises
    ------
    HttpError
        When the caller may see nothing of it.
    """
    permitted = request if request is None else permit(caller, session, request)
    try:
        result = use_case(session, permitted)
    except NotRecordedError:
        if caller.scope is None and not _is_of_published_tasks(session, permitted):
            # The error's own message would list what is recorded.
            raise HttpError(401, _HIDDEN) from None
        raise
    if isinstance(result, TaskList):
        return cast("_Answer", _visible_tasks(caller, session, result))
    if permitted is None:
        limit_to_task(caller, result)
    if isinstance(result, MeasureList) and (caller.scope is None or caller.task is not None):
        own = {"tasks": [result.task]}  # further tasks that have the measure stay hidden
        measures = [row.model_copy(update=own) for row in result.measures]
        result = cast("_Answer", result.model_copy(update={"measures": measures}))
    return result if caller.scope is not None else _published_part(session, result)


def visible_tasks(caller: Caller, session: Session) -> list[Task]:
    """Return the tasks that a caller may see."""
    return _visible_tasks(caller, session, list_tasks(session)).tasks


def limit_to_task(caller: Caller, result: BaseModel | None) -> None:
    """Refuse a result of another task than the token's."""
    if caller.task is not None and _task_of(result) != caller.task:
        raise _of_another_task(caller)


def _visible_tasks(caller: Caller, session: Session, listed: TaskList) -> TaskList:
    rows = [row for row in listed.tasks if caller.task in (None, row.task)]
    if caller.scope is None:
        public = published_tasks(session.connection)
        rows = [
            row.model_copy(update=public[row.task]._asdict()) for row in rows if row.task in public
        ]
    return listed.model_copy(update={"tasks": rows})


def _published_part(session: Session, result: _Answer) -> _Answer:
    """Return the part of an answer that is published, for callers without a token."""
    name = _task_of(result)
    if name is None or isinstance(result, Impact):  # it may list results of drafts
        if getattr(result, "estimate", "") is None:
            return result  # a plan from a given variance is of no task
        raise HttpError(401, _HIDDEN)
    statuses = published_rounds(session.connection, name)
    drafts = {label for label, published in statuses.items() if not published}
    if isinstance(result, RoundList):
        # The order is computed again, since it names the rounds around each.
        kept = with_order([row for row in result.rounds if row.round not in drafts])
        return cast("_Answer", result.model_copy(update={"rounds": kept}))
    label = getattr(result, "round", None)
    if label in drafts or (label is None and drafts):
        raise HttpError(401, _HIDDEN)
    return cast("_Answer", _without_folders(result))


def _task_of(result: BaseModel | None) -> str | None:
    estimate = getattr(result, "estimate", None)
    return getattr(result, "task", None) or getattr(estimate, "task", None)


def _without_folders(result: object) -> object:
    """Return a result with file names without their folders, which are private."""
    if isinstance(result, str):
        return re.sub(r".*[/\\]", "", result)
    if isinstance(result, list):
        return [_without_folders(item) for item in result]
    if isinstance(result, BaseModel):
        held = type(result).model_fields.keys() & _WITH_FILES
        return result.model_copy(
            update={name: _without_folders(getattr(result, name)) for name in held}
        )
    if is_dataclass(result) and not isinstance(result, type):
        held = {field.name for field in fields(result)} & _WITH_FILES
        return replace(result, **{name: _without_folders(getattr(result, name)) for name in held})
    return result


def _plain(name: str) -> str:
    return normalize("NFC", name.strip())


def _of_another_task(caller: Caller) -> HttpError:
    return HttpError(403, f"Your token is for task '{caller.task}' alone.")


def _named(session: Session, request: BaseModel) -> tuple[set[str | None], set[str]]:
    """Return the names of the tasks and the labels of the rounds that a request refers to.

    A task is None for a result without a task, and for a matrix or result that does not exist.
    """
    tasks: set[str | None] = set()
    rounds: set[str] = set()
    task = getattr(request, "task", None)
    if task is not None:
        tasks.add(_plain(task))
    tasks.update(map(_plain, getattr(request, "tasks", ())))
    number = getattr(request, "after" if isinstance(request, ListMatrices) else "matrix", None)
    if number is not None:
        try:
            row = find_matrix(session.connection, number)
        except NotRecordedError:
            tasks.add(None)
        else:
            tasks.add(_plain(row.task))
            rounds.add(_plain(row.round))
    if isinstance(request, (ShowResult, RenewResults)) and request.name is not None:
        tasks.update(_tasks_of_results(session, request.name, request.kind) or [None])
    label = getattr(request, "round", None)
    if label is not None:
        rounds.add(_plain(label))
    return tasks, rounds


def _tasks_of_results(session: Session, name: str, kind: str | None) -> list[str | None]:
    owners = tasks_of_results(session.connection, _plain(name), kind)
    return [None if owner is None else _plain(owner) for owner in owners]


def _is_of_published_tasks(session: Session, request: Request | None) -> bool:
    """Return whether a request names tasks, and all rounds of each of them are published."""
    tasks = set() if request is None else _named(session, request)[0]
    statuses = [
        {} if name is None else published_rounds(session.connection, name) for name in tasks
    ]
    return bool(statuses) and all(of_task and all(of_task.values()) for of_task in statuses)


def _is_published(statuses: dict[str, bool], rounds: set[str], request: BaseModel) -> bool:
    """Return whether all rounds that a request depends on are published.

    These are the rounds it names; all rounds of the task where it names none or may choose others.
    """
    published = {_plain(label): status for label, status in statuses.items()}
    if isinstance(request, ListRounds):
        return any(published.values())  # drafts are left out of the answer
    takes_others = isinstance(request, (HtmlReport, LatexReport)) or (
        {"from_round", "to_round"} & type(request).model_fields.keys()
    )
    whole = bool(published) and all(published.values())
    if whole or not rounds or takes_others or getattr(request, "rounds", None) == ():
        return whole  # where all is published, the error may tell that a round is not recorded
    factors = getattr(request, "factors_from", None)
    if factors is not None:
        # As ROUND or ROUND:VERSION: a label may have a colon too.
        labels = {_plain(factors), _plain(factors.rpartition(":")[0])}
        named = labels & published.keys()
        if not named or not all(published[label] for label in named):
            return False
    return all(published.get(label, False) for label in rounds)
