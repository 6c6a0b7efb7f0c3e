"""``roundbook rank``: how far two rankings of a round's runs agree."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.presentation.rankings import notes, summary
from roundbook.presentation.tables import Column, number
from roundbook.requests.fields import StandardisedScale
from roundbook.requests.rankings import RankRequest
from roundbook_cli.options import (
    Anonymous,
    Assessments,
    Database,
    Form,
    Measure,
    RoundLabel,
    TaskName,
)
from roundbook_cli.output import progress, show, talk
from roundbook_cli.request_options import default, option
from roundbook_cli.session import record


def rank(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    scale: Annotated[StandardisedScale, option(RankRequest, "scale", "--scale")] = default(
        RankRequest, "scale"
    ),
    versions: Annotated[
        tuple[int, int] | None, option(RankRequest, "versions", "--versions", metavar="V1 V2")
    ] = None,
    resamples: Annotated[int, option(RankRequest, "resamples", "--resamples")] = default(
        RankRequest, "resamples"
    ),
    seed: Annotated[int, option(RankRequest, "seed", "--seed")] = default(RankRequest, "seed"),
    assessments: Assessments = None,
    anonymous: Anonymous = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare run rankings: raw against standardised, or by two factor versions."""
    from roundbook.logbook.rankings import compare_rankings
    from roundbook.logbook.session import Work

    request = RankRequest(
        task=task,
        round=round_label,
        measure=measure,
        scale=scale,
        versions=versions,
        resamples=resamples,
        seed=seed,
        assessments=assessments,
        anonymous=anonymous,
    )
    with record(context, database) as session, progress("Ranking ...") as step:

        def tell(what: str, done: int, of: int) -> None:
            step(f"{what.capitalize()}: {done:,} of {of:,} ...")

        agreement = compare_rankings(session._replace(work=Work(progress=tell)), request)
    columns = (
        Column("run", "Run"),
        number("rank_a", "Rank", 1),
        number("mean_a", _heading(agreement.a)),
        number("rank_b", "Rank", 1),
        number("mean_b", _heading(agreement.b)),
    )
    remarks = notes(agreement)
    show(
        agreement,
        form,
        agreement.ranking,
        columns,
        above=summary(agreement),
        extra={"notes": remarks},
    )
    for note in remarks:
        talk(f"Note: {note}")


def _heading(ranking: str) -> str:
    return f"Mean {ranking.replace(' by factor version ', ' v')}"


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook rank covid round1 --measure nDCG@10")(rank)
