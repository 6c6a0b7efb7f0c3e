"""A score matrix on the command line: it is named by its number."""

from __future__ import annotations

import re
from typing import Annotated

import typer


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
