"""Who may do what over HTTP: tokens, what is seen without one, and requests of other pages."""

from __future__ import annotations

import re
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Mapping
from ipaddress import ip_address
from typing import Annotated, Any, NamedTuple, TypeVar, cast
from unicodedata import normalize
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool
from pydantic import BaseModel
from sqlalchemy import func, select
from starlette.concurrency import run_in_threadpool

from roundbook.api.problems import HttpError
from roundbook.api.turns import Limit, Turns, computing_turn
from roundbook.database.tables import matrix as matrix_table
from roundbook.database.tables import measure, result, round_, task
from roundbook.errors import NotRecordedError
from roundbook.logbook.impact import Impact
from roundbook.logbook.recorded_measures import MeasureList
from roundbook.logbook.rounds import RoundList
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tasks import TaskList
from roundbook.logbook.tokens import check_token
from roundbook.requests.events import EventsRequest
from roundbook.requests.matrices import ListMatrices
from roundbook.requests.measures import ListMeasures
from roundbook.requests.plans import PlanRequest
from roundbook.requests.reports import HtmlReport, LatexReport
from roundbook.requests.results import ListResults, RenewResults, ShowResult
from roundbook.requests.studies import StudyRequest
from roundbook.requests.tasks import CreateTask, ListRounds, RenameTask
from roundbook.requests.tokens import Scope
from roundbook.requests.verification import VerifyRequest

COOKIE = "roundbook_token"
_SCOPES: Mapping[Scope | None, int] = {None: 0, "read": 1, "log": 2, "admin": 3}
_FAILURES, _SECONDS = 20, 60
_LOOPBACK = frozenset({"localhost", "testserver"})
_Asked = TypeVar("_Asked", bound=BaseModel)
_WITH_FILES = frozenset({"file", "files", "to_files", "uploads", "qrels", "result"})
_HIDDEN = "It is not there, or takes a token."
# Of all tasks, where none is named.
_OF_EVERY_TASK = (ListMeasures, ListResults, EventsRequest, VerifyRequest, RenewResults)


class Caller(NamedTuple):
    """Who asks.

    Attributes
    ----------
    user : str
        As events name them.
    scope : str or None
        The most they may do; None, without a token: see what is published.
    task : str or None
        The one task that they may, None for all.
    """

    user: str
    scope: Scope | None
    task: str | None = None


class Failures:
    """The times at which wrong tokens came, by address: whoever tries many has to wait."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_FAILURES))

    def check(self, address: str) -> None:
        """Refuse an address from which too many wrong tokens came within a minute."""
        times = self._times.get(address)
        if times and len(times) == _FAILURES and time.monotonic() - times[0] < _SECONDS:
            raise HttpError(429, "Too many wrong tokens came from here; try again in a minute.")

    def note(self, address: str) -> None:
        """Take note of a wrong token."""
        if len(self._times) > 10_000:
            self._times.clear()
        self._times[address].append(time.monotonic())


def find_caller(http: Request) -> Caller:
    """Return who asks, and keep it with the request; see `_find`."""
    http.state.caller = caller = _find(http)
    return caller


async def asking(
    http: Request, caller: Annotated[Caller, Depends(find_caller)]
) -> AsyncIterator[Session]:
    """Yield a transaction that reads the record as one moment saw it.

    Requests wait here for their turn: while they waited in threads for connections, none would be
    left to answer those that have one.
    """
    turns: Turns = http.app.state.turns
    transaction = begin(http.app.state.engine, caller.user, one_moment=True)
    async with turns.reading, contextmanager_in_threadpool(transaction) as session:
        yield await run_in_threadpool(Limit(turns).on, session)


async def computing(
    http: Request, caller: Annotated[Caller, Depends(find_caller)]
) -> AsyncIterator[Session]:
    """Yield a transaction as `asking` does, for what computes for long; see `computing_turn`.

    What is computed in it ends once its time is over or whoever asks has gone.
    """
    transaction = begin(http.app.state.engine, caller.user, one_moment=True)
    async with (
        computing_turn(http, caller) as limit,
        contextmanager_in_threadpool(transaction) as session,
    ):
        yield await run_in_threadpool(limit.on, session)


def _find(http: Request) -> Caller:
    """Return who asks: by a token in the header or the cookie, else as the service is set up.

    Raises
    ------
    HttpError
        401 for a token that is none, has expired or is revoked, alike; 403 for a request that a
        page of another site makes; 429 after too many wrong tokens.
    """
    state = http.app.state
    refuse_other_pages(http)
    kind, _, secret = http.headers.get("authorization", "").partition(" ")
    if kind and kind.lower() != "bearer":
        raise HttpError(401, "A token is given as: Authorization: Bearer rb_...")
    secret = secret.strip() or http.cookies.get(COOKIE, "")
    if not secret:
        return Caller(state.settings.user, "admin") if state.open else Caller("nobody", None)
    address = http.client.host if http.client else ""
    with begin(state.engine) as session:
        token = check_token(session, secret)
    if token is None:
        # Those who have one are not kept waiting by others who come from the same address.
        state.failures.check(address)
        state.failures.note(address)
        raise HttpError(
            401, "The token is not valid: there is none like it, or it has expired or is revoked."
        )
    return Caller(f"token {token.name}", token.scope, token.task)


def require_scope(caller: Caller, scope: Scope) -> None:
    """Refuse whoever may not do as much.

    Raises
    ------
    HttpError
        401 without a token, 403 with one of a smaller scope.
    """
    if _SCOPES[caller.scope] < _SCOPES[scope]:
        if caller.scope is None:
            raise HttpError(401, "This takes a token.")
        raise HttpError(403, f"This takes a token with the scope {scope}; yours is {caller.scope}.")


def limit_to_task(caller: Caller, result: Any) -> None:  # noqa: ANN401
    """Refuse what is of another task than the token's one."""
    if caller.task is not None and _task_of(result) != caller.task:
        raise _of_another_task(caller)


