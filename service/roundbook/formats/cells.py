"""Single cells: strict numbers, and names fit to be stored and printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import Scores
from roundbook.limits import LARGEST_SCORE

MAX_NAME = 500
# Longer than any double needs; float() takes quadratic time on very long digit strings.
_MAX_NUMBER = 400
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# float() also takes 1_000, nan, infinity and full-width digits: none passes these characters.
_PLAIN = re.compile(r"[0-9eE.+\- ]*")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+(?:[eE][+-]?[0-9]+)?")
_ABSENT = re.compile(r"[+-]?(?:nan|inf(?:inity)?)|n/?a|null|none|-+|\?", re.IGNORECASE)
# Control characters, and the invisible ones that make two names look the same:
# zero-width space, bidirectional marks, byte order mark; lone surrogates come from JSON escapes.
_UNFIT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ud800-\udfff]"
)


def shown(text: str, limit: int = 40) -> str:
    """Return a piece of the file in quotes, cut to a readable length."""
    return repr(text if len(text) <= limit else text[: limit - 1] + "…")


def checked_name(text: str, what: str, file: str, line: int | None, column: int | None) -> str:
    """Return a topic's or run's name without the white space around it.

    Raises
    ------
    BadFileError
        If the name is empty, very long, or holds characters nobody can see.
    """
    name = text.strip()
    if not name:
        raise BadFileError(f"the {what} name is empty", file, line, column)
    if len(name) > MAX_NAME:
        raise BadFileError(
            f"the {what} name {shown(name)} has {len(name)} characters; "
            f"at most {MAX_NAME} are read",
            file,
            line,
            column,
        )
    if _UNFIT.search(name):
        raise BadFileError(
            f"the {what} name {shown(name)} holds a control or invisible character; take it out",
            file,
            line,
            column,
        )
    return name


def is_number(text: str) -> bool:
    """Tell whether a cell is a strict decimal number."""
    text = text.strip()
    return len(text) <= _MAX_NUMBER and _NUMBER.fullmatch(text) is not None


def quick_numbers(cells: Sequence[str]) -> Scores | None:
    """Return the cells as numbers, NaN where empty, or None if any needs a closer look."""
    if not cells or max(map(len, cells)) > _MAX_NUMBER or not _PLAIN.fullmatch("".join(cells)):
        return None
    holes = [index for index, cell in enumerate(cells) if not cell] if "" in cells else []
    try:
        values = np.array([float(cell or 0) for cell in cells] if holes else [*map(float, cells)])
    except ValueError:
        return None
    if np.abs(values).max() > LARGEST_SCORE:
        return None
    values[holes] = np.nan
    return values


def score(text: str, file: str, line: int, column: int | None) -> float:
    """Return one cell as a number; an empty cell is NaN, a missing score.

    Raises
    ------
    BadFileError
        If the cell is anything but empty or a decimal number within ±1e100.
    """
    text = text.strip()
    if not text:
        return float("nan")
    if is_number(text):
        value = float(text)
        if abs(value) <= LARGEST_SCORE:
            return value
        reason = (
            f"the score {shown(text)} is too large; only scores within ±{LARGEST_SCORE:g} are read"
        )
    elif _ABSENT.fullmatch(text):
        reason = f"{shown(text)} is not a score; leave it out if the score is missing"
    elif _DECIMAL_COMMA.fullmatch(text):
        reason = (
            f"the score {shown(text)} is written with a decimal comma; "
            f"write {shown(text.replace(',', '.'))}"
        )
    else:
        reason = f"{shown(text)} is not a number"
    raise BadFileError(reason, file, line, column)
