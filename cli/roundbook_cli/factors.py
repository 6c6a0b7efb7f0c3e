"""``roundbook factors``: a round's standardisation factors, by version."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundbook_cli.options import Assessments, Database, Form, Format, Measure, RoundLabel, TaskName
from roundbook_cli.output import Column, count, counted, number, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet

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
    from roundbook.logbook.factors import show_factors

    with record(context, database) as session:
        found = show_factors(
            session, task, round_label, measure, assessments=assessments, version=version
        )
    _print(found, form)


@app.command(
    epilog="Example: roundbook factors fit covid round1 --measure nDCG@10 --runs pooled"
    " --reason 'pool membership is known now'"
)
def fit(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="Why a further version is fitted.")
    ],
    runs: Annotated[
        list[str] | None,
        typer.Option(
            "--runs",
            metavar="TAG",
            help="The standardising runs: pooled, all, or a run's tag; repeat. (default: pooled)",
        ),
    ] = None,
    zero_sd: Annotated[
        Literal["average", "drop"],
        typer.Option("--zero-sd", help="Topics on which these runs tie: 0, or dropped."),
    ] = "average",
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Fit a further factor version on other standardising runs; older versions stay."""
    from roundbook.logbook.fitting import fit_factor_set

    named = runs or ["pooled"]
    chosen: str | list[str] = named[0] if named in (["pooled"], ["all"]) else named
    with record(context, database) as session:
        fitted = fit_factor_set(
            session,
            task,
            round_label,
            measure,
            runs=chosen,
            reason=reason,
            zero_sd=zero_sd,
            assessments=assessments,
        )
    _print(fitted, form)
    if fitted.zero_sd_topics:
        what = "count as average" if fitted.zero_sd == "average" else "are left out"
        talk(
            f"Note: all standardising runs tie on {counted(len(fitted.zero_sd_topics), 'topic')}"
            f" ({', '.join(fitted.zero_sd_topics)}): scores there {what}."
        )
    if fitted.status == "unchanged":
        said = f"These factors were there already, as version {fitted.version}; the reason was not"
        assumed = " --runs was not given, so pooled was assumed." if not runs else ""
        talk(f"{said} recorded.{assumed}")


def _print(found: FactorSet, form: Format) -> None:
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
        below=[f"Matrix {found.matrix} is withdrawn: {found.withdrawn}."]
        if found.withdrawn
        else [],
    )
