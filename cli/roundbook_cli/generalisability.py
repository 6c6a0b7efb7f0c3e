"""``roundbook generalisability``: how reliably a round's topics rank its runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roundbook_cli.options import Assessments, Database, Form, Measure, TaskName
from roundbook_cli.output import Column, count, number, show
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.generalisability import Reliability

Interval = tuple[float, float]
Topics = tuple[int | None, int | None]


def _interval(limits: Interval) -> str:
    return f"[{limits[0]:.3f}, {limits[1]:.3f}]"


def _topics(limits: Topics) -> str:
    return "-".join("?" if limit is None else str(limit) for limit in limits)


_COLUMNS = (
    Column("round", "Round"),
    count("matrix", "Matrix"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    number("system", "System", 5),
    number("topic", "Topic", 5),
    number("residual", "Residual", 5),
    number("e_rho_squared", "E-rho2", 3),
    Column("e_rho_squared_interval", "interval", _interval),
    number("phi", "Phi", 3),
    Column("phi_interval", "interval", _interval),
    count("e_rho_squared_topics", "Topics E-rho2"),
    Column("e_rho_squared_topics_interval", "interval", _topics),
    count("phi_topics", "Topics Phi"),
    Column("phi_topics_interval", "interval", _topics),
    count("design_topics", "Topics by power"),
)


def generalisability(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    round_label: Annotated[
        str | None, typer.Option("--round", metavar="ROUND", help="Only this one.")
    ] = None,
    target: Annotated[
        float, typer.Option("--target", help="The reliability wanted, between 0 and 1.")
    ] = 0.95,
    level: Annotated[float, typer.Option("--level", help="Of the intervals.")] = 0.95,
    m: Annotated[int, typer.Option("--m", help="Runs of the topic set size design beside.")] = 10,
    min_d: Annotated[float, typer.Option("--min-d", help="Its minD.")] = 0.1,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show variance components, E-rho-squared, Phi, and the topics a reliability needs."""
    from roundbook.logbook.generalisability import report_generalisability

    with record(context, database) as session:
        report = report_generalisability(
            session,
            task,
            measure,
            round_label=round_label,
            target=target,
            level=level,
            m=m,
            min_d=min_d,
            assessments=assessments,
        )
    if form == "csv":
        show(report, form, [_line(each) for each in report.rounds], _LINES)
        return
    show(
        report,
        form,
        report.rounds,
        _COLUMNS,
        above=[
            f"{report.task}: {report.measure}, {report.level:.0%} intervals; topics for a"
            f" reliability of {report.target:g}, and by power (one-way ANOVA, m {report.m}, minD"
            f" {report.min_d:g}, alpha 0.05, beta 0.2)",
        ],
        below=[
            "E-rho2 tells how well the ranking of the runs would repeat on other topics, Phi how"
            " well their mean scores would.",
            *(f"Round '{each.round}': {each.reason}" for each in report.rounds if each.reason),
            *(
                f"Round '{label}' is left out: a single run leaves nothing to rank."
                for label in report.single_run
            ),
            *(each.sentence() for each in report.withdrawn),
        ],
    )


class _Line(NamedTuple):
    """A round as CSV: every limit in a column of its own."""

    round: str
    matrix: int
    revision: int
    topics: int
    runs: int
    system: float
    topic: float
    residual: float
    e_rho_squared: float | None
    e_rho_squared_low: float | None
    e_rho_squared_high: float | None
    phi: float | None
    phi_low: float | None
    phi_high: float | None
    e_rho_squared_topics: int | None
    e_rho_squared_topics_low: int | None
    e_rho_squared_topics_high: int | None
    phi_topics: int | None
    phi_topics_low: int | None
    phi_topics_high: int | None
    design_topics: int | None


_LINES = tuple(Column(name, name) for name in _Line._fields)


def _line(row: Reliability) -> _Line:
    unknown = (None, None)
    return _Line._make(
        (
            *(row.round, row.matrix, row.revision, row.topics, row.runs),
            *(row.system, row.topic, row.residual),
            *(row.e_rho_squared, *(row.e_rho_squared_interval or unknown)),
            *(row.phi, *(row.phi_interval or unknown)),
            *(row.e_rho_squared_topics, *(row.e_rho_squared_topics_interval or unknown)),
            *(row.phi_topics, *(row.phi_topics_interval or unknown)),
            row.design_topics,
        )
    )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook generalisability covid --measure nDCG@10 --target 0.9")(
        generalisability
    )
