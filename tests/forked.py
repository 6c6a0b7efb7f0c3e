"""Processes forked from a test: killed at a chosen moment, or raced against each other.

They begin with everything imported, so that a moment falls within the work and not before it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import event

from roundbook.database.engine import make_engine
from roundbook.errors import RoundbookError

_FORK = multiprocessing.get_context("fork")
PATIENCE = 120


class Outcome(NamedTuple):
    """What became of a process.

    `reached` is how far it came: '' not even begun, 'working' within its transaction,
    'committing' from the moment of asking for the commit on, 'done' when the use case returned.
    `error` and `message` are what it raised and in which words, where that was one of
    Roundbook's.
    """

    reached: str
    value: Any = None
    error: str | None = None
    message: str | None = None
    seconds: float = 0.0


class Forked:
    """A process that runs ``work(engine)`` on an engine of its own as soon as it is let go.

    Parameters
    ----------
    tells : bool
        Whether it tells how far it is on the way; else only at the end, and never waits for a
        listener while it holds a lock.
    """

    def __init__(self, url, work, *, tells=False):
        self._go, waiting = _FORK.Pipe()
        self._heard, reports = _FORK.Pipe(duplex=False)
        self._process = _FORK.Process(target=_run, args=(url, work, tells, waiting, reports))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # that the test has threads
            self._process.start()
        waiting.close()
        reports.close()
        assert self._go.recv() == "ready"

    def let_go(self):
        self._began = time.monotonic()
        self._go.send("go")

    def kill(self):
        os.kill(self._process.pid, signal.SIGKILL)

    def end(self) -> Outcome:
        """Return what became of it, when it has come to its end."""
        outcome = Outcome("")
        while True:
            assert self._heard.poll(PATIENCE), "the process neither ends nor tells anything"
            try:
                heard = self._heard.recv()
                outcome = heard._replace(reached=heard.reached or outcome.reached)
            except (EOFError, OSError):
                break
        seconds = time.monotonic() - self._began
        self._process.join(PATIENCE)
        self._process.close()
        self._go.close()
        self._heard.close()
        return outcome._replace(seconds=seconds)


def _run(url, work, tells, waiting, reports):
    engine = make_engine(url)
    if tells:
        event.listen(engine, "begin", lambda _: reports.send(Outcome("working")))
        event.listen(engine, "commit", lambda _: reports.send(Outcome("committing")))
    waiting.send("ready")
    waiting.recv()
    try:
        value = work(engine)
    except RoundbookError as error:
        reports.send(Outcome("", None, type(error).__name__, str(error)))
    else:
        reports.send(Outcome("done", value))


def run_apart(url, work) -> Outcome:
    """Run ``work(engine)`` in a process of its own to its end."""
    process = Forked(url, work)
    process.let_go()
    return process.end()


def race(url, works: Sequence[Callable[..., Any]]) -> list[Outcome]:
    """Run each ``work(engine)`` in a process of its own, all let go at the same moment."""
    processes = [Forked(url, work) for work in works]
    for process in processes:
        process.let_go()
    return [process.end() for process in processes]
