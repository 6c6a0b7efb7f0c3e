"""Tables: a header over columns of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from operator import methodcaller

import numpy as np
import numpy.typing as npt

from roundbook.csv_names import unmarked
from roundbook.errors import BadFileError
from roundbook.formats.matrix import HiddenCells
from roundbook.formats.table import (
    MAX_NUMBER,
    delimiter_of,
    header_keys,
    numbers,
    split_fields,
)
from roundbook.formats.text import SourceText
from roundbook.limits import LARGEST_SCORE

_Numbers = npt.NDArray[np.float64]


class Table:
    """A table whose cells are known, as text.

    Attributes
    ----------
    file : str
    header : list of str
    header_line : int
    hidden : HiddenCells or None
        Of a workbook, what is hidden of it.
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
        self.header = header
        self.header_line = header_line
        self._lines = lines
        self._columns = columns
        self._marks: set[str] = set()  # what parts whole numbers from decimals so far

    @cached_property
    def keys(self) -> list[str]:
        """The header as the lists of headers spell it."""
        return header_keys(self.header)

    def line_numbers(self) -> Sequence[int]:
        """Return of each row below the header its line, or its number, in the file."""
        return self._lines

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column, counted from 0, as text."""
        return self._columns[column]

    def numbers(self, column: int, rows: Sequence[int]) -> _Numbers:
        """Return a column's cells in some rows, both counted from 0, as scores.

        Raises
        ------
        BadFileError
            If one is no score; an empty cell is NaN, a missing score.
        """
        cells, lines = self._cells(column), self.line_numbers()
        if len(rows) < len(cells):
            cells = [cells[row] for row in rows]
        values = numbers(cells, self.file, lambda at: (lines[rows[at]], column + 1))
        self._marks |= {mark for mark in ",." if any(mark in cell for cell in cells)}
        if len(self._marks) > 1:
            raise BadFileError(
                "some columns of scores are written with decimal commas and others with decimal"
                " points; write all of them with points",
                self.file,
                None,
                column + 1,
            )
        return values

    def _cells(self, column: int) -> list[str]:
        return self._columns[column]

    def scores(self) -> _Numbers:
        """Return all columns but the first as scores, (rows, columns - 1)."""
        rows = range(len(self.line_numbers()))
        columns = [self.numbers(column, rows) for column in range(1, len(self.header))]
        return np.column_stack(columns) if columns else np.empty((len(rows), 0))


class TextTable(Table):
    """A table in CSV or the like: a row a line, cells parted by commas, tabs or semicolons."""

    def __init__(self, source: SourceText) -> None:
        line, text = source.first_rows[0]
        self._source = source
        self.delimiter = delimiter_of(source)
        cells = [text]
        if self.delimiter is not None:
            cells = split_fields(text, self.delimiter, source.file, line)
        super().__init__(source.file, self._names(cells), line)

    def _names(self, cells: list[str]) -> list[str]:
        return [*map(unmarked, cells)] if "'" in self._source.text else cells

    @cached_property
    def _rows(self) -> tuple[Sequence[int], list[str]]:
        """The lines of the rows, and their text."""
        if self.delimiter is None:
            raise BadFileError(
                "the header has one field only; separate the columns by commas, tabs or semicolons",
                self.file,
                self.header_line,
            )
        texts = self._source.text.split("\n")[self.header_line :]
        if texts and not texts[-1]:
            texts.pop()
        numbers: Sequence[int] = range(self.header_line + 1, self.header_line + 1 + len(texts))
        if not self._are_even(len(texts)) and not all(map(str.strip, texts)):
            rows = [row for row in zip(numbers, texts, strict=True) if row[1].strip()]
            numbers, texts = [number for number, _ in rows], [text for _, text in rows]
        if not texts:
            raise BadFileError(
                "there is a header and nothing below it", self.file, self.header_line
            )
        return numbers, texts

    def _are_even(self, rows: int) -> bool:
        """Return whether no cell is quoted, and there are as many as the header asks for."""
        assert self.delimiter is not None
        text, width = self._source.text, len(self.header)
        return '"' not in text and text.count(self.delimiter) == (width - 1) * (rows + 1)

    @cached_property
    def _is_plain(self) -> bool:
        return self._are_even(len(self._rows[1]))

    @cached_property
    def cells(self) -> list[str]:
        """All cells below the header, row by row.

        Raises
        ------
        BadFileError
            If a row has more or fewer fields than the header.
        """
        assert self.delimiter is not None
        numbers, texts = self._rows
        width = len(self.header)
        if self._is_plain and {*map(methodcaller("count", self.delimiter), texts)} == {width - 1}:
            return self.delimiter.join(texts).split(self.delimiter)
        cells: list[str] = []
        for number, text in zip(numbers, texts, strict=True):
            fields = split_fields(text, self.delimiter, self.file, number)
            if len(fields) != width:
                reason = f"expected {width} fields as in the header, found {len(fields)}"
                if self.delimiter == "," and len(fields) == 2 * width - 1:
                    reason += "; where scores have decimal commas, separate columns by semicolons"
                raise BadFileError(
                    reason,
                    self.file,
                    number,
                    min(len(fields), width) + (len(fields) > width),
                )
            cells += fields
        return cells

    def line_numbers(self) -> Sequence[int]:
        """Return the line of each row."""
        return self._rows[0]

    def texts(self, column: int) -> list[str]:
        """Return the cells of a column."""
        if column == 0 and self._is_plain and "cells" not in self.__dict__:
            return self._names([text.split(self.delimiter, 1)[0] for text in self._rows[1]])
        return self._names(self._cells(column))

    def _cells(self, column: int) -> list[str]:
        return self.cells[column :: len(self.header)]

    def scores(self) -> _Numbers:
        """Return all columns but the first as scores."""
        values = self._quick_scores() if self._is_plain else None
        if values is None:
            lines, width = self.line_numbers(), len(self.header) - 1
            cells = list(self.cells)
            del cells[:: width + 1]
            values = numbers(
                cells, self.file, lambda at: (lines[at // width], at % width + 2)
            ).reshape(-1, width)
        return values

    def _quick_scores(self) -> _Numbers | None:
        """Return what `scores` does, or None if any cell or row needs a closer look."""
        _, texts = self._rows
        assert self.delimiter is not None
        if max(map(len, texts)) > MAX_NUMBER and any(
            _has_long(text, self.delimiter) for text in texts
        ):
            return None
        try:
            # It takes the numbers that `numbers` takes, and nan and infinity besides.
            values = np.loadtxt(
                texts,
                delimiter=self.delimiter,
                usecols=range(1, len(self.header)),
                comments=None,
                ndmin=2,
            )
        except ValueError:
            return None
        # It leaves out empty lines; the comparison is also false for NaN.
        fit = len(values) == len(texts) and np.abs(values).max() <= LARGEST_SCORE
        return values if fit else None


def _has_long(text: str, delimiter: str) -> bool:
    """Tell whether a cell of a line is longer than any number that is read."""
    marks = np.flatnonzero(np.frombuffer(text.encode(), np.uint8) == ord(delimiter))
    return bool(np.diff(marks, prepend=-1, append=len(text)).max() > MAX_NUMBER)


def table_rows(source: SourceText | Table) -> Iterator[tuple[int, list[str]]]:
    """Yield the line number and the fields of the header, then of every row.

    Raises
    ------
    BadFileError
        If there is no delimiter, a row has more or fewer fields than the header, or there
        is nothing below the header.
    """
    table = TextTable(source) if isinstance(source, SourceText) else source
    yield table.header_line, table.header
    columns = [table.texts(column) for column in range(len(table.header))]
    for line, *fields in zip(table.line_numbers(), *columns, strict=True):
        yield line, fields
