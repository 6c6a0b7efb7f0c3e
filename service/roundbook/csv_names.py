"""CSV in which no spreadsheet takes a name for a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from typing import IO, Any

# The start of a formula, after any apostrophes.
_FORMULA = re.compile(r"'*[=+@-]")


def marked(name: str) -> str:
    """Return a name for CSV, with an apostrophe before it if a spreadsheet would compute it.

    A name that has such apostrophes itself gets one more, so that `unmarked` gives it back exactly.
    """
    return f"'{name}" if _FORMULA.match(name) else name


def unmarked(cell: str) -> str:
    """Return the name that `marked` wrote, without white space around it."""
    name = cell.strip()
    return name[1:] if name.startswith("'") and _FORMULA.match(name) else name


def write_csv(stream: IO[str], rows: Iterable[Iterable[Any]]) -> None:
    """Write rows as CSV, with names marked; the first row holds the headings."""
    writer = csv.writer(stream, lineterminator="\n")
    for row in rows:
        writer.writerow([marked(cell) if isinstance(cell, str) else cell for cell in row])
