"""``roundbook rank``: how far two rankings of a round's runs agree."""

from __future__ import annotations

import typer

from roundbook.presentation.rankings import notes, reason, summary
from roundbook.presentation.tables import Column, number
from roundbook.requests.fields import StandardisedScale
from roundbook.requests.rankings import RankRequest
from roundbook_cli.options import Database, Form, Top
from roundbook_cli.output import progress, show, talk_notes
from roundbook_cli.request_options import option, request_of, usage_errors
from roundbook_cli.series import Assessments, Measure, RoundLabel, TaskName
from roundbook_cli.session import record

commands = typer.Typer()

_MOST_ROWS = 20


@commands.command(epilog="Example: roundbook rank covid round1 --measure nDCG@10")
def rank(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    scale: StandardisedScale = option(RankRequest, "scale"),
    versions: tuple[int, int] | None = option(RankRequest, "versions", metavar="V1 V2"),
    resamples: int = option(RankRequest, "resamples"),
    seed: int = option(RankRequest, "seed"),
    assessments: Assessments = None,
    anonymous: bool = option(RankRequest, "anonymous"),
    top: Top = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare run rankings: raw against standardised, or by two factor versions."""
    from roundbook.logbook.rankings import compare_rankings

    with usage_errors():
        request = request_of(RankRequest, locals(), round=round_label)
    with record(context, database) as session, progress("Ranking ...") as step:

        def tell(part: str, done: int, total: int) -> None:
            step(f"{part.capitalize()}: {done:,} of {total:,} ...")

        agreement = compare_rankings(
            session._replace(work=session.work._replace(progress=tell)), request
        )
    columns = (
        Column("run", "Run"),
        number("rank_a", "Rank", 1),
        number("mean_a", _heading(agreement.a)),
        number("rank_b", "Rank", 1),
        number("mean_b", _heading(agreement.b)),
    )
    remarks, runs, most = notes(agreement), len(agreement.ranking), top or _MOST_ROWS
    left = [f"{most} of {runs:,} rows: --top {runs} shows all."] if most < runs else []
    show(
        agreement,
        form,
        agreement.ranking[:most] if form == "table" else agreement.ranking,
        columns,
        above=summary(agreement),
        below=left,
        extra={"notes": remarks, "reason": reason(agreement)},
    )
    talk_notes(remarks)


def _heading(ranking: str) -> str:
    return f"Mean {ranking.replace(' by factor version ', ' v')}"
