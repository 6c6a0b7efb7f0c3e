"""The pages of tasks, rounds, score matrices and events."""

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roundbook.api.access import Caller, limit_to_task, require_scope, visible
from roundbook.errors import RoundbookError
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.report import report_drift
from roundbook.logbook.events import list_events
from roundbook.logbook.factors import show_factors
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.rankings import compare_rankings
from roundbook.logbook.rounds import list_rounds, main_measure
from roundbook.logbook.saved_results import list_results, renew_results
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tasks import list_tasks
from roundbook.logbook.variances import show_histories, show_variances
from roundbook.pages.charts import figure
from roundbook.pages.site import Asking, Who, missing, page, read_form
from roundbook.presentation import drift_verdict
from roundbook.presentation.drift_curve import summary as curve_summary
from roundbook.presentation.events import details
from roundbook.presentation.factors import heading as factors_heading
from roundbook.presentation.matrices import status_phrase
from roundbook.presentation.rankings import summary as ranking_summary
from roundbook.presentation.saved_results import brief_sentence, result_place
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.variances import summary, withdrawn_notes
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.events import EventsRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.matrices import ListMatrices, ShowMatrix
from roundbook.requests.rankings import RankRequest
from roundbook.requests.results import ListResults, RenewResults
from roundbook.requests.tasks import ListRounds
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest

router = APIRouter()
# So many tasks have their verdict on the first page; it takes a few queries a task.
_MOST_VERDICTS = 20
_EVENTS = 100


@router.get("/")
def home(http: Request, caller: Who, session: Asking) -> HTMLResponse:
    """Show the tasks, the verdicts on their factors, and what is stale."""
    listed = visible(caller, session, lambda: list_tasks(session)).tasks
    rows = []
    for number, task in enumerate(listed):
        row: dict[str, Any] = {"task": task, "verdict": None, "variances": [], "stale": 0}
        if number < _MOST_VERDICTS and task.measures:
            row |= _state(session, caller, task.task)
        rows.append(row)
    return page(http, "home.html", rows=rows)


def _state(session: Session, caller: Any, task: str) -> dict[str, Any]:  # noqa: ANN401
    state: dict[str, Any] = {}
    try:
        measure = main_measure(list_rounds(session, ListRounds(task=task)).rounds)
        state["measure"] = measure
        history = visible(
            caller,
            session,
            lambda: show_variances(session, VarianceRequest(task=task, measure=measure)),
        )
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
    scale: VarianceScale = "raw",
) -> HTMLResponse:
    """Show a task: its verdict, rounds, variances, ageing, saved results."""
    return page(http, "task.html", **task_context(session, caller, task, measure, scale))


def task_context(
    session: Session, caller: Caller, task: str, measure: str | None, scale: VarianceScale
) -> dict[str, Any]:
    """Return what the page of a task shows."""
    shown = next(
        (one for one in visible(caller, session, lambda: list_tasks(session)).tasks
         if one.task == task),
        None,
    )  # fmt: skip
    if shown is None:
        raise missing(f"There is no task '{task}'.")
    rounds = visible(caller, session, lambda: list_rounds(session, ListRounds(task=task)))
    context: dict[str, Any] = {
        "task": shown,
        "rounds": rounds.rounds,
        "measure": measure or main_measure(rounds.rounds),
        "scale": scale,
        "history": None,
        "report": None,
        "curve": None,
        "results": [],
        "trouble_sentences": [],
        "figures": {"variances": None, "ageing": None},
        "by_round": {},
        "curve_words": None,
    }
    if context["measure"]:
        _add_answers(session, caller, context)
    return context