def permit(caller: Caller, session: Session, request: _Asked) -> _Asked:
    """Return a request, limited to the caller's one task where it is of all.

    What somebody may not see is refused before it is looked at, whatever is wrong with the rest of
    the request: errors tell of it too.

    Raises
    ------
    HttpError
        401 for what is no answer to those without a token, 403 for another task than the token's.
    """
    if caller.scope is not None and caller.task is None:
        return request
    if (
        caller.task is not None
        and isinstance(request, _OF_EVERY_TASK)
        and request.task is None
        and getattr(request, "name", None) is None
    ):
        request = cast("Any", request).model_copy(update={"task": caller.task})
    tasks, rounds = _named(session, request)
    if caller.task is not None:
        free = isinstance(request, (PlanRequest, StudyRequest))
        if isinstance(request, (CreateTask, RenameTask)) or (not tasks and not free):
            raise _of_another_task(caller)
        if tasks - {_plain(caller.task)}:
            raise _of_another_task(caller)
        return request
    if not tasks and isinstance(request, PlanRequest):
        return request  # from a given variance, it is of no task
    for name in tasks or {None}:
        if name is None or not _is_published(session, name, rounds, request):
            raise HttpError(401, _HIDDEN)
    return request


def permit_name(caller: Caller, session: Session, name: str | None) -> None:
    """Refuse to save under a name that results of another task have."""
    if caller.task is not None and name is not None:
        request = ShowResult(name=name)
        if _named(session, request)[0] - {_plain(caller.task), None}:
            raise _of_another_task(caller)


def visible(
    caller: Caller,
    session: Session,
    ask: Callable[[], Any],
    *,
    permitted: bool = False,
) -> Any:  # noqa: ANN401
    """Return what of the answer to a question a caller may see.

    Without a token that is what is published: a published round, and what is of a whole task once
    none of its rounds is a draft. Lists of tasks and rounds leave out the others.

    Parameters
    ----------
    permitted : bool
        Whether `permit` has looked at the request, and so limited it to the caller's task.

    Raises
    ------
    HttpError
        When there is nothing of it to be seen.
    """
    try:
        result = ask()
    except NotRecordedError:
        if caller.scope is None:
            # Nor are they told what there is.
            raise HttpError(401, _HIDDEN) from None
        raise
    if isinstance(result, TaskList):
        rows = [row for row in result.tasks if caller.task in (None, row.task)]
        if caller.scope is None:
            known = _published_tasks(session)
            rows = [
                row.model_copy(
                    update=dict(zip(("rounds", "measures"), known[row.task], strict=True))
                )
                for row in rows
                if row.task in known
            ]
        return result.model_copy(update={"tasks": rows})
    if not permitted:
        limit_to_task(caller, result)
    if isinstance(result, MeasureList) and (caller.scope is None or caller.task is not None):
        own = {"tasks": [result.task]}  # there are others that have them
        measures = [row.model_copy(update=own) for row in result.measures]
        result = result.model_copy(update={"measures": measures})
    if caller.scope is not None:
        return result
    name = _task_of(result)
    if name is None or isinstance(result, Impact):  # what rests on scores may be of drafts
        if getattr(result, "estimate", "") is None:
            return result  # a plan from a given variance is of no task
        raise HttpError(401, _HIDDEN)
    drafts = _drafts(session, name)
    if isinstance(result, RoundList):
        kept = [row for row in result.rounds if row.round not in drafts]
        return result.model_copy(update={"rounds": kept})
    label = getattr(result, "round", None)
    if label in drafts or (label is None and drafts):
        raise HttpError(401, _HIDDEN)
    return _without_folders(result)


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in _LOOPBACK


def _task_of(result: Any) -> str | None:  # noqa: ANN401
    estimate = getattr(result, "estimate", None)
    return getattr(result, "task", None) or getattr(estimate, "task", None)


