"""The pages of answers: plans, drift, studies, saved results."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, get_args
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roundbook.api.access import Caller, permit, permit_name, require_scope, visible
from roundbook.api.problems import HttpError, status_of
from roundbook.api.turns import SECONDS_TO_DECIDE, Limit, computed
from roundbook.errors import InputError, RoundbookError
from roundbook.logbook.drift.report import DriftReport, report_drift
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.rounds import list_rounds
from roundbook.logbook.saved_results import show_result
from roundbook.logbook.saving import SavedResult, save_long_result
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import STUDIES
from roundbook.logbook.tasks import list_tasks
from roundbook.pages.charts import Figure, figure, table
from roundbook.pages.kept_studies import run_kept_study
from roundbook.pages.numbers import decimals
from roundbook.pages.site import Asking, Who, deciding, page, read_form, refusal
from roundbook.pages.study_form import OF, is_of_all_rounds, study_fields, study_form
from roundbook.pages.tasks import result_rows, stale_since
from roundbook.presentation import drift, drift_verdict, figures
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plan_table import (
    beside,
    plan_columns,
    plan_latex,
    plan_rows,
    round_columns,
)
from roundbook.presentation.plans import (
    WHY_ANOVA_FIRST,
    fits,
    headline,
    notes,
    powers_heading,
    tukey_instead,
    warning,
)
from roundbook.presentation.saved_results import brief_sentence, saved_heading
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.views import view_of
from roundbook.requests.drift import DriftRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.plans import Engine, PlanDesign, PlanRequest, Solve, VarianceLimit
from roundbook.requests.results import ShowResult
from roundbook.requests.tasks import ListRounds

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
_OF_TOPICS = (
    Column("topic", "Topic"),
    Column("mean_from", "Mean then", decimals, "right"),
    Column("mean_to", "later", decimals, "right"),
    Column("sd_from", "sd then", decimals, "right"),
    Column("sd_to", "later", decimals, "right"),
    Column("shift", "Shift, sds", partial(decimals, digits=2), "right"),
    Column("sd_ratio", "Ratio of sds", partial(decimals, digits=2), "right"),
)
_PLAN_FIELDS = (
    *("variance", "task", "measure", "scale", "variance_at", "design", "solve", "m", "min_d"),
    *("topics", "alpha", "beta", "engine"),
)


@router.get("/plan")
def plan_page(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Compute topic set sizes from a variance that is typed, or from a task."""
    given = _given(http)
    context: dict[str, Any] = {
        "given": given,
        "plan": None,
        "refused": None,
        "asked": http.url.query,
        "fields": _asked(given),
    }
    context |= {name: get_args(kind) for name, kind in _CHOICES.items()}
    context["tasks"] = visible(caller, session, lambda: list_tasks(session)).tasks
    status = 200
    if given:
        try:
            plan = _plan(session, caller, given)
            context |= {
                "plan": plan,
                "tables": _tables(plan),
                "headline": headline(plan),
                "beside": [*_which_size(plan), *beside(plan), fits(plan)],
                "protocol": protocol(plan),
                "latex": plan_latex(plan),
                "figures": {
                    "plan": figure("plan", plan, figures.plan_caption(plan), **_asked(given))
                },
                "remarks": [*([warning(plan)] if warning(plan) else []), *notes(plan)],
            }
        except RoundbookError as error:
            status = _refused(error)
            context["refused"] = refusal(error, _PLAN_FIELDS)
    return page(http, "plan.html", status, **context)


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


def _which_size(plan: Plan) -> list[str]:
    """Return which of the sizes to take, first of all."""
    runs = tukey_instead(plan)
    if runs is None:
        return []
    if plan.design == "anova":
        return [f"Take tukey {runs}: choose it as the test. {WHY_ANOVA_FIRST}"]
    return [f"{runs.capitalize()} prefer tukey as the test."]


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
        "notes": [*drift.notes(report), *filter(None, [drift.assumed(report)])],
        "tables": _tables(report),
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
    query = parse_qs(http.url.query)
    given = _given(http)
    name = given.get("study")
    # Another study is chosen before its form is filled in; from a task's page, the form is filled
    # in, and nothing is computed yet.
    chosen = next(
        (one for one in (name, given.get("choose")) if one in STUDIES), next(iter(STUDIES))
    )
    tasks = visible(caller, session, lambda: list_tasks(session)).tasks
    task = next(
        (one for one in tasks if one.task == given.get("task")), tasks[0] if tasks else None
    )
    context: dict[str, Any] = {
        "given": given | {"scales": query.get("scales", [])},
        "studies": list(STUDIES),
        "chosen": chosen,
        "about": (STUDIES[chosen].request.__doc__ or "").partition("\n")[0],
        "form": study_form(chosen),
        "of_all_rounds": is_of_all_rounds(chosen),
        "tasks": tasks,
        "measures": task.measures if task else [],
        "rounds": _rounds(session, caller, task.task) if task else [],
        **dict.fromkeys(("study", "refused", "drawn", "asked")),
        "tables": [],
        "answers": [],
    }
    status = 200
    if name in STUDIES:
        try:
            asked = study_fields(name, query)
            request = STUDIES[name].request(**asked)
            context["asked"] = urlencode({"study": name} | asked, doseq=True)
            study = visible(
                caller, session, lambda: run_kept_study(session, permit(caller, session, request))
            )
            view = view_of(study)
            context |= {"study": study, "tables": view.tables}
            context |= _words("study", view.sentences)
            context["drawn"] = _drawn(study, "study", study=name, **asked)
        except RoundbookError as error:
            status = _refused(error)
            shown = (*OF, *(field.name for field in context["form"]))
            context["refused"] = refusal(error, shown)
    return page(http, "studies.html", status, **context)


