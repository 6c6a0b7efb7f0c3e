"""The pages of plans, drift and studies; and the tables, charts and sentences of results."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, get_args
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel

from roundbook.api.access import answer, visible_tasks
from roundbook.api.answers import csv_text
from roundbook.api.callers import Caller
from roundbook.api.problems import HttpError
from roundbook.errors import InputError, RequestError, RoundbookError
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.report import DriftReport, report_drift
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.rounds import list_rounds
from roundbook.logbook.session import Session
from roundbook.logbook.studies.across_rounds import AcrossRounds
from roundbook.logbook.studies.studies import STUDIES, study_entry
from roundbook.logbook.studies.study import Study
from roundbook.pages.charts import Figure, csv_file, figure
from roundbook.pages.forms import (
    PageCaller,
    PageSession,
    filled_in,
    recorded_name,
    refusal,
    refused_status,
)
from roundbook.pages.number_format import decimals
from roundbook.pages.rendering import page
from roundbook.pages.study_form import (
    OF,
    TRIALS,
    check_round,
    draws,
    fewer_trials,
    over_rounds_command,
    run_kept_study,
    study_fields,
    study_form,
    study_measures,
    usual_trials,
)
from roundbook.pages.ways_out import on_page
from roundbook.presentation import (
    drift,
    drift_advice,
    drift_consequence,
    drift_verdict,
    figures,
    plans,
)
from roundbook.presentation.drift_curve import summary as ageing_summary
from roundbook.presentation.phrases import listed
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plan_table import (
    beside,
    plan_columns,
    plan_latex,
    plan_rows,
    round_columns,
)
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.views import table_of, view_of
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.plans import Engine, PlanDesign, PlanRequest, Solve, VarianceLimit
from roundbook.requests.tasks import ListRounds

router = APIRouter()
_CHOICES = {
    "designs": get_args(PlanDesign),
    "engines": get_args(Engine),
    "solves": get_args(Solve),
    "scales": get_args(VarianceScale),
    "limits": get_args(VarianceLimit),
}
# By field of a plan's form, its label.
_PLAN_LABELS = {
    "variance": "A variance you know",
    "task": "or that of a task",
    "measure": "its measure",
    "assessments": "its assessments",
    "scale": "on the scale",
    "variance_at": "over its rounds",
    "design": "Test",
    "solve": "Solve for",
    "m": "Runs m",
    "min_d": "minD, or the width",
    "topics": "Topics, if given",
    "alpha": "alpha",
    "beta": "beta",
    "engine": "Engine",
}
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


@router.get("/plan")
def plan_page(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """Show topic set sizes by a variance that is typed, or by those of a task."""
    values = filled_in(http)
    context: dict[str, Any] = {
        **dict.fromkeys(("plan", "refused")),
        **_CHOICES,
        "labels": _PLAN_LABELS,
        "values": values,
        "query_string": http.url.query,
        "tasks": visible_tasks(caller, session),
    }
    status = 200
    if values:
        try:
            plan = _plan(session, caller, values)
            fields = plan_fields(values)
            chart = figure("plan", plan, figures.plan_caption(plan), **fields)
            context |= {
                "plan": plan,
                "fields": fields,
                "tables": tables_of(plan),
                "headline": plans.headline(plan),
                "beside": list(
                    filter(None, [plans.design_advice(plan), *beside(plan), plans.fits(plan)])
                ),
                "protocol": protocol(plan),
                "latex": plan_latex(plan),
                "figures": {"plan": chart},
                "remarks": [*filter(None, [plans.warning(plan)]), *plans.notes(plan)],
            }
        except RoundbookError as error:
            status = refused_status(error)
            why = refusal(error, _PLAN_LABELS)
            context["refused"] = why._replace(sentence=_with_labels(why.sentence))
    return page(http, "plan.html", status, **context)


@router.get("/plan.{form}")
def plan_file(
    http: Request, caller: PageCaller, session: PageSession, form: Literal["csv", "tex"]
) -> Response:
    """Return the grid of a plan as a file."""
    plan = _plan(session, caller, filled_in(http))
    if form == "tex":
        return Response(plan_latex(plan), media_type="text/x-tex; charset=utf-8")
    fields = [column.field for column in plan_columns(plan)]
    return csv_file([{name: getattr(row, name) for name in fields} for row in plan_rows(plan)])


def plan_fields(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the request fields of a plan from the form, with typed lists of numbers split."""
    several = ("m", "min_d", "topics")
    for name in several:
        # No number in these fields is 0, so ``0,05`` is a decimal comma.
        if comma := re.search(r"(?<![\d.])0+,(\d+)", values.get(name, "")):
            reason = f"decimals need a point here: 0.{comma[1]}, not {comma[0]}"
            raise RequestError(name, reason)
    return {
        name: tuple(value.replace(",", " ").split()) if name in several else value
        for name, value in values.items()
    }