def _without_folders(result: Any) -> Any:  # noqa: ANN401
    """Return a result with names of files alone: where somebody had them is theirs."""
    if isinstance(result, str):
        return re.sub(r".*[/\\]", "", result)
    if isinstance(result, list):
        return [_without_folders(one) for one in result]
    if not isinstance(result, BaseModel):
        return result
    held = type(result).model_fields.keys() & _WITH_FILES
    return result.model_copy(
        update={name: _without_folders(getattr(result, name)) for name in held}
    )


def _plain(name: str) -> str:
    return normalize("NFC", name.strip())


def _of_another_task(caller: Caller) -> HttpError:
    return HttpError(403, f"Your token is for task '{caller.task}' alone.")


def _named(session: Session, request: BaseModel) -> tuple[set[str | None], set[str]]:
    """Return the tasks and the rounds that a request is about.

    A task is None for a result of no task, and for a matrix or result that is not there.
    """
    tasks: set[str | None] = set()
    rounds: set[str] = set()
    given = getattr(request, "task", None)
    if given is not None:
        tasks.add(_plain(given))
    tasks.update(map(_plain, getattr(request, "tasks", ())))
    number = getattr(request, "after" if isinstance(request, ListMatrices) else "matrix", None)
    if number is not None:
        row = session.connection.execute(
            select(task.c.name, round_.c.label)
            .select_from(matrix_table)
            .join(round_, round_.c.id == matrix_table.c.round_id)
            .join(task, task.c.id == round_.c.task_id)
            .where(matrix_table.c.id == (number if 0 < number < 2**63 else None))
        ).one_or_none()
        tasks.add(None if row is None else _plain(row.name))
        if row is not None:
            rounds.add(_plain(row.label))
    if isinstance(request, (ShowResult, RenewResults)) and request.name is not None:
        of = select(task.c.name).select_from(result).outerjoin(task, task.c.id == result.c.task_id)
        named = of.where(func.normalize(result.c.name) == _plain(request.name)).distinct()
        names = session.connection.execute(named).scalars().all()
        tasks.update(None if name is None else _plain(name) for name in names or [None])
    label = getattr(request, "round", None)
    if label is not None:
        rounds.add(_plain(label))
    return tasks, rounds


def _is_published(session: Session, name: str, rounds: set[str], request: BaseModel) -> bool:
    """Return whether all that a request is about is published.

    That is its rounds, and where it names none, or may take others by itself, all of the task's.
    """
    rows = session.connection.execute(
        select(round_.c.label, round_.c.status)
        .join(task, task.c.id == round_.c.task_id)
        .where(func.normalize(task.c.name) == name)
    )
    published = {_plain(row.label): row.status == "published" for row in rows}
    if isinstance(request, ListRounds):
        return any(published.values())  # the drafts among them are left out
    takes_others = isinstance(request, (HtmlReport, LatexReport)) or (
        {"from_round", "to_round"} & type(request).model_fields.keys()
    )
    if not rounds or takes_others or getattr(request, "rounds", None) == ():
        return bool(published) and all(published.values())
    factors = getattr(request, "factors_from", None)
    if factors is not None:
        # As ROUND or ROUND:VERSION: a label may have a colon too.
        meant = {_plain(factors), _plain(factors.rpartition(":")[0])}
        known = meant & published.keys()
        if not known or not all(published[label] for label in known):
            return False
    return all(published.get(label, False) for label in rounds)


def _published_tasks(session: Session) -> dict[str, tuple[int, list[str]]]:
    """Return how many rounds each task has published, and the measures of their scores."""
    published = round_.c.status == "published"
    counts = session.connection.execute(
        select(task.c.name, func.count())
        .join(round_, round_.c.task_id == task.c.id)
        .where(published)
        .group_by(task.c.name)
    )
    known: dict[str, tuple[int, list[str]]] = {name: (count, []) for name, count in counts}
    measures = session.connection.execute(
        select(task.c.name, measure.c.name)
        .select_from(matrix_table)
        .join(measure, measure.c.id == matrix_table.c.measure_id)
        .join(round_, round_.c.id == matrix_table.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .where(published)
        .distinct()
        .order_by(task.c.name, measure.c.name)
    )
    for name, spelling in measures:
        known[name][1].append(spelling)
    return known


def _drafts(session: Session, name: str) -> set[str]:
    found = (
        select(round_.c.label)
        .join(task, round_.c.task_id == task.c.id)
        .where(task.c.name == name, round_.c.status == "draft")
    )
    return set(session.connection.execute(found).scalars())


def refuse_other_pages(http: Request) -> None:
    """Refuse what a page of another site has a browser send, and names that others point here."""
    host = urlsplit(f"//{http.headers.get('host', '')}").hostname or ""
    if http.app.state.open and not is_loopback(host):
        raise HttpError(403, "Without tokens this service answers to this machine's own name only.")
    if http.method in ("GET", "HEAD"):
        return
    origin = http.headers.get("origin")
    other = origin is not None and urlsplit(origin).netloc != http.headers.get("host")
    if other or http.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise HttpError(403, "The request comes from a page of another site.")
