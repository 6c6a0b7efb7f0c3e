"""Columns of tables: which field of a row they show, and how its values are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
