"""``roundbook factors``: a round's standardisation factors, by version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from roundbook.presentation.factors import FACTORS, fitted_notes, heading, unchanged, withdrawn_note
from roundbook.requests.factors import FactorsRequest, FitRequest
from roundbook.requests.fields import ZeroSd
from roundbook_cli.charts import Chart, check_chart, draw
from roundbook_cli.options import Database, Form, Format
from roundbook_cli.output import show, talk, talk_notes
from roundbook_cli.renewal import print_refit
from roundbook_cli.request_options import default, is_given, option, request_of
from roundbook_cli.series import Assessments, Measure, RoundLabel, TaskName
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet

app = typer.Typer(no_args_is_help=True)


@app.command(
    "show",
    epilog="Example: roundbook factors show covid round1 --measure nDCG@10\n\nDrawn: roundbook"
    " factors show covid round1 --measure nDCG@10 --chart factors.png",
)
def show_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    version: int | None = option(FactorsRequest, "version", metavar="N"),
    assessments: Assessments = None,
    chart: Chart = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show each topic's mean and sample sd over the standardising runs."""
    request = request_of(FactorsRequest, locals(), round=round_label)
    check_chart(chart)
    from roundbook.logbook.factors import show_factors

    with record(context, database) as session:
        factors = show_factors(session, request)
    _print(factors, form)
    latest = factors.version == factors.versions[-1] and factors.withdrawn is None
    if form == "table" and latest and (factors.pool_now or 0) > 1:
        print_refit(factors)
    draw(chart, factors)


@app.command(
    epilog="Example: roundbook factors fit covid round1 --measure nDCG@10 --runs pooled"
    " --reason 'pool membership is known now'"
)
def fit(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    reason: str = option(FitRequest, "reason", metavar="TEXT"),
    runs: list[str] = option(
        FitRequest, "runs", metavar="TAG", default=[*default(FitRequest, "runs")]
    ),
    zero_sd: ZeroSd = option(FitRequest, "zero_sd"),
    assessments: Assessments = None,
    dry_run: bool = option(FitRequest, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Fit a further factor version on other standardising runs; older versions stay."""
    from roundbook.logbook.fitting import fit_factor_set
    from roundbook_cli.impact import dependents_json, tell_impact

    request = request_of(FitRequest, locals(), round=round_label)
    with changing(context, database, keep=not dry_run) as session:
        fitted = fit_factor_set(session, request)
    _print(fitted, form, extra={"impact": dependents_json(fitted.impact)})
    talk_notes(fitted_notes(fitted))
    if remark := unchanged(fitted):
        assumed = (
            "" if is_given(context, "runs") else " --runs was not given, so pooled was assumed."
        )
        talk(f"{remark}{assumed}")
    tell_impact(fitted)


def _print(factors: FactorSet, form: Format, extra: Mapping[str, object] | None = None) -> None:
    show(
        factors,
        form,
        factors.factors,
        FACTORS,
        above=[heading(factors)],
        below=withdrawn_note(factors),
        extra=extra,
    )
