"""``roundbook factors``: a round's standardisation factors, by version."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Assessments, Database, Form, Measure, RoundLabel, TaskName
from cli.output import Column, count, number, show
from cli.session import record

app = typer.Typer(no_args_is_help=True, help="Standardisation factors of a round, by version.")


@app.command("show", epilog="Example: roundbook factors show covid round1 --measure nDCG@10")
def show_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Default: the latest.")
    ] = None,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show each topic's mean and sample sd over the standardising runs."""
    from service.logbook.factors import show_factors

    with record(context, database) as engine:
        found = show_factors(
            engine, task, round_label, measure, assessments=assessments, version=version
        )
    columns = (
        Column("topic", "Topic"),
        number("mean", "Mean"),
        number("sd", "sd"),
        count("runs", "Runs"),
    )
    who = "all runs" if found.standardising == "all" else f"{found.standardising} runs"
    versions = ", ".join(map(str, found.versions))
    show(
        found,
        form,
        found.factors,
        columns,
        above=[
            f"{found.task}, round '{found.round}': {found.measure}, factor version {found.version}"
            f" (of {versions}), from matrix {found.matrix} revision {found.revision}, {who}"
            f" standardise, fitted {found.fitted_at:%Y-%m-%d} by {found.fitted_by}"
        ],
    )
