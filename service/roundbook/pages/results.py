"""The pages of saved results: saving, listing, showing and renewing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, Response

from roundbook.api.access import permit, run_permitted
from roundbook.api.callers import Caller, require_scope
from roundbook.api.endpoints import save_permitted
from roundbook.api.turns import SECONDS_TO_DECIDE, Limit, computed, transaction
from roundbook.errors import AlreadyRecordedError, InputError, RoundbookError
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.result import Result
from roundbook.logbook.saved_results import ResultEntry, list_results, show_result
from roundbook.logbook.saving import Renewal, SavedResult, renew_results
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import find_entry
from roundbook.logbook.studies.study import Study
from roundbook.pages.answers import plan_fields, plan_values, sentences_of, table_file, tables_of
from roundbook.pages.charts import figure
from roundbook.pages.forms import (
    PageCaller,
    PageSession,
    came_from,
    read_form,
    refusal,
    refused_status,
)
from roundbook.pages.rendering import link, page, redirect
from roundbook.pages.study_form import draws, study_fields, study_title
from roundbook.presentation.decisions import decision_sentences
from roundbook.presentation.saved_results import (
    brief_sentence,
    result_scope,
    saved_heading,
    why_stale,
)
from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook.requests.matrices import ListMatrices
from roundbook.requests.results import ListResults, RenewResults, SaveResult, ShowResult

router = APIRouter()


@router.post("/save")
async def save(http: Request, caller: PageCaller) -> Response:
    """Compute the result of a page once more, and save it under a name with its inputs."""
    require_scope(caller, "log")
    form = await read_form(http)

    def work(limit: Limit) -> SavedResult:
        kind = form.get("kind", "")
        under = SaveResult(name=form.get("name"))
        fields = result_fields(kind, form.get("asked", ""))
        return save_permitted(http, caller, limit, kind, fields, under)

    try:
        saved = await computed(http, work, caller=caller, seconds=SECONDS_TO_DECIDE)
    except (InputError, AlreadyRecordedError) as error:
        return refused_form(http, error, form)
    return redirect(link("/result", name=saved.name, kind=saved.kind), decision_sentences(saved))


def refused_form(http: Request, error: RoundbookError, form: Mapping[str, str]) -> HTMLResponse:
    """Return the form to save a result as it was filled in, with why it was refused."""
    refused = refusal(error, ("name", "trials"), {AlreadyRecordedError: "name"})
    status, back = refused_status(error), came_from(http)
    study = parse_qs(form.get("asked", "")).get("study", [""])[-1]
    return page(
        http, "refused.html", status, refused=refused, form=form, back=back, draws=draws(study)
    )


def result_fields(kind: str, query: str) -> dict[str, Any]:
    """Return the request fields behind a page's result, from the query in its form to save it.

    Raises
    ------
    InputError
        When there is no such study.
    """
    if kind == "plan":
        return plan_fields(plan_values(query))
    repeated = parse_qs(query)
    fields: dict[str, Any] = {name: values[-1] for name, values in repeated.items()}
    if kind != "study":
        return fields
    study = fields.get("study", "")
    find_entry(study)
    return {"study": study} | study_fields(study, repeated)


@router.get("/results")
def results_page(
    http: Request, caller: PageCaller, session: PageSession, task: str | None = None
) -> HTMLResponse:
    """List the saved results, and which of them are stale."""
    require_scope(caller, "read")
    task = task or caller.task
    return page(http, "results.html", rows=result_rows(session, task), task=task)


def _named(name: str, kind: str | None = None, version: int | None = None) -> ShowResult:
    """Return the request for the saved result that an address names."""
    return ShowResult(name=name, kind=kind, version=version)


NamedResult = Annotated[ShowResult, Depends(_named)]


@router.get("/result")
def result_page(
    http: Request, caller: PageCaller, session: PageSession, request: NamedResult
) -> HTMLResponse:
    """Show a saved result, and whether it is stale."""
    return page(http, "result.html", **result_context(session, caller, request))


@router.get("/result.csv")
def result_file(caller: PageCaller, session: PageSession, request: NamedResult) -> Response:
    """Return the main table of a saved result as a file."""
    return table_file(run_permitted(caller, session, show_result, request).result)


def result_context(session: Session, caller: Caller, request: ShowResult) -> dict[str, Any]:
    """Return the context of the page of a saved result: heading, sentences, tables and chart."""
    saved = run_permitted(caller, session, show_result, request)
    result = saved.result
    return {
        "saved": saved,
        "measure": saved.request.get("measure"),
        "round": saved.request.get("round"),
        "label": _label(saved.request.get("assessments")),
        "heading": saved_heading(saved),
        "brief": _brief(saved),
        "why": why_stale(saved),
        "changed": _stale_since(session, [saved]).get((saved.kind, saved.name)),
        **sentences_of(saved.kind, result),
        "tables": tables_of(result),
        "drawn": figure("result", result, name=saved.name, kind=saved.kind, version=saved.version),
        "title": _title(result),
    }


def _label(assessments: object) -> str | None:
    """Return the assessments label that links of a result carry; None for the default or several."""
    labels = [assessments] if isinstance(assessments, str) else assessments
    match labels:
        case [str(label)] if label != DEFAULT_ASSESSMENTS:
            return label
    return None


def _title(result: Result) -> str:
    """Return the title of the chart of a saved result."""
    if isinstance(result, DriftReport):
        return f"{result.from_round} against {result.to_round}: means"
    return study_title(result.study) if isinstance(result, Study) else "The plan"


@router.post("/renew")
async def renew(http: Request, caller: PageCaller) -> Response:
    """Renew a stale result, or all of a task, and lead back to the page that asked for it."""
    require_scope(caller, "log")
    form = await read_form(http)
    request = RenewResults(name=form.get("name"), kind=form.get("kind"), task=form.get("task"))

    def work(limit: Limit) -> Renewal:
        with transaction(http, caller, limit) as session:
            return renew_results(session, permit(caller, session, request))

    renewal = await computed(http, work, caller=caller, seconds=SECONDS_TO_DECIDE)
    back = came_from(http)
    if request.name and (back is None or back.startswith("/result?")):
        back = link("/result", name=request.name, kind=request.kind)  # of its new version
    elif back is None:
        back = link("/task", task=request.task)
    return redirect(back, decision_sentences(renewal))


def result_rows(session: Session, task: str | None) -> list[dict[str, Any]]:
    """Return the table rows of the saved results of a task, or of all tasks."""
    listed = list_results(session, ListResults(task=task)).results
    since = _stale_since(session, listed)
    return [
        {
            "entry": entry,
            "answer": _brief(entry),
            "scope": result_scope(entry),
            "why": why_stale(entry),
            "since": since.get((entry.kind, entry.name)),
        }
        for entry in listed
    ]


def _brief(entry: ResultEntry) -> str:
    """Return a saved result's main figures as a phrase, a study's with its title on pages."""
    brief = brief_sentence(entry)
    study = entry.brief.get("study") if entry.kind == "study" else None
    return brief if study is None else f"{study_title(study)}{brief.removeprefix(study)}"


def _stale_since(
    session: Session, entries: Sequence[ResultEntry]
) -> dict[tuple[str, str], datetime]:
    """Return the times since which results are stale by later scores, by kind and name."""
    logged: dict[int | None, datetime] = {}
    for name in {entry.task for entry in entries if entry.stale and entry.task}:
        matrices = list_matrices(session, ListMatrices(task=name, superseded=True)).matrices
        logged |= {matrix.matrix: matrix.logged_at for matrix in matrices}
    times = {
        (entry.kind, entry.name): [
            logged[change.matrix]
            for change in entry.changes
            if change.stale and change.matrix in logged
        ]
        for entry in entries
        if entry.stale
    }
    return {result: min(since) for result, since in times.items() if since}
