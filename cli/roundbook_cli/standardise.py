"""``roundbook standardise``: a round's scores on a standardised scale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook.presentation.factors import (
    run_means,
    standardised_heading,
    standardised_notes,
    standardised_remarks,
)
from roundbook.presentation.tables import Column, number
from roundbook.requests.fields import Layout, Missing
from roundbook.requests.standardise import Scale, StandardiseFilesRequest, StandardiseRequest
from roundbook_cli.options import Anonymous, Assessments, Database, Format, Measure, TaskName
from roundbook_cli.output import print_csv, show, talk
from roundbook_cli.request_options import argument, default, option
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.standardise import StandardisedScores


def standardise(
    context: typer.Context,
    task: TaskName,
    round_label: Annotated[str, argument(StandardiseRequest, "round", metavar="ROUND|FILE")],
    measure: Measure,
    scale: Annotated[Scale, option(StandardiseRequest, "scale", "--scale")] = default(
        StandardiseRequest, "scale"
    ),
    a: Annotated[float | None, option(StandardiseRequest, "a", "--a")] = None,
    b: Annotated[float | None, option(StandardiseRequest, "b", "--b")] = None,
    factors_from: Annotated[
        str | None,
        option(StandardiseRequest, "factors_from", "--factors-from", metavar="ROUND[:VERSION]"),
    ] = None,
    factors_version: Annotated[
        int | None, option(StandardiseRequest, "factors_version", "--factors-version", metavar="N")
    ] = None,
    files: Annotated[
        list[Path] | None, option(StandardiseFilesRequest, "files", "--file", metavar="FILE")
    ] = None,
    layout: Annotated[Layout, option(StandardiseFilesRequest, "layout", "--layout")] = default(
        StandardiseFilesRequest, "layout"
    ),
    file_measure: Annotated[
        str | None,
        option(StandardiseFilesRequest, "file_measure", "--file-measure", metavar="NAME"),
    ] = None,
    missing: Annotated[Missing, option(StandardiseFilesRequest, "missing", "--missing")] = default(
        StandardiseFilesRequest, "missing"
    ),
    assessments: Assessments = None,
    anonymous: Anonymous = False,
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
    if files and factors_from is not None and factors_from != round_label:
        raise typer.BadParameter(
            "with --file, ROUND is whose factors score the runs: leave out --factors-from"
        )
    if scale != "std-ab" and not (a is None and b is None):
        raise typer.BadParameter(f"--a and --b are those of std-ab: --scale {scale} has none")
    from roundbook.errors import InputError, NotRecordedError
    from roundbook.logbook import standardise as use_cases
    from roundbook.settings import load_settings

    asked: dict[str, Any] = {
        "task": task,
        "measure": measure,
        "scale": scale,
        "a": a,
        "b": b,
        "factors_version": factors_version,
        "assessments": assessments,
    }

    def from_files(session: Session, factors: str, paths: list[Path]) -> StandardisedScores:
        if anonymous:
            raise InputError(
                "Runs in a file have no pseudonyms, which are a round's; leave out --anonymous."
            )
        request = StandardiseFilesRequest(
            **asked,
            factors_from=factors,
            files=paths,
            layout=layout,
            file_measure=file_measure,
            missing=missing,
        )
        return use_cases.standardise_files(session, request, load_settings().max_file_bytes)

    request = StandardiseRequest(
        **asked, round=round_label, factors_from=factors_from, anonymous=anonymous
    )
    with record(context, database) as session:
        if files:
            scores = from_files(session, factors_from or round_label, files)
        else:
            try:
                scores = use_cases.standardise(session, request)
                _refuse_options_of_files(round_label, layout, file_measure, missing)
            except NotRecordedError:
                if not Path(round_label).is_file():
                    raise
                if factors_from is None:
                    raise InputError(
                        f"'{round_label}' is a file and no round: say by whose factors its runs"
                        " are scored, with --factors-from ROUND[:VERSION]."
                    ) from None
                scores = from_files(session, factors_from, [Path(round_label)])
    _print(scores, form or ("table" if sys.stdout.isatty() else "csv"))


def _refuse_options_of_files(
    label: str, layout: Layout, file_measure: str | None, missing: Missing
) -> None:
    if (layout, file_measure, missing) != ("auto", None, "reject"):
        raise typer.BadParameter(
            f"--layout, --file-measure and --missing are of files, and '{label}' is a round: leave"
            " them out, or name a file with --file"
        )


def _print(scores: StandardisedScores, form: Format) -> None:
    notes = standardised_notes(scores)
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
    for note in [*notes, *standardised_remarks(scores)]:
        talk(f"Note: {note}")


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook standardise covid round2 --measure nDCG@10"
        " --factors-from round1 --format csv"
    )(standardise)
