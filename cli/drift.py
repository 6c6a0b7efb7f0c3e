"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Assessments, Database, Form, Measure, TaskName
from cli.output import Column, number, show
from cli.session import record

_COLUMNS = (
    Column("topic", "Topic"),
    number("mean_from", "Mean from"),
    number("sd_from", "sd from"),
    number("mean_to", "Mean to"),
    number("sd_to", "sd to"),
    number("shift", "Shift", 3),
    number("sd_ratio", "sd ratio", 3),
)


def drift(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    from_round: Annotated[
        str | None, typer.Option("--from", metavar="ROUND", help="Default: the first.")
    ] = None,
    to_round: Annotated[
        str | None, typer.Option("--to", metavar="ROUND", help="Default: the latest.")
    ] = None,
    margin: Annotated[
        float, typer.Option("--margin", help="Largest mean shift, in first-round sds, that holds.")
    ] = 0.2,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare two rounds' factors on their shared topics and say whether the first have aged."""
    from service.logbook.drift import report_drift

    with record(context, database) as engine:
        report = report_drift(
            engine,
            task,
            measure,
            from_round=from_round,
            to_round=to_round,
            margin=margin,
            assessments=assessments,
        )
    show(
        report,
        form,
        report.topics,
        _COLUMNS,
        above=[
            report.headline(),
            report.reason,
            report.advice,
            f"{report.measure}, {report.assessments} assessments; factor versions"
            f" {report.from_version} ({report.from_round}) and {report.to_version}"
            f" ({report.to_round}).",
        ],
    )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
    )(drift)
