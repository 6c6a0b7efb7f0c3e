"""The pages of answers: plans, drift, studies, saved results."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from roundbook.api.access import Caller, require_scope, visible
from roundbook.errors import RoundbookError
from roundbook.logbook.drift.report import report_drift
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.saved_results import list_results, show_result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.studies import STUDIES, run_study
from roundbook.logbook.tasks import list_tasks
from roundbook.pages.charts import figure
from roundbook.pages.site import Asking, Who, page
from roundbook.presentation import drift, drift_verdict
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plan_table import plan_columns, plan_latex, plan_rows
from roundbook.presentation.plans import headline, notes, warning
from roundbook.presentation.saved_results import brief_sentence, result_place, saved_heading
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.views import rows_of, view_of
from roundbook.requests.drift import DriftRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.results import ListResults, ShowResult

router = APIRouter()
# A page is not waited for long: with fewer trials than the terminal takes.
_TRIALS = {"discriminative-power": 1_000, "swap-rate": 500}


@router.get("/plan")
def plan_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Compute topic set sizes from a variance that is typed, or from a task."""
    given = {name: value for name, value in http.query_params.items() if value.strip()}
    context: dict[str, Any] = {"given": given, "plan": None, "refused": None}
    context["tasks"] = visible(caller, session, lambda: list_tasks(session)).tasks
    if given:
        try:
            context["plan"] = plan = visible(
                caller, session, lambda: plan_topics(session, _plan_request(given))
            )
            context |= {
                "rows": plan_rows(plan),
                "columns": plan_columns(plan),
                "headline": headline(plan),
                "protocol": protocol(plan),
                "latex": plan_latex(plan),
                "figures": {"plan": figure("plan", plan, headline(plan), **_asked(given))},
                "remarks": [*([warning(plan)] if warning(plan) else []), *notes(plan)],
            }
        except (RoundbookError, ValueError) as error:
            context["refused"] = str(error)
    return page(http, "plan.html", 422 if context["refused"] else 200, **context)


def _plan_request(given: dict[str, str]) -> PlanRequest:
    return PlanRequest(**_asked(given))


def _asked(given: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a plan as they were typed: several numbers beside each other."""
    several = ("m", "min_d", "topics")
    return {
        name: tuple(value.replace(",", " ").split()) if name in several else value
        for name, value in given.items()
    }


@router.get("/drift")
def drift_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Show whether a round's factors have aged by a later one, and why."""
    given = {name: value for name, value in http.query_params.items() if value.strip()}
    return page(http, "drift.html", **drift_context(session, caller, given))


def drift_context(session: Session, caller: Caller, given: dict[str, str]) -> dict[str, Any]:
    """Return what the page of a drift report shows."""
    asked = DriftRequest(**given)
    report = visible(caller, session, lambda: report_drift(session, asked))
    word, _, rest = drift_verdict.headline(report).partition(":")
    return {
        "report": report,
        "given": given,
        "word": word,
        "rest": rest.strip(),
        "reason": drift_verdict.reason(report),
        "advice": drift_verdict.advice(report),
        "notes": drift.notes(report),
        "topics": sorted(report.topics, key=lambda topic: -abs(topic.shift or 0)),
        "figures": {"drift": figure("drift", report, drift_verdict.headline(report), **given)},
        "consequence": drift.brief_consequence(report, report.consequence)
        if report.consequence
        else None,
    }


@router.get("/studies")
def studies_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Run a study of a round's scores, and show what it says."""
    given = {name: value for name, value in http.query_params.items() if value.strip()}
    context: dict[str, Any] = {
        "given": given,
        "studies": list(STUDIES),
        "study": None,
        "refused": None,
        "rows": [],
        "sentences": [],
    }
    context["tasks"] = visible(caller, session, lambda: list_tasks(session)).tasks
    name = given.pop("study", None)
    if name in STUDIES and given:
        try:
            fields: dict[str, Any] = {"trials": _TRIALS.get(name)} | given
            if "scales" in fields:
                fields["scales"] = tuple(http.query_params.getlist("scales"))
            asked = STUDIES[name].request(
                **{field: value for field, value in fields.items() if value is not None}
            )
            if asked.files:
                require_scope(caller, "admin")
            study = visible(caller, session, lambda: run_study(session, asked, Work()))
            context |= {
                "study": study,
                "rows": rows_of(study),
                "sentences": view_of(study).sentences,
            }
        except (RoundbookError, ValueError) as error:
            context["refused"] = str(error)
    context["chosen"] = name
    return page(http, "studies.html", 422 if context["refused"] else 200, **context)


@router.get("/results")
def results_page(
    http: Request, caller: Who, session: Asking, task: str | None = None
) -> HTMLResponse:
    """List the saved results, and which of them are stale."""
    require_scope(caller, "read")
    listed = list_results(session, ListResults(task=task or caller.task))
    rows = [
        {"entry": entry, "answer": brief_sentence(entry), "place": result_place(entry),
         "why": why_stale(entry)}
        for entry in listed.results
    ]  # fmt: skip
    return page(http, "results.html", rows=rows, task=task)


@router.get("/result")
def result_page(
    http: Request, caller: Who, session: Asking, name: str, version: int | None = None
) -> HTMLResponse:
    """Show a saved result, and whether it is stale."""
    return page(http, "result.html", **result_context(session, caller, name, version))


def result_context(
    session: Session, caller: Caller, name: str, version: int | None
) -> dict[str, Any]:
    """Return what the page of a saved result shows."""
    asked = ShowResult(name=name, version=version)
    shown = visible(caller, session, lambda: show_result(session, asked))
    title = f"{shown.kind.capitalize()} '{shown.name}', version {shown.version} of {shown.versions}"
    return {
        "shown": shown,
        "heading": saved_heading(title, shown),
        "why": why_stale(shown),
        "sentences": view_of(shown.result).sentences,
        "rows": rows_of(shown.result),
    }
