"""Tables: a header over columns of cells."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import methodcaller
from typing import NamedTuple

import numpy as np

from roundbook.csv_names import unmarked
from roundbook.errors import BadFileError
from roundbook.formats.matrix import HiddenCells
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    MAX_NUMBER,
    Scores,
    has_decimal_comma,
    header_key,
    numbers,
)
from roundbook.formats.text import SourceText
from roundbook.limits import LARGEST_SCORE

# The other columns of a table whose run column is called name.
_PYTERRIER = (ANY_TOPIC_HEADER, frozenset({"measure"}), ANY_VALUE_HEADER)


class Table:
    """A table in memory, its cells as text.

    Attributes
    ----------
    hidden : HiddenCells or None
        Hidden parts of a workbook.
    """

    hidden: HiddenCells | None = None

    def __init__(
        self,
        file: str,
        header: list[str],
        header_line: int,
        lines: Sequence[int] = (),
        columns: Sequence[list[str]] = (),
    ) -> None:
        self.file = file
        self._header = header
        self.header_line = header_line
        self._lines = lines
        self._columns = columns
        self._marks: set[str] = set()  # the decimal marks of the columns read so far

    @cached_property
    def header(self) -> list[str]:
        """The cells of the header."""
        return self._header

    @cached_property
    def keys(self) -> list[str]:
        """The header cells in the form in which headers are compared."""
        # Joined for speed; no cell of a text table holds a line feed.
        joined = "\n".join(map(str.strip, self.header)).lower().replace(" ", "_").replace("-", "_")
        keys = joined.split("\n")
        return keys if len(keys) == len(self.header) else [*map(header_key, self.header)]

    @cached_property
    def is_pyterrier(self) -> bool:
        """Whether it has PyTerrier's columns of scores by topic: name, qid, measure, value."""
        keys = self.keys
        return "name" in keys and not any(headings.isdisjoint(keys) for headings in _PYTERRIER)

    def named_column(self, names: Sequence[Sequence[str]]) -> int | None:
        """Return the index of the column with one of these headings, or None; refuse two."""
        for group in names:
            columns = [index for index, key in enumerate(self.keys) if key in group]
            if len(columns) > 1:
                first, second = (self.header[index].strip() for index in columns[:2])
                reason = (
                    f"columns {first!r} and {second!r} could be meant for the same thing; "
                    "remove or rename one"
                )
                raise BadFileError(reason, self.file, self.header_line, columns[1] + 1)
            if columns:
                return columns[0]
        return None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line (or row number) and the cells of each row below the header."""
        columns = [self.texts(column) for column in range(len(self.header))]
        for line, *cells in zip(self.line_numbers(), *columns, strict=True):
            yield line, cells

    def line_numbers(self) -> Sequence[int]:
        """Return the line (or row number) of each row below the header."""
        return self._lines

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column, counted from 0, as text."""
        return self._cells(column)

    def _cells(self, column: int) -> list[str]:
        return self._columns[column]

    def numbers(self, column: int, rows: Sequence[int]) -> Scores:
        """Return the cells of a column, in some rows, as scores; NaN where empty.

        Columns and rows are counted from 0.
        """
        cells, lines = self._cells(column), self.line_numbers()
        if len(rows) < len(cells):
            cells = [cells[row] for row in rows]
        values = numbers(cells, self.file, lambda at: (lines[rows[at]], column + 1))
        self._marks |= {mark for mark in ",." if any(mark in cell for cell in cells)}
        if len(self._marks) > 1:
            reason = (
                "some columns of scores are written with decimal commas and others with decimal"
                " points; write all of them with points"
            )
            raise BadFileError(reason, self.file, None, column + 1)
        return values

    def scores(self) -> Scores:
        """Return all columns after the first as scores, (rows, columns - 1)."""
        rows = range(len(self.line_numbers()))
        columns = [self.numbers(column, rows) for column in range(1, len(self.header))]
        return np.column_stack(columns) if columns else np.empty((len(rows), 0))


class _Rows(NamedTuple):
    """The rows of a text table: their line numbers and their text.

    `plain` is whether no cell is quoted and every row has as many cells as the header.
    """

    lines: Sequence[int]
    texts: list[str]
    delimiter: str
    plain: bool


