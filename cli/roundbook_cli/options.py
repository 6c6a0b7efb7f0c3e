"""Options that several commands share. Nothing heavy is imported here: --help reads it."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from roundbook_cli.completion import offer

Format = Literal["table", "json", "csv"]

TaskName = Annotated[
    str,
    typer.Argument(metavar="TASK", help="The task's name.", autocompletion=offer("task")),
]
RoundLabel = Annotated[
    str,
    typer.Argument(metavar="ROUND", help="The round's label.", autocompletion=offer("rounds")),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="A PostgreSQL server (postgresql://USER:PASSWORD@HOST:PORT/DATABASE) instead of"
        " ROUNDBOOK_DATABASE_URL or the embedded one.",
        show_default=False,
    ),
]
Form = Annotated[Format, typer.Option("--format", help="How to print the result.")]
Measure = Annotated[
    str,
    typer.Option(
        "--measure",
        metavar="M",
        help="The measure: nDCG@10, AP, RBP(p=0.8), ...",
        autocompletion=offer("measures"),
    ),
]
Assessments = Annotated[
    str | None,
    typer.Option(
        "--assessments",
        metavar="LABEL",
        help="Which assessments, where there are several.",
        show_default=False,
    ),
]
PreferredAssessments = Annotated[
    list[str] | None,
    typer.Option(
        "--assessments",
        metavar="LABEL",
        help="Which assessments, where there are several. Repeat it to mix them: each round counts"
        " by the first of them that it has.",
        show_default=False,
    ),
]
Anonymous = Annotated[
    bool,
    typer.Option(
        "--anonymous",
        help="Hide the teams behind pseudonyms, until the round is published.",
    ),
]
Scaled = Annotated[
    Literal["raw", "std-ab", "std-cdf"], typer.Option("--scale", help="The scale of the scores.")
]
Revise = Annotated[
    str | None,
    typer.Option(
        "--revise",
        metavar="REASON",
        help="Replace what is recorded by a new revision, for this reason.",
        show_default=False,
    ),
]
Create = Annotated[bool, typer.Option("--create", help="Make the task and round if needed.")]
