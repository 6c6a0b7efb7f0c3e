"""The pages of rounds and score matrices, with the commands of the terminal for what no page does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from roundbook.api.access import run_permitted
from roundbook.api.callers import Caller
from roundbook.api.problems import status_of
from roundbook.errors import RoundbookError
from roundbook.logbook.factors import show_factors
from roundbook.logbook.matrices.history import show_history
from roundbook.logbook.matrices.overview import show_overview
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.rankings import compare_rankings
from roundbook.logbook.round_contents import show_round
from roundbook.logbook.session import Session
from roundbook.pages.charts import figure
from roundbook.pages.forms import PageCaller, PageSession, labels_to_choose, recorded_name
from roundbook.pages.rendering import page
from roundbook.presentation.matrices import changes_phrase, status_phrase
from roundbook.presentation.rankings import summary
from roundbook.presentation.rounds import (
    PUBLISHED_VARIANCES,
    no_current_scores,
    publication_note,
    several_assessments,
)
from roundbook.presentation.runs import QRELS, UPLOADS
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.terminal import matrix_commands, round_commands
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook.requests.matrices import ShowHistory, ShowMatrix
from roundbook.requests.rankings import RankRequest
from roundbook.requests.tasks import ShowRound

router = APIRouter()
_MOST_RUNS = 200
_RUNS = tuple(Column(name, name.capitalize()) for name in ("run", "team", "type", "system"))
_STANDS = Column("current", "State", lambda current: "stands" if current else "superseded")
# A page has to be quick: rankings of more scores than this have a smaller bootstrap.
_MOST_SCORES, _FEWER_RESAMPLES = 50_000, 200


@router.get("/round")
def round_page(
    http: Request,
    caller: PageCaller,
    session: PageSession,
    task: str,
    round: str,
    measure: str | None = None,
    assessments: str | None = None,
) -> HTMLResponse:
    """Show a round: its matrices, factors, and the runs raw beside standardised."""
    label = assessments or None
    context = round_context(session, caller, task, round, measure, label, usual=True)
    chosen = context["measure"] if context["whose"] else None
    context["commands"] = round_commands(
        context["round"], chosen, context["assessments"], context["factors"]
    )
    return page(http, "round.html", **context)


def usual_label(labels: Sequence[str]) -> str | None:
    """Return the assessments label that pages show unless another is chosen; None without it."""
    return DEFAULT_ASSESSMENTS if DEFAULT_ASSESSMENTS in labels else None


def round_context(
    session: Session,
    caller: Caller,
    task: str,
    round: str,
    measure: str | None,
    assessments: str | None,
    *,
    usual: bool = False,
) -> dict[str, Any]:
    """Return the context of the page of a round: matrices, ranking, figures and tables.

    `usual` is whether `usual_label` chooses among several assessments where none is named.
    """
    contents = run_permitted(caller, session, show_round, ShowRound(task=task, round=round))
    current = [matrix for matrix in contents.matrices if matrix.status == "current"]
    # Measures with current scores come first: the first is shown unless another is chosen.
    names = list(dict.fromkeys(matrix.measure for matrix in (*current, *contents.matrices)))
    chosen = recorded_name(measure, names) if measure else names[0] if names else None
    of_measure = [matrix for matrix in current if matrix.measure == chosen]
    published = [row.assessments for row in contents.published_variances if row.measure == chosen]
    labels = labels_to_choose(assessments, [*(row.assessments for row in of_measure), *published])
    notes, requested = [], assessments
    if requested is None and usual:
        assessments = usual_label(labels)
    candidates = [matrix for matrix in of_measure if assessments in (None, matrix.assessments)]
    if chosen and labels and requested is None and (candidates or assessments is None):
        notes.append(several_assessments(chosen, assessments, labels))
    context: dict[str, Any] = {
        "task": contents.task,
        "round": contents,
        "published": publication_note(contents.round, contents),
        "measures": names,
        "measure": chosen,
        "assessments": assessments,
        "labels": labels,
        "factors": None,
        "ranking": None,
        "ranking_summary": [],
        "intervals": {},
        "trouble_sentences": notes,
        # Whose scores are shown, in headings; None where none are.
        "whose": None,
        "commands": [],
        "figures": {"scores": None, "factors": None},
        # Without the column of the round, which is the same in all rows.
        "tables": [
            Table("What runs retrieved", contents.uploads, UPLOADS[1:]),
            Table("Relevance assessments", contents.qrels, (*QRELS[1:], _STANDS)),
            Table("Published variances", contents.published_variances, PUBLISHED_VARIANCES),
        ],
    }
    if labels and assessments is None:
        return context
    if not candidates:
        if chosen and contents.matrices:
            notes.append(no_current_scores(chosen, assessments, contents.matrices))
        return context
    (matrix,) = candidates
    by = matrix.assessments
    context["whose"] = f"{chosen}, {by} assessments" if by != DEFAULT_ASSESSMENTS else chosen
    series = {"task": task, "round": contents.round, "measure": chosen, "assessments": assessments}
    _add_scores(session, caller, context, series, matrix.matrix)
    return context


def _add_scores(
    session: Session, caller: Caller, context: dict[str, Any], series: dict[str, Any], matrix: int
) -> None:
    """Add the intervals, factors and ranking of a score matrix, with their figures."""
    drawn = context["figures"]
    overview = run_permitted(caller, session, show_overview, ShowMatrix(matrix=matrix))
    context["intervals"] = {run.run: run for run in overview.runs}
    drawn["scores"] = figure("scores", overview, matrix=matrix)
    try:
        factors = show_factors(session, FactorsRequest(**series))
        context["factors"] = factors
        drawn["factors"] = figure("factors", factors, **series)
        request = RankRequest(**series)
        if len(overview.runs) * len(overview.topics) > _MOST_SCORES:
            request = request.model_copy(update={"resamples": _FEWER_RESAMPLES})
        ranking = compare_rankings(session, request)
        context |= {"ranking": ranking, "ranking_summary": summary(ranking)}
    except RoundbookError as error:
        if status_of(error) == 503:
            raise
        context["trouble_sentences"].append(str(error))


@router.get("/matrix")
def matrix_page(
    http: Request, caller: PageCaller, session: PageSession, matrix: int
) -> HTMLResponse:
    """Show a score matrix: its scores, lineage, status, revisions and runs."""
    request = ShowMatrix(matrix=matrix)
    details = run_permitted(caller, session, show_matrix, request)
    overview = show_overview(session, request)
    series = {"task": details.task, "measure": details.measure}
    if details.assessments != DEFAULT_ASSESSMENTS:
        series["assessments"] = details.assessments
    return page(
        http,
        "matrix.html",
        matrix=details,
        series=series,
        status_phrase=status_phrase(details),
        commands=matrix_commands(details),
        history=show_history(session, ShowHistory(matrix=matrix)).entries,
        changes_phrase=changes_phrase,
        figures={name: figure(name, overview, matrix=matrix) for name in ("scores", "topics")},
        tables=[Table("Runs", details.runs, _RUNS, most=_MOST_RUNS)],
    )
