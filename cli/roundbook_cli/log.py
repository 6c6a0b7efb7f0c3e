"""``roundbook log``: a round's score matrix into the record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from roundbook_cli.impact import tell_impact
from roundbook_cli.options import (
    Create,
    Database,
    Files,
    Form,
    Measure,
    Revise,
    RoundLabel,
    TaskName,
)
from roundbook_cli.output import Column, count, number, show, talk, terminal
from roundbook_cli.session import asked, record

if TYPE_CHECKING:
    from roundbook.logbook.matrices.logging import LoggedMatrix


_COLUMNS = (
    count("matrix", "Matrix"),
    count("revision", "Revision"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    number("variance", "Variance", 5),
    count("factor_version", "Factors"),
    Column("status", "Status"),
)


def log(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    files: Files,
    measure: Measure,
    layout: Annotated[
        Literal["auto", "wide", "long", "trec_eval", "ir_measures", "ntcireval"],
        typer.Option("--layout", help="How the files are laid out; auto looks inside."),
    ] = "auto",
    file_measure: Annotated[
        str | None,
        typer.Option(
            "--file-measure", metavar="NAME", help="What the files call the measure, if otherwise."
        ),
    ] = None,
    teams: Annotated[
        Path | None,
        typer.Option(
            "--teams",
            metavar="CSV",
            help="A CSV of run, team and optionally type, contributed_to_pool, system.",
        ),
    ] = None,
    assessments: Annotated[
        str,
        typer.Option(
            "--assessments",
            metavar="LABEL",
            help="Which relevance assessments the scores rest on; labels are never mixed.",
        ),
    ] = "official",
    missing: Annotated[
        Literal["reject", "zero", "drop-topic"],
        typer.Option("--missing", help="Missing scores: refuse, count 0, or drop topics."),
    ] = "reject",
    zero_sd: Annotated[
        Literal["average", "drop"],
        typer.Option("--zero-sd", help="Topics on which all runs tie: standardise to 0, or drop."),
    ] = "average",
    bounds: Annotated[
        tuple[float, float] | None,
        typer.Option(
            "--bounds",
            metavar="LOW HIGH",
            help="The measure's lowest and highest possible score; others are refused.",
        ),
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="TEXT", help="The tool and version that made the scores."),
    ] = None,
    create: Create = False,
    revise: Revise = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Do it all, say what came out, write nothing.")
    ] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Log a round's score matrix, with its variances and standardisation factors.

    The same content again changes nothing; other content is refused unless --revise says why.
    """
    from roundbook.logbook.matrices.logging import log_files
    from roundbook.settings import load_settings

    settings = load_settings()
    with record(context, database) as session, terminal(talk=True).status("Logging ..."):
        logged = log_files(
            session,
            task,
            round_label,
            files,
            measure,
            layout=layout,
            file_measure=file_measure,
            teams=teams,
            missing=missing,
            max_file_bytes=settings.max_file_bytes,
            assessments=assessments,
            create=create,
            revise=revise,
            bounds=bounds,
            zero_sd=zero_sd,
            tool=tool,
            asked=asked(),
            dry_run=dry_run,
        )
    show(logged, form, [logged], _COLUMNS)
    for note in _said(logged):
        talk(note)
    tell_impact(
        logged.impact,
        "Stale once the scores are replaced:"
        if logged.dry_run
        else "Stale now that the scores are replaced:",
    )


def _said(logged: LoggedMatrix) -> list[str]:
    said = [f"Note: {note}" for note in logged.notes]
    if logged.runs_described and logged.status == "unchanged":
        said.append(f"The team file told something new of {logged.runs_described} runs.")
    if logged.dry_run:
        said.append("Dry run: nothing was written.")
    return said


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook log covid round1 scores.csv --measure nDCG@10 --create")(
        log
    )