def _rounds(session: Session, caller: Caller, task: str) -> list[str]:
    try:
        rounds = visible(
            caller, session, lambda: list_rounds(session, ListRounds(task=task))
        ).rounds
    except HttpError:  # none is published
        return []
    return [one.round for one in rounds]


def _refused(error: RoundbookError) -> int:
    """Return the status of a form that was refused; who may not see a page is told so in its place."""
    status = status_of(error)
    if status in (401, 403):
        raise error
    return status


@router.post("/save")
async def save(http: Request, caller: Who) -> Response:
    """Compute what a page shows once more, and keep it under a name with what it rests on."""
    require_scope(caller, "log")
    form = await read_form(http)

    def work(limit: Limit) -> SavedResult:
        kind = form.get("kind", "")
        asked = asked_of(kind, form.get("asked", ""))
        begin_in_time = partial(deciding, http, caller, limit)
        with begin_in_time(one_moment=True) as session:
            permit(caller, session, asked)
            permit_name(caller, session, form.get("name"))
        return save_long_result(begin_in_time, kind, asked, form.get("name"))

    saved = await computed(http, work, caller=caller, seconds=SECONDS_TO_DECIDE)
    return RedirectResponse(f"/result?{urlencode({'name': saved.name})}", 303)


def asked_of(kind: str, query: str) -> Any:  # noqa: ANN401
    """Return what a page has asked, as it stands in the form beneath its answer.

    Raises
    ------
    InputError
        When there is no such kind of result, or no such study.
    """
    asked = parse_qs(query)
    fields: dict[str, Any] = {name: values[-1] for name, values in asked.items()}
    if kind == "plan":
        fields = _asked(fields)
    elif kind == "study":
        study = fields.get("study", "")
        if study not in STUDIES:
            raise InputError("There is no such study.")
        fields = {"study": study} | study_fields(study, asked)
    elif kind != "drift":
        raise InputError("It cannot be saved.")
    return find_kind(kind).request(**fields)


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
    view = view_of(shown.result)
    title = f"{shown.kind.capitalize()} '{shown.name}', version {shown.version} of {shown.versions}"
    return {
        "shown": shown,
        "measure": shown.request.get("measure"),
        "round": shown.request.get("round"),
        "heading": saved_heading(title, shown),
        "brief": brief_sentence(shown),
        "why": why_stale(shown),
        "changed": stale_since(session, [shown]).get(shown.name),
        **_words(shown.kind, view.sentences),
        "tables": _tables(shown.result),
        "beside": [*beside(shown.result), fits(shown.result)]
        if isinstance(shown.result, Plan)
        else [],
        "drawn": _drawn(shown.result, "result", name=shown.name, version=shown.version),
        "title": _TITLES.get(shown.kind) or shown.result.study.capitalize().replace("-", " "),
    }


def _tables(result: Any) -> Sequence[Table]:  # noqa: ANN401
    """Return the tables of a result, with the columns that its own page has."""
    if isinstance(result, Plan):
        sizes = Table("Topic set sizes", plan_rows(result), plan_columns(result))
        return [sizes, Table(powers_heading(result), result.rounds, round_columns(result))]
    if isinstance(result, DriftReport):
        topics = sorted(result.topics, key=lambda topic: -abs(topic.shift or 0))
        return [Table("Topics, the largest shift first", topics, _OF_TOPICS, most=200)]
    return view_of(result).tables


def _drawn(result: Any, chart: str, /, **asked: Any) -> Figure | None:  # noqa: ANN401
    """Return the chart that a result has, with what it shows; None where it has none."""
    view = view_of(result)
    try:
        made = view.chart() if view.chart else None
    except InputError:  # there is nothing to draw
        return None
    if not made:
        return None
    caption = _CAPTIONS.get(type(result).__name__)
    title = " ".join(made.title)
    # What a study is of stands above it.
    said = caption(result) if caption else title.removeprefix(view.sentences[0]).strip() or title
    return figure(chart, result, said, **asked)


def _words(kind: str, sentences: Sequence[str]) -> dict[str, Any]:
    """Return what is said of a result: of what, the answers, and the sentence for a paper."""
    of, *answers = sentences if kind == "study" else (None, *sentences)
    protocol = answers.pop() if kind in ("study", "plan") else None
    return {"of": of, "answers": answers, "protocol": protocol}
