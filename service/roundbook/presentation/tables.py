"""Columns of tables: which field of a row they show, and how its values are written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Column(NamedTuple):
    """A column of a table: the result's field, its heading, how to write a value."""

    field: str
    heading: str
    write: Callable[[Any], str] = str
    justify: str = "left"


def number(field: str, heading: str, digits: int = 4) -> Column:
    """Return a right-aligned column of numbers with so many decimals."""
    return Column(field, heading, lambda value: f"{value:.{digits}f}", "right")


def signed(field: str, heading: str, digits: int = 3) -> Column:
    """Return a right-aligned column of numbers with their signs."""
    return Column(field, heading, lambda value: f"{value:+.{digits}f}", "right")


def count(field: str, heading: str) -> Column:
    """Return a right-aligned column of whole numbers."""
    return Column(field, heading, str, "right")
