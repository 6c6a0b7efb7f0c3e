"""``roundbook rank``: how far two rankings of a round's runs agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundbook_cli.options import (
    Anonymous,
    Assessments,
    Database,
    Form,
    Measure,
    RoundLabel,
    TaskName,
)
from roundbook_cli.output import Column, number, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.rankings import Limits, RankAgreement


def rank(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    scale: Annotated[
        Literal["std", "std-cdf", "std-ab"],
        typer.Option("--scale", help="The standardised scale to compare."),
    ] = "std-ab",
    versions: Annotated[
        tuple[int, int] | None,
        typer.Option(
            "--versions", metavar="V1 V2", help="Compare two factor versions, instead of raw."
        ),
    ] = None,
    resamples: Annotated[
        int, typer.Option("--resamples", help="Of the bootstrap over topics.")
    ] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Of the bootstrap.")] = 0,
    assessments: Assessments = None,
    anonymous: Anonymous = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare run rankings: raw against standardised, or by two factor versions."""
    from roundbook.logbook.rankings import compare_rankings

    with record(context, database) as session:
        found = compare_rankings(
            session,
            task,
            round_label,
            measure,
            scale=scale,
            versions=versions,
            assessments=assessments,
            resamples=resamples,
            seed=seed,
            anonymous=anonymous,
        )
    columns = (
        Column("run", "Run"),
        number("rank_a", "Rank", 1),
        number("mean_a", f"Mean {found.a}"),
        number("rank_b", "Rank", 1),
        number("mean_b", f"Mean {found.b}"),
    )
    show(found, form, found.ranking, columns, above=_sentences(found))
    for note in found.notes:
        talk(f"Note: {note}")


def _sentences(found: RankAgreement) -> list[str]:
    said = [
        f"{found.task}, round '{found.round}': {found.measure}, {found.runs} runs over"
        f" {found.topics} topics (matrix {found.matrix}, revision {found.revision}) ranked"
        f" {found.a} and {found.b}",
        f"Kendall tau-b {_number(found.tau_b)} (tau-a {found.tau_a:.3f}), tau_AP"
        f" {_number(found.tau_ap)}",
        f"95% intervals of tau-b: {_limits(found.bootstrap)} by a bootstrap over topics"
        f" ({found.resamples} resamples), {_limits(found.published)} as the papers print it",
    ]
    return said + ([found.reason] if found.reason else [])


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"


def _limits(limits: Limits | None) -> str:
    return "unknown" if limits is None else f"[{limits.low:.3f}, {limits.high:.3f}]"


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook rank covid round1 --measure nDCG@10")(rank)
