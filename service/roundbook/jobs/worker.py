"""The worker: a process that runs jobs one by one, also those that a lost worker left."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from typing import Any

from procrastinate import App, BaseRetryStrategy, JobContext, RetryDecision
from procrastinate.exceptions import JobAborted
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Job as QueuedJob
from procrastinate.jobs import Status
from procrastinate.sql import queries
from sqlalchemy import Engine, text

from roundbook.errors import DatabaseError, DatabaseUnreachableError, RoundbookError
from roundbook.jobs.job_queue import (
    QUEUE,
    Connector,
    WorkerConnector,
    committed,
    make_queue,
    queue_in,
)
from roundbook.jobs.studies import current_names, note_job
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.saving import save_long_result
from roundbook.logbook.session import (
    ReportProgress,
    Session,
    Work,
    begin,
    ignore_progress,
    open_record,
)
from roundbook.presentation.saved_results import other_question
from roundbook.requests.results import SaveResult
from roundbook.settings import Settings

# A job whose worker was lost this often, perhaps for want of memory, is not started again.
_MOST_LOST = 5
_KEPT_HOURS = 30 * 24
_SECONDS_TO_RESTART = 5.0
_SECONDS_BETWEEN_NOTES = 0.5
_POLL_SECONDS = 1.0


def run_worker(
    settings: Settings,
    address: str | None = None,
    tell: ReportProgress = ignore_progress,
    *,
    until_idle: bool = False,
) -> None:
    """Run jobs until the process is interrupted or terminated; a study under way is requeued.

    The database is by default that of the settings. `tell` is called with a sentence when a job
    begins, and with its outcome. With `until_idle`, for tests, it ends when no job is waiting.

    Raises
    ------
    DatabaseError
        When the queue cannot be made, or the database does not answer at first. Where it is lost
        later, the worker waits for it.
    """
    # Its log prints tracebacks; `tell` reports failures in a sentence.
    log = logging.getLogger("procrastinate")
    log.propagate = settings.debug
    log.addHandler(logging.NullHandler())
    waits, told = False, False
    while True:
        try:
            with open_record(settings, address) as engine:
                make_queue(engine)
                waits, told = not until_idle, False
                busy: set[int] = set()
                connector = WorkerConnector(engine, settings.worker_timeout)
                app = _app(connector, engine, settings, tell, busy)
                asyncio.run(_work(app, settings, busy, tell, until_idle=until_idle))
                if connector.lost is None:
                    return
                raise connector.lost
        except DatabaseUnreachableError as error:
            if not waits:
                raise
            if not told:
                tell(f"No jobs are taken until the database answers again: {error}")
            told = True
            time.sleep(_SECONDS_TO_RESTART)


async def _work(
    app: App, settings: Settings, busy: set[int], tell: ReportProgress, *, until_idle: bool
) -> None:
    if not settings.debug:
        # It prints the traceback of a job whose outcome could not be stored.
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
    timeout = settings.worker_timeout
    with _cancelled_by_signals(), suppress(asyncio.CancelledError):
        tell("Taking jobs.")  # whoever reads it may end this process
        await _requeue_lost(app, timeout, busy)
        async with app.open_async():
            watching = asyncio.create_task(_watch(app, timeout, busy))
            try:
                await app.run_worker_async(
                    queues=[QUEUE],
                    wait=not until_idle,
                    listen_notify=False,
                    install_signal_handlers=False,
                    fetch_job_polling_interval=_POLL_SECONDS,
                    abort_job_polling_interval=_POLL_SECONDS,
                    shutdown_graceful_timeout=0,
                    update_heartbeat_interval=timeout / 4,
                    stalled_worker_timeout=timeout,
                )
            finally:
                watching.cancel()


@contextmanager
def _cancelled_by_signals() -> Iterator[None]:
    """Have the first SIGINT or SIGTERM within the block cancel its task, and later ones do nothing.

    A second one would break off the putting back of its job.
    """
    if threading.current_thread() is not threading.main_thread() or os.name == "nt":
        yield
        return
    loop, task, came = asyncio.get_running_loop(), asyncio.current_task(), list[bool]()
    assert task is not None

    def cancel() -> None:
        if not came:
            came.append(task.cancel())

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.getsignal(number) for number in numbers}
    for number in numbers:
        loop.add_signal_handler(number, cancel)
    try:
        yield
    finally:
        for number, handler in before.items():
            loop.remove_signal_handler(number)
            signal.signal(number, handler)


async def _watch(app: App, timeout: float, busy: set[int]) -> None:
    while True:
        await asyncio.sleep(timeout / 4)
        with suppress(DatabaseError):  # the worker itself ends when it cannot reach the database
            await _requeue_lost(app, timeout, busy)


async def _requeue_lost(app: App, timeout: float, busy: set[int]) -> None:
    """Requeue the jobs of workers without a heartbeat, and delete old jobs.

    The jobs in `busy` run in this worker, whose own heartbeat may be late: they are left alone.
    """
    manager = app.job_manager
    for job in await manager.get_stalled_jobs(queue=QUEUE, seconds_since_heartbeat=timeout):
        if job.id not in busy:
            with suppress(DatabaseError):  # another worker was first
                await asyncio.to_thread(_requeue_or_fail, app, job)
    await manager.delete_old_jobs(
        _KEPT_HOURS, QUEUE, include_failed=True, include_cancelled=True, include_aborted=True
    )


def _requeue_or_fail(app: App, job: QueuedJob) -> None:
    assert job.id is not None
    assert isinstance(app.connector, Connector)
    with app.connector.transaction() as connection:
        row = connection.execute(
            text(
                "SELECT lost + 1 AS lost, queued.abort_requested FROM roundbook_jobs.study_job"
                " JOIN roundbook_jobs.procrastinate_jobs AS queued ON queued.id = job"
                " WHERE job = :job AND queued.status = 'doing' FOR UPDATE"
            ),
            {"job": job.id},
        ).one_or_none()
        if row is None:
            return  # its worker was late, and ended it meanwhile
        queue = queue_in(connection)
        if row.lost < _MOST_LOST and not row.abort_requested:
            queue.retry_job_by_id(job.id, retry_at=datetime.now(UTC))
            note_job(queue.connector, job.id, lost=row.lost, **_NO_PROGRESS)
            return
        status, error = Status.ABORTED, None
        if not row.abort_requested:
            status = Status.FAILED
            error = f"Its worker was lost {row.lost} times while it ran: for want of memory?"
        queue.connector.execute_query(
            queries["finish_job"], job_id=job.id, status=status.value, delete_job=False
        )
        note_job(queue.connector, job.id, lost=row.lost, error=error, ended_at=datetime.now(UTC))


class _PutBackError(Exception):
    """A job cannot be ended for a reason outside of it, and goes back into the queue."""


class _RetryInterrupted(BaseRetryStrategy):
    """Retry strategy: a job is requeued if its worker ends, or for another reason outside of it."""

    def get_retry_decision(
        self,
        *,
        exception: BaseException,
        job: QueuedJob,  # noqa: ARG002
    ) -> RetryDecision | None:
        """Return a retry for an interrupted job, None for a failed one."""
        if isinstance(exception, JobAborted):
            return RetryDecision(retry_at=datetime.now(UTC))
        if isinstance(exception, _PutBackError):
            return RetryDecision(retry_in={"seconds": int(_SECONDS_TO_RESTART)})
        return None


_COUNT_LOSS = """
UPDATE study_job SET lost = lost + 1, part = NULL, done = NULL, total = NULL, seconds_left = NULL
WHERE job = %(job)s RETURNING lost
"""


def _app(
    connector: Connector, engine: Engine, settings: Settings, tell: ReportProgress, busy: set[int]
) -> App:
    """Return the procrastinate app whose task runs a study in a thread, with its job in `busy`."""
    app = App(connector=connector)

    def study(
        context: JobContext,
        *,
        request: dict[str, Any],
        name: str | None,
        note: str | None,
        user: str,
        rounds: Mapping[str, int],
    ) -> None:
        job = context.job.id
        assert job is not None
        title = f"{request['study']} of {request['task']}"
        busy.add(job)
        try:
            with committed(engine) as connection:
                names = current_names(connection, job, rounds)
            request = request | names
            title = f"{request['study']} of {request['task']}"
            note_job(connector, job, started_at=datetime.now(UTC), **_NO_PROGRESS)
            tell(f"Job {job}: {title} is begun.")
            work = Work(_progress(engine, context), max_file_bytes=settings.max_file_bytes)
            begin_work = partial(begin, engine, user, work=work)
            saved = save_long_result(
                partial(_begin_named, begin_work, job, rounds, names),
                "study",
                find_kind("study").request(**request),
                SaveResult(name=name, note=note),
            )
        except JobAborted:
            if context.abort_reason() == AbortReason.SHUTDOWN:
                note_job(connector, job, **_NO_PROGRESS)
                tell(f"Job {job}: {title} is put back.")
            else:
                note_job(connector, job, ended_at=datetime.now(UTC))
                tell(f"Job {job}: {title} is cancelled.")
            raise
        except _PutBackError as error:
            tell(f"Job {job}: {title} is put back, as {error}.")
            raise
        except Exception as error:
            sentence = str(error)
            if isinstance(error, DatabaseUnreachableError):
                if connector.execute_query_one(_COUNT_LOSS, job=job)["lost"] < _MOST_LOST:
                    tell(f"Job {job}: {title} is put back, as the database was lost under it.")
                    raise _PutBackError from error
                sentence = f"The database was lost {_MOST_LOST} times while it ran: {error}"
            if not isinstance(error, RoundbookError):
                sentence = f"Roundbook itself went wrong here ({type(error).__name__}: {error})."
            note_job(connector, job, ended_at=datetime.now(UTC), error=sentence)
            tell(f"Job {job}: {title} failed. {sentence}")
            raise
        finally:
            busy.discard(job)
        note_job(
            connector,
            job,
            ended_at=datetime.now(UTC),
            result=saved.name,
            version=saved.version,
            saved=saved.status,
            seconds_left=0,
        )
        outcome = f"{title} is {saved.status}: '{saved.name}', version {saved.version}."
        other = other_question(saved.version, saved.asked_before)
        tell(f"Job {job}: {outcome}" + (f" {other}" if other else ""))

    app.task(name="study", queue=QUEUE, pass_context=True, retry=_RetryInterrupted())(study)
    return app


@contextmanager
def _begin_named(
    begin: Callable[..., AbstractContextManager[Session]],
    job: int,
    rounds: Mapping[str, int],
    names: dict[str, str],
    **options: bool,
) -> Iterator[Session]:
    """Begin a transaction for a job whose task and rounds still have these names, or put it back."""
    with begin(**options) as session:
        if current_names(session.connection, job, rounds) != names:
            raise _PutBackError("its task or round was renamed meanwhile")
        yield session


_NO_PROGRESS = dict.fromkeys(("part", "done", "total", "seconds_left", "error", "ended_at"))


def _progress(engine: Engine, context: JobContext) -> Callable[[str, int, int], None]:
    """Return a callback that stores progress, at most twice a second, or aborts a cancelled job."""
    job = context.job.id or 0
    connector = Connector(partial(committed, engine))  # one that is lost is not waited for
    began: dict[str, float] = {}
    noted = 0.0

    def progress(part: str, done: int, total: int) -> None:
        nonlocal noted
        if context.should_abort():
            raise JobAborted
        now = time.monotonic()
        started = began.setdefault(part, now)
        if now - noted < _SECONDS_BETWEEN_NOTES and done < total:
            return
        noted = now
        left = round((now - started) * (total - done) / done, 1) if done and now > started else None
        with suppress(DatabaseUnreachableError):
            note_job(connector, job, part=part, done=done, total=total, seconds_left=left)

    return progress
