"""``roundbook variance``: a measure's variance, round by round and pooled."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.logbook.withdrawals import left_out
from roundbook.presentation.tables import Column, count, number
from roundbook.presentation.variances import (
    HISTORY_LINE,
    disagreement,
    heading,
    history_in_json,
    history_lines,
    limits,
    pooled_line,
    pooled_summary,
    recorded_notes,
    summary,
    withdrawn_notes,
)
from roundbook.requests.fields import PoolBy, VarianceScale
from roundbook.requests.variances import (
    RecordVarianceRequest,
    VarianceHistoryRequest,
    VarianceRequest,
)
from roundbook_cli.options import (
    Assessments,
    Create,
    Database,
    Form,
    Measure,
    PreferredAssessments,
    Revise,
    RoundLabel,
    Scaled,
    TaskName,
)
from roundbook_cli.output import print_table, show, talk
from roundbook_cli.request_options import default, option
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import VarianceHistory

app = typer.Typer(no_args_is_help=True, help="Variances: of a measure in each round, and pooled.")

Weights = Annotated[PoolBy, option(VarianceRequest, "pool_by", "--pool-by")]

_ROUNDS = (
    Column("round", "Round"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    count("clusters", "Teams"),
    number("variance", "Variance", 5),
    Column("interval", "95% interval", limits),
    number("two_way_variance", "Two-way", 5),
)
_ORIGIN = Column("origin", "From")
_ASSESSMENTS = Column("assessments", "Assessments")
_LINES = tuple(Column(name, name) for name in HISTORY_LINE)


@app.command("show", epilog="Example: roundbook variance show covid --measure nDCG@10")
def show_(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = default(VarianceRequest, "scale"),
    assessments: PreferredAssessments = None,
    pool_by: Weights = default(VarianceRequest, "pool_by"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a measure's residual variance in every round, with intervals, and pooled."""
    history = _history(context, database, task, measure, scale, assessments, pool_by)
    if form == "csv":
        show(history, form, history_lines(history), _LINES)
        return
    show(
        history,
        form,
        history.rounds,
        _columns(history),
        above=[heading(history)],
        below=[*summary(history), *withdrawn_notes(history)],
        extra=history_in_json(history),
    )


def _columns(history: VarianceHistory) -> tuple[Column, ...]:
    """Return what differs between rounds, so that a table fits 80 columns."""
    published = any(row.origin != "matrix" for row in history.rounds)
    origin = (_ORIGIN,) if published else ()
    return (*_ROUNDS, *origin, *((_ASSESSMENTS,) if history.mixed else ()))


