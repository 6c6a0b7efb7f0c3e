"""Options that several commands share. Nothing heavy is imported here: --help reads it."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Annotated, Literal

import typer

Format = Literal["table", "json", "csv"]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="A PostgreSQL server, as postgresql://HOST/DB, in place of ROUNDBOOK_DATABASE_URL or"
        " the embedded one.",
        show_default=False,
    ),
]
Form = Annotated[Format, typer.Option("--format", help="How to print the result.")]
Top = Annotated[
    int | None,
    typer.Option(
        "--top",
        metavar="N",
        min=1,
        help="Print so many rows of each long table; CSV and JSON have all.",
        show_default=False,
    ),
]


def read_day(text: str) -> date:
    """Return the day that was given; refuse anything else in one sentence."""
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007  # a day has no zone
    except ValueError:
        raise typer.BadParameter(
            f"{text!r} is no day; give year, month and day, as 2020-04-15."
        ) from None


def matrix_number(text: str) -> int:
    """Return the number that was given for a matrix; refuse anything else in one sentence."""
    # int() would take 1_0 and the digits of other alphabets.
    if re.fullmatch("[0-9]{1,18}", text):
        return int(text)
    raise typer.BadParameter(
        f"A matrix is named by its number, not '{text}'; 'roundbook matrix list TASK' shows them."
    )
