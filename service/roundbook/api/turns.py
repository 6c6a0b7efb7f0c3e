"""Turns: how many requests are worked on at once, each for so long, and for nobody who has gone."""

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

_BETWEEN_LOOKS = 0.5
_SECONDS_TO_WAIT = 60
# For an answer, and for what changes the record; without a token, to an answer.
SECONDS_TO_ANSWER, SECONDS_TO_DECIDE, SECONDS_WITHOUT_TOKEN = 60, 600, 20
_Made = TypeVar("_Made")


class Turns:
    """How many requests of an application are worked on at once.

    What computes for long has turns of its own, and whoever comes without a token another one, so
    that what is only read is answered meanwhile. Together they are fewer than the engine has
    connections: whoever looks up a token needs one too.
    """

    def __init__(self) -> None:
        self.reading = asyncio.Semaphore(8)  # most decisions too
        # Pages for whoever comes without a token leave turns to read to others.
        self.strangers = asyncio.Semaphore(4)
        # By whether they have a token, or need none.
        self.computing = {True: asyncio.Semaphore(2), False: asyncio.Semaphore(1)}
        self.ending = False  # with the service; nothing is to be computed any more


class Limit:
    """How long a request may be worked on.

    Parameters
    ----------
    seconds : float, optional
        From when its turn comes, or from now; default: `SECONDS_TO_ANSWER`.
    """

    def __init__(self, turns: Turns, seconds: float | None = None) -> None:
        seconds = SECONDS_TO_ANSWER if seconds is None else seconds
        self._turns = turns
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self.gone = False

    def begin(self) -> None:
        """Take note that its turn has come."""
        self._until = time.monotonic() + self._seconds

    def check(self, *_: object) -> None:
        """End the work by an error once its time is over, or nobody waits for it any more."""
        if self.gone or self._turns.ending:
            raise HttpError(503, "Nobody waits for the answer any more, or the service ends.")
        if time.monotonic() > self._until:
            raise HttpError(
                503,
                f"It took longer than {self._seconds:g} seconds, and was given up; ask for less. A"
                " study can be computed in the background, as a job.",
                way_out="start a job",
            )

    def on(self, session: Session) -> Session:
        """Return a session whose statements and computations end in time, by an error if not else."""
        milliseconds = f"{self._seconds * 1000:.0f}"
        session.connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")

        def mapped(compute: Callable[[Any], Any], pieces: Iterable[Any]) -> Iterator[Any]:
            for piece in pieces:
                self.check()
                yield compute(piece)

        return session._replace(work=Work(progress=self.check, mapped=mapped))


@contextmanager
def transaction(
    http: Request, caller: Caller, limit: Limit, *, keep: bool = True, one_moment: bool = False
) -> Iterator[Session]:
    """Yield a transaction that ends in time; see `begin`."""
    engine = http.app.state.engine
    with begin(engine, caller.user, keep=keep, one_moment=one_moment) as session:
        yield limit.on(session)


def to_decide(http: Request) -> Limit:
    """Return how long a decision may take that needs no turn to compute."""
    return Limit(http.app.state.turns, SECONDS_TO_DECIDE)


async def in_turn(http: Request, work: Callable[[], _Made]) -> _Made:
    """Return what is read or decided: in a thread, when its turn comes.

    Requests wait here: while they waited in threads for connections, none would be left to answer
    those that have one.
    """
    async with http.app.state.turns.reading:
        return await run_in_threadpool(work)


@asynccontextmanager
async def computing_turn(
    http: Request, caller: Caller, seconds: float | None = None
) -> AsyncIterator[Limit]:
    """Wait for a turn to compute something, a minute at most, and keep it within the block.

    What is computed ends once the time is over, whoever asks has gone or the service ends.

    Parameters
    ----------
    seconds : float, optional
        Default: `SECONDS_TO_ANSWER`, and without a token `SECONDS_WITHOUT_TOKEN`.
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
    http: Request, work: Callable[[Limit], _Made], *, caller: Caller, seconds: float | None = None
) -> _Made:
    """Return what a computation gives: in a thread, when its turn comes; see `computing_turn`."""
    async with computing_turn(http, caller, seconds) as limit:
        return await run_in_threadpool(work, limit)


async def _wait_for(turn: asyncio.Semaphore, limit: Limit) -> None:
    waiting = asyncio.create_task(turn.acquire())
    until = time.monotonic() + _SECONDS_TO_WAIT
    try:
        while not (await asyncio.wait({waiting}, timeout=_BETWEEN_LOOKS))[0]:
            limit.begin()
            limit.check()
            if time.monotonic() > until:
                raise HttpError(503, "Others' computations are under way; try again later.")
    except BaseException:
        if not waiting.cancel():
            turn.release()
        raise


async def _watch(http: Request, limit: Limit) -> None:
    """Take note when whoever asks has gone; the body has been read before."""
    with suppress(RuntimeError):
        # Not by looking from time to time: behind a middleware of the pages nothing is seen so.
        while (await http.receive())["type"] != "http.disconnect":
            pass
        limit.gone = True