@app.command(epilog="Example: roundbook variance history covid --since 2020-05-01 --scale std-ab")
def history(
    context: typer.Context,
    task: TaskName,
    measure: Annotated[
        list[str] | None, option(VarianceHistoryRequest, "measures", "--measure", metavar="M")
    ] = None,
    rounds: Annotated[
        list[str] | None, option(VarianceHistoryRequest, "rounds", "--rounds", metavar="ROUND")
    ] = None,
    since: Annotated[
        datetime | None,
        option(VarianceHistoryRequest, "since", "--since", formats=["%Y-%m-%d"]),
    ] = None,
    scale: Scaled = default(VarianceHistoryRequest, "scale"),
    assessments: Assessments = None,
    pool_by: Weights = default(VarianceHistoryRequest, "pool_by"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variances of all measures over all rounds, the least stable measure first."""
    from roundbook.logbook.variances import show_histories

    request = VarianceHistoryRequest(
        task=task,
        measures=measure or (),
        rounds=rounds or (),
        since=since.date() if since else None,
        scale=scale,
        assessments=assessments,
        pool_by=pool_by,
    )
    with record(context, database) as session:
        shown = show_histories(session, request)
    if shown.undated:
        talk(f"Note: left out, since their date is not recorded: {', '.join(shown.undated)}.")
    for matrix in shown.withdrawn:
        talk(f"Note: {left_out(matrix)}")
    if form == "table":
        for of_measure in shown.histories:
            print_table(
                of_measure.rounds,
                _columns(of_measure),
                above=[heading(of_measure)],
                below=[*summary(of_measure), ""],
            )
        return
    lines = [line for of_measure in shown.histories for line in history_lines(of_measure)]
    show(
        shown, form, lines, _LINES, extra={"histories": list(map(history_in_json, shown.histories))}
    )


@app.command(epilog="Example: roundbook variance pooled covid --measure nDCG@10 --scale std-ab")
def pooled(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = default(VarianceRequest, "scale"),
    assessments: PreferredAssessments = None,
    pool_by: Weights = default(VarianceRequest, "pool_by"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variance pooled over all rounds, with its interval and a homogeneity test."""
    history = _history(context, database, task, measure, scale, assessments, pool_by)
    result = history.pooled
    columns: tuple[Column, ...] = (
        number("variance", "Pooled", 5),
        number("low", "95% from", 5),
        number("high", "to", 5),
        number("planning_variance", "Planning", 5),
        number("two_way_variance", "Two-way", 5),
        count("dof", "dof"),
        Column("weights", "Weighed by"),
    )
    if form != "table":
        columns += (
            Column("rounds", "Rounds", ", ".join),
            number("max_min_ratio", "Max/min", 2),
            Column("homogeneity_p", "Wald p"),
        )
    for matrix in history.withdrawn:
        talk(f"Note: {left_out(matrix)}")
    below = [f"Rounds: {', '.join(result.rounds)}.", *pooled_summary(history)]
    extra = {"warning": disagreement(history)}
    show(result, form, [pooled_line(result)], columns, below=below, extra=extra)


def _history(
    context: typer.Context,
    database: str | None,
    task: str,
    measure: str,
    scale: VarianceScale,
    assessments: list[str] | None,
    pool_by: PoolBy,
) -> VarianceHistory:
    from roundbook.logbook.variances import show_variances

    request = VarianceRequest(
        task=task, measure=measure, scale=scale, assessments=assessments, pool_by=pool_by
    )
    with record(context, database) as session:
        return show_variances(session, request)


@app.command(
    "record",
    epilog="Example: roundbook variance record stc ntcir12 --measure nG@1 --value 0.1144 --runs 44"
    " --topics 100 --source 'Sakai, AIRS 2016, Table 1' --create",
)
def record_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    value: Annotated[float, option(RecordVarianceRequest, "variance", "--value", metavar="V")],
    runs: Annotated[int, option(RecordVarianceRequest, "runs", "--runs", metavar="m")],
    topics: Annotated[int, option(RecordVarianceRequest, "topics", "--topics", metavar="n")],
    source: Annotated[str, option(RecordVarianceRequest, "source", "--source", metavar="TEXT")],
    teams: Annotated[
        int | None, option(RecordVarianceRequest, "teams", "--teams", metavar="G")
    ] = None,
    scale: Scaled = default(RecordVarianceRequest, "scale"),
    assessments: Annotated[
        str, option(RecordVarianceRequest, "assessments", "--assessments", metavar="LABEL")
    ] = default(RecordVarianceRequest, "assessments"),
    create: Create = False,
    revise: Revise = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a variance that was published without its score matrix."""
    from roundbook.logbook.published import record_variance

    request = RecordVarianceRequest(
        task=task,
        round=round_label,
        measure=measure,
        variance=value,
        runs=runs,
        topics=topics,
        source=source,
        teams=teams,
        scale=scale,
        assessments=assessments,
        revise=revise,
        create=create,
    )
    with record(context, database) as session:
        recorded = record_variance(session, request)
    columns = (
        Column("round", "Round"),
        Column("measure", "Measure"),
        Column("scale", "Scale"),
        number("variance", "Variance", 5),
        count("dof", "dof"),
        Column("source", "Source"),
        Column("status", "Status"),
    )
    notes = recorded_notes(recorded)
    show(recorded, form, [recorded], columns, extra={"notes": notes})
    for note in notes:
        talk(f"Note: {note}")
