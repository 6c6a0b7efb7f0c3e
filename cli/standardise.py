"""``roundbook standardise``: a round's scores on a standardised scale."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from cli.options import Assessments, Database, Format, Measure, RoundLabel, TaskName
from cli.output import Column, counted, number, print_csv, show, talk
from cli.session import record

if TYPE_CHECKING:
    from service.logbook.standardise import StandardisedScores


class RunMean(NamedTuple):
    """A run and its mean standardised score."""

    run: str
    mean: float


def standardise(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    scale: Annotated[
        Literal["std", "std-cdf", "std-ab"],
        typer.Option("--scale", help="std-AB has A = .15 and B = .5."),
    ] = "std-ab",
    factors_from: Annotated[
        str | None,
        typer.Option(
            "--factors-from",
            metavar="ROUND[:VERSION]",
            help="Another round's factors, by default its latest.",
        ),
    ] = None,
    assessments: Assessments = None,
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
    """Standardise a round's scores by its own or another round's factors."""
    from service.logbook.standardise import standardise as use_case

    with record(context, database) as engine:
        scores = use_case(
            engine,
            task,
            round_label,
            measure,
            scale=scale,
            factors_from=factors_from,
            assessments=assessments,
        )
    if form is None:
        form = "table" if sys.stdout.isatty() else "csv"
    if form == "csv":
        columns = zip(*scores.scores, strict=True)
        rows = ([topic, *row] for topic, row in zip(scores.topics, columns, strict=True))
        print_csv(["topic", *scores.runs], rows)
    else:
        _show(scores, form)
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
            f"{scores.task}, round '{scores.round}': {scores.measure} over {len(scores.topics)}"
            f" topics, by factor version {scores.factor_version} of round"
            f" '{scores.factors_round}'"
        ],
        below=["Every score: add --format csv or --format json."],
    )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook standardise covid round2 --measure nDCG@10"
        " --factors-from round1 --format csv"
    )(standardise)
