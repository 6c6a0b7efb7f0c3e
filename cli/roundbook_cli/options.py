"""Options that several commands share. Nothing heavy is imported here: --help reads it."""

from __future__ import annotations

import re
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
Create = Annotated[bool, typer.Option("--create", help="Make the task and round if needed.")]


def matrix_number(given: str) -> int:
    """Return the number that was given for a matrix; refuse anything else in one sentence."""
    # int() would take 1_0 and the digits of other alphabets.
    if re.fullmatch("[0-9]{1,18}", given):
        return int(given)
    raise typer.BadParameter(
        f"A matrix is named by its number, not '{given}'; 'roundbook matrix list TASK' shows them."
    )


MatrixNumber = Annotated[
    int,
    typer.Argument(
        metavar="MATRIX",
        help="Its number, as log and matrix list print it.",
        parser=matrix_number,
    ),
]
