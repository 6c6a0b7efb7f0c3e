"""The tables of an overview paper, as LaTeX: variances, topic set sizes, factors, ranking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from roundbook.errors import InputError, NotRecordedError, RoundbookError
from roundbook.formats.text import shown_path
from roundbook.logbook.atomic_files import write_directory, write_file
from roundbook.logbook.factors import FactorSet, show_factors
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.rankings import RankAgreement, compare_rankings
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import Round, list_rounds, main_measure, other_measures
from roundbook.logbook.session import Session, Tell, tell_nobody
from roundbook.logbook.variance_history import VarianceHistory
from roundbook.logbook.variances import show_variances
from roundbook.presentation.factors import heading as factors_heading
from roundbook.presentation.factors import withdrawn_note
from roundbook.presentation.latex import latex
from roundbook.presentation.plan_protocol import basis
from roundbook.presentation.plan_table import plan_latex
from roundbook.presentation.plans import which_design
from roundbook.presentation.rankings import notes, summary
from roundbook.presentation.tables import Column, count, number
from roundbook.presentation.variances import heading, limits, withdrawn_notes
from roundbook.presentation.variances import summary as variances_summary
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.rankings import RankRequest
from roundbook.requests.reports import LatexReport
from roundbook.requests.tasks import ListRounds
from roundbook.requests.variances import VarianceRequest

# More rows than these do not fit on a page.
_ON_A_PAGE = 30
_SUFFIX = ".tex"


class WrittenLatex(Result):
    """The tables of an overview paper in files; `left_out` is why a table is not among them.

    `other_measures` are those that they say nothing of where none was asked for.
    """

    report: str
    task: str
    round: str
    measure: str
    tables: list[str]
    draft: bool
    left_out: dict[str, str]
    other_measures: list[str]


def write_latex(
    session: Session, request: LatexReport, progress: Tell = tell_nobody
) -> WrittenLatex:
    """Write the tables that a task and round allow, in one file or one each.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or no scores of it.
    InputError
        When it is there or cannot be written.
    RoundbookError
        When none of the tables can be made.
    """
    one_file = request.output.suffix.lower() == _SUFFIX
    if request.output.suffix and not one_file:
        raise InputError(
            f"{request.output}: tables go to a file that ends in {_SUFFIX}, or to a directory."
        )
    listed = list_rounds(session, ListRounds(task=request.task))
    measure = request.measure or main_measure(listed.rounds)
    if not measure:
        raise NotRecordedError(
            f"Task '{listed.task}' has no scores to report.",
            way_out="log a round",
            task=listed.task,
            measure="M",
        )
    shown = _round(listed.rounds, request.round, listed.task)
    of_task = {"task": listed.task, "measure": measure}
    of_round = of_task | {"round": shown.round}

    def sizes() -> str:
        asked = PlanRequest(**of_task, m=request.m, min_d=request.min_d)
        plan = plan_topics(session, asked)
        return plan_latex(plan, " ".join(filter(None, [basis(plan), which_design(plan)])))

    made: dict[str, Callable[[], str]] = {
        "variances": lambda: _variances(show_variances(session, VarianceRequest(**of_task))),
        "sizes": sizes,
        "factors": lambda: _factors(show_factors(session, FactorsRequest(**of_round))),
        "ranking": lambda: _ranking(compare_rankings(session, RankRequest(**of_round))),
    }
    tables, left_out, refused = {}, {}, None
    for name, make in made.items():
        progress(f"Computing {name} ...")
        try:
            tables[name] = f"% {SOFTWARE}\n{make()}\n"
        except RoundbookError as error:
            left_out[name], refused = str(error), refused or error
    if not tables and refused:
        raise refused
    if one_file:
        write_file(request.output, "\n".join(tables.values()), force=request.force)
    else:
        contents = {f"{name}{_SUFFIX}": table for name, table in tables.items()}
        write_directory(request.output, contents, suffix=_SUFFIX, force=request.force)
    return WrittenLatex(
        report=shown_path(request.output),
        task=listed.task,
        round=shown.round,
        measure=measure,
        tables=list(tables),
        draft=shown.status == "draft",
        left_out=left_out,
        other_measures=[] if request.measure else other_measures([shown], measure),
    )


def _round(rounds: Sequence[Round], label: str | None, task: str) -> Round:
    """Return the round asked for, else the latest with scores, else the latest."""
    if label is None:
        return next((one for one in reversed(rounds) if one.matrices), rounds[-1])
    for one in rounds:
        if one.round == label.strip():
            return one
    raise NotRecordedError(
        f"Task '{task}' has no round '{label}'.", way_out="list rounds", task=task
    )


def _table(caption: Sequence[str], rows: Sequence[Any], columns: Sequence[Column]) -> str:
    sentences = " ".join(line if line.endswith(".") else f"{line}." for line in caption)
    return latex(sentences, rows, columns, long=len(rows) > _ON_A_PAGE)


def _variances(history: VarianceHistory) -> str:
    pooled = history.pooled
    rows = [
        *history.rounds,
        SimpleNamespace(
            round="pooled",
            runs=None,
            clusters=None,
            topics=pooled.topics,
            variance=pooled.variance,
            interval=pooled.interval,
            two_way_variance=pooled.two_way_variance,
        ),
    ]
    columns = (
        Column("round", "Round"),
        count("topics", "Topics"),
        count("runs", "Runs"),
        count("clusters", "Teams"),
        number("variance", "Variance", 5),
        Column("interval", "95% interval", limits),
        number("two_way_variance", "Two-way", 5),
    )
    what = (
        "Residual variance of each round around its run means (two-way: around run and topic means)"
    )
    caption = [heading(history), what, *variances_summary(history), *withdrawn_notes(history)]
    return _table(caption, rows, columns)


def _factors(factors: FactorSet) -> str:
    columns = (
        Column("topic", "Topic"),
        number("mean", "Mean"),
        number("sd", "sd"),
        count("runs", "Runs"),
    )
    what = "Mean and sample standard deviation (sd) of each topic over the standardising runs"
    if factors.zero_sd_topics:
        scores = "count as average" if factors.zero_sd == "average" else "are left out"
        what += f"; scores on topics without spread {scores}"
    caption = [factors_heading(factors), what, *withdrawn_note(factors)]
    return _table(caption, factors.factors, columns)


def _ranking(agreement: RankAgreement) -> str:
    # By which factors is in the caption.
    first, second = (side.partition(" by ")[0] for side in (agreement.a, agreement.b))
    columns = (
        Column("run", "Run"),
        number("mean_a", f"Mean {first}"),
        number("rank_a", "Rank", 1),
        number("mean_b", f"Mean {second}"),
        number("rank_b", "Rank", 1),
    )
    caption = [*summary(agreement), "1 is the best rank; ties share the mean rank"]
    return _table([*caption, *notes(agreement)], agreement.ranking, columns)
