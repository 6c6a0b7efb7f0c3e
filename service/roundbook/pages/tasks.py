"""The pages of tasks: the list of tasks, one task, its variances, and the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar
from unicodedata import normalize

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse
from pydantic import BaseModel

from roundbook.api.access import run_permitted, visible_tasks
from roundbook.api.callers import Caller, require_scope
from roundbook.api.problems import status_of
from roundbook.errors import NotRecordedError, RoundbookError
from roundbook.logbook.drift.assessment import StandardisingRuns
from roundbook.logbook.drift.report import DriftCurve, report_drift, trace_drift
from roundbook.logbook.events import list_events
from roundbook.logbook.factors import FactorSet, show_factors
from roundbook.logbook.rounds import LoggedMeasure, Round, list_rounds, main_measure
from roundbook.logbook.same_topics import collection_keys
from roundbook.logbook.saved_results import list_results
from roundbook.logbook.session import Session
from roundbook.logbook.topics import TopicList, list_topics
from roundbook.logbook.variances import show_histories, show_variances
from roundbook.pages.answers import headline_rest
from roundbook.pages.charts import figure
from roundbook.pages.forms import PageCaller, PageSession, labels_to_choose, recorded_name
from roundbook.pages.rendering import page
from roundbook.pages.results import result_rows
from roundbook.pages.rounds import usual_label
from roundbook.pages.ways_out import on_page
from roundbook.presentation import drift, drift_advice, drift_verdict, figures
from roundbook.presentation.drift_curve import summary as curve_summary
from roundbook.presentation.record import event_details
from roundbook.presentation.rounds import OF_ALL_ROUNDS, out_of_order_notes, several_assessments
from roundbook.presentation.variance_differences import stability
from roundbook.presentation.variances import histories_notes, in_detail, summary, withdrawn_notes
from roundbook.requests.base import Request as UseCaseRequest
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.fields import DEFAULT_ASSESSMENTS, VarianceScale
from roundbook.requests.record import EventsRequest
from roundbook.requests.results import ListResults
from roundbook.requests.tasks import ListRounds, ListTopics
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest

router = APIRouter()
# At most so many tasks have their verdict on the first page; it takes a few queries a task.
_MOST_VERDICTS = 20
_EVENTS = 100
_Request = TypeVar("_Request", bound=UseCaseRequest)
_Answer = TypeVar("_Answer", bound=BaseModel)


@router.get("/")
def home(http: Request, caller: PageCaller, session: PageSession) -> HTMLResponse:
    """Show the tasks, the verdicts on their factors, and what is stale."""
    rows = []
    for number, task in enumerate(visible_tasks(caller, session)):
        row: dict[str, Any] = {
            "task": task,
            **dict.fromkeys(("verdict", "variances", "latest", "held_later", "stale")),
            # Whether the variance is left out as the caller has no token.
            "hidden": False,
            "aged": [],
        }
        if number < _MOST_VERDICTS:
            row |= _task_summary(session, caller, task.task)
            if caller.scope is not None:
                saved = list_results(session, ListResults(task=task.task)).results
                row["stale"] = sum(entry.stale for entry in saved)
                row["aged"] = [
                    entry
                    for entry in saved
                    if entry.kind == "drift" and not entry.stale
                    if entry.brief.get("verdict") == "aged"
                    and entry.brief.get("measure") != row["measure"]
                ]
        rows.append(row)
    return page(http, "home.html", rows=rows)


def _task_summary(session: Session, caller: Caller, task: str) -> dict[str, Any]:
    """Return the variances and the verdict of a task's main measure, as far as there are any."""
    rounds = run_permitted(caller, session, list_rounds, ListRounds(task=task)).rounds
    measure = main_measure(rounds)
    label = usual_label(labels_to_choose(None, _labels(rounds, measure)))
    state: dict[str, Any] = {"measure": measure, "assessments": label}
    if not measure:  # only variances that were published without scores
        return state
    series = {"task": task, "measure": measure, "assessments": label}
    # Both are refused until assessments are chosen, for example; the task's page has the reason.
    request = VarianceRequest(**series)
    if history := _answer_or_none(
        caller,
        session,
        show_variances,
        request,
        lambda error: state.update(hidden=status_of(error) == 401),
    ):
        state["variances"] = [row.variance for row in history.rounds]
        state["latest"] = history.rounds[-1]
        pairs = {pair.round: pair.recorded_after for pair in history.out_of_order}
        state["held_later"] = pairs.get(history.rounds[-1].round)
    if len(rounds) > 1 and (
        report := _answer_or_none(caller, session, report_drift, DriftRequest(**series))
    ):
        state["verdict"] = report.verdict
    return state


