"""The pages of studies: the form, a study with its sentences, tables and chart, and the jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roundbook.api.access import run_permitted, visible_tasks
from roundbook.api.callers import require_scope
from roundbook.api.jobs import start_job, visible_job
from roundbook.api.turns import in_turn
from roundbook.errors import AlreadyRecordedError, InputError, RoundbookError
from roundbook.jobs.job import ENDED, Job
from roundbook.jobs.studies import cancel_job, list_jobs
from roundbook.logbook.drift.report import trace_drift
from roundbook.logbook.rounds import list_rounds
from roundbook.logbook.session import begin
from roundbook.logbook.studies.across_rounds import AcrossRounds
from roundbook.logbook.studies.studies import STUDIES, find_entry
from roundbook.pages.answers import sentences_of, table_file
from roundbook.pages.charts import figure
from roundbook.pages.forms import (
    PageCaller,
    PageSession,
    filled_in,
    read_form,
    recorded_name,
    refusal,
    refused_status,
)
from roundbook.pages.rendering import page
from roundbook.pages.results import refused_form, result_fields
from roundbook.pages.study_form import (
    OF,
    TRIALS,
    check_round,
    draws,
    fewer_trials,
    is_of_a_round,
    run_kept_study,
    study_fields,
    study_form,
    study_measures,
)
from roundbook.presentation.drift_curve import summary
from roundbook.presentation.phrases import under_label
from roundbook.presentation.saved_results import other_question
from roundbook.presentation.views import view_of
from roundbook.requests.results import ListJobs, ShowJob, StartStudy
from roundbook.requests.tasks import ListRounds

router = APIRouter()
_RELOAD_SECONDS = 2
_JOBS = 50  # on a page
# Fields that the page of a job does not repeat, or that only the terminal has.
_LEFT_OUT = frozenset({"study", "task", "files", "layout", "missing", "file_measure"})


@router.get("/studies")
def studies_page(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """Run a study of a round's scores, and show its sentences, tables and chart."""
    query, values = parse_qs(http.url.query), filled_in(http)
    # With `form` in the address only the form is shown, and nothing is computed.
    requested = values.get("study", "")
    chosen = requested if requested in STUDIES else next(iter(STUDIES))
    name = None if "form" in values else requested
    tasks = visible_tasks(caller, session)
    task = next(
        (entry for entry in tasks if entry.task == values.get("task")), tasks[0] if tasks else None
    )
    form = study_form(chosen)
    measures = study_measures(chosen, task.measures if task else [])
    rounds = []
    if task:
        listed = run_permitted(caller, session, list_rounds, ListRounds(task=task.task))
        rounds = [row.round for row in listed.rounds]
    of: dict[str, Any] = dict(values)
    if "form" in values:
        # A field of the same name may mean something else in another study, and another task has
        # other rounds and measures.
        of = {name: value for name, value in values.items() if name in OF}
        of |= _offered(of, "round", rounds) | _offered(of, "measure", measures)
    if study_measures(chosen, []):  # the study is of one measure alone
        of.setdefault("measure", measures[0])
    of["scales"] = query.get("scales", [])
    context: dict[str, Any] = {
        "values": of,
        "studies": list(STUDIES),
        "chosen": chosen,
        "about": (STUDIES[chosen].request.__doc__ or "").partition("\n")[0],
        "form": form,
        "draws": draws(chosen),
        "of_a_round": is_of_a_round(chosen),
        "tasks": tasks,
        "measures": measures,
        "rounds": rounds,
        **dict.fromkeys(("study", "refused", "drawn", "query_string", "typed_query", "too_long")),
        "tables": [],
        "answers": [],
        "fewer": [],
    }
    status = 200
    if name:
        try:
            find_entry(name)
            fields = study_fields(name, query)
            check_round(name, fields)
            request = STUDIES[name].request(**fields)
            context["query_string"] = urlencode({"study": name} | fields, doseq=True)
            typed = {
                key: value for key, value in fields.items() if key not in TRIALS or key in values
            }
            context["typed_query"] = urlencode({"study": name} | typed, doseq=True)
            study = run_permitted(caller, session, run_kept_study, request)
            context |= {"study": study, "tables": view_of(study).tables}
            context |= sentences_of("study", study)
            if isinstance(study, AcrossRounds) and (ageing := study.ageing_request):
                # How the first round's factors held in the later rounds.
                curve = run_permitted(caller, session, trace_drift, ageing)
                context["answers"].append(summary(curve))
            context["fewer"] = fewer_trials(name, values)
            context["drawn"] = figure("study", study, study=name, **fields)
        except RoundbookError as error:
            status = refused_status(error)
            context["refused"] = refusal(error, (*OF, *(field.name for field in form)))
            # What is refused for another reason fails in the background too.
            context["too_long"] = error.way_out is not None and error.way_out.code == "start a job"
    return page(http, "studies.html", status, **context)


@router.get("/studies.csv")
def study_file(http: Request, caller: PageCaller, session: PageSession, study: str) -> Response:
    """Return the main table of a study as a file."""
    request = find_entry(study).request(**study_fields(study, parse_qs(http.url.query)))
    return table_file(run_permitted(caller, session, run_kept_study, request))


def _offered(values: Mapping[str, str], field: str, names: Sequence[str]) -> dict[str, str]:
    """Return a field that is filled in: as recorded, or else the first of the names offered."""
    if field not in values:
        return {}
    name = recorded_name(values[field], names)
    return {field: name if name in names else next(iter(names), "")}


@router.get("/jobs")
def jobs_page(
    http: Request,
    caller: PageCaller,
    session: PageSession,
    before: Annotated[int | None, Query(ge=1)] = None,
) -> HTMLResponse:
    """List the studies in the background, latest first."""
    require_scope(caller, "read")
    request = ListJobs(task=caller.task, before=before, limit=_JOBS + 1)
    jobs = list_jobs(session, request).jobs
    earlier = len(jobs) > _JOBS
    return page(http, "jobs.html", jobs=jobs[:_JOBS], earlier=earlier, under_label=under_label)


@router.get("/job/{number}")
def job_page(http: Request, caller: PageCaller, session: PageSession, number: int) -> HTMLResponse:
    """Show the progress of a study; the page reloads by itself until the study has ended."""
    require_scope(caller, "read")
    job = visible_job(caller, session, number)
    request_fields = [
        (name, job.request[name])
        for name in STUDIES[job.study].request.model_fields
        if name not in _LEFT_OUT and job.request.get(name) not in (None, [], False)
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
