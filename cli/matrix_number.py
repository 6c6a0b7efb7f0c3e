"""A score matrix on the command line: it is named by its number."""

from __future__ import annotations

from typing import Annotated

import typer


def matrix_number(given: str) -> int:
    """Return the number that was given for a matrix; refuse anything else in one sentence."""
    try:
        return int(given)
    except ValueError:
        raise typer.BadParameter(
            f"A matrix is named by its number, not '{given}'; 'roundbook matrix list TASK' shows"
            " them."
        ) from None


MatrixNumber = Annotated[
    int,
    typer.Argument(
        metavar="MATRIX",
        help="Its number, as log and matrix list print it.",
        parser=matrix_number,
    ),
]
