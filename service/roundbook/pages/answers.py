"""The pages of plans and drift; and the tables, charts and sentences of results."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Literal
from unicodedata import normalize
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import BaseModel

from roundbook.api.access import run_permitted, visible_tasks
from roundbook.api.callers import Caller
from roundbook.errors import RequestError, RoundbookError
from roundbook.logbook.drift.report import DriftReport, report_drift
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.rounds import list_rounds
from roundbook.logbook.session import Session
from roundbook.pages.charts import csv_file, figure
from roundbook.pages.forms import (
    PageCaller,
    PageSession,
    filled_in,
    form_field,
    refusal,
    refused_status,
)
from roundbook.pages.rendering import decimals, page
from roundbook.pages.ways_out import on_page
from roundbook.presentation import drift, drift_advice, drift_verdict, figures, plans
from roundbook.presentation.phrases import listed, with_words
from roundbook.presentation.plan_protocol import protocol
from roundbook.presentation.plans import plan_columns, plan_latex, plan_rows
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.views import table_of, view_of
from roundbook.requests.drift import DriftRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.tasks import ListRounds

router = APIRouter()
# The parts of a plan's form: by field of the request, its label and an example of what is typed.
_PLAN_FORM = {
    "The variance": {
        "variance": ("A variance you know", "0.05"),
        "task": ("or that of a task", ""),
        "measure": ("its measure", "nDCG@10"),
        "assessments": ("its assessments", "where there are several"),
        "scale": ("on the scale", ""),
        "variance_at": ("over its rounds", ""),
    },
    "The design": {
        "design": ("Test", ""),
        "solve": ("Solve for", ""),
        "m": ("Runs m", "2, 10, 50"),
        "min_d": ("minD, or the width", "0.05, 0.1, 0.2"),
        "topics": ("Topics, if given", "50, 100"),
        "alpha": ("alpha", "0.05"),
        "beta": ("beta", "0.2"),
        "engine": ("Engine", ""),
    },
}
_PLAN_LABELS = {name: label for part in _PLAN_FORM.values() for name, (label, _) in part.items()}
_SEVERAL = ("m", "min_d", "topics")
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
    values = plan_values(http.url.query)
    context: dict[str, Any] = {
        **dict.fromkeys(("plan", "refused")),
        "form": _PLAN_FORM,
        "made": {name: form_field(PlanRequest, name) for name in _PLAN_LABELS},
        "values": values,
        "query_string": http.url.query,
        "tasks": visible_tasks(caller, session),
    }
    status = 200
    if values:
        try:
            plan = _plan(session, caller, values)
            fields = plan_fields(values)
            chart = figure("plan", plan, **fields)
            context |= {
                "plan": plan,
                "fields": fields,
                "tables": tables_of(plan),
                "headline": plans.headline(plan),
                "guidance": plans.guidance(plan),
                "protocol": protocol(plan),
                "latex": plan_latex(plan),
                "figures": {"plan": chart},
                "remarks": [remark.sentence for remark in plans.remarks(plan)],
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
    plan = _plan(session, caller, plan_values(http.url.query))
    if form == "tex":
        return Response(plan_latex(plan), media_type="text/x-tex; charset=utf-8")
    fields = [column.field for column in plan_columns(plan)]
    return csv_file([{name: getattr(row, name) for name in fields} for row in plan_rows(plan)])


def plan_values(query: str) -> dict[str, str]:
    """Return what is typed into the form of a plan; a number that is repeated, beside the first."""
    return {
        name: normalize("NFC", " ".join(values) if name in _SEVERAL else values[-1])
        for name, values in parse_qs(query).items()
        if values[-1].strip()
    }


def plan_fields(values: Mapping[str, str]) -> dict[str, Any]:
    """Return the request fields of a plan from the form, with typed lists of numbers split."""
    for name in _SEVERAL:
        # No number in these fields is 0, so ``0,05`` is a decimal comma.
        if comma := re.search(r"(?<![\d.])0+,(\d+)", values.get(name, "")):
            reason = f"decimals need a point here: 0.{comma[1]}, not {comma[0]}"
            raise RequestError(name, reason)
    return {
        name: tuple(value.replace(",", " ").split()) if name in _SEVERAL else value
        for name, value in values.items()
    }


def _with_labels(sentence: str) -> str:
    """Return a sentence on a plan with the form's labels in place of the names of its fields."""
    quoted = {name: f'"{label.removeprefix("or ")}"' for name, label in _PLAN_LABELS.items()}
    return with_words(sentence, quoted)