def _answer_or_none(
    caller: Caller,
    session: Session,
    use_case: Callable[[Session, _Request], _Answer],
    request: _Request,
    refused: Callable[[RoundbookError], None] = lambda _: None,
) -> _Answer | None:
    """Return the answer to a request, None where it is refused; `refused` is called with why."""
    try:
        return run_permitted(caller, session, use_case, request)
    except RoundbookError as error:
        if status_of(error) == 503:
            raise
        refused(error)
    return None


def _labels(rounds: Sequence[Round], measure: str) -> set[str]:
    """Return the assessments labels of a measure's scores that are not withdrawn."""
    return {
        row.assessments
        for round_ in rounds
        for row in round_.matrices
        if row.measure == measure and row.withdrawn is None
    }


@router.get("/task")
def task_page(
    http: Request,
    caller: PageCaller,
    session: PageSession,
    task: str,
    measure: str | None = None,
    assessments: str | None = None,
    scale: VarianceScale = "raw",
) -> HTMLResponse:
    """Show a task: its verdict, rounds, variances, ageing, saved results."""
    label = assessments or None
    context = task_context(session, caller, task, measure, label, scale, usual=True)
    return page(http, "task.html", **context)


def task_context(
    session: Session,
    caller: Caller,
    task: str,
    measure: str | None,
    assessments: str | None,
    scale: VarianceScale,
    *,
    usual: bool = False,
) -> dict[str, Any]:
    """Return the context of the page of a task: rounds, verdict, variances, ageing and figures.

    `usual` is whether `usual_label` chooses among several assessments where none is named.
    """
    task = normalize("NFC", task).strip()
    visible = next((entry for entry in visible_tasks(caller, session) if entry.task == task), None)
    if visible is None:
        raise NotRecordedError(f"There is no task '{task}'.")
    rounds = run_permitted(caller, session, list_rounds, ListRounds(task=task)).rounds
    # Published variances may be all that there is.
    main = main_measure(rounds) or next(iter(visible.measures), "")
    chosen = recorded_name(measure, visible.measures) if measure else main
    labels = labels_to_choose(assessments, _labels(rounds, chosen))
    notes = out_of_order_notes(rounds)
    if labels and assessments is None:
        assessments = usual_label(labels) if usual else None
        notes.append(several_assessments(chosen, assessments, labels))
    context: dict[str, Any] = {
        "task": visible,
        "rounds": rounds,
        "measure": chosen,
        "assessments": assessments,
        "labels": labels,
        "label": assessments or next(iter(_labels(rounds, chosen) - {DEFAULT_ASSESSMENTS}), None),
        "scale": scale,
        # The fields of every request about these scores.
        "series": {"task": task, "measure": chosen, "assessments": assessments},
        **dict.fromkeys(("history", "report", "curve", "factors", "curve_summary")),
        **{name: {} for name in ("by_round", "fitted", "returned", "logged")},
        "results": [],
        # Whether variances are left out as the caller has no token.
        "hidden": False,
        "trouble_sentences": notes,
        "figures": dict.fromkeys(("variances", "ageing", "drift", "factors")),
    }
    if chosen and (assessments or not labels):
        _add_answers(session, caller, context)
    if caller.scope is not None:
        context["results"] = result_rows(session, task)
    return context


