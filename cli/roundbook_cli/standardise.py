"""``roundbook standardise``: a round's scores on a standardised scale."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from roundbook_cli.options import Anonymous, Assessments, Database, Format, Measure, TaskName
from roundbook_cli.output import Column, counted, number, print_csv, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.standardise import StandardisedScores


class RunMean(NamedTuple):
    """A run and its mean standardised score."""

    run: str
    mean: float


def standardise(
    context: typer.Context,
    task: TaskName,
    round_label: Annotated[
        str,
        typer.Argument(
            metavar="ROUND|FILE",
            help="The round; or a file of new runs, with --factors-from.",
        ),
    ],
    measure: Measure,
    scale: Annotated[
        Literal["std", "std-cdf", "std-ab", "e-std"], typer.Option("--scale", help="The scale.")
    ] = "std-ab",
    a: Annotated[
        float | None,
        typer.Option("--a", help="std-AB: what one sd counts; above 0. (default: 0.15)"),
    ] = None,
    b: Annotated[
        float | None,
        typer.Option("--b", help="std-AB: the score of an average run. (default: 0.5)"),
    ] = None,
    factors_from: Annotated[
        str | None,
        typer.Option(
            "--factors-from",
            metavar="ROUND[:VERSION]",
            help="Another round's factors, by default its latest.",
        ),
    ] = None,
    factors_version: Annotated[
        int | None,
        typer.Option(
            "--factors-version",
            metavar="N",
            help="Which version of the factors; --factors-from is then a round's label as it is.",
        ),
    ] = None,
    files: Annotated[
        list[Path] | None,
        typer.Option(
            "--file",
            metavar="FILE",
            help="Score the runs in this file by the round's factors; nothing is logged. Repeat.",
        ),
    ] = None,
    layout: Annotated[
        Literal["auto", "wide", "long", "trec_eval", "ir_measures", "ntcireval"],
        typer.Option("--layout", help="How the files are laid out."),
    ] = "auto",
    file_measure: Annotated[
        str | None,
        typer.Option(
            "--file-measure", metavar="NAME", help="What the files call the measure, if otherwise."
        ),
    ] = None,
    missing: Annotated[
        Literal["reject", "zero", "drop-topic"],
        typer.Option("--missing", help="Missing scores in the files."),
    ] = "reject",
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
    if scale != "std-ab" and not (a is None and b is None):
        raise typer.BadParameter(f"--a and --b are those of std-ab: --scale {scale} has none")
    from roundbook.errors import InputError, NotRecordedError
    from roundbook.logbook import standardise as use_cases
    from roundbook.settings import load_settings

    def from_files(factors: str, paths: list[Path]) -> StandardisedScores:
        if anonymous:
            raise InputError(
                "Runs in a file have no pseudonyms, which are a round's; leave out --anonymous."
            )
        return use_cases.standardise_files(
            session,
            task,
            factors,
            paths,
            measure,
            scale=scale,
            a=a,
            b=b,
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            max_file_bytes=load_settings().max_file_bytes,
            factors_version=factors_version,
            assessments=assessments,
        )

    with record(context, database) as session:
        if files:
            scores = from_files(factors_from or round_label, files)
        else:
            try:
                scores = use_cases.standardise(
                    session,
                    task,
                    round_label,
                    measure,
                    scale=scale,
                    a=a,
                    b=b,
                    factors_from=factors_from,
                    factors_version=factors_version,
                    assessments=assessments,
                    anonymous=anonymous,
                )
            except NotRecordedError:
                if not Path(round_label).is_file():
                    raise
                if factors_from is None:
                    raise InputError(
                        f"'{round_label}' is a file and no round: say by whose factors its runs"
                        " are scored, with --factors-from ROUND[:VERSION]."
                    ) from None
                scores = from_files(factors_from, [Path(round_label)])
    if form is None:
        form = "table" if sys.stdout.isatty() else "csv"
    if form == "csv":
        columns = zip(*scores.scores, strict=True)
        rows = ([topic, *row] for topic, row in zip(scores.topics, columns, strict=True))
        print_csv(["topic", *scores.runs], rows)
    else:
        _show(scores, form)
    for note in scores.notes:
        talk(f"Note: {note}")
    if scores.left_out:
        talk(
            f"Note: left out, for want of usable factors in round '{scores.factors_round}':"
            f" {counted(len(scores.left_out), 'topic')} ({', '.join(scores.left_out)})."
        )
    if scores.off_ties:
        first = scores.off_ties[0]
        talk(
            f"Note: {counted(len(scores.off_ties), 'score')} off a tie of all standardising runs"
            f" (first: run {first.run}, topic {first.topic}); an sd of 0 counts them as average."
        )


def _show(scores: StandardisedScores, form: Format) -> None:
    means = [
        RunMean(run, sum(values) / len(values))
        for run, values in zip(scores.runs, scores.scores, strict=True)
    ]
    means.sort(key=lambda each: -each.mean)
    show(
        scores,
        form,
        means,
        (Column("run", "Run"), number("mean", f"Mean {scores.scale}")),
        above=[
            f"{scores.task}, {_what(scores)}: {scores.measure} over {len(scores.topics)}"
            f" topics, by factor version {scores.factor_version} of round"
            f" '{scores.factors_round}' (matrix {scores.factors_matrix}, revision"
            f" {scores.factors_revision})"
        ],
        below=["Every score: add --format csv or --format json."],
    )


def _what(scores: StandardisedScores) -> str:
    return f"round '{scores.round}'" if scores.matrix else ", ".join(scores.files)


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook standardise covid round2 --measure nDCG@10"
        " --factors-from round1 --format csv"
    )(standardise)
