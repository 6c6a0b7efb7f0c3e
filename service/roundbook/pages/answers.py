"""The pages of answers: plans, drift, studies, saved results."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import Caller, limit_to_task, permit, require_scope, visible
from roundbook.errors import InputError, RoundbookError
from roundbook.logbook.drift.report import report_drift
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.saved_results import show_result
from roundbook.logbook.saving import SavedResult, save_result
from roundbook.logbook.session import Session, Work, begin
from roundbook.logbook.studies.studies import STUDIES, run_study
from roundbook.logbook.tasks import list_tasks
from roundbook.pages.charts import Figure, figure, table
from roundbook.pages.numbers import plain_rows
from roundbook.pages.site import Asking, Who, page, read_form, refusal
from roundbook.pages.tasks import result_rows, stale_since
from roundbook.presentation import drift, drift_verdict, figures
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plan_table import beside, plan_columns, plan_latex, plan_rows
from roundbook.presentation.plans import headline, notes, warning
from roundbook.presentation.saved_results import saved_heading
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.views import rows_of, view_of
from roundbook.requests.drift import DriftRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.plans import Engine, PlanDesign, PlanRequest, Solve, VarianceLimit
from roundbook.requests.results import ShowResult

router = APIRouter()
_CHOICES: dict[str, Any] = {
    "designs": PlanDesign,
    "engines": Engine,
    "solves": Solve,
    "scales": VarianceScale,
    "limits": VarianceLimit,
}
# Of saved results that are no studies.
_TITLES = {"plan": "The plan", "drift": "First against latest: means"}
_CAPTIONS: dict[str, Callable[[Any], str]] = {
    "Plan": figures.plan_caption,
    "DriftReport": figures.means_caption,
}
# A page is not waited for long: with no more trials than so many unless it is said.
_TRIALS = {"trials": 1_000, "swap_trials": 200}
_PLAN_FIELDS = (
    *("variance", "task", "measure", "scale", "variance_at", "design", "solve", "m", "min_d"),
    *("topics", "alpha", "beta", "engine"),
)
_STUDY_FIELDS = ("task", "round", "measure", "scales", "trials", "difference", "to_round", "pivot")


@router.get("/plan")
def plan_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Compute topic set sizes from a variance that is typed, or from a task."""
    given = _given(http)
    context: dict[str, Any] = {
        "given": given,
        "plan": None,
        "refused": None,
        "asked": http.url.query,
    }
    context |= {name: get_args(kind) for name, kind in _CHOICES.items()}
    context["tasks"] = visible(caller, session, lambda: list_tasks(session)).tasks
    if given:
        try:
            plan = _plan(session, caller, given)
            context |= {
                "plan": plan,
                "rows": plan_rows(plan),
                "columns": plan_columns(plan),
                "headline": headline(plan),
                "beside": beside(plan),
                "protocol": protocol(plan),
                "latex": plan_latex(plan),
                "figures": {
                    "plan": figure("plan", plan, figures.plan_caption(plan), **_asked(given))
                },
                "remarks": [*([warning(plan)] if warning(plan) else []), *notes(plan)],
            }
        except RoundbookError as error:
            context["refused"] = refusal(error, _PLAN_FIELDS)
    return page(http, "plan.html", 422 if context["refused"] else 200, **context)


@router.get("/plan.{form}")
def plan_file(http: Request, caller: Who, session: Asking, form: Literal["csv", "tex"]) -> Response:
    """Return the grid of a plan as a file."""
    plan = _plan(session, caller, _given(http))
    if form == "tex":
        return Response(plan_latex(plan), media_type="text/x-tex; charset=utf-8")
    columns = plan_columns(plan)
    return table(
        [{column.field: getattr(row, column.field) for column in columns}
         for row in plan_rows(plan)]
    )  # fmt: skip


def _plan(session: Session, caller: Caller, given: dict[str, str]) -> Any:  # noqa: ANN401
    asked = PlanRequest(**_asked(given))
    return visible(caller, session, lambda: plan_topics(session, permit(caller, session, asked)))


def _given(http: Request) -> dict[str, str]:
    """Return the fields of a form that something was typed into."""
    return {name: value for name, value in http.query_params.items() if value.strip()}


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
    given = _given(http)
    return page(http, "drift.html", **drift_context(session, caller, given))


def drift_context(session: Session, caller: Caller, given: dict[str, str]) -> dict[str, Any]:
    """Return what the page of a drift report shows."""
    asked = DriftRequest(**given)
    report = visible(caller, session, lambda: report_drift(session, permit(caller, session, asked)))
    word, _, rest = drift_verdict.headline(report).partition(":")
    return {
        "report": report,
        "given": given,
        "asked": urlencode(given),
        "word": word,
        "rest": rest.strip()[:1].upper() + rest.strip()[1:],
        "reason": drift_verdict.reason(report),
        "advice": drift_verdict.advice(report),
        "notes": drift.notes(report),
        "topics": sorted(report.topics, key=lambda topic: -abs(topic.shift or 0)),
        "dominating": figures.dominating_topics(report),
        "tests": drift.tests_sentences(report, report.tests) if report.tests else [],
        "figures": {
            "drift": figure("drift", report, figures.means_caption(report), **given),
            "sds": figure("sds", report, figures.sds_caption(report), **given),
        },
        "consequence": drift.brief_consequence(report, report.consequence)
        if report.consequence
        else None,
    }