def _with_labels(sentence: str) -> str:
    """Return a sentence on a plan with the form's labels in place of the names of its fields."""

    def label(named: re.Match[str]) -> str:
        name = named[1]
        return f'"{_PLAN_LABELS[name].removeprefix("or ")}"' if name in _PLAN_LABELS else named[0]

    return re.sub(r"`(\w+)`", label, sentence)


def _plan(session: Session, caller: Caller, values: Mapping[str, str]) -> Plan:
    if "task" in values and not values.keys() & {"measure", "variance"}:
        measures = {entry.task: entry.measures for entry in visible_tasks(caller, session)}
        if of_task := measures.get(values["task"]):
            reason = f"say which measure: task '{values['task']}' has {listed(of_task, 8)}"
            raise RequestError("measure", reason)
    return answer(caller, session, plan_topics, PlanRequest(**plan_fields(values)))


@router.get("/drift")
def drift_page(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """Show the verdict on whether a round's factors hold in a later round, and its reasons."""
    context = drift_context(session, caller, filled_in(http))
    report: DriftReport = context["report"]
    listed = answer(caller, session, list_rounds, ListRounds(task=report.task)).rounds
    # Neither withdrawn scores nor those of a single run have factors that count.
    series = (report.measure, report.assessments, None)
    rounds = [
        row.round
        for row in listed
        if any(
            (matrix.measure, matrix.assessments, matrix.withdrawn) == series and matrix.runs > 1
            for matrix in row.matrices
        )
    ]
    return page(http, "drift.html", rounds=rounds, **context)


def drift_context(session: Session, caller: Caller, values: Mapping[str, str]) -> dict[str, Any]:
    """Return the context of the page of a drift report: verdict, reasons, advice and figures."""
    report = answer(caller, session, report_drift, DriftRequest(**values))
    consequence = report.consequence
    return {
        "report": report,
        "values": values,
        "query_string": urlencode(values),
        **verdict_headline(report),
        "reason": drift_verdict.reason(report),
        "advice": on_page(drift_advice.advice(report), report),
        "notes": [
            *(on_page(note, report) for note in drift.notes(report)),
            *filter(None, [drift.assumed(report)]),
        ],
        "tables": tables_of(report),
        "dominating": figures.dominating_topics(report),
        "tests": drift.tests_sentences(report, report.tests) if report.tests else [],
        "figures": {
            "drift": figure("drift", report, figures.means_caption(report), **values),
            "sds": figure("sds", report, figures.sds_caption(report), **values),
        },
        "consequence": drift_consequence.brief_consequence(report, consequence)
        if consequence
        else None,
    }


def verdict_headline(report: DriftReport) -> dict[str, str]:
    """Return the verdict's `word` and the `rest` of its headline, a sentence of its own."""
    word, _, rest = drift_verdict.headline(report).partition(":")
    return {"word": word, "rest": rest.strip()[:1].upper() + rest.strip()[1:]}


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
    rounds = _rounds(session, caller, task.task) if task else []
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
        "command": over_rounds_command(chosen, task.task if task else None, of),
        "usual_trials": usual_trials(chosen),
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
            study_entry(name)
            fields = study_fields(name, query)
            check_round(name, fields)
            request = STUDIES[name].request(**fields)
            context["query_string"] = urlencode({"study": name} | fields, doseq=True)
            typed = {
                key: value for key, value in fields.items() if key not in TRIALS or key in values
            }
            context["typed_query"] = urlencode({"study": name} | typed, doseq=True)
            study = answer(caller, session, run_kept_study, request)
            context |= {"study": study, "tables": view_of(study).tables}
            context |= sentences_of("study", study)
            context["answers"] += _ageing(session, caller, study)
            context["fewer"] = fewer_trials(name, values)
            context["drawn"] = drawing_of(study, "study", study=name, **fields)
        except RoundbookError as error:
            status = refused_status(error)
            context["refused"] = refusal(error, (*OF, *(field.name for field in form)))
            # What is refused for another reason fails in the background too.
            context["too_long"] = error.way_out is not None and error.way_out.code == "start a job"
    return page(http, "studies.html", status, **context)


@router.get("/studies.csv")
def study_file(http: Request, caller: PageCaller, session: PageSession, study: str) -> Response:
    """Return the main table of a study as a file."""
    study_entry(study)
    fields = study_fields(study, parse_qs(http.url.query))
    request = STUDIES[study].request(**fields)
    return table_file(answer(caller, session, run_kept_study, request))


def table_file(result: BaseModel) -> Response:
    """Return the rows of a result as CSV, as all interfaces have them."""
    return Response(csv_text(*table_of(result)), media_type="text/csv; charset=utf-8")


def _offered(values: Mapping[str, str], field: str, names: Sequence[str]) -> dict[str, str]:
    """Return a field that is filled in: as recorded, or else the first of the names offered."""
    if field not in values:
        return {}
    name = recorded_name(values[field], names)
    return {field: name if name in names else next(iter(names), "")}


def _ageing(session: Session, caller: Caller, study: Study) -> list[str]:
    """Return the sentence on how the first round's factors held in the later rounds of a study."""
    if not isinstance(study, AcrossRounds):
        return []
    first = study.rounds[0]
    if len(study.rounds) < 2 or first.factor_version is None:
        return []
    request = CurveRequest(
        task=study.task or "",
        measure=study.measure,
        assessments=study.assessments,
        from_round=first.round,
    )
    return [ageing_summary(answer(caller, session, trace_drift, request))]


def _rounds(session: Session, caller: Caller, task: str) -> list[str]:
    try:
        listed = answer(caller, session, list_rounds, ListRounds(task=task))
    except HttpError:  # none is published
        return []
    return [row.round for row in listed.rounds]


def tables_of(result: BaseModel) -> Sequence[Table]:
    """Return the tables of a result, with the columns that its own page has."""
    if isinstance(result, Plan):
        sizes = Table("Topic set sizes", plan_rows(result), plan_columns(result))
        return [sizes, Table(plans.powers_heading(result), result.rounds, round_columns(result))]
    if isinstance(result, DriftReport):
        topics = sorted(result.topics, key=lambda topic: -abs(topic.shift or 0))
        return [Table("Topics, the largest shift first", topics, _OF_TOPICS, most=200)]
    return view_of(result).tables


def drawing_of(result: BaseModel, chart: str, /, **query: object) -> Figure | None:
    """Return the chart of a result with its caption; None where it has none."""
    view = view_of(result)
    try:
        drawing = view.chart() if view.chart else None
    except InputError:  # there is nothing to draw
        return None
    if not drawing:
        return None
    caption = _CAPTIONS.get(type(result).__name__)
    title = " ".join(drawing.title)
    # The heading of a study is above the chart already.
    sentence = (
        caption(result) if caption else title.removeprefix(view.sentences[0]).strip() or title
    )
    return figure(chart, result, sentence, **query)


def sentences_of(kind: str, result: BaseModel) -> dict[str, object]:
    """Return the sentences of a result: its heading, its answers, and its protocol for a paper."""
    sentences = view_of(result).sentences
    if isinstance(result, DriftReport):
        sentences = [on_page(sentence, result) for sentence in sentences]
    of, *answers = sentences if kind == "study" else (None, *sentences)
    protocol = answers.pop() if kind in ("study", "plan") else None
    return {"of": of, "answers": answers, "protocol": protocol}
