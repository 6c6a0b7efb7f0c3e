"""Long studies over HTTP: started, followed as server-sent events, cancelled."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TypeVar

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import find_caller, limit_to_task, permit, permit_name, require_scope
from roundbook.api.openapi import PROBLEMS, parameters
from roundbook.api.routes import Saving
from roundbook.errors import RoundbookError
from roundbook.jobs.job import ENDED, Job, JobList
from roundbook.jobs.queue import make_queue
from roundbook.jobs.studies import cancel_job, list_jobs, show_job, start_study
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.session import begin
from roundbook.logbook.studies.studies import find_study
from roundbook.requests.jobs import ListJobs, ShowJob, StartStudy

_BETWEEN_LOOKS, _BETWEEN_SIGNS = 0.5, 15
Found = TypeVar("Found", Job, JobList)
# Whoever still listens then asks again, with a token that may have been revoked.
_LONGEST = 600


def add_jobs(router: APIRouter) -> None:
    """Add the routes of jobs."""
    router.post(
        "/jobs/study/{study}",
        summary="Put a study into the queue, for a worker to compute and save.",
        operation_id="start_study",
        status_code=202,
        response_model=Job,
        responses=PROBLEMS,
    )(_start)
    router.get(
        "/jobs",
        summary=ListJobs.__doc__,
        operation_id="jobs",
        response_model=JobList,
        responses=PROBLEMS,
        openapi_extra={"parameters": parameters(ListJobs)},
    )(_list)
    router.get(
        "/jobs/{job}",
        summary=ShowJob.__doc__,
        operation_id="job",
        response_model=Job,
        responses=PROBLEMS,
    )(_show)
    router.get(
        "/jobs/{job}/events",
        summary="A job as server-sent events: `progress` whenever it has changed, then `end`.",
        operation_id="job_events",
        response_class=StreamingResponse,
        responses={
            **PROBLEMS,
            200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}},
        },
    )(_events)
    router.post(
        "/jobs/{job}/cancel",
        summary="Take a job out of the queue, or have its worker stop.",
        operation_id="cancel_job",
        response_model=Job,
        responses=PROBLEMS,
    )(_cancel)


async def _start(http: Request, study: str, saving: Saving) -> Response:
    def work() -> Job:
        caller = find_caller(http)
        require_scope(caller, "log")
        find_study(study)
        asked = find_kind("study").request(**{**saving.request, "study": study})
        make_queue(http.app.state.engine)
        with begin(http.app.state.engine, caller.user) as session:
            permit(caller, session, asked)
            permit_name(caller, session, saving.name)
            return start_study(session, StartStudy(study=study, **saving.model_dump()))

    job = await _in_turn(http, work)
    url = f"{http.url.path.removesuffix(f'/study/{study}')}/{job.job}"
    return _answer(job, 202, {"Location": url})


async def _list(http: Request) -> Response:
    def work() -> JobList:
        caller = find_caller(http)
        require_scope(caller, "read")
        asked = ListJobs(**dict(http.query_params))
        if asked.task is None:
            asked = asked.model_copy(update={"task": caller.task})
        with begin(http.app.state.engine, one_moment=True) as session:
            return list_jobs(session, permit(caller, session, asked))

    return _answer(await _in_turn(http, work))


async def _show(http: Request, job: int) -> Response:
    return _answer(await _in_turn(http, lambda: _look(http, job)))


async def _cancel(http: Request, job: int) -> Response:
    def work() -> Job:
        caller = find_caller(http)
        require_scope(caller, "log")
        with begin(http.app.state.engine, caller.user) as session:
            limit_to_task(caller, show_job(session, ShowJob(job=job)))
            return cancel_job(session, ShowJob(job=job))

    return _answer(await _in_turn(http, work))


async def _events(http: Request, job: int) -> Response:
    first = await _in_turn(http, lambda: _look(http, job))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_follow(http, first), media_type="text/event-stream", headers=headers)


async def _follow(http: Request, job: Job) -> AsyncIterator[str]:
    """Yield a job as an event whenever it has changed, until it or the service ends."""
    shown: Job | None = None
    looked_for = partial(_look, http, job.job)
    number, sent = 0, 0.0
    until = time.monotonic() + _LONGEST
    while True:
        now = time.monotonic()
        if job != shown:
            number, sent, shown = number + 1, now, job
            kind = "end" if job.status in ENDED else "progress"
            yield f"id: {number}\nevent: {kind}\ndata: {job.model_dump_json()}\n\n"
        elif now - sent > _BETWEEN_SIGNS:
            sent = now
            yield ": still running\n\n"
        if job.status in ENDED or now > until or http.app.state.turns.ending:
            return
        await asyncio.sleep(_BETWEEN_LOOKS)
        try:
            job = await _in_turn(http, looked_for)
        except RoundbookError:
            return  # whoever listens asks again, and is told


def _look(http: Request, job: int) -> Job:
    caller = find_caller(http)
    require_scope(caller, "read")
    with begin(http.app.state.engine, one_moment=True) as session:
        found = show_job(session, ShowJob(job=job))
    limit_to_task(caller, found)
    return found


async def _in_turn(http: Request, work: Callable[[], Found]) -> Found:
    async with http.app.state.turns.reading:
        return await run_in_threadpool(work)


def _answer(
    found: Job | JobList, status: int = 200, headers: dict[str, str] | None = None
) -> JSONResponse:
    cached = {"Cache-Control": "no-store", **(headers or {})}
    return JSONResponse(found.model_dump(mode="json"), status, cached)
