"""The pages of tasks: the list of tasks, one task, its variances, and the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from roundbook.api.access import answer, visible_tasks
from roundbook.api.callers import Caller, require_scope
from roundbook.api.problems import status_of
from roundbook.errors import NotRecordedError, RoundbookError
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.report import report_drift
from roundbook.logbook.events import list_events
from roundbook.logbook.factors import show_factors
from roundbook.logbook.rounds import list_rounds, main_measure
from roundbook.logbook.saved_results import list_results
from roundbook.logbook.session import Session
from roundbook.logbook.topics import list_topics
from roundbook.logbook.variances import show_histories, show_variances
from roundbook.pages.answers import verdict_headline
from roundbook.pages.charts import figure
from roundbook.pages.forms import Asking, Who, labels_to_choose, recorded_name
from roundbook.pages.rendering import page
from roundbook.pages.results import result_rows
from roundbook.presentation import drift_advice, drift_verdict, figures
from roundbook.presentation.charts.limits import MOST_ROUNDS, MOST_TOPICS
from roundbook.presentation.drift_curve import summary as curve_summary
from roundbook.presentation.events import details
from roundbook.presentation.rounds import out_of_order_notes
from roundbook.presentation.variances import stability, summary, withdrawn_notes
from roundbook.requests.base import Request as Asked
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.events import EventsRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.results import ListResults
from roundbook.requests.tasks import ListRounds
from roundbook.requests.topics import ListTopics
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest

router = APIRouter()
# At most so many tasks have their verdict on the first page; it takes a few queries a task.
_MOST_VERDICTS = 20
_EVENTS = 100
_Asked = TypeVar("_Asked", bound=Asked)
_Answer = TypeVar("_Answer", bound=BaseModel)


@router.get("/")
def home(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Show the tasks, the verdicts on their factors, and what is stale."""
    rows = []
    for number, task in enumerate(visible_tasks(caller, session)):
        row: dict[str, Any] = {"task": task, "verdict": None, "variances": [], "stale": 0}
        if number < _MOST_VERDICTS and task.measures:
            row |= _state(session, caller, task.task)
        rows.append(row)
    return page(http, "home.html", rows=rows)


def _state(session: Session, caller: Caller, task: str) -> dict[str, Any]:
    state: dict[str, Any] = {}
    try:
        measure = main_measure(list_rounds(session, ListRounds(task=task)).rounds)
        state["measure"] = measure
        asked = VarianceRequest(task=task, measure=measure)
        history = answer(caller, session, show_variances, asked)
        state["variances"] = [row.variance for row in history.rounds]
        state["verdict"] = report_drift(session, DriftRequest(task=task, measure=measure)).verdict
        results = list_results(session, ListResults(task=task, stale=True)).results
        state["stale"] = len(results)
    except RoundbookError:
        pass  # fewer than two rounds, or several assessments: the task's page says why
    return state


@router.get("/task")
def task_page(
    http: Request,
    caller: Who,
    session: Asking,
    task: str,
    measure: str | None = None,
    assessments: str | None = None,
    scale: VarianceScale = "raw",
) -> HTMLResponse:
    """Show a task: its verdict, rounds, variances, ageing, saved results."""
    context = task_context(session, caller, task, measure, assessments or None, scale)
    return page(http, "task.html", **context)


def task_context(
    session: Session,
    caller: Caller,
    task: str,
    measure: str | None,
    assessments: str | None,
    scale: VarianceScale,
) -> dict[str, Any]:
    """Return the context of the page of a task: rounds, verdict, variances, ageing and figures."""
    shown = next((one for one in visible_tasks(caller, session) if one.task == task), None)
    if shown is None:
        raise NotRecordedError(f"There is no task '{task}'.")
    rounds = answer(caller, session, list_rounds, ListRounds(task=task)).rounds
    context: dict[str, Any] = {
        "task": shown,
        "rounds": rounds,
        "measure": recorded_name(measure, shown.measures) if measure else main_measure(rounds),
        "assessments": assessments,
        "labels": labels_to_choose(
            assessments,
            (row.assessments for one in rounds for row in one.matrices if row.withdrawn is None),
        ),
        "scale": scale,
        **dict.fromkeys(("history", "report", "curve", "factors", "curve_words")),
        **{name: {} for name in ("by_round", "fitted", "returned", "revisions")},
        "results": [],
        "trouble_sentences": out_of_order_notes(rounds),
        "figures": dict.fromkeys(("variances", "ageing", "drift", "factors")),
    }
    if context["measure"]:
        _add_answers(session, caller, context)
    return context


