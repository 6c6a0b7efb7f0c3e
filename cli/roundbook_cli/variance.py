"""``roundbook variance``: a measure's variance, round by round and pooled."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

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
from roundbook_cli.output import Column, count, number, print_table, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.pooling import Interval
    from roundbook.logbook.variances import VarianceHistory

app = typer.Typer(no_args_is_help=True, help="Variances: of a measure in each round, and pooled.")


def interval_limits(interval: Interval) -> str:
    """Return the limits of a variance's interval, as a table shows them."""
    from roundbook.logbook.variance_words import limits

    return limits(interval.low, interval.high)


_ROUNDS = (
    Column("round", "Round"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    count("clusters", "Teams"),
    number("variance", "Variance", 5),
    Column("interval", "95% interval", interval_limits),
    number("two_way_variance", "Two-way", 5),
)
_ORIGIN = Column("origin", "From")
_ASSESSMENTS = Column("assessments", "Assessments")

PoolBy = Annotated[
    Literal["dof", "topics"],
    typer.Option("--pool-by", help="Weigh rounds by runs x (topics - 1), or by topics - 1."),
]


@app.command("show", epilog="Example: roundbook variance show covid --measure nDCG@10")
def show_(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = "raw",
    assessments: PreferredAssessments = None,
    pool_by: PoolBy = "dof",
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a measure's residual variance in every round, with intervals, and pooled."""
    from roundbook.logbook.variances import show_variances

    with record(context, database) as session:
        history = show_variances(
            session, task, measure, scale=scale, assessments=assessments or None, pool_by=pool_by
        )
    if form == "csv":
        show(history, form, list(_lines(history)), _LINES)
        return
    columns, rounds = _columns(history), history.rounds
    show(history, form, rounds, columns, above=_heading(history), below=_footing(history))


def _columns(history: VarianceHistory) -> tuple[Column, ...]:
    """Return what differs between rounds, so that a table fits 80 columns."""
    published = any(row.origin != "matrix" for row in history.rounds)
    origin = (_ORIGIN,) if published else ()
    return (*_ROUNDS, *origin, *((_ASSESSMENTS,) if history.mixed else ()))


def _heading(history: VarianceHistory) -> list[str]:
    # Of several, each round counts by the first that it has.
    labels = ", else ".join(history.mixed) or history.assessments
    label = "" if labels == "official" else f", {labels} assessments"
    return [f"{history.task}: {history.measure}, {history.scale} scale{label}"]


def _footing(history: VarianceHistory) -> list[str]:
    from roundbook.logbook.variance_words import summary

    left_out = [matrix.sentence(history.pooled.rounds) for matrix in history.withdrawn]
    return [*summary(history), *left_out]


@app.command(epilog="Example: roundbook variance history covid --since 2020-05-01 --scale std-ab")
def history(
    context: typer.Context,
    task: TaskName,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="M", help="Only this one; repeat.")
    ] = None,
    rounds: Annotated[
        list[str] | None, typer.Option("--rounds", metavar="ROUND", help="Only this one; repeat.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option("--since", formats=["%Y-%m-%d"], help="Only rounds held then or later."),
    ] = None,
    scale: Scaled = "raw",
    assessments: Assessments = None,
    pool_by: PoolBy = "dof",
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variances of all measures over all rounds, the least stable measure first."""
    from roundbook.logbook.variances import show_histories

    with record(context, database) as session:
        found = show_histories(
            session,
            task,
            measures=measure or (),
            rounds=rounds or (),
            since=since.date() if since else None,
            scale=scale,
            assessments=assessments,
            pool_by=pool_by,
        )
    if found.undated:
        talk(f"Note: left out, since their date is not recorded: {', '.join(found.undated)}.")
    for withdrawn in found.withdrawn:
        talk(f"Note: {withdrawn.sentence()}")
    if form == "table":
        for each in found.histories:
            below = [*_footing(each), ""]
            print_table(each.rounds, _columns(each), above=_heading(each), below=below)
        return
    show(found, form, [line for each in found.histories for line in _lines(each)], _LINES)


class _Line(NamedTuple):
    """One line of CSV: a measure in a round."""

    measure: str
    assessments: str
    round: str
    topics: int
    runs: int
    variance: float
    low: float | None
    high: float | None
    method: str | None
    of: str | None
    two_way_variance: float | None
    two_way_low: float | None
    two_way_high: float | None
    clusters: int | None
    dof: int
    origin: str
    source: str | None


_LINES = tuple(Column(name, name) for name in _Line._fields)


def _lines(history: VarianceHistory) -> Iterator[_Line]:
    for row in history.rounds:
        interval, two_way = row.interval, row.two_way_interval
        yield _Line(
            history.measure,
            history.assessments,
            row.round,
            row.topics,
            row.runs,
            row.variance,
            interval.low if interval else None,
            interval.high if interval else None,
            interval.method if interval else None,
            interval.of if interval else None,
            row.two_way_variance,
            two_way.low if two_way else None,
            two_way.high if two_way else None,
            row.clusters,
            row.dof,
            row.origin,
            row.source,
        )


@app.command(epilog="Example: roundbook variance pooled covid --measure nDCG@10 --scale std-ab")
def pooled(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = "raw",
    assessments: PreferredAssessments = None,
    pool_by: PoolBy = "dof",
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variance pooled over all rounds, with its interval and a homogeneity test."""
    from roundbook.logbook.variance_words import pooled_summary
    from roundbook.logbook.variances import show_variances

    with record(context, database) as session:
        found = show_variances(
            session, task, measure, scale=scale, assessments=assessments or None, pool_by=pool_by
        )
    result = found.pooled
    limits = result.interval
    line = _PooledLine(
        result.variance,
        limits.low if limits else None,
        limits.high if limits else None,
        result.next_round.u80 if result.next_round else None,
        result.dof,
        result.weights,
        result.rounds,
        result.max_min_ratio,
        result.homogeneity.p_value,
        result.two_way_variance,
    )
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
    for withdrawn in found.withdrawn:
        talk(f"Note: {withdrawn.sentence()}")
    below = [f"Rounds: {', '.join(result.rounds)}.", *pooled_summary(result)]
    show(result, form, [line], columns, below=below)


class _PooledLine(NamedTuple):
    """The pooled variance as one line."""

    variance: float
    low: float | None
    high: float | None
    planning_variance: float | None
    dof: int
    weights: str
    rounds: list[str]
    max_min_ratio: float | None
    homogeneity_p: float | None
    two_way_variance: float | None


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
    value: Annotated[float, typer.Option("--value", metavar="V", help="The variance.")],
    runs: Annotated[int, typer.Option("--runs", metavar="m", help="Number of runs.")],
    topics: Annotated[int, typer.Option("--topics", metavar="n", help="Number of topics.")],
    source: Annotated[str, typer.Option("--source", metavar="TEXT", help="Where it is published.")],
    teams: Annotated[
        int | None, typer.Option("--teams", metavar="G", help="Number of teams of the runs.")
    ] = None,
    scale: Scaled = "raw",
    assessments: Annotated[
        str, typer.Option("--assessments", metavar="LABEL", help="Which assessments.")
    ] = "official",
    create: Create = False,
    revise: Revise = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a variance that was published without its score matrix."""
    from roundbook.logbook.published import record_variance

    with record(context, database) as session:
        recorded = record_variance(
            session,
            task,
            round_label,
            measure,
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
    columns = (
        Column("round", "Round"),
        Column("measure", "Measure"),
        Column("scale", "Scale"),
        number("variance", "Variance", 5),
        count("dof", "dof"),
        Column("source", "Source"),
        Column("status", "Status"),
    )
    show(recorded, form, [recorded], columns)
    for note in recorded.notes:
        talk(f"Note: {note}")