def _plan(session: Session, caller: Caller, values: Mapping[str, str]) -> Plan:
    if "task" in values and not values.keys() & {"measure", "variance"}:
        measures = {entry.task: entry.measures for entry in visible_tasks(caller, session)}
        if of_task := measures.get(values["task"]):
            reason = f"say which measure: task '{values['task']}' has {listed(of_task, 8)}"
            raise RequestError("measure", reason)
    return run_permitted(caller, session, plan_topics, PlanRequest(**plan_fields(values)))


@router.get("/drift")
def drift_page(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """Show the verdict on whether a round's factors hold in a later round, and its reasons."""
    context = drift_context(session, caller, filled_in(http))
    report: DriftReport = context["report"]
    listed = run_permitted(caller, session, list_rounds, ListRounds(task=report.task)).rounds
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
    report = run_permitted(caller, session, report_drift, DriftRequest(**values))
    consequence, recurring = report.consequence, report.recurring_systems
    return {
        "report": report,
        "values": values,
        "query_string": urlencode(values),
        "rest": headline_rest(report),
        "reason": drift_verdict.reason(report),
        "advice": on_page(drift_advice.advice(report), report),
        "notes": [
            *(on_page(note, report) for note in drift.notes(report)),
            *filter(None, [drift.assumed(report)]),
        ],
        "recurring": recurring and on_page(drift.recurring_reason(report, recurring), report),
        "tables": tables_of(report),
        "dominating": figures.dominating_topics(report),
        "tests": drift.tests_sentences(report, report.tests) if report.tests else [],
        "figures": {
            "drift": figure("drift", report, **values),
            "sds": figure("sds", report, **values),
        },
        "consequence": drift_advice.brief_consequence(report, consequence) if consequence else None,
    }


def headline_rest(report: DriftReport) -> str:
    """Return what follows the verdict in its headline, as a sentence of its own."""
    _, _, rest = drift_verdict.headline(report).partition(":")
    return rest.strip()[:1].upper() + rest.strip()[1:]


def table_file(result: BaseModel) -> Response:
    """Return the rows of a result as CSV, as all interfaces have them."""
    names, rows = table_of(result)
    return csv_file(rows, names)


def tables_of(result: BaseModel) -> Sequence[Table]:
    """Return the tables of a result, with the columns that its own page has."""
    if isinstance(result, Plan):
        sizes = Table("Topic set sizes", plan_rows(result), plan_columns(result))
        return [
            sizes,
            Table(plans.powers_heading(result), result.rounds, plans.round_columns(result)),
        ]
    if isinstance(result, DriftReport):
        topics = sorted(result.topics, key=lambda topic: -abs(topic.shift or 0))
        return [Table("Topics, the largest shift first", topics, _OF_TOPICS, most=200)]
    return view_of(result).tables


def sentences_of(kind: str, result: BaseModel) -> dict[str, object]:
    """Return the sentences of a result: its heading, its answers, and its protocol for a paper."""
    sentences = view_of(result).sentences
    if isinstance(result, DriftReport):
        sentences = [on_page(sentence, result) for sentence in sentences]
    of, *answers = sentences if kind == "study" else (None, *sentences)
    protocol = answers.pop() if kind in ("study", "plan") else None
    return {"of": of, "answers": answers, "protocol": protocol}
