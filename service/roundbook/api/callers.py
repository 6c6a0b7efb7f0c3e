"""Callers over HTTP, with a token or without one, and the refusal of cross-site requests."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from fastapi import Request

from roundbook.api.problems import HttpError
from roundbook.logbook.session import begin
from roundbook.logbook.tokens import Token, check_token
from roundbook.requests.access import Scope

COOKIE = "roundbook_token"
_SCOPES: Mapping[Scope | None, int] = {None: 0, "read": 1, "log": 2, "admin": 3}
_FAILURES, _SECONDS = 20, 60
_LOOPBACK = frozenset({"localhost", "testserver"})


class Caller(NamedTuple):
    """A caller: the `user` that events name, the token's `scope`, and its `task` (None: all tasks).

    The `scope` is None without a token: such a caller may only see what is published.
    """

    user: str
    scope: Scope | None
    task: str | None = None


class Failures:
    """The times of wrong tokens by client address, to slow down guessing."""

    def __init__(self) -> None:
        self._times: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_FAILURES))

    def note(self, http: Request) -> None:
        """Note a wrong token; refuse with 429 after too many from one address in a minute."""
        address = http.client.host if http.client else ""
        times = self._times.get(address)
        if times and len(times) == _FAILURES and time.monotonic() - times[0] < _SECONDS:
            raise HttpError(429, "Too many wrong tokens came from here; try again in a minute.")
        if len(self._times) > 10_000:
            self._times.clear()
        self._times[address].append(time.monotonic())


def find_caller(http: Request) -> Caller:
    """Return the caller of a request, by the token in its header or cookie; keep it in the state.

    Without a token it is the service's own user if the service is open to all, else nobody.

    Raises
    ------
    HttpError
        401 for a token that is unknown, expired or revoked, with one message for all; 403 for a
        request from a page of another site; 429 after too many wrong tokens.
    """
    state = http.app.state
    refuse_other_pages(http)
    kind, _, secret = http.headers.get("authorization", "").partition(" ")
    if kind and kind.lower() != "bearer":
        raise HttpError(401, "A token is given as: Authorization: Bearer rb_...")
    secret = secret.strip() or http.cookies.get(COOKIE, "")
    if secret:
        token = find_token(http, secret)
        if token is None:
            raise HttpError(
                401,
                "The token is not valid: there is none like it, or it has expired or is revoked.",
            )
        caller = Caller(f"token {token.name}", token.scope, token.task)
    else:
        caller = Caller(state.settings.user, "admin") if state.open else Caller("nobody", None)
    http.state.caller = caller
    return caller


def find_token(http: Request, secret: str) -> Token | None:
    """Return the token with this secret, None if it is unknown, expired or revoked."""
    with begin(http.app.state.engine) as session:
        token = check_token(session, secret)
    if token is None:
        # Only wrong tokens are limited: a valid one from the same address is never kept waiting.
        http.app.state.failures.note(http)
    return token


def require_scope(caller: Caller, scope: Scope) -> None:
    """Refuse a caller with too small a scope: 401 without a token, 403 with one."""
    if _SCOPES[caller.scope] < _SCOPES[scope]:
        if caller.scope is None:
            raise HttpError(401, "This takes a token.")
        raise HttpError(403, f"This takes a token with the scope {scope}; yours is {caller.scope}.")


def allowed_caller(http: Request, scope: Scope) -> Caller:
    """Return the caller, refused unless its scope suffices; reading needs no token here."""
    caller = find_caller(http)
    if scope != "read":
        require_scope(caller, scope)
    return caller


def is_loopback(host: str) -> bool:
    """Return whether an address can be reached from this machine only."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in _LOOPBACK


def refuse_other_pages(http: Request) -> None:
    """Refuse cross-site requests and, where no token is needed, host names that are not local."""
    try:
        host = urlsplit(f"//{http.headers.get('host', '')}").hostname or ""
        origin = urlsplit(http.headers.get("origin", ""))
    except ValueError:
        raise HttpError(400, "The request's host or origin is no address.") from None
    if http.app.state.open and not is_loopback(host):
        raise HttpError(403, "Without tokens this service answers to this machine's own name only.")
    if http.method in ("GET", "HEAD"):
        return
    cross_origin = "origin" in http.headers and origin.netloc != http.headers.get("host")
    site = http.headers.get("sec-fetch-site", "none")
    if cross_origin or site not in ("same-origin", "none"):
        raise HttpError(403, "The request comes from a page of another site.")
