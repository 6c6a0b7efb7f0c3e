"""``roundbook generalisability``: how reliably a round's topics rank its runs."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.presentation.generalisability import (
    LINE,
    TABLE_LINE,
    heading,
    line,
    remarks,
    table_lines,
    table_rows,
)
from roundbook.presentation.tables import Column, count, number
from roundbook.requests.generalisability import GeneralisabilityRequest
from roundbook_cli.options import Assessments, Database, Form, Measure, TaskName
from roundbook_cli.output import section, show
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
_TABLE = (
    Column("round", "Round"),
    count("topics", "Topics"),
    Column("level", "Level", "{:g}".format, "right"),
    number("e_rho_squared", "E-rho2", 3),
    Column("e_rho_squared_interval", "E-rho2 interval", _interval),
    number("phi", "Phi", 3),
    Column("phi_interval", "Phi interval", _interval),
)
_TABLE_LINES = tuple(Column(name, name) for name in TABLE_LINE)


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
    level: Annotated[
        list[float] | None,
        option(GeneralisabilityRequest, "level", "--level", metavar="LEVEL"),
    ] = None,
    topics: Annotated[
        list[int] | None,
        option(GeneralisabilityRequest, "topic_counts", "--topics", metavar="n"),
    ] = None,
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

    first, *more = level or [default(GeneralisabilityRequest, "level")]
    request = GeneralisabilityRequest(
        task=task,
        measure=measure,
        round=round_label,
        target=target,
        level=first,
        more_levels=more,
        topic_counts=topics or (),
        m=m,
        min_d=min_d,
        assessments=assessments,
    )
    with record(context, database) as session:
        report = report_generalisability(session, request)
    rows = table_rows(report)
    if form == "csv" and rows:
        show(report, form, table_lines(report), _TABLE_LINES)
        return
    if form == "csv":
        show(report, form, list(map(line, report.rounds)), _LINES)
        return
    show(report, form, report.rounds, _COLUMNS, above=[heading(report)], below=remarks(report))
    if form == "table" and rows:
        section("With so many topics, and intervals at so many levels:", rows=rows, columns=_TABLE)


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook generalisability covid --measure nDCG@10 --target 0.9")(
        generalisability
    )
