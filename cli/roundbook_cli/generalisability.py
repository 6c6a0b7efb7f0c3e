"""``roundbook generalisability``: how reliably a round's topics rank its runs."""

from __future__ import annotations

import typer

from roundbook.presentation.generalisability import (
    FIELDS,
    TABLE_FIELDS,
    csv_rows,
    heading,
    remarks,
    round_facts,
    table_csv_rows,
    table_rows,
)
from roundbook.presentation.tables import Column, count, interval_text, number, variance_column
from roundbook.requests.rankings import GeneralisabilityRequest
from roundbook_cli.options import Database, Form
from roundbook_cli.output import print_table, section, show
from roundbook_cli.request_options import default, option, request_of, usage_errors
from roundbook_cli.series import Assessments, Measure, TaskName
from roundbook_cli.session import record

commands = typer.Typer()


def _topics(limits: tuple[int | None, int | None]) -> str:
    return " to ".join("?" if limit is None else f"{limit:,}" for limit in limits)


_RELIABILITY = (
    number("e_rho_squared", "E-rho2", 3),
    Column("e_rho_squared_interval", "E-rho2 interval", interval_text),
    number("phi", "Phi", 3),
    Column("phi_interval", "Phi interval", interval_text),
)
_OF_ROUND = (
    Column("round", "Round"),
    count("topics", "Topics", spare=1),
    count("runs", "Runs", spare=2),
    *_RELIABILITY,
)
_NEEDED = (
    Column("round", "Round"),
    Column("e_rho_squared_topics", "By E-rho2", "{:,}".format, "right"),
    Column("e_rho_squared_topics_interval", "Interval", _topics),
    Column("phi_topics", "By Phi", "{:,}".format, "right"),
    Column("phi_topics_interval", "Interval", _topics),
    Column("design_topics", "By ANOVA", "{:,}".format, "right"),
)
_COMPONENTS = (
    Column("round", "Round"),
    count("matrix", "Matrix"),
    variance_column("system", "System"),
    variance_column("topic", "Topic"),
    variance_column("residual", "Residual"),
)
_COLUMNS = tuple(Column(name, name) for name in FIELDS)
_TABLE = (
    Column("round", "Round"),
    count("topics", "Topics"),
    Column("level", "Level", "{:g}".format, "right"),
    *_RELIABILITY,
)
_TABLE_COLUMNS = tuple(Column(name, name) for name in TABLE_FIELDS)


@commands.command(epilog="Example: roundbook generalisability covid --measure nDCG@10 --target 0.9")
def generalisability(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    round_label: str | None = option(GeneralisabilityRequest, "round", "--round", metavar="ROUND"),
    target: float = option(GeneralisabilityRequest, "target"),
    level: list[float] | None = option(GeneralisabilityRequest, "level", metavar="LEVEL"),
    topics: list[int] | None = option(GeneralisabilityRequest, "topic_counts", metavar="n"),
    m: int = option(GeneralisabilityRequest, "m"),
    min_d: float = option(GeneralisabilityRequest, "min_d"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show variance components, E-rho-squared, Phi, and the topics a reliability needs."""
    from roundbook.logbook.generalisability import report_generalisability

    first, *more = level or [default(GeneralisabilityRequest, "level")]
    named = {"round": round_label, "level": first, "more_levels": more, "topic_counts": topics}
    with usage_errors(more_levels="--level"):
        request = request_of(GeneralisabilityRequest, locals(), **named)
    with record(context, database) as session:
        report = report_generalisability(session, request)
    rows = table_rows(report)
    if form == "csv" and rows:
        show(report, form, table_csv_rows(report), _TABLE_COLUMNS)
        return
    if form != "table":
        rounds = list(map(round_facts, report.rounds))
        show(report, form, csv_rows(report), _COLUMNS, extra={"rounds": rounds})
        return
    print_table(report.rounds, _OF_ROUND, above=[heading(report)])
    section("Topics needed:", rows=report.rounds, columns=_NEEDED)
    section("Variance components:", rows=report.rounds, columns=_COMPONENTS)
    if rows:
        section("With so many topics, and intervals at so many levels:", rows=rows, columns=_TABLE)
    section(*remarks(report))