def _add_answers(session: Session, caller: Caller, context: dict[str, Any]) -> None:
    series, label = context["series"], context["assessments"]

    def refused(error: RoundbookError) -> None:
        context["hidden"] |= status_of(error) == 401
        sentence = OF_ALL_ROUNDS if status_of(error) == 401 else str(error)
        # Several results may be missing for the same reason.
        if sentence not in context["trouble_sentences"]:
            context["trouble_sentences"].append(sentence)

    def ask(use_case: Callable[[Session, _Request], _Answer], request: _Request) -> _Answer | None:
        return _answer_or_none(caller, session, use_case, request, refused)

    drawn, scale = context["figures"], context["scale"]
    if history := ask(show_variances, VarianceRequest(**series, scale=scale)):
        context["history"] = history
        context["variance_sentences"] = [*summary(history), *withdrawn_notes(history)]
        context["variance_details"] = in_detail(history)
        context["by_round"] = {row.round: row for row in history.rounds}
        drawn["variances"] = figure("variances", history, **series, scale=scale)
    several = len(context["rounds"]) > 1
    report = ask(report_drift, DriftRequest(**series)) if several else None
    curve = ask(trace_drift, CurveRequest(**series)) if several else None
    context["logged"] = {
        round_.round: matrix
        for round_ in context["rounds"]
        for matrix in sorted(round_.matrices, key=lambda matrix: matrix.withdrawn is None)
        if matrix.measure == series["measure"] and label in (None, matrix.assessments)
    }
    if report:
        context["report"] = report
        context["verdict_text"] = {
            "rest": headline_rest(report),
            "reason": drift_verdict.brief_reason(report),
            "notes": [on_page(note, report) for note in drift.brief_notes(report)],
            "advice": on_page(drift_advice.brief_advice(report), report),
        }
        drawn["drift"] = figure("drift", report, **series)
    if curve:
        context["curve"] = curve
        context["curve_summary"] = curve_summary(curve)
        drawn["ageing"] = figure("ageing", curve, **series)
    if topics := ask(list_topics, ListTopics(**series)):
        context["returned"] = _returned(topics, context["rounds"])

    def factors_of(name: str) -> FactorSet | None:
        return ask(show_factors, FactorsRequest(**series, round=name))

    _add_factors(context, curve, factors_of)


def _returned(listed: TopicList, rounds: Sequence[Round]) -> Counter[str]:
    """Return by round with topics how many of these an earlier round on the same collection has."""
    having = {within.round for topic in listed.topics for within in topic.rounds}
    scored = [row for row in rounds if row.round in having]
    collections = collection_keys(row.collection for row in scored)
    collection = dict(zip((row.round for row in scored), collections, strict=True))
    returned: Counter[str] = Counter()
    for topic in listed.topics:
        earlier = set[str]()
        for within in topic.rounds:
            returned[within.round] += collection[within.round] in earlier
            earlier.add(collection[within.round])
    return returned


def _add_factors(
    context: dict[str, Any], curve: DriftCurve | None, factors_of: Callable[[str], FactorSet | None]
) -> None:
    """Add the factors of the first round that has any, and each round's version and runs."""
    logged: dict[str, LoggedMeasure] = context["logged"]
    if curve:
        factor_sets = [factors_of(curve.from_round)]
        context["fitted"] = {
            later.round: figures.fitted_on(later.version, later.standardising)
            for later in curve.rounds
        } | {curve.from_round: figures.fitted_on(curve.from_version, curve.standardising)}
    else:
        # There is no curve of a single round, nor for callers who may not see all rounds.
        scored = [name for name, row in logged.items() if row.withdrawn is None and row.runs > 1]
        factor_sets = [factors_of(name) for name in scored or list(logged)[:1]]
        for fitted in filter(None, factor_sets):
            runs = StandardisingRuns(
                which=fitted.standardising,
                runs=fitted.factors[0].runs,
                of=logged[fitted.round].runs,
                pool_now=fitted.pool_now,
            )
            context["fitted"][fitted.round] = figures.fitted_on(fitted.version, runs)
    factors = next(filter(None, factor_sets), None)
    if factors:
        context["factors"] = factors
        series = context["series"] | {"round": factors.round}
        context["figures"]["factors"] = figure("factors", factors, **series)


@router.get("/variances")
def variances_page(
    http: Request, caller: PageCaller, session: PageSession, task: str
) -> HTMLResponse:
    """Show the variances of every measure of a task."""
    request = VarianceHistoryRequest(task=task)
    listed = run_permitted(caller, session, show_histories, request)
    return page(
        http,
        "variances.html",
        task=task,
        scale=request.scale,
        histories=listed.histories,
        sentences=[*stability(listed.histories), *histories_notes(listed)],
    )


@router.get("/events")
def events_page(
    http: Request,
    caller: PageCaller,
    session: PageSession,
    task: str | None = None,
    after: Annotated[int | None, Query(ge=0)] = None,
) -> HTMLResponse:
    """Show who changed what, when and why."""
    require_scope(caller, "read")
    request = EventsRequest(task=task or caller.task, after=after, limit=_EVENTS)
    listed = list_events(session, request)
    return page(http, "events.html", listed=listed, task=task, details=event_details)