@router.get("/studies")
def studies_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Run a study of a round's scores, and show what it says."""
    given = _given(http)
    scales = http.query_params.getlist("scales")
    context: dict[str, Any] = {
        "given": given | {"scales": scales or ["raw"]},
        "studies": list(STUDIES),
        **dict.fromkeys(("study", "refused", "drawn")),
        "rows": [],
        "answers": [],
    }
    context["tasks"] = visible(caller, session, lambda: list_tasks(session)).tasks
    name = context["chosen"] = given.get("study")
    # From a task's page, the form is filled in, and nothing is computed yet.
    if name in STUDIES:
        fields = STUDIES[name].request.model_fields
        asked: dict[str, Any] = {
            field: min(most, fields[field].default)
            for field, most in _TRIALS.items()
            if field in fields
        }
        # Some studies are of no round, or of no scale.
        asked |= {
            field: value
            for field, value in (given | {"scales": scales}).items()
            if value and field in fields.keys() - {"study", "files"}
        }
        try:
            request = STUDIES[name].request(**asked)
            study = visible(
                caller,
                session,
                lambda: run_study(session, permit(caller, session, request), Work()),
            )
            context |= {"study": study, "rows": plain_rows(rows_of(study))}
            context |= _words("study", view_of(study).sentences)
            context["drawn"] = _drawn(study, "study", study=name, **asked)
            context["asked"] = urlencode({"study": name} | asked, doseq=True)
        except RoundbookError as error:
            context["refused"] = refusal(error, _STUDY_FIELDS)
    return page(http, "studies.html", 422 if context["refused"] else 200, **context)


@router.post("/save")
async def save(http: Request, caller: Who) -> Response:
    """Compute what a page shows once more, and keep it under a name with what it rests on."""
    require_scope(caller, "log")
    form = await read_form(http)
    kind = form.get("kind", "")
    query = parse_qs(form.get("asked", ""))
    fields: dict[str, Any] = {name: values[-1] for name, values in query.items()}
    if kind == "plan":
        fields = _asked(fields)
    elif kind == "study" and "scales" in query:
        fields["scales"] = tuple(query["scales"])
    saved = await run_in_threadpool(_save, http, caller, kind, fields, form.get("name"))
    return RedirectResponse(f"/result?{urlencode({'name': saved.name})}", 303)


def _save(
    http: Request, caller: Caller, kind: str, fields: dict[str, Any], name: str | None
) -> SavedResult:
    if kind == "study" and fields.get("study") not in STUDIES:
        raise InputError("There is no such study.")
    asked = find_kind(kind).request(**fields)
    with begin(http.app.state.engine, caller.user) as session:
        saved = save_result(session, kind, asked, name)
        limit_to_task(caller, saved)
    return saved


@router.get("/results")
def results_page(
    http: Request, caller: Who, session: Asking, task: str | None = None
) -> HTMLResponse:
    """List the saved results, and which of them are stale."""
    require_scope(caller, "read")
    rows = result_rows(session, task or caller.task)
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
    shown = visible(caller, session, lambda: show_result(session, permit(caller, session, asked)))
    title = f"{shown.kind.capitalize()} '{shown.name}', version {shown.version} of {shown.versions}"
    return {
        "shown": shown,
        "heading": saved_heading(title, shown),
        "why": why_stale(shown),
        "changed": stale_since(session, [shown]).get(shown.name),
        **_words(shown.kind, view_of(shown.result).sentences),
        "rows": plain_rows(rows_of(shown.result)),
        "drawn": _drawn(shown.result, "result", name=shown.name, version=shown.version),
        "title": _TITLES.get(shown.kind) or shown.result.study.capitalize().replace("-", " "),
    }


def _drawn(result: Any, chart: str, /, **asked: Any) -> Figure | None:  # noqa: ANN401
    """Return the chart that a result has, with what it shows; None where it has none."""
    draw = view_of(result).chart
    try:
        made = draw() if draw else None
    except InputError:  # there is nothing to draw
        return None
    if not made:
        return None
    caption = _CAPTIONS.get(type(result).__name__)
    return figure(chart, result, caption(result) if caption else " ".join(made.title), **asked)


def _words(kind: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return what is said of a result: of what, the answers, and the sentence for a paper."""
    of, *answers = sentences if kind == "study" else (None, *sentences)
    protocol = answers.pop() if kind in ("study", "plan") else None
    return {"of": of, "answers": answers, "protocol": protocol}
