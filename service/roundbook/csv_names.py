"""Names in CSV, which a spreadsheet may open: none of them is a formula there."""

from __future__ import annotations

import re

# What a spreadsheet would compute, and the apostrophes before it.
_FORMULA = re.compile(r"'*[=+@-]")


def marked(name: str) -> str:
    """Return a name as CSV has it: after an apostrophe if a spreadsheet would compute it.

    A name that has apostrophes there itself gets one more, so `unmarked` always gives the name.
    """
    return f"'{name}" if _FORMULA.match(name) else name


def unmarked(cell: str) -> str:
    """Return the name that `marked` wrote, without white space around it."""
    name = cell.strip()
    return name[1:] if name.startswith("'") and _FORMULA.match(name) else name