def _add_answers(session: Session, caller: Any, context: dict[str, Any]) -> None:  # noqa: ANN401
    of = {"task": context["task"].task, "measure": context["measure"]}

    def ask(name: str, question: Any) -> None:  # noqa: ANN401
        try:
            context[name] = visible(caller, session, question)
        except RoundbookError as error:
            context["trouble_sentences"].append(str(error))

    ask("history", lambda: show_variances(session, VarianceRequest(**of, scale=context["scale"])))
    if context["history"]:
        context["variance_words"] = [
            *summary(context["history"]),
            *withdrawn_notes(context["history"]),
        ]
        context["by_round"] = {row.round: row for row in context["history"].rounds}
        sentence = context["variance_words"][0]
        context["figures"]["variances"] = figure(
            "variances", context["history"], sentence, **of, scale=context["scale"]
        )
    if len(context["rounds"]) > 1:
        ask("report", lambda: report_drift(session, DriftRequest(**of)))
        ask("curve", lambda: trace_drift(session, CurveRequest(**of)))
    if context["report"]:
        context["verdict_words"] = _verdict(context["report"])
    if context["curve"]:
        context["curve_words"] = curve_summary(context["curve"])
        context["figures"]["ageing"] = figure(
            "ageing", context["curve"], context["curve_words"], **of
        )
    if caller.scope is not None:
        listed = list_results(session, ListResults(task=of["task"]))
        context["results"] = [
            {"entry": entry, "answer": brief_sentence(entry), "place": result_place(entry),
             "why": why_stale(entry)}
            for entry in listed.results
        ]  # fmt: skip


def _verdict(report: Any) -> dict[str, Any]:  # noqa: ANN401
    word, _, rest = drift_verdict.headline(report).partition(":")
    return {
        "word": word,
        "rest": rest.strip(),
        "reason": drift_verdict.brief_reason(report),
        "advice": drift_verdict.brief_advice(report),
    }


@router.get("/round")
def round_page(
    http: Request,
    caller: Who,
    session: Asking,
    task: str,
    round: str,
    measure: str | None = None,
) -> HTMLResponse:
    """Show a round: its matrices, factors, and the runs raw beside standardised."""
    return page(http, "round.html", **round_context(session, caller, task, round, measure))


def round_context(
    session: Session, caller: Caller, task: str, round: str, measure: str | None
) -> dict[str, Any]:
    """Return what the page of a round shows."""
    rounds = visible(caller, session, lambda: list_rounds(session, ListRounds(task=task))).rounds
    shown = next((one for one in rounds if one.round == round), None)
    if shown is None:
        raise missing(f"Task '{task}' has no round '{round}'.")
    matrices = list_matrices(session, ListMatrices(task=task, round=round, superseded=True))
    names = list(dict.fromkeys(matrix.measure for matrix in shown.matrices))
    chosen = measure or (names[0] if names else None)
    context: dict[str, Any] = {
        "task": task,
        "round": shown,
        "matrices": matrices.matrices,
        "measures": names,
        "measure": chosen,
        "factors": None,
        "ranking": None,
        "trouble_sentences": [],
        "figures": {"factors": None},
    }
    if chosen:
        of = {"task": task, "round": round, "measure": chosen}
        try:
            context["factors"] = show_factors(session, FactorsRequest(**of))
            context["figures"]["factors"] = figure(
                "factors", context["factors"], factors_heading(context["factors"]), **of
            )
            context["ranking"] = compare_rankings(session, RankRequest(**of, resamples=200))
            context["ranking_words"] = ranking_summary(context["ranking"])
        except RoundbookError as error:
            context["trouble_sentences"].append(str(error))
    return context


@router.get("/matrix")
def matrix_page(http: Request, caller: Who, session: Asking, matrix: int) -> HTMLResponse:
    """Show a score matrix: its lineage, standing and runs."""
    shown = visible(caller, session, lambda: show_matrix(session, ShowMatrix(matrix=matrix)))
    return page(
        http, "matrix.html", matrix=shown, standing=status_phrase(shown), figures={"heat": None}
    )


@router.get("/variances")
def variances_page(http: Request, caller: Who, session: Asking, task: str) -> HTMLResponse:
    """Show the variances of every measure of a task."""
    asked = VarianceHistoryRequest(task=task)
    shown = visible(caller, session, lambda: show_histories(session, asked))
    return page(http, "variances.html", task=task, histories=shown.histories)


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


@router.post("/renew")
async def renew(http: Request, caller: Who) -> Response:
    """Renew a stale result, or all of a task."""
    form = await read_form(http)
    require_scope(caller, "log")
    asked = RenewResults(name=form.get("name"), task=form.get("task"))
    with begin(http.app.state.engine, caller.user) as session:
        done = renew_results(session, asked)
        for one in done.renewed:
            limit_to_task(caller, one.after)
    first = done.renewed[0].after.task if done.renewed else form.get("task")
    return RedirectResponse(f"/task?{urlencode({'task': first})}" if first else "/", 303)
