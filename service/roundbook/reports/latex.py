"""The tables of an overview paper, as LaTeX: variances, topic set sizes, factors, ranking."""

from __future__ import annotations

from collections.abc import Callable
from operator import not_

from pydantic import Field

from roundbook.errors import InputError, NotRecordedError, RoundbookError
from roundbook.formats.text import shown_path
from roundbook.logbook.atomic_files import write_directory, write_file
from roundbook.logbook.factors import show_factors
from roundbook.logbook.lookup import find_task, recorded_round
from roundbook.logbook.measures import measure_named, measures_of
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.rankings import compare_rankings
from roundbook.logbook.result import SOFTWARE, ErrorField, Result
from roundbook.logbook.rounds import (
    Round,
    RoundList,
    has_scores,
    list_rounds,
    main_measure,
    other_measures,
)
from roundbook.logbook.saved_results import ShownResult, show_result
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.variances import show_variances
from roundbook.measure_names import measure_key
from roundbook.presentation.latex import factors_latex, ranking_latex, variances_latex
from roundbook.presentation.plan_protocol import basis
from roundbook.presentation.plans import plan_latex
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.rankings import RankRequest
from roundbook.requests.reports import LatexReport
from roundbook.requests.results import ShowResult
from roundbook.requests.tasks import ListRounds
from roundbook.requests.variances import VarianceRequest

_SUFFIX = ".tex"


class WrittenLatex(Result):
    """The tables of an overview paper in files; `left_out` has the errors of those that are missing.

    `other_measures` are the round's measures without tables, where the request names no measure.
    `plan` is the saved plan that the sizes are of, `plan_version` its version, and `plan_stale`
    whether scores that it rests on have changed since; None where no saved plan was named.
    `plan_measure` is its measure, if that is another one.
    """

    report: str
    task: str
    round: str
    measure: str
    tables: list[str]
    draft: bool
    left_out: dict[str, ErrorField]
    other_measures: list[str]
    plan: str | None = None
    plan_version: int | None = None
    plan_stale: bool | None = None
    plan_measure: str | None = Field(None, exclude_if=not_)


def write_latex(
    session: Session, request: LatexReport, progress: ReportProgress = ignore_progress
) -> WrittenLatex:
    """Write the tables that a task and round allow, in one file or in a file each.

    Raises
    ------
    NotRecordedError
        When there is no such task, no such round or saved plan of it, or no scores.
    InputError
        When the output is there already or cannot be written.
    RoundbookError
        When none of the tables can be made.
    """
    one_file = request.output.suffix.lower() == _SUFFIX
    if request.output.suffix and not one_file:
        raise InputError(
            f"{request.output}: tables go to a file that ends in {_SUFFIX}, or to a directory."
        )
    listed = list_rounds(session, ListRounds(task=request.task))
    saved, plan = None, None
    if request.plan is not None:
        saved, plan = _saved_plan(session, request.plan, listed.task)
    of_plan = plan.estimate if plan else None
    measure = request.measure or (of_plan.measure if of_plan else main_measure(listed.rounds))
    if not measure or (request.round is None and not listed.rounds):
        raise NotRecordedError(
            f"Task '{listed.task}' has no scores to report.",
            way_out="log a round",
            task=listed.task,
            measure=measure or "M",
        )
    chosen = _round(session, listed, request, measure)
    of_task = {"task": listed.task, "measure": measure, "assessments": request.assessments}
    of_round = of_task | {"round": chosen.round}

    def sizes() -> str:
        if plan is not None:
            return plan_latex(plan, basis(plan, saved=True))
        needed = plan_topics(session, PlanRequest(**of_task, m=request.m, min_d=request.min_d))
        return plan_latex(needed, basis(needed))

    writers: dict[str, Callable[[], str]] = {
        "variances": lambda: variances_latex(show_variances(session, VarianceRequest(**of_task))),
        "sizes": sizes,
        "factors": lambda: factors_latex(show_factors(session, FactorsRequest(**of_round))),
        "ranking": lambda: ranking_latex(compare_rankings(session, RankRequest(**of_round))),
    }
    tables: dict[str, str] = {}
    left_out: dict[str, RoundbookError] = {}
    for name, write in writers.items():
        progress(f"Computing {name} ...")
        try:
            tables[name] = f"% {SOFTWARE}\n{write()}\n"
        except RoundbookError as error:
            left_out[name] = error
    if not tables:
        raise next(iter(left_out.values()))
    if one_file:
        write_file(request.output, "\n".join(tables.values()), force=request.force)
    else:
        contents = {f"{name}{_SUFFIX}": table for name, table in tables.items()}
        write_directory(request.output, contents, suffix=_SUFFIX, force=request.force)
    return WrittenLatex(
        report=shown_path(request.output),
        task=listed.task,
        round=chosen.round,
        measure=measure,
        tables=list(tables),
        draft=chosen.status == "draft",
        left_out=left_out,
        other_measures=[] if request.measure else other_measures([chosen], measure),
        plan=saved and saved.name,
        plan_version=saved and saved.version,
        plan_stale=saved and saved.stale,
        plan_measure=of_plan.measure
        if of_plan and measure_key(of_plan.measure) != measure_key(measure)
        else None,
    )


def _saved_plan(session: Session, name: str, task: str) -> tuple[ShownResult, Plan]:
    """Return the latest version of a task's saved plan, and the plan itself.

    A plan of another task is refused as one that is not there: whoever may read this task need not
    know of it.
    """
    try:
        saved = show_result(session, ShowResult(name=name, kind="plan"))
    except NotRecordedError:
        saved = None
    if saved is None or saved.task != task:
        message = f"Task '{task}' has no saved plan '{name}'."
        raise NotRecordedError(message, way_out="list results", task=task, name=name)
    assert isinstance(saved.result, Plan)
    return saved, saved.result


def _round(session: Session, listed: RoundList, request: LatexReport, measure: str) -> Round:
    """Return the round of a request; by default the latest in which the measure counts.

    Without any it is the latest. Where assessments are named, the scores are under them.
    """
    rounds, label, connection = listed.rounds, request.round, session.connection
    if label is None:
        named = measure_named(measures_of(connection, find_task(connection, listed.task)), measure)
        recorded_name = measure if named is None else named.name
        scored = [row for row in rounds if has_scores(row, recorded_name, request.assessments)]
        return (scored or rounds)[-1]
    recorded = recorded_round(connection, listed.task, label).label
    return next(row for row in rounds if row.round == recorded)
