"""The pages of tasks, rounds, score matrices and events."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from roundbook.api.access import Caller, permit, require_scope, visible
from roundbook.api.problems import status_of
from roundbook.api.turns import SECONDS_TO_DECIDE, Limit, computed
from roundbook.errors import RoundbookError
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.report import report_drift
from roundbook.logbook.events import list_events
from roundbook.logbook.factors import show_factors
from roundbook.logbook.matrices.history import show_history
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.matrices.overview import show_overview
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.rankings import compare_rankings
from roundbook.logbook.renewing import Renewal, renew_results
from roundbook.logbook.round_contents import show_round
from roundbook.logbook.rounds import list_rounds, main_measure
from roundbook.logbook.saved_results import ResultEntry, list_results
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import list_tasks
from roundbook.logbook.topics import list_topics
from roundbook.logbook.variances import show_histories, show_variances
from roundbook.pages.charts import figure
from roundbook.pages.site import Asking, Who, deciding, missing, page, read_form
from roundbook.presentation import drift_verdict
from roundbook.presentation import figures as figures_words
from roundbook.presentation.charts.limits import MOST_ROUNDS, MOST_TOPICS
from roundbook.presentation.drift_curve import summary as curve_summary
from roundbook.presentation.events import details
from roundbook.presentation.matrices import changes_phrase, status_phrase
from roundbook.presentation.publication import published_sentence
from roundbook.presentation.rankings import summary as ranking_summary
from roundbook.presentation.runs import QRELS, UPLOADS
from roundbook.presentation.saved_results import brief_sentence, result_place
from roundbook.presentation.staleness import why_stale
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.variances import summary, withdrawn_notes
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.events import EventsRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.fields import VarianceScale
from roundbook.requests.matrices import ListMatrices, ShowHistory, ShowMatrix
from roundbook.requests.rankings import RankRequest
from roundbook.requests.results import ListResults, RenewResults
from roundbook.requests.tasks import ListRounds, ShowRound
from roundbook.requests.topics import ListTopics
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest

router = APIRouter()
# So many tasks have their verdict on the first page; it takes a few queries a task.
_MOST_VERDICTS = 20
_EVENTS = 100
_MOST_RUNS = 200
_RUNS = tuple(Column(name, name.capitalize()) for name in ("run", "team", "type", "system"))
_STANDS = Column("current", "State", lambda current: "stands" if current else "superseded")
# Of the bootstrap of rankings; a page is not waited for long.
_RESAMPLES = 200


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
        **dict.fromkeys(("history", "report", "curve", "topics", "factors", "curve_words")),
        **{name: {} for name in ("by_round", "fitted", "returned", "revisions")},
        "results": [],
        "trouble_sentences": [],
        "figures": dict.fromkeys(("variances", "ageing", "drift", "factors")),
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
            if status_of(error) == 503:
                raise
            # Several answers may be wanting for the same reason.
            if str(error) not in context["trouble_sentences"]:
                context["trouble_sentences"].append(str(error))

    figures = context["figures"]
    ask("history", lambda: show_variances(session, VarianceRequest(**of, scale=context["scale"])))
    if history := context["history"]:
        context["variance_words"] = [*summary(history), *withdrawn_notes(history)]
        context["by_round"] = {row.round: row for row in history.rounds}
        caption = figures_words.variances_caption(history, MOST_ROUNDS)
        figures["variances"] = figure("variances", history, caption, **of, scale=context["scale"])
    if len(context["rounds"]) > 1:
        ask("report", lambda: report_drift(session, DriftRequest(**of)))
        ask("curve", lambda: trace_drift(session, CurveRequest(**of)))
    if report := context["report"]:
        context["verdict_words"] = _verdict(report)
        caption = figures_words.means_caption(report)
        figures["drift"] = figure("drift", report, caption, **of)
    if curve := context["curve"]:
        context["curve_words"] = curve_summary(curve)
        caption = figures_words.ageing_caption(curve, MOST_ROUNDS)
        figures["ageing"] = figure("ageing", curve, caption, **of)
        context["fitted"] = {
            curve.from_round: figures_words.fitted_on(curve.from_version, curve.standardising),
            **{later.round: figures_words.fitted_on(later.version, later.standardising)
               for later in curve.rounds},
        }  # fmt: skip
    ask("topics", lambda: list_topics(session, ListTopics(task=of["task"])))
    if context["topics"]:
        # A topic returned in every round that has it but its first.
        context["returned"] = Counter(
            within.round for topic in context["topics"].topics for within in topic.rounds[1:]
        )
    context["revisions"] = {
        one.round: matrix.revision
        for one in context["rounds"]
        for matrix in one.matrices
        if matrix.measure == of["measure"]
    }
    with_scores = [one.round for one in context["rounds"] if one.round in context["revisions"]]
    if with_scores:
        label = with_scores[0]
        asked = FactorsRequest(**of, round=label)
        ask("factors", lambda: show_factors(session, asked))
    if factors := context["factors"]:
        caption = figures_words.factors_caption(factors, MOST_TOPICS)
        figures["factors"] = figure("factors", factors, caption, **of, round=factors.round)
    if caller.scope is not None:
        context["results"] = result_rows(session, of["task"])


def result_rows(session: Session, task: str | None) -> list[dict[str, Any]]:
    """Return the saved results of a task, or of all, each with its words, and since when stale."""
    listed = list_results(session, ListResults(task=task)).results
    since = stale_since(session, listed)
    return [
        {
            "entry": entry,
            "answer": brief_sentence(entry),
            "place": result_place(entry),
            "why": why_stale(entry),
            "since": since.get(entry.name),
        }
        for entry in listed
    ]


def stale_since(session: Session, entries: Sequence[ResultEntry]) -> dict[str, datetime]:
    """Return by name since when results are stale, of those that later scores made so."""
    logged: dict[int | None, datetime] = {}
    for name in {entry.task for entry in entries if entry.stale and entry.task}:
        matrices = list_matrices(session, ListMatrices(task=name, superseded=True)).matrices
        logged |= {matrix.matrix: matrix.logged_at for matrix in matrices}
    times = {
        entry.name: [logged[change.matrix] for change in entry.changes if change.matrix in logged]
        for entry in entries
        if entry.stale
    }
    return {name: min(since) for name, since in times.items() if since}


def _verdict(report: Any) -> dict[str, Any]:  # noqa: ANN401
    word, _, rest = drift_verdict.headline(report).partition(":")
    return {
        "word": word,
        "rest": rest.strip()[:1].upper() + rest.strip()[1:],
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
    asked = ShowRound(task=task, round=round)
    shown = visible(caller, session, lambda: show_round(session, permit(caller, session, asked)))
    names = list(dict.fromkeys(matrix.measure for matrix in shown.matrices))
    chosen = measure or (names[0] if names else None)
    context: dict[str, Any] = {
        "task": task,
        "round": shown,
        "published": published_sentence(shown),
        "measures": names,
        "measure": chosen,
        "ranking": None,
        "ranking_words": [],
        "intervals": {},
        "trouble_sentences": [],
        "figures": {"scores": None, "factors": None},
    }
    # They are of one round.
    context["tables"] = [
        Table("What runs retrieved", shown.uploads, UPLOADS[1:]),
        Table("Relevance assessments", shown.qrels, (*QRELS[1:], _STANDS)),
    ]
    counting = (
        one.matrix for one in shown.matrices if one.measure == chosen and one.standing == "current"
    )
    current = next(counting, None)
    if chosen and current is not None:
        of = {"task": task, "round": shown.round, "measure": chosen}
        overview = visible(
            caller, session, lambda: show_overview(session, ShowMatrix(matrix=current))
        )
        context["intervals"] = {run.run: run for run in overview.runs}
        drawn = figure("scores", overview, figures_words.scores_caption(overview), matrix=current)
        context["figures"]["scores"] = drawn
        try:
            factors = show_factors(session, FactorsRequest(**of))
            context["figures"]["factors"] = figure(
                "factors", factors, figures_words.factors_caption(factors, MOST_TOPICS), **of
            )
            ranking = compare_rankings(session, RankRequest(**of, resamples=_RESAMPLES))
            context |= {"ranking": ranking, "ranking_words": ranking_summary(ranking)}
        except RoundbookError as error:
            if status_of(error) == 503:
                raise
            context["trouble_sentences"].append(str(error))
    return context


@router.get("/matrix")
def matrix_page(http: Request, caller: Who, session: Asking, matrix: int) -> HTMLResponse:
    """Show a score matrix: its scores, lineage, status, revisions and runs."""
    asked = ShowMatrix(matrix=matrix)
    shown = visible(caller, session, lambda: show_matrix(session, permit(caller, session, asked)))
    overview = show_overview(session, asked)
    history = show_history(session, ShowHistory(matrix=matrix)).entries
    drawn = {
        "scores": figure("scores", overview, figures_words.scores_caption(overview), matrix=matrix),
        "topics": figure(
            "topics", overview, figures_words.topics_caption(overview, MOST_TOPICS), matrix=matrix
        ),
    }
    return page(
        http,
        "matrix.html",
        matrix=shown,
        files=shown.files,
        standing=status_phrase(shown),
        history=history,
        changes_phrase=changes_phrase,
        figures=drawn,
        tables=[Table("Runs", shown.runs, _RUNS, most=_MOST_RUNS)],
    )


@router.get("/variances")
def variances_page(http: Request, caller: Who, session: Asking, task: str) -> HTMLResponse:
    """Show the variances of every measure of a task."""
    asked = VarianceHistoryRequest(task=task)
    shown = visible(
        caller, session, lambda: show_histories(session, permit(caller, session, asked))
    )
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
    require_scope(caller, "log")
    form = await read_form(http)
    asked = RenewResults(name=form.get("name"), task=form.get("task"))

    def work(limit: Limit) -> Renewal:
        with deciding(http, caller, limit) as session:
            return renew_results(session, permit(caller, session, asked))

    done = await computed(http, work, caller=caller, seconds=SECONDS_TO_DECIDE)
    first = done.renewed[0].after.task if done.renewed else form.get("task")
    return RedirectResponse(f"/task?{urlencode({'task': first})}" if first else "/", 303)
