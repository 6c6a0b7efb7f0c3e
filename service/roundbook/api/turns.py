"""Turns: limits on concurrent requests and on their time, and the end of abandoned ones."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from roundbook.api.callers import Caller
from roundbook.api.problems import HttpError
from roundbook.logbook.session import Session, Work, begin

_POLL_SECONDS = 0.5
_SECONDS_TO_WAIT = 60
# Time limits: for a question, for a decision, and for a question without a token.
SECONDS_TO_ANSWER, SECONDS_TO_DECIDE, SECONDS_WITHOUT_TOKEN = 60, 600, 20
_Result = TypeVar("_Result")


class Turns:
    """Semaphores that limit how many requests of an application run at once.

    Long computations have their own semaphore, and another one without a token, so that plain
    reading goes on meanwhile. In all they admit fewer requests than the engine has connections:
    looking up a token needs one too.
    """

    def __init__(self) -> None:
        self.reading = asyncio.Semaphore(8)  # most decisions too
        # Pages without a token use at most half of the reading turns.
        self.without_token = asyncio.Semaphore(4)
        # By whether the caller has a scope: that of a token, or of a service open to all.
        self.computing = {True: asyncio.Semaphore(2), False: asyncio.Semaphore(1)}
        self.ending = False  # whether the service shuts down, so that computations stop


class Limit:
    """The time limit of one request, counted from `begin`, or else from now."""

    def __init__(self, turns: Turns, seconds: float = SECONDS_TO_ANSWER) -> None:
        self._turns = turns
        self._seconds = seconds
        self.disconnected = False
        self.begin()

    def begin(self) -> None:
        """Start the time limit: the request's turn has come."""
        self._until = time.monotonic() + self._seconds

    def check(self, *_: object) -> None:
        """Raise HttpError when the time is over, the client is gone or the service ends."""
        if self.disconnected or self._turns.ending:
            raise HttpError(503, "Nobody waits for the answer any more, or the service ends.")
        if time.monotonic() > self._until:
            raise HttpError(
                503,
                f"It took longer than {self._seconds:g} seconds, and was given up; ask for less. A"
                " study can be computed in the background, as a job.",
                way_out="start a job",
            )

    def on(self, session: Session) -> Session:
        """Return a session whose statements and computations raise an error beyond the limit."""
        milliseconds = f"{self._seconds * 1000:.0f}"
        session.connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")

        def mapped(compute: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
            for piece in pieces:
                self.check()
                yield compute(piece)

        return session._replace(work=session.work._replace(progress=self.check, mapped=mapped))


@contextmanager
def transaction(
    http: Request, caller: Caller, limit: Limit, *, keep: bool = True, one_snapshot: bool = False
) -> Iterator[Session]:
    """Yield a session under the time limit; see `roundbook.logbook.session.begin`."""
    state = http.app.state
    work = Work(max_file_bytes=state.settings.max_file_bytes)
    with begin(
        state.engine, caller.user, keep=keep, one_snapshot=one_snapshot, work=work
    ) as session:
        yield limit.on(session._replace(only_task=caller.task))


def decision_limit(http: Request) -> Limit:
    """Return the time limit of a decision that needs no turn to compute."""
    return Limit(http.app.state.turns, SECONDS_TO_DECIDE)


async def in_turn(http: Request, work: Callable[[], _Result]) -> _Result:
    """Run a function in a thread when a reading turn is free, and return its result.

    Requests wait here, not in threads: waiting for connections there, they could take all threads,
    and none would be left for requests that have a connection.
    """
    async with http.app.state.turns.reading:
        return await run_in_threadpool(work)


@asynccontextmanager
async def computing_turn(
    http: Request, caller: Caller, seconds: float | None = None
) -> AsyncIterator[Limit]:
    """Wait at most a minute for a turn to compute, and hold it within the block.

    The computation ends when its time is over, the client is gone or the service ends. By default
    it has `SECONDS_TO_ANSWER`, and without a token `SECONDS_WITHOUT_TOKEN`.
    """
    turns: Turns = http.app.state.turns
    with_token = caller.scope is not None
    usual = SECONDS_TO_ANSWER if with_token else SECONDS_WITHOUT_TOKEN
    limit = Limit(turns, usual if seconds is None else seconds)
    watching = asyncio.create_task(_watch(http, limit))
    try:
        turn = turns.computing[with_token]
        await _wait_for(turn, limit)
        try:
            limit.begin()
            yield limit
        finally:
            turn.release()
    finally:
        watching.cancel()


async def computed(
    http: Request, work: Callable[[Limit], _Result], *, caller: Caller, seconds: float | None = None
) -> _Result:
    """Return the result of a computation, run in a thread in its turn; see `computing_turn`."""
    async with computing_turn(http, caller, seconds) as limit:
        return await run_in_threadpool(work, limit)


async def _wait_for(turn: asyncio.Semaphore, limit: Limit) -> None:
    waiting = asyncio.create_task(turn.acquire())
    until = time.monotonic() + _SECONDS_TO_WAIT
    try:
        while not (await asyncio.wait({waiting}, timeout=_POLL_SECONDS))[0]:
            limit.begin()
            limit.check()
            if time.monotonic() > until:
                raise HttpError(503, "Others' computations are under way; try again later.")
    except BaseException:
        if not waiting.cancel():
            turn.release()
        raise


async def _watch(http: Request, limit: Limit) -> None:
    """Mark the limit as gone when the client disconnects; the body must have been read before."""
    with suppress(RuntimeError):
        # Not Request.is_disconnected(): behind a middleware of the pages it never reports it.
        while (await http.receive())["type"] != "http.disconnect":
            pass
        limit.disconnected = True