class TextTable(Table):
    """A text, as a CSV-like table: one row a line, cells between commas, tabs or semicolons.

    It is split when it is first asked for cells: a tool's output is no table.
    """

    def __init__(self, source: SourceText) -> None:
        super().__init__(source.file, [], source.first_rows[0][0])
        self.source = source

    @cached_property
    def _delimiter(self) -> str | None:
        """The delimiter, or None.

        A tab is preferred, since no name may hold a tab. Of comma and semicolon it is the one that
        splits the first row into as many fields as the header; if both do, the one with a known
        heading over the first column.
        """
        line, header = self.source.first_rows[0]
        bare = [re.sub(r'"[^"]*"', "", text) for _, text in self.source.first_rows]
        marks = [mark for mark in "\t,;" if mark in bare[0]]
        # A row below the header: a name, then scores with decimal commas.
        scores = bare[-1].split(";")[1:]
        if (
            marks == [","]
            and len(scores) == bare[0].count(",")
            and all(map(has_decimal_comma, scores))
        ):
            raise BadFileError(
                "the header has commas between its columns and the rows below it have semicolons;"
                " separate all by one of them",
                self.file,
                line,
            )
        if marks != [",", ";"]:
            return next((mark for mark in marks or "\t,;" if mark in header), None)
        fitting = [mark for mark in marks if len({text.count(mark) for text in bare}) == 1]
        if len(fitting) == 2:
            known_headings = ANY_TOPIC_HEADER | ANY_RUN_HEADER
            heading = {mark: header_key(header.partition(mark)[0].strip('"')) for mark in marks}
            fitting = [mark for mark in marks if heading[mark] in known_headings] or fitting
        if len(fitting) == 2:
            raise BadFileError(
                "the columns may be separated by commas or by semicolons; put names that hold one in"
                " double quotes",
                self.file,
                line,
            )
        return fitting[0] if fitting else ","

    @cached_property
    def header(self) -> list[str]:
        """The cells of the header."""
        line, text = self.source.first_rows[0]
        cells = [text]
        if self._delimiter is not None:
            cells = _split_fields(text, self._delimiter, self.file, line)
        return [*map(unmarked, cells)] if "'" in text else cells

    @cached_property
    def _rows(self) -> _Rows:
        if self._delimiter is None:
            raise BadFileError(
                "the header has one field only; separate the columns by commas, tabs or semicolons",
                self.file,
                self.header_line,
            )
        texts = self.source.text.split("\n")[self.header_line :]
        if texts and not texts[-1]:
            texts.pop()
        lines: Sequence[int] = range(self.header_line + 1, self.header_line + 1 + len(texts))
        delimiters = -1 if '"' in self.source.text else self.source.text.count(self._delimiter)
        per_row = len(self.header) - 1
        if delimiters != per_row * (len(texts) + 1) and not all(map(str.strip, texts)):
            rows = [row for row in zip(lines, texts, strict=True) if row[1].strip()]
            lines, texts = [line for line, _ in rows], [text for _, text in rows]
        if not texts:
            raise BadFileError(
                "there is a header and nothing below it", self.file, self.header_line
            )
        return _Rows(lines, texts, self._delimiter, delimiters == per_row * (len(texts) + 1))

    @cached_property
    def cells(self) -> list[str]:
        """All cells below the header, row by row; a row of another width is refused."""
        lines, texts, delimiter, plain = self._rows
        width = len(self.header)
        if plain and {*map(methodcaller("count", delimiter), texts)} == {width - 1}:
            return delimiter.join(texts).split(delimiter)
        cells: list[str] = []
        for line, text in zip(lines, texts, strict=True):
            fields = _split_fields(text, delimiter, self.file, line)
            if len(fields) != width:
                reason = f"expected {width} fields as in the header, found {len(fields)}"
                # Each score but whole ones, such as 0 and 1, is then two fields without a point.
                about_twice = 1.5 * width < len(fields) < 2 * width
                if delimiter == "," and about_twice and "." not in "".join(fields[1:]):
                    reason += "; where scores have decimal commas, separate columns by semicolons"
                column = min(len(fields), width) + (len(fields) > width)
                raise BadFileError(reason, self.file, line, column)
            cells += fields
        return cells

    def line_numbers(self) -> Sequence[int]:
        """Return the line of each row."""
        return self._rows.lines

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column."""
        _, texts, delimiter, plain = self._rows
        if column == 0 and plain and "cells" not in self.__dict__:
            cells = [text.partition(delimiter)[0] for text in texts]
        else:
            cells = self._cells(column)
        return [*map(unmarked, cells)] if "'" in self.source.text else cells

    def _cells(self, column: int) -> list[str]:
        return self.cells[column :: len(self.header)]

    def scores(self) -> Scores:
        """Return all columns after the first as scores."""
        values = self._quick_scores() if self._rows.plain else None
        if values is None:
            lines, width = self.line_numbers(), len(self.header) - 1
            cells = list(self.cells)
            del cells[:: width + 1]
            values = numbers(
                cells, self.file, lambda at: (lines[at // width], at % width + 2)
            ).reshape(-1, width)
        return values

    def _quick_scores(self) -> Scores | None:
        """Return `scores` by a fast parser, or None if a cell or row needs the full one."""
        _, texts, delimiter, _ = self._rows
        for text in texts if max(map(len, texts)) > MAX_NUMBER else ():
            marks = np.flatnonzero(np.frombuffer(text.encode(), np.uint8) == ord(delimiter))
            if np.diff(marks, prepend=-1, append=len(text)).max() > MAX_NUMBER:
                return None
        try:
            # It accepts what `numbers` accepts, and nan and infinity as well.
            columns = range(1, len(self.header))
            values = np.loadtxt(texts, delimiter=delimiter, usecols=columns, comments=None, ndmin=2)
        except ValueError:
            return None
        # It skips empty lines, so rows are counted; the comparison is also false for NaN.
        fit = len(values) == len(texts) and np.abs(values).max() <= LARGEST_SCORE
        return values if fit else None


def _split_fields(text: str, delimiter: str, file: str, line: int) -> list[str]:
    """Return the fields of one line, without their quotes."""
    if '"' not in text:
        return text.split(delimiter)
    try:
        return next(csv.reader([text], delimiter=delimiter, strict=True, skipinitialspace=True))
    except csv.Error as error:
        column = _open_quote(text, delimiter)
        if "field larger" in str(error):
            raise BadFileError("a quoted field is far too long", file, line, column) from None
        reason = (
            "a double quote is not closed on its line, or text follows the closing one; "
            "double the quotes inside a name"
        )
        raise BadFileError(reason, file, line, column) from None


def _open_quote(text: str, delimiter: str) -> int:
    column, inside = 1, False
    for mark in text:
        if mark == '"':
            inside = not inside
            start = column
        elif mark == delimiter and not inside:
            column += 1
    return start if inside else 1
