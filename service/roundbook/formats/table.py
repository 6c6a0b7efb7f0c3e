"""What the wide, the long and the team files share: rows of fields under a header."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from roundbook.errors import BadFileError
from roundbook.formats.text import SourceText

# A word of a later group names the column only where no word of an earlier group does:
# a file may carry the topic's id and its text, or a run's tag and its system.
TOPIC_WORDS = (("topic", "topic_id", "topicid", "query_id", "queryid", "qid"), ("query",))
RUN_WORDS = (("run", "run_id", "runid", "run_tag", "runtag", "run_name", "tag"), ("system",))
TEAM_WORDS = (
    ("team", "team_id", "team_name"),
    ("group", "group_id", "participant", "organisation"),
)
MEASURE_WORDS = (("measure", "metric"),)
VALUE_WORDS = (("value", "score"),)


def any_of(words: Sequence[Sequence[str]]) -> frozenset[str]:
    """Return all the words that may name a column."""
    return frozenset(word for group in words for word in group)


def header_word(cell: str) -> str:
    """Return a header cell as the word lists spell it."""
    return cell.strip().lower().replace(" ", "_").replace("-", "_")


def delimiter_of(header: str) -> str | None:
    """Return what separates the header's fields, or None.

    A tab wins over a comma, since no name may hold a tab; a semicolon counts only where
    neither is there.
    """
    bare = re.sub(r'"[^"]*"', "", header)
    return next((mark for text in (bare, header) for mark in "\t,;" if mark in text), None)


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
    header: Sequence[str], words: Sequence[Sequence[str]], file: str, line: int
) -> int | None:
    """Return the index of the column that one of the words names, or None.

    Raises
    ------
    BadFileError
        If two columns could be meant.
    """
    spelt = [header_word(cell) for cell in header]
    for group in words:
        found = [index for index, word in enumerate(spelt) if word in group]
        if len(found) > 1:
            one, two = header[found[0]].strip(), header[found[1]].strip()
            raise BadFileError(
                f"columns {one!r} and {two!r} could be meant for the same thing; "
                "remove or rename one",
                file,
                line,
                found[1] + 1,
            )
        if found:
            return found[0]
    return None
