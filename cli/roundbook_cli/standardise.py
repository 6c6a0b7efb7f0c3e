"""``roundbook standardise``: a round's scores on a standardised scale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.presentation.factors import (
    run_means,
    standardised_heading,
    standardised_notes,
    standardised_remarks,
    undeclared_round,
)
from roundbook.presentation.tables import Column, number
from roundbook.requests.factors import Scale, StandardiseFilesRequest, StandardiseRequest
from roundbook.requests.fields import Layout, Missing
from roundbook_cli.drift_commands import declare_collection
from roundbook_cli.options import Database, Format
from roundbook_cli.output import print_csv, show, talk_notes
from roundbook_cli.request_options import argument, is_given, option, request_of, usage_errors
from roundbook_cli.series import Assessments, Measure, TaskName
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.standardise import StandardisedScores

commands = typer.Typer()


@commands.command(
    epilog="Example: roundbook standardise covid round2 --measure nDCG@10"
    " --factors-from round1 --format csv"
)
def standardise(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    round_label: str = argument(
        StandardiseRequest,
        "round",
        metavar="ROUND|FILE",
        help="The round; or a file of new runs, with --factors-from.",
    ),
    scale: Scale = option(StandardiseRequest, "scale"),
    a: float = option(StandardiseRequest, "a"),
    b: float = option(StandardiseRequest, "b"),
    factors_from: str | None = option(
        StandardiseRequest, "factors_from", metavar="ROUND[:VERSION]"
    ),
    factors_version: int | None = option(StandardiseRequest, "factors_version", metavar="N"),
    files: list[Path] | None = option(
        StandardiseFilesRequest, "files", "--file", metavar="FILE", default=None
    ),
    layout: Layout = option(StandardiseFilesRequest, "layout"),
    file_measure: str | None = option(StandardiseFilesRequest, "file_measure", metavar="NAME"),
    missing: Missing = option(StandardiseFilesRequest, "missing"),
    assessments: Assessments = None,
    anonymous: bool = option(StandardiseRequest, "anonymous"),
    form: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="table lists the runs by mean score; csv and json hold every score."
            " (default: table on a terminal, else csv)",
        ),
    ] = None,
    database: Database = None,
) -> None:
    """Standardise a round's scores, or new runs from a file, by a round's factors."""
    if scale != "std-ab" and (is_given(context, "a") or is_given(context, "b")):
        raise typer.BadParameter(f"--a and --b are those of std-ab: --scale {scale} has none")
    with usage_errors():
        request = request_of(StandardiseRequest, locals(), round=round_label)
    label = request.round
    if files and request.factors_from is not None and request.factors_from != label:
        raise typer.BadParameter(
            "with --file, ROUND is whose factors score the runs: leave out --factors-from"
        )
    from roundbook.errors import InputError, NotRecordedError
    from roundbook.logbook import standardise as use_cases

    def from_files(session: Session, factors: str, paths: list[Path]) -> StandardisedScores:
        if request.anonymous:
            raise InputError(
                "Runs in a file have no pseudonyms, which are a round's; leave out --anonymous."
            )
        scaling = request.model_dump(exclude={"round", "factors_from", "anonymous"})
        of_files = StandardiseFilesRequest(
            **scaling,
            factors_from=factors,
            files=paths,
            layout=layout,
            file_measure=file_measure,
            missing=missing,
        )
        return use_cases.standardise_files(session, of_files)

    with record(context, database) as session:
        if files:
            scores = from_files(session, request.factors_from or label, files)
        else:
            try:
                scores = use_cases.standardise(session, request)
                if (layout, file_measure, missing) != ("auto", None, "reject"):
                    raise typer.BadParameter(
                        f"--layout, --file-measure and --missing are of files, and '{label}' is a"
                        " round: leave them out, or name a file with --file"
                    )
            except NotRecordedError:
                if not Path(label).is_file():
                    raise
                if request.factors_from is None:
                    raise InputError(
                        f"'{label}' is a file and no round: say by whose factors its runs are"
                        " scored, with --factors-from ROUND[:VERSION]."
                    ) from None
                scores = from_files(session, request.factors_from, [Path(label)])
    _print(scores, form or ("table" if sys.stdout.isatty() else "csv"))


def _print(scores: StandardisedScores, form: Format) -> None:
    notes = standardised_notes(scores)
    if (label := undeclared_round(scores)) is not None:
        notes[-1] += f" {declare_collection(scores.task, label)}"
    if form == "csv":
        columns = zip(*scores.scores, strict=True)
        rows = ([topic, *row] for topic, row in zip(scores.topics, columns, strict=True))
        print_csv(["topic", *scores.runs], rows)
    else:
        show(
            scores,
            form,
            run_means(scores),
            (Column("run", "Run"), number("mean", f"Mean {scores.scale}")),
            above=[standardised_heading(scores)],
            below=["Every score: add --format csv or --format json."],
            extra={"notes": notes},
        )
    talk_notes([*notes, *standardised_remarks(scores)])