def _add_answers(session: Session, caller: Caller, context: dict[str, Any]) -> None:
    of = {"task": context["task"].task, "measure": context["measure"]}
    label = context["assessments"]
    if label is not None:
        of["assessments"] = label

    def ask(use_case: Callable[[Session, _Asked], _Answer], request: _Asked) -> _Answer | None:
        try:
            return answer(caller, session, use_case, request)
        except RoundbookError as error:
            if status_of(error) == 503:
                raise
            # Several results may be missing for the same reason.
            if str(error) not in context["trouble_sentences"]:
                context["trouble_sentences"].append(str(error))
        return None

    drawn, scale = context["figures"], context["scale"]
    if history := ask(show_variances, VarianceRequest(**of, scale=scale)):
        context["history"] = history
        context["variance_words"] = [*summary(history), *withdrawn_notes(history)]
        context["by_round"] = {row.round: row for row in history.rounds}
        caption = figures.variances_caption(history, MOST_ROUNDS)
        drawn["variances"] = figure("variances", history, caption, **of, scale=scale)
    several = len(context["rounds"]) > 1
    report = ask(report_drift, DriftRequest(**of)) if several else None
    curve = ask(trace_drift, CurveRequest(**of)) if several else None
    if report:
        context["report"] = report
        context["verdict_words"] = verdict_headline(report) | {
            "reason": drift_verdict.brief_reason(report),
            "advice": drift_advice.brief_advice(report),
        }
        drawn["drift"] = figure("drift", report, figures.means_caption(report), **of)
    if curve:
        context["curve"] = curve
        context["curve_words"] = curve_summary(curve)
        caption = figures.ageing_caption(curve, MOST_ROUNDS)
        drawn["ageing"] = figure("ageing", curve, caption, **of)
        context["fitted"] = {
            later.round: figures.fitted_on(later.version, later.standardising)
            for later in curve.rounds
        } | {curve.from_round: figures.fitted_on(curve.from_version, curve.standardising)}
    if topics := ask(list_topics, ListTopics(task=of["task"])):
        # A topic has returned in every round that has it, except its first.
        context["returned"] = Counter(
            within.round for topic in topics.topics for within in topic.rounds[1:]
        )
    context["revisions"] = {
        one.round: matrix.revision
        for one in context["rounds"]
        for matrix in one.matrices
        if matrix.measure == of["measure"] and label in (None, matrix.assessments)
    }
    first = next(iter(context["revisions"]), None)
    if first and (factors := ask(show_factors, FactorsRequest(**of, round=first))):
        context["factors"] = factors
        caption = figures.factors_caption(factors, MOST_TOPICS)
        drawn["factors"] = figure("factors", factors, caption, **of, round=factors.round)
    if caller.scope is not None:
        context["results"] = result_rows(session, of["task"])


@router.get("/variances")
def variances_page(http: Request, caller: Who, session: Asking, task: str) -> HTMLResponse:
    """Show the variances of every measure of a task."""
    shown = answer(caller, session, show_histories, VarianceHistoryRequest(task=task))
    return page(
        http,
        "variances.html",
        task=task,
        histories=shown.histories,
        stability=stability(shown.histories),
    )


@router.get("/events")
def events_page(
    http: Request,
    caller: Who,
    session: Asking,
    task: str | None = None,
    after: Annotated[int | None, Query(ge=0)] = None,
) -> HTMLResponse:
    """Show who changed what, when and why."""
    require_scope(caller, "read")
    asked = EventsRequest(task=task or caller.task, after=after, limit=_EVENTS)
    listed = list_events(session, asked)
    return page(http, "events.html", listed=listed, task=task, details=details)
