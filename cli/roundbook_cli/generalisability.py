"""``roundbook generalisability``: how reliably a round's topics rank its runs."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.presentation.generalisability import LINE, heading, line, remarks
from roundbook.presentation.tables import Column, count, number
from roundbook.requests.generalisability import GeneralisabilityRequest
from roundbook_cli.options import Assessments, Database, Form, Measure, TaskName
from roundbook_cli.output import show
from roundbook_cli.request_options import default, option
from roundbook_cli.session import record


def _interval(limits: tuple[float, float]) -> str:
    return f"[{limits[0]:.3f}, {limits[1]:.3f}]"


def _topics(limits: tuple[int | None, int | None]) -> str:
    return "-".join("?" if limit is None else str(limit) for limit in limits)


_COLUMNS = (
    Column("round", "Round"),
    count("matrix", "Matrix", spare=9),
    count("topics", "Topics", spare=7),
    count("runs", "Runs", spare=8),
    number("system", "System", 5, spare=6),
    number("topic", "Topic", 5, spare=6),
    number("residual", "Residual", 5, spare=6),
    number("e_rho_squared", "E-rho2", 3),
    Column("e_rho_squared_interval", "E-rho2 interval", _interval),
    number("phi", "Phi", 3),
    Column("phi_interval", "Phi interval", _interval),
    count("e_rho_squared_topics", "Topics E-rho2"),
    Column("e_rho_squared_topics_interval", "Topics E-rho2 interval", _topics, spare=5),
    count("phi_topics", "Topics Phi"),
    Column("phi_topics_interval", "Topics Phi interval", _topics, spare=5),
    count("design_topics", "Topics by power", spare=4),
)
_LINES = tuple(Column(name, name) for name in LINE)


def generalisability(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    round_label: Annotated[
        str | None, option(GeneralisabilityRequest, "round", "--round", metavar="ROUND")
    ] = None,
    target: Annotated[float, option(GeneralisabilityRequest, "target", "--target")] = default(
        GeneralisabilityRequest, "target"
    ),
    level: Annotated[float, option(GeneralisabilityRequest, "level", "--level")] = default(
        GeneralisabilityRequest, "level"
    ),
    m: Annotated[int, option(GeneralisabilityRequest, "m", "--m")] = default(
        GeneralisabilityRequest, "m"
    ),
    min_d: Annotated[float, option(GeneralisabilityRequest, "min_d", "--min-d")] = default(
        GeneralisabilityRequest, "min_d"
    ),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show variance components, E-rho-squared, Phi, and the topics a reliability needs."""
    from roundbook.logbook.generalisability import report_generalisability

    request = GeneralisabilityRequest(
        task=task,
        measure=measure,
        round=round_label,
        target=target,
        level=level,
        m=m,
        min_d=min_d,
        assessments=assessments,
    )
    with record(context, database) as session:
        report = report_generalisability(session, request)
    if form == "csv":
        show(report, form, list(map(line, report.rounds)), _LINES)
        return
    show(report, form, report.rounds, _COLUMNS, above=[heading(report)], below=remarks(report))


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook generalisability covid --measure nDCG@10 --target 0.9")(
        generalisability
    )
