"""Who may do what over HTTP: tokens, what is seen without one, and requests of other pages."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from fastapi import Request
from sqlalchemy import select

from roundbook.api.problems import HttpError
from roundbook.database.tables import round_, task
from roundbook.errors import NotRecordedError
from roundbook.logbook.impact import Impact
from roundbook.logbook.rounds import RoundList
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tasks import TaskList
from roundbook.logbook.tokens import check_token
from roundbook.requests.tokens import Scope

COOKIE = "roundbook_token"
_SCOPES: Mapping[Scope | None, int] = {None: 0, "read": 1, "log": 2, "admin": 3}
_FAILURES, _SECONDS = 20, 60
_LOOPBACK = frozenset({"localhost", "testserver"})


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


def _find(http: Request) -> Caller:
    """Return who asks: by a token in the header or the cookie, else as the service is set up.

    Raises
    ------
    HttpError
        401 for a token that is none, has expired or is revoked, alike; 403 for a request that a
        page of another site makes; 429 after too many wrong tokens.
    """
    state = http.app.state
    _refuse_other_pages(http)
    kind, _, secret = http.headers.get("authorization", "").partition(" ")
    if kind and kind.lower() != "bearer":
        raise HttpError(401, "A token is given as: Authorization: Bearer rb_...")
    secret = secret.strip() or http.cookies.get(COOKIE, "")
    if not secret:
        return Caller(state.settings.user, "admin") if state.open else Caller("nobody", None)
    address = http.client.host if http.client else ""
    state.failures.check(address)
    with begin(state.engine) as session:
        token = check_token(session, secret)
    if token is None:
        state.failures.note(address)
        raise HttpError(401, "The token is not valid: it is none, has expired or is revoked.")
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
        raise HttpError(403, f"Your token is for task '{caller.task}' alone.")


def visible(caller: Caller, session: Session, ask: Callable[[], Any]) -> Any:  # noqa: ANN401
    """Return what of the answer to a question a caller may see.

    Without a token that is what is published: a published round, and what is of a whole task once
    none of its rounds is a draft. Lists of tasks and rounds leave out the others.

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
            raise HttpError(401, "It is not there, or takes a token.") from None
        raise
    if isinstance(result, TaskList):
        names = _published_tasks(session) if caller.scope is None else None
        return result.model_copy(
            update={
                "tasks": [
                    row
                    for row in result.tasks
                    if caller.task in (None, row.task) and (names is None or row.task in names)
                ]
            }
        )
    limit_to_task(caller, result)
    if caller.scope is not None:
        return result
    name = _task_of(result)
    if name is None or isinstance(result, Impact):  # what rests on scores may be of drafts
        if getattr(result, "estimate", "") is None:
            return result  # a plan from a given variance is of no task
        raise HttpError(401, "This takes a token.")
    drafts = _drafts(session, name)
    if isinstance(result, RoundList):
        kept = [row for row in result.rounds if row.round not in drafts]
        return result.model_copy(update={"rounds": kept})
    label = getattr(result, "round", None)
    if label in drafts or (label is None and drafts):
        raise HttpError(401, "It is not there, or takes a token.")
    return result


def is_loopback(host: str) -> bool:
    """Return whether an address to listen on is reached from this machine alone."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in _LOOPBACK


def _task_of(result: Any) -> str | None:  # noqa: ANN401
    estimate = getattr(result, "estimate", None)
    return getattr(result, "task", None) or getattr(estimate, "task", None)


def _published_tasks(session: Session) -> set[str]:
    found = (
        select(task.c.name)
        .join(round_, round_.c.task_id == task.c.id)
        .where(round_.c.status == "published")
    )
    return set(session.connection.execute(found).scalars())


def _drafts(session: Session, name: str) -> set[str]:
    found = (
        select(round_.c.label)
        .join(task, round_.c.task_id == task.c.id)
        .where(task.c.name == name, round_.c.status == "draft")
    )
    return set(session.connection.execute(found).scalars())


def _refuse_other_pages(http: Request) -> None:
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
