"""Columns of tables: which field of a row they show, and how its values are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

_Row = TypeVar("_Row")
_MOST_DIGITS = 15
_ROUNDING = 1e-14


class Column(NamedTuple):
    """A column of a table: the field of a row, its heading, and how its values are written.

    Where a table is too wide, columns marked `below` are written below the rest of their row. Then
    columns are left out, that with the highest `spare` first; columns with a `spare` of 0 stay. The
    `key` heads the terminal's CSV, where that is not the field's name.
    """

    field: str
    heading: str
    write: Callable[[Any], str] = str
    justify: str = "left"
    spare: int = 0
    below: bool = False
    key: str = ""

    def cell(self, row: object) -> str:
        """Return the cell of this column in a row as text; a dash where the value is None."""
        value = getattr(row, self.field)
        return "-" if value is None else self.write(value)


class Table(NamedTuple):
    """A table: its heading, its rows and its columns.

    Attributes
    ----------
    heading : str
        The sentence above the table, with ``{}`` for the value of `by`.
    by : Column, optional
        The column by whose values the table is split into parts to be read; in CSV and data frames
        it is the first column.
    most : int, optional
        How many rows of a part are shown; all by default.
    spaced : bool
        Whether the rows shown are evenly spaced, from the first to the last, not the first ones.
    fields : sequence of str
        The fields that CSV and data frames hold; by default those of the columns.
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

    def field_names(self) -> list[str]:
        """Return the fields of a row in CSV and data frames."""
        named = self.fields or [column.field for column in self.columns]
        return [*([self.by.field] if self.by else []), *named]

    def parts(self, most: int | None = None) -> Iterator[tuple[Table, int]]:
        """Yield the parts of the table as tables to be read, each with the number of all its rows.

        `most` is how many rows of a part are shown, in place of the table's own number.
        """
        by = self.by
        values = (
            [None] if by is None else dict.fromkeys(getattr(row, by.field) for row in self.rows)
        )
        for value in values:
            rows = [row for row in self.rows if by is None or getattr(row, by.field) == value]
            heading = self.heading.format("" if by is None else by.write(value))
            first = rows
            if self.most is not None:
                limit = most or self.most
                first = thinned(rows, limit) if self.spaced else rows[:limit]
            yield self._replace(heading=heading, rows=first, by=None), len(rows)


def fixed(value: float, digits: int) -> str:
    """Return a number with `digits` decimals, or with 2 digits in all where these would show 0.

    What is within 1e-14 of 0 is rounding, and is 0.
    """
    lost = abs(value) > _ROUNDING and round(value, digits) == 0
    return f"{value:.2g}" if lost else f"{value:.{digits}f}"


def decimals_beside(value: float, limits: Iterable[float], digits: int) -> int:
    """Return how many decimals, `digits` or more, keep a number on its side of limits when rounded.

    So 0.0494 is below the limit 0.05 with three decimals, and 0.0496 takes four.
    """
    return next(
        (
            more
            for more in range(digits, _MOST_DIGITS)
            if all(
                (round(value, more) < limit, round(value, more) > limit)
                == (value < limit, value > limit)
                for limit in limits
            )
        ),
        _MOST_DIGITS,
    )


def fixed_beside(value: float, limits: Iterable[float], digits: int) -> str:
    """Return a number with as many decimals as `decimals_beside` says."""
    return f"{value:.{decimals_beside(value, limits, digits)}f}"


def thinned(rows: Sequence[_Row], most: int) -> list[_Row]:
    """Return at most `most` evenly spaced rows, the first and the last among them."""
    if len(rows) <= most:
        return list(rows)
    return [rows[round(step * (len(rows) - 1) / max(most - 1, 1))] for step in range(most)]


def number(field: str, heading: str, digits: int = 4, *, spare: int = 0) -> Column:
    """Return a right-aligned column of numbers with `digits` decimals."""
    return Column(field, heading, f"{{:.{digits}f}}".format, "right", spare)


def variance_column(field: str, heading: str, *, spare: int = 0) -> Column:
    """Return a right-aligned column of variances with 5 decimals, as `fixed` writes them."""
    return Column(field, heading, partial(fixed, digits=5), "right", spare)


def signed(field: str, heading: str, digits: int = 3) -> Column:
    """Return a right-aligned column of numbers with their signs and `digits` decimals."""
    return Column(field, heading, f"{{:+z.{digits}f}}".format, "right")


def count(field: str, heading: str, *, spare: int = 0) -> Column:
    """Return a right-aligned column of whole numbers."""
    return Column(field, heading, str, "right", spare)


def interval_text(limits: tuple[float, float]) -> str:
    """Return the limits of an interval as text, with three decimals."""
    low, high = limits
    return f"[{low:.3f}, {high:.3f}]"


def values_at(result: object, paths: Mapping[str, str]) -> dict[str, Any]:
    """Return values of a result by name, each given as a path of fields such as ``interval.low``.

    They are None where an object on the path is None.
    """
    values = {}
    for name, path in paths.items():
        value: Any = result
        for field in path.split("."):
            value = None if value is None else getattr(value, field)
        values[name] = value
    return values
