"""The pages of jobs: a study in the background, how far it is, and the list of all."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import Caller, limit_to_task, permit, permit_name, require_scope
from roundbook.errors import NotRecordedError
from roundbook.jobs.job import ENDED, Job
from roundbook.jobs.queue import make_queue
from roundbook.jobs.studies import cancel_job, list_jobs, show_job, start_study
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.session import Session, begin
from roundbook.logbook.studies.studies import STUDIES
from roundbook.pages.answers import asked_of
from roundbook.pages.site import Asking, Who, page, read_form
from roundbook.requests.jobs import ListJobs, ShowJob, StartStudy

router = APIRouter()
_BETWEEN_LOOKS = 2
_OF_FILES = frozenset({"study", "task", "files", "layout", "missing", "file_measure"})


@router.get("/jobs")
def jobs_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """List the studies in the background, latest first."""
    require_scope(caller, "read")
    return page(http, "jobs.html", jobs=list_jobs(session, ListJobs(task=caller.task)).jobs)


@router.get("/job/{number}")
def job_page(http: Request, caller: Who, session: Asking, number: int) -> HTMLResponse:
    """Show how far a study is; the page asks again by itself until it is over."""
    require_scope(caller, "read")
    job = _show(session, caller, number)
    asked = [
        (name, job.request[name])
        for name in STUDIES[job.study].request.model_fields
        if name not in _OF_FILES and job.request.get(name) not in (None, [], False)
    ]
    shown = page(http, "job.html", job=job, asked=asked)
    if job.status not in ENDED:
        shown.headers["Refresh"] = str(_BETWEEN_LOOKS)
    return shown


@router.post("/jobs")
async def start(http: Request, caller: Who) -> Response:
    """Put what the page of studies shows into the queue, with as many trials as are wanted."""
    require_scope(caller, "log")
    form = await read_form(http)

    def work() -> Job:
        asked = asked_of("study", form.get("asked", ""))
        fields = asked.model_dump(exclude_unset=True, exclude={"study", "trials"})
        if form.get("trials"):
            fields["trials"] = form["trials"]
        study = asked.study
        asked = find_kind("study").request(**fields, study=study)
        make_queue(http.app.state.engine)
        with begin(http.app.state.engine, caller.user) as session:
            permit(caller, session, asked)
            permit_name(caller, session, form.get("name"))
            given = StartStudy(study=study, request=fields, name=form.get("name"))
            return start_study(session, given)

    async with http.app.state.turns.reading:
        job = await run_in_threadpool(work)
    return RedirectResponse(f"/job/{job.job}", 303)


@router.post("/job/{number}/cancel")
def cancel(http: Request, caller: Who, number: int) -> Response:
    """Have it stopped."""
    require_scope(caller, "log")
    with begin(http.app.state.engine, caller.user) as session:
        _show(session, caller, number)
        cancel_job(session, ShowJob(job=number))
    return RedirectResponse(f"/job/{number}", 303)


def _show(session: Session, caller: Caller, number: int) -> Job:
    """Return a job; of another task's, those of one task are not told whether it is there."""
    try:
        job = show_job(session, ShowJob(job=number))
    except NotRecordedError:
        limit_to_task(caller, None)
        raise
    limit_to_task(caller, job)
    return job
