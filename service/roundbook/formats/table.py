"""Rows of fields under a header, and what a field may hold: strict numbers, printable names."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.formats.text import SourceText
from roundbook.limits import LARGEST_SCORE

# A header of a later group names the column only where none of an earlier group does:
# a file may carry the topic's id and its text, or a run's tag and its system.
TOPIC_HEADERS = (("topic", "topic_id", "topicid", "query_id", "queryid", "qid"), ("query",))
RUN_HEADERS = (("run", "run_id", "runid", "run_tag", "runtag", "run_name", "tag"), ("system",))
TEAM_HEADERS = (
    ("team", "team_id", "team_name"),
    ("group", "group_id", "participant", "organisation"),
)
MEASURE_HEADERS = (("measure", "metric"),)
VALUE_HEADERS = (("value", "score"),)
ANY_TOPIC_HEADER = frozenset(chain(*TOPIC_HEADERS))
ANY_RUN_HEADER = frozenset(chain(*RUN_HEADERS))
ANY_TEAM_HEADER = frozenset(chain(*TEAM_HEADERS))
ANY_VALUE_HEADER = frozenset(chain(*VALUE_HEADERS))

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


def header_key(cell: str) -> str:
    """Return a header cell as the lists of headers spell it."""
    return cell.strip().lower().replace(" ", "_").replace("-", "_")


def delimiter_of(header: str) -> str | None:
    """Return what separates the header's fields, or None.

    A tab wins over a comma, since no name may hold a tab; a semicolon counts only where
    neither is there.
    """
    for text in (re.sub(r'"[^"]*"', "", header), header):
        for mark in "\t,;":
            if mark in text:
                return mark
    return None


def split_fields(text: str, delimiter: str, file: str, line: int) -> list[str]:
    """Return the fields of one line, quotes taken off.

    Raises
    ------
    BadFileError
        If a quote is not closed on its line, or is followed by more text.
    """
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        column = _open_quote(text, delimiter)
        if "field larger" in str(error):
            raise BadFileError("a quoted field is far too long", file, line, column) from None
        raise BadFileError(
            "a double quote is not closed on its line, or text follows the closing one; "
            "double the quotes inside a name",
            file,
            line,
            column,
        ) from None


def _open_quote(text: str, delimiter: str) -> int:
    column, inside = 1, False
    for mark in text:
        if mark == '"':
            inside = not inside
            start = column
        elif mark == delimiter and not inside:
            column += 1
    return start if inside else 1


def table_rows(source: SourceText) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of the header, then of every row.

    Raises
    ------
    BadFileError
        If there is no delimiter, a row has more or fewer fields than the header, or there
        is nothing below the header.
    """
    first_line, first = source.rows[0]
    delimiter = delimiter_of(first)
    if delimiter is None:
        raise BadFileError(
            "the header has one field only; separate the columns by commas, tabs or semicolons",
            source.file,
            first_line,
        )
    header = split_fields(first, delimiter, source.file, first_line)
    yield first_line, header
    if len(source.rows) == 1:
        raise BadFileError("there is a header and nothing below it", source.file, first_line)
    for line, text in source.rows[1:]:
        fields = split_fields(text, delimiter, source.file, line)
        if len(fields) != len(header):
            raise BadFileError(
                f"expected {len(header)} fields as in the header, found {len(fields)}",
                source.file,
                line,
                min(len(fields), len(header)) + (len(fields) > len(header)),
            )
        yield line, fields


def named_column(
    header: Sequence[str], names: Sequence[Sequence[str]], file: str, line: int
) -> int | None:
    """Return the index of the column that one of the names heads, or None.

    Raises
    ------
    BadFileError
        If two columns could be meant.
    """
    keys = [header_key(cell) for cell in header]
    for group in names:
        columns = [index for index, key in enumerate(keys) if key in group]
        if len(columns) > 1:
            one, two = header[columns[0]].strip(), header[columns[1]].strip()
            raise BadFileError(
                f"columns {one!r} and {two!r} could be meant for the same thing; "
                "remove or rename one",
                file,
                line,
                columns[1] + 1,
            )
        if columns:
            return columns[0]
    return None


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


def quick_numbers(cells: Sequence[str]) -> npt.NDArray[np.float64] | None:
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
