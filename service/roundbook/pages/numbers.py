"""Numbers on pages, as the field's papers print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from markupsafe import Markup, escape

from roundbook.presentation.figures import short


def decimals(value: float | None, digits: int = 4) -> str:
    """Return a number without its leading zero: ``.0531``; a dash where it is unknown."""
    return "–" if value is None else short(value, digits)


def span(interval: Any, digits: int = 4) -> str:  # noqa: ANN401
    """Return an interval as ``.0422 to .0688``; nothing where there is none."""
    if interval is None:
        return ""
    low, high = (
        (interval.low, interval.high) if hasattr(interval, "low") else (interval[0], interval[1])
    )
    return f"{decimals(low, digits)} to {'…' if high is None else decimals(high, digits)}"


def day(moment: date | datetime | None) -> str:
    """Return a day as ``21 November 2026``."""
    return "–" if moment is None else f"{moment.day} {moment:%B %Y}"


def sparkline(values: list[float], width: int = 90, height: int = 22) -> str:
    """Return the points of a small line through values, for an SVG polyline."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    steps = width / (len(values) - 1)
    return " ".join(
        f"{index * steps:.1f},{height - 2 - (value - low) / room * (height - 4):.1f}"
        for index, value in enumerate(values)
    )


def number(value: Any) -> str:  # noqa: ANN401
    """Return a value of a table: a whole number as it is, another one as `decimals` has it."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return decimals(value, 4 if value % 1 else 0)


def plain_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows without what has parts of its own, and without what is known of none of them."""
    kept = [
        name
        for name in (rows[0] if rows else ())
        if not any(isinstance(row[name], (list, tuple, dict)) for row in rows)
        and any(row[name] is not None for row in rows)
    ]
    kept.sort(key=lambda name: not isinstance(rows[0][name], str))  # what names a row comes first
    return [{name: row[name] for name in kept} for row in rows]


# A number below one as sentences have it, but none of a version, and what is quoted before it.
_BELOW_ONE = re.compile(r"(&#39;.*?&#39;)|(?<![^\s(\[±])([+-]?)0(\.(?=\d*[1-9])\d+)(?![\w.]*[\w])")


def fields(said: str) -> Markup:
    """Return a sentence with the fields that it names in backticks set apart."""
    return Markup(re.sub(r"`([\w.]+)`", r"<code>\1</code>", str(escape(said))))  # noqa: S704


def sentence(said: str) -> Markup:
    """Return a sentence of an answer, its numbers as in tables; see `fields`."""
    return Markup(_BELOW_ONE.sub(r"\1\2\3", str(fields(said))))  # noqa: S704


FILTERS: dict[str, Callable[..., str]] = {
    "decimals": decimals,
    "number": number,
    "span": span,
    "day": day,
    "sparkline": sparkline,
    "fields": fields,
    "sentence": sentence,
}
