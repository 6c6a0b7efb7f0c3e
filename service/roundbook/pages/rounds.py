"""The pages of rounds and score matrices."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from roundbook.api.access import answer
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
from roundbook.pages.forms import Asking, Who, labels_to_choose, recorded_name
from roundbook.pages.rendering import page
from roundbook.presentation import figures
from roundbook.presentation.charts.limits import MOST_TOPICS
from roundbook.presentation.matrices import changes_phrase, status_phrase
from roundbook.presentation.publication import PUBLISHED_VARIANCES, publication_note
from roundbook.presentation.rankings import summary
from roundbook.presentation.runs import QRELS, UPLOADS
from roundbook.presentation.tables import Column, Table
from roundbook.requests.factors import FactorsRequest
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
    caller: Who,
    session: Asking,
    task: str,
    round: str,
    measure: str | None = None,
    assessments: str | None = None,
) -> HTMLResponse:
    """Show a round: its matrices, factors, and the runs raw beside standardised."""
    context = round_context(session, caller, task, round, measure, assessments or None)
    return page(http, "round.html", **context)


def round_context(
    session: Session,
    caller: Caller,
    task: str,
    round: str,
    measure: str | None,
    assessments: str | None,
) -> dict[str, Any]:
    """Return the context of the page of a round: matrices, ranking, figures and tables."""
    shown = answer(caller, session, show_round, ShowRound(task=task, round=round))
    names = list(dict.fromkeys(matrix.measure for matrix in shown.matrices))
    chosen = recorded_name(measure, names) if measure else names[0] if names else None
    standing = [matrix for matrix in shown.matrices if matrix.standing == "current"]
    counting = [
        one for one in standing if one.measure == chosen and assessments in (None, one.assessments)
    ]
    labels = labels_to_choose(assessments, (matrix.assessments for matrix in standing))
    if labels and counting:  # the page says whose scores it shows
        assessments = counting[0].assessments
    context: dict[str, Any] = {
        "task": task,
        "round": shown,
        "published": publication_note(shown.round, shown),
        "measures": names,
        "measure": chosen,
        "assessments": assessments,
        "labels": labels,
        "ranking": None,
        "ranking_words": [],
        "intervals": {},
        "trouble_sentences": [],
        "figures": {"scores": None, "factors": None},
        # Without the column of the round, which is the same in all rows.
        "tables": [
            Table("What runs retrieved", shown.uploads, UPLOADS[1:]),
            Table("Relevance assessments", shown.qrels, (*QRELS[1:], _STANDS)),
            Table("Published variances", shown.published_variances, PUBLISHED_VARIANCES),
        ],
    }
    if chosen and counting:
        current = counting[0].matrix
        of, drawn = {"task": task, "round": shown.round, "measure": chosen}, context["figures"]
        if assessments is not None:
            of["assessments"] = assessments
        overview = answer(caller, session, show_overview, ShowMatrix(matrix=current))
        context["intervals"] = {run.run: run for run in overview.runs}
        caption = figures.scores_caption(overview)
        drawn["scores"] = figure("scores", overview, caption, matrix=current)
        try:
            factors = show_factors(session, FactorsRequest(**of))
            caption = figures.factors_caption(factors, MOST_TOPICS)
            drawn["factors"] = figure("factors", factors, caption, **of)
            asked = RankRequest(**of)
            if len(overview.runs) * len(overview.topics) > _MOST_SCORES:
                asked = asked.model_copy(update={"resamples": _FEWER_RESAMPLES})
            ranking = compare_rankings(session, asked)
            context |= {"ranking": ranking, "ranking_words": summary(ranking)}
        except RoundbookError as error:
            if status_of(error) == 503:
                raise
            context["trouble_sentences"].append(str(error))
    elif chosen and assessments is not None:
        context["trouble_sentences"].append(
            f"This round has no {chosen} scores under '{assessments}' assessments that stand."
        )
    return context


@router.get("/matrix")
def matrix_page(http: Request, caller: Who, session: Asking, matrix: int) -> HTMLResponse:
    """Show a score matrix: its scores, lineage, status, revisions and runs."""
    asked = ShowMatrix(matrix=matrix)
    shown = answer(caller, session, show_matrix, asked)
    overview = show_overview(session, asked)
    captions = {
        "scores": figures.scores_caption(overview),
        "topics": figures.topics_caption(overview, MOST_TOPICS),
    }
    return page(
        http,
        "matrix.html",
        matrix=shown,
        standing=status_phrase(shown),
        history=show_history(session, ShowHistory(matrix=matrix)).entries,
        changes_phrase=changes_phrase,
        figures={
            name: figure(name, overview, caption, matrix=matrix)
            for name, caption in captions.items()
        },
        tables=[Table("Runs", shown.runs, _RUNS, most=_MOST_RUNS)],
    )
