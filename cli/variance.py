"""``roundbook variance``: a measure's variance, round by round and pooled."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import (
    Assessments,
    Create,
    Database,
    Form,
    Measure,
    Revise,
    RoundLabel,
    Scaled,
    TaskName,
)
from cli.output import Column, count, counted, number, show, talk
from cli.session import record

app = typer.Typer(no_args_is_help=True, help="Variances: of a measure in each round, and pooled.")

_ROUNDS = (
    Column("round", "Round"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    number("variance", "Variance", 5),
    count("dof", "dof"),
    Column("origin", "From"),
    Column("source", "Source"),
)


@app.command("show", epilog="Example: roundbook variance show covid --measure nDCG@10")
def show_(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = "raw",
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a measure's residual variance in every round, and pooled."""
    from service.logbook.variances import show_variances

    with record(context, database) as engine:
        history = show_variances(engine, task, measure, scale=scale, assessments=assessments)
    pooled = history.pooled
    spread = "" if pooled.max_min_ratio is None else f"; max/min {pooled.max_min_ratio:.2f}"
    show(
        history,
        form,
        history.rounds,
        _ROUNDS,
        above=[f"{history.task}: {history.measure}, {history.scale} scale"],
        below=[
            f"Pooled over {counted(len(pooled.rounds), 'round')}: {pooled.variance:.5f}"
            f" (dof {pooled.dof}{spread})"
        ],
    )


@app.command(epilog="Example: roundbook variance pooled covid --measure nDCG@10 --scale std-ab")
def pooled(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: Scaled = "raw",
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variance pooled over all rounds, weighted by degrees of freedom."""
    from service.logbook.variances import show_variances

    with record(context, database) as engine:
        result = show_variances(engine, task, measure, scale=scale, assessments=assessments).pooled
    columns = (
        number("variance", "Pooled variance", 5),
        count("dof", "dof"),
        Column("rounds", "Rounds", ", ".join),
        number("max_min_ratio", "Max/min", 2),
    )
    show(result, form, [result], columns)


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
    from service.logbook.published import record_variance
    from service.settings import load_settings

    with record(context, database) as engine:
        recorded = record_variance(
            engine,
            task,
            round_label,
            measure,
            variance=value,
            runs=runs,
            topics=topics,
            source=source,
            scale=scale,
            assessments=assessments,
            revise=revise,
            create=create,
            user=load_settings().user,
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
