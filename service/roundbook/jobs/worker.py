"""The worker: a process that takes jobs one by one, and those that a lost worker left."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import Any

from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import JobAborted
from procrastinate.jobs import Job as QueuedJob
from procrastinate.jobs import Status
from sqlalchemy import Engine

from roundbook.errors import DatabaseBusyError, DatabaseUnreachableError, RoundbookError
from roundbook.jobs.queue import QUEUE, Connector, kept, make_queue
from roundbook.jobs.studies import note_job
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.record import open_record
from roundbook.logbook.saved_results import save_long_result
from roundbook.logbook.session import Work, begin
from roundbook.settings import Settings

# A job that ended its worker so often, for want of memory perhaps, is not begun again.
_MOST_ATTEMPTS = 5
_KEPT_HOURS = 30 * 24
_BETWEEN_NOTES = 0.5
_POLLING = 1.0

Tell = Callable[[str], object]


def run_worker(
    settings: Settings,
    address: str | None = None,
    tell: Tell = lambda _: None,
    *,
    until_idle: bool = False,
) -> None:
    """Take jobs until the process is interrupted or told to end; the study under way is put back.

    Parameters
    ----------
    address : str or None
        Of the database; None for that of the settings.
    tell : callable
        Told in a sentence what is begun and what came of it.
    until_idle : bool
        End when no job is waiting.

    Raises
    ------
    DatabaseError
        When the queue cannot be made, or the database is lost.
    """
    # Its log would print tracebacks, and `tell` has what there is to say.
    log = logging.getLogger("procrastinate")
    log.propagate = settings.debug
    log.addHandler(logging.NullHandler())
    with open_record(settings, address) as engine:
        make_queue(engine)
        tell("Taking jobs (Ctrl-C ends it).")
        asyncio.run(_work(_app(engine, settings, tell), settings.worker_timeout, until_idle=until_idle))


async def _work(app: App, timeout: float, *, until_idle: bool) -> None:
    await _take_back(app, timeout)
    async with app.open_async():
        watching = asyncio.create_task(_watch(app, timeout))
        try:
            await app.run_worker_async(
                queues=[QUEUE],
                wait=not until_idle,
                listen_notify=False,
                fetch_job_polling_interval=_POLLING,
                abort_job_polling_interval=_POLLING,
                shutdown_graceful_timeout=0,
                update_heartbeat_interval=timeout / 4,
                stalled_worker_timeout=timeout,
            )
        finally:
            watching.cancel()


async def _watch(app: App, timeout: float) -> None:
    while True:
        await asyncio.sleep(timeout / 4)
        try:
            await _take_back(app, timeout)
        except DatabaseUnreachableError:
            continue  # the worker itself ends when it cannot reach the database


async def _take_back(app: App, timeout: float) -> None:
    """Put the jobs of workers that gave no sign of life back into the queue; forget old ones."""
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=timeout):
        assert job.id is not None
        if job.attempts + 1 < _MOST_ATTEMPTS:
            await manager.retry_job(job)
            continue
        await manager.finish_job(job, Status.FAILED, delete_job=False)
        sentence = f"Its worker was lost {_MOST_ATTEMPTS} times while it ran: for want of memory?"
        with app.job_manager.connector.transaction() as connection:
            note_job(connection, job.id, error=sentence)
    await manager.delete_old_jobs(
        _KEPT_HOURS, QUEUE, include_failed=True, include_cancelled=True, include_aborted=True
    )
