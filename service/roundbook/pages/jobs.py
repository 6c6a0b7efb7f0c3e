"""The pages of jobs: the list of studies in the background, and the progress of one."""

from __future__ import annotations

from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roundbook.api.callers import require_scope
from roundbook.api.jobs import start_job, visible_job
from roundbook.api.turns import in_turn
from roundbook.errors import AlreadyRecordedError, InputError
from roundbook.jobs.job import ENDED, Job
from roundbook.jobs.studies import cancel_job, list_jobs
from roundbook.logbook.session import begin
from roundbook.logbook.studies.studies import STUDIES
from roundbook.pages.forms import PageCaller, PageSession, read_form
from roundbook.pages.rendering import page
from roundbook.pages.results import refused_form, result_fields
from roundbook.pages.study_form import TRIALS
from roundbook.presentation.phrases import under_label
from roundbook.presentation.saved_results import other_question
from roundbook.requests.jobs import ListJobs, ShowJob, StartStudy

router = APIRouter()
_RELOAD_SECONDS = 2
_OF_FILES = frozenset({"study", "task", "files", "layout", "missing", "file_measure"})


@router.get("/jobs")
def jobs_page(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """List the studies in the background, latest first."""
    require_scope(caller, "read")
    jobs = list_jobs(session, ListJobs(task=caller.task)).jobs
    return page(http, "jobs.html", jobs=jobs, under_label=under_label)


@router.get("/job/{number}")
def job_page(http: Request, caller: PageCaller, session: PageSession, number: int) -> HTMLResponse:
    """Show the progress of a study; the page reloads by itself until the study has ended."""
    require_scope(caller, "read")
    job = visible_job(caller, session, number)
    request_fields = [
        (name, job.request[name])
        for name in STUDIES[job.study].request.model_fields
        if name not in _OF_FILES and job.request.get(name) not in (None, [], False)
    ]
    other = other_question(job.version, job.asked_before) if job.version else None
    response = page(http, "job.html", job=job, request_fields=request_fields, other=other)
    if job.status not in ENDED:
        response.headers["Refresh"] = str(_RELOAD_SECONDS)
    return response


@router.post("/jobs")
async def start(http: Request, caller: PageCaller) -> Response:
    """Queue the study that the page of studies shows, with as many trials as are wanted."""
    require_scope(caller, "log")
    form = await read_form(http)

    def work() -> Job:
        typed = form.get("asked", "")
        fields = result_fields("study", typed)
        study = fields.pop("study")
        for few in TRIALS.keys() - parse_qs(typed).keys():
            fields.pop(few, None)  # the page's own number
        if "trials" in form:
            fields.pop("trials", None)
        if form.get("trials"):
            fields["trials"] = form["trials"]
        request = StartStudy(study=study, request=fields, name=form.get("name") or None)
        return start_job(http, caller, request)

    try:
        job = await in_turn(http, work)
    except (InputError, AlreadyRecordedError) as error:
        return refused_form(http, error, form)
    return RedirectResponse(f"/job/{job.job}", 303)


@router.post("/job/{number}/cancel")
def cancel(http: Request, caller: PageCaller, number: int) -> Response:
    """Cancel a study in the background."""
    require_scope(caller, "log")
    with begin(http.app.state.engine, caller.user) as session:
        visible_job(caller, session, number)
        cancel_job(session, ShowJob(job=number))
    return RedirectResponse(f"/job/{number}", 303)
