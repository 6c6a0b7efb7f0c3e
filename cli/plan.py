"""``roundbook plan``: how many topics the next round needs."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from cli.options import Assessments, Database, Form, Scaled
from cli.output import count, number, show
from cli.session import record

_COLUMNS = (
    count("m", "m"),
    number("min_d", "minD", 3),
    count("topics", "Topics"),
    number("achieved_power", "Power"),
    count("topics_exact", "exact"),
    count("topics_sakai", "sakai"),
)


def plan(
    context: typer.Context,
    variance: Annotated[
        float | None,
        typer.Option("--variance", metavar="V", help="The variance; no record is opened."),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option("--task", metavar="TASK", help="Take the variance pooled over its rounds."),
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", metavar="M", help="The task's measure.")
    ] = None,
    scale: Scaled = "raw",
    assessments: Assessments = None,
    m: Annotated[
        list[int] | None,
        typer.Option(
            "--m", metavar="m", help="Number of runs to compare; repeat. (default: 2 10 50)"
        ),
    ] = None,
    min_d: Annotated[
        list[float] | None,
        typer.Option(
            "--min-d",
            metavar="D",
            help="Smallest difference between the best and the worst run worth detecting; repeat."
            " (default: 0.05 0.1 0.2)",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option("--alpha", help="Type I error rate.")] = 0.05,
    beta: Annotated[float, typer.Option("--beta", help="Type II error rate: 1 - power.")] = 0.20,
    engine: Annotated[
        Literal["exact", "sakai"],
        typer.Option("--engine", help="exact: noncentral F. sakai: the published spreadsheets."),
    ] = "exact",
    design: Annotated[Literal["anova"], typer.Option("--design", help="The test.")] = "anova",
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compute topic set sizes for the next round, from a task's rounds or a given variance."""
    if (variance is None) == (task is None):
        raise typer.BadParameter("give either --variance, or --task and --measure")
    if task is not None and measure is None:
        raise typer.BadParameter("--task needs --measure")
    if variance is not None and measure is not None:
        raise typer.BadParameter("--measure goes with --task, not with --variance")
    from service.logbook import plans

    m, min_d = m or [2, 10, 50], min_d or [0.05, 0.1, 0.2]
    wanted = plans.Design(
        m=tuple(m), min_d=tuple(min_d), alpha=alpha, beta=beta, engine=engine, design=design
    )
    if variance is not None:
        result = plans.plan(variance, wanted)
    else:
        with record(context, database) as opened:
            result = plans.plan_task(
                opened, task or "", measure or "", wanted, scale=scale, assessments=assessments
            )
    origin = "as given"
    if result.estimate:
        rounds = ", ".join(result.estimate.pooled.rounds)
        origin = (
            f"{result.estimate.measure} on the {result.scale} scale, pooled over rounds {rounds}"
        )
    show(
        result,
        form,
        result.cells,
        _COLUMNS,
        above=[
            f"Topics needed: one-way ANOVA, alpha {alpha:g}, beta {beta:g}, engine"
            f" {result.engine}, variance {result.variance:.5g} ({origin})"
        ],
    )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook plan --variance 0.05 --m 10 --min-d 0.1")(plan)
