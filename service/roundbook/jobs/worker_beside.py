"""The worker beside a service: a child process, started again when it is lost."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess

from roundbook.errors import RoundbookError
from roundbook.jobs.worker import run_worker
from roundbook.logbook.session import ReportProgress
from roundbook.logbook.studies.workers import uninterrupted
from roundbook.settings import Settings

_SECONDS_TO_LOOK, _SECONDS_TO_END = 1.0, 10.0
_SECONDS_TO_RESTART, _SECONDS_TO_ASK_AGAIN = 5.0, 300.0


@contextmanager
def worker_beside(settings: Settings, address: str | None, tell: ReportProgress) -> Iterator[None]:
    """Run a worker as a child process within a block; start another if it is lost.

    One that is refused, as on a standby, is started again after five minutes.

    `tell` must be a module's function, since it is pickled for the child.
    """
    # A fork would inherit the connections and threads of this process.
    context = get_context("spawn")

    def start() -> SpawnProcess:
        started = context.Process(target=_as_child, args=(settings, address, tell), daemon=True)
        with uninterrupted():  # Ctrl-C is for this process to act on
            started.start()
        return started

    worker = start()
    ending = threading.Event()

    def watch() -> None:
        nonlocal worker
        while not ending.is_set():
            worker.join(_SECONDS_TO_LOOK)
            if worker.exitcode is None:
                continue
            # One that was refused, and said why, would only say so again.
            if not ending.wait(_SECONDS_TO_RESTART if worker.exitcode else _SECONDS_TO_ASK_AGAIN):
                worker = start()

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    try:
        yield
    finally:
        ending.set()
        watching.join()
        worker.terminate()
        worker.join(_SECONDS_TO_END)
        worker.kill()


def _as_child(settings: Settings, address: str | None, tell: ReportProgress) -> None:
    """Run jobs until the parent process ends."""
    parent = parent_process()
    assert parent is not None

    def end_with_parent() -> None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        run_worker(settings, address, tell)
    except RoundbookError as error:
        tell(f"No jobs are taken: {error}")
