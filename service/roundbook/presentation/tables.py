"""Columns of tables: which field of a row they show, and how its values are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class Column(NamedTuple):
    """A column of a table: the result's field, its heading, how to write a value.

    Where a table is too wide, columns that may stand `below` the rest of their row do so, then
    that with the highest `spare` is left out first; 0 stays.
    """

    field: str
    heading: str
    write: Callable[[Any], str] = str
    justify: str = "left"
    spare: int = 0
    below: bool = False

    def shown(self, row: object) -> str:
        """Return what the column shows of a row; a dash where that is unknown."""
        value = getattr(row, self.field)
        return "-" if value is None else self.write(value)


class Table(NamedTuple):
    """Rows with their columns, and a sentence that says what they are.

    Attributes
    ----------
    heading : str
        With ``{}`` for what `by` parts it by.
    by : Column, optional
        By whose values the table is parted where it is read; elsewhere it is the first column.
    most : int, optional
        How many rows of a part are read at once; all unless it is given.
    spaced : bool
        Whether these are rows at even steps, the first and the last among them, not the first ones.
    fields : sequence of str
        What CSV and data frames hold of a row, by default what the columns show.
    main : bool
        Whether CSV and data frames hold this table.
    """

    heading: str
    rows: Sequence[Any]
    columns: Sequence[Column]
    by: Column | None = None
    most: int | None = None
    spaced: bool = False
    fields: Sequence[str] = ()
    main: bool = False

    def held(self) -> list[str]:
        """Return the fields that CSV and data frames hold of a row."""
        named = self.fields or [column.field for column in self.columns]
        return [*([self.by.field] if self.by else []), *named]

    def parts(self, most: int | None = None) -> Iterator[tuple[Table, int]]:
        """Yield what is read as a table each, and how many rows it has in all.

        Parameters
        ----------
        most : int, optional
            In place of the table's own.
        """
        by = self.by
        values = (
            [None] if by is None else dict.fromkeys(getattr(row, by.field) for row in self.rows)
        )
        for value in values:
            rows = [row for row in self.rows if by is None or getattr(row, by.field) == value]
            of = "" if by is None else by.write(value)
            shown = rows if self.most is None else self._first(rows, most or self.most)
            yield self._replace(heading=self.heading.format(of), rows=shown, by=None), len(rows)

    def _first(self, rows: Sequence[Any], most: int) -> Sequence[Any]:
        if not self.spaced or len(rows) <= most:
            return rows[:most]
        gaps = max(1, -(-(len(rows) - 1) // max(most - 1, 1)))
        return [*rows[:-1:gaps], rows[-1]]


def number(field: str, heading: str, digits: int = 4, *, spare: int = 0) -> Column:
    """Return a right-aligned column of numbers with so many decimals."""
    return Column(field, heading, f"{{:.{digits}f}}".format, "right", spare)


def signed(field: str, heading: str, digits: int = 3, *, spare: int = 0) -> Column:
    """Return a right-aligned column of numbers with their signs."""
    return Column(field, heading, f"{{:+.{digits}f}}".format, "right", spare)


def count(field: str, heading: str, *, spare: int = 0) -> Column:
    """Return a right-aligned column of whole numbers."""
    return Column(field, heading, str, "right", spare)


def values_at(result: object, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return values of a result by names of their own; None where what would hold one is None.

    Parameters
    ----------
    paths : mapping
        Of each name, the field: ``variance``, or ``interval.low``.
    """
    values = {}
    for name, path in paths.items():
        value: Any = result
        for field in path.split("."):
            value = None if value is None else getattr(value, field)
        values[name] = value
    return values
