"""Endpoints of background jobs: start a study, follow it by server-sent events, cancel it."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from roundbook.api.access import limit_to_task, permit, permit_saving
from roundbook.api.callers import Caller, find_caller, require_scope
from roundbook.api.endpoints import Saving, query_fields
from roundbook.api.openapi import PROBLEMS, parameters
from roundbook.api.turns import in_turn
from roundbook.api.ways_out import PREFIX
from roundbook.errors import NotRecordedError, RoundbookError
from roundbook.jobs.job import ENDED, Job, JobList
from roundbook.jobs.job_queue import make_queue
from roundbook.jobs.studies import cancel_job, list_jobs, show_job, start_study, study_request
from roundbook.logbook.session import Session, begin
from roundbook.requests.access import Scope
from roundbook.requests.results import ListJobs, ShowJob, StartStudy

_POLL_SECONDS, _HEARTBEAT_SECONDS = 0.5, 15
_Jobs = TypeVar("_Jobs", Job, JobList)
# After so long an event stream ends. The client reconnects, and its token is checked again.
_STREAM_SECONDS = 600

router = APIRouter(prefix=PREFIX, responses=PROBLEMS)


@router.post(
    "/jobs/study/{study}",
    summary="Put a study into the queue, for a worker to compute and save.",
    operation_id="start_study",
    status_code=202,
    response_model=Job,
)
async def _start(http: Request, study: str, saving: Saving) -> Response:
    def work() -> Job:
        caller = find_caller(http)
        require_scope(caller, "log")
        return start_job(http, caller, StartStudy(study=study, **saving.model_dump()))

    job = await in_turn(http, work)
    url = f"{http.url.path.removesuffix(f'/study/{study}')}/{job.job}"
    return _answer(job, 202, Location=url)


def start_job(http: Request, caller: Caller, request: StartStudy) -> Job:
    """Put a study into the queue, if the caller may see the scores it is of."""
    study = study_request(request)
    make_queue(http.app.state.engine)
    with begin(http.app.state.engine, caller.user) as session:
        permit(caller, session, study)
        permit_saving(caller, session, "study", study, request.name)
        return start_study(session, request)


@router.get(
    "/jobs",
    summary=ListJobs.__doc__,
    operation_id="jobs",
    response_model=JobList,
    openapi_extra={"parameters": parameters(ListJobs)},
)
async def _list(http: Request) -> Response:
    def work(caller: Caller, session: Session) -> JobList:
        request = permit(caller, session, ListJobs(**query_fields(http, ListJobs)))
        return list_jobs(session, request)

    return _answer(await in_turn(http, lambda: _ask(http, work)))


@router.get("/jobs/{job}", summary=ShowJob.__doc__, operation_id="job", response_model=Job)
async def _show(http: Request, job: int) -> Response:
    return _answer(await in_turn(http, partial(_ask_for, http, job)))


@router.get(
    "/jobs/{job}/events",
    summary="A job as server-sent events: `progress` whenever it has changed, then `end`.",
    operation_id="job_events",
    response_class=StreamingResponse,
    responses={200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}},
)
async def _events(http: Request, job: int) -> Response:
    first = await in_turn(http, partial(_ask_for, http, job))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    if http.method == "HEAD":
        return Response(headers=headers, media_type="text/event-stream")
    return StreamingResponse(_follow(http, first), media_type="text/event-stream", headers=headers)


async def _follow(http: Request, job: Job) -> AsyncIterator[str]:
    """Yield a job as an event whenever it has changed, until it or the service ends."""
    latest: Job | None = None
    read_again = partial(_ask_for, http, job.job)
    number, sent_at = 0, 0.0
    until = time.monotonic() + _STREAM_SECONDS
    while True:
        now = time.monotonic()
        if job != latest:
            number, sent_at, latest = number + 1, now, job
            kind = "end" if job.status in ENDED else "progress"
            yield f"id: {number}\nevent: {kind}\ndata: {job.model_dump_json()}\n\n"
        elif now - sent_at > _HEARTBEAT_SECONDS:
            sent_at = now
            yield ": still running\n\n"
        if job.status in ENDED or now > until or http.app.state.turns.ending:
            return
        await asyncio.sleep(_POLL_SECONDS)
        try:
            job = await in_turn(http, read_again)
        except RoundbookError:
            return  # the client reconnects, and gets the error


@router.post(
    "/jobs/{job}/cancel",
    summary="Take a job out of the queue, or have its worker stop.",
    operation_id="cancel_job",
    response_model=Job,
)
async def _cancel(http: Request, job: int) -> Response:
    def work(caller: Caller, session: Session) -> Job:
        visible_job(caller, session, job)
        return cancel_job(session, ShowJob(job=job))

    return _answer(await in_turn(http, lambda: _ask(http, work, "log")))


def _ask(http: Request, work: Callable[[Caller, Session], _Jobs], scope: Scope = "read") -> _Jobs:
    """Return the result of `work` in a transaction, for a caller with at least this scope."""
    caller = find_caller(http)
    require_scope(caller, scope)
    reads = scope == "read"
    with begin(http.app.state.engine, caller.user, one_snapshot=reads) as session:
        return work(caller, session)


def _ask_for(http: Request, job: int) -> Job:
    return _ask(http, lambda caller, session: visible_job(caller, session, job))


def visible_job(caller: Caller, session: Session, number: int) -> Job:
    """Return a job. A token of one task gets the same error for another task's job as for none."""
    try:
        job = show_job(session, ShowJob(job=number))
    except NotRecordedError:
        limit_to_task(caller, None)
        raise
    limit_to_task(caller, job)
    return job


def _answer(result: Job | JobList, status: int = 200, **headers: str) -> JSONResponse:
    headers["Cache-Control"] = "no-store"
    return JSONResponse(result.model_dump(mode="json"), status, headers)
