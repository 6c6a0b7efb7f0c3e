"""Numbers on pages, as the field's papers print them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from markupsafe import Markup, escape

from roundbook.logbook.variance_history import Interval
from roundbook.presentation.figures import short
from roundbook.presentation.tables import Column, Table


def decimals(value: float | None, digits: int = 4) -> str:
    """Return a number without its leading zero: ``.0531``; a dash where it is unknown."""
    return "–" if value is None else short(value, digits)


def span(interval: Interval | tuple[float, float] | None) -> str:
    """Return an interval as ``.0422 to .0688``; empty where there is none."""
    if interval is None:
        return ""
    low, high = interval if isinstance(interval, tuple) else (interval.low, interval.high)
    return f"{decimals(low)} to {'…' if high is None else decimals(high)}"


def day(moment: date | datetime | None) -> str:
    """Return a day as ``21 November 2026``; a dash where it is unknown."""
    return "–" if moment is None else f"{moment.day} {moment:%B %Y}"


def sparkline(values: list[float]) -> str:
    """Return the points of a line through two values or more, for an SVG polyline of 90 by 22."""
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    step = 90 / (len(values) - 1)
    return " ".join(
        f"{index * step:.1f},{20 - (value - low) / room * 18:.1f}"
        for index, value in enumerate(values)
    )


# An interval as tables write it, in a column that is not of numbers alone.
_RANGE = re.compile(r"[+-]?[\d.]+ to [+-]?[\d.]+")


def cell(row: object, column: Column) -> str:
    """Return the cell of a row in a column, with numbers as `decimals` writes them."""
    value = getattr(row, column.field)
    if value is None:
        return "–"
    if isinstance(value, datetime):
        return day(value)
    if isinstance(value, int) and column.write is str:
        return f"{value:,}"
    text = column.cell(row)
    is_range = _RANGE.fullmatch(text)
    if is_range and "%" in column.heading:
        return Markup('<span class="grey">{}</span>').format(sentence(text))
    return sentence(text) if is_range or column.justify == "right" else text


def filled(table: Table) -> list[Column]:
    """Return the columns of a table that have a value in any row."""
    return [
        column
        for column in table.columns
        if any(getattr(row, column.field) is not None for row in table.rows)
    ]


# A number below one in a sentence, but not a percentage nor part of a version. Quoted text is
# matched first, so that it stays as it is.
_BELOW_ONE = re.compile(r"(&#39;.*?&#39;)|(?<![^\s(\[±])([+-]?)0(\.(?=\d*[1-9])\d+)(?![\w.]*[\w%])")


def fields(text: str) -> Markup:
    """Return a sentence as HTML, with fields and commands that stand in backticks as code."""
    return Markup(re.sub(r"`([\w.]+|roundbook [^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def sentence(text: str) -> Markup:
    """Return a sentence as HTML, with its numbers written as in tables; see `fields`."""
    return Markup(_BELOW_ONE.sub(r"\1\2\3", str(fields(text))))  # noqa: S704


FILTERS: dict[str, Callable[..., Any]] = {
    "cell": cell,
    "filled": filled,
    "decimals": decimals,
    "span": span,
    "day": day,
    "sparkline": sparkline,
    "fields": fields,
    "sentence": sentence,
}
