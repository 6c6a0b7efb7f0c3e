"""Numbers on pages, as the field's papers print them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

from markupsafe import Markup, escape


def decimals(value: float | None, digits: int = 4) -> str:
    """Return a number without its leading zero: ``.0531``; a dash where it is unknown."""
    if value is None:
        return "–"
    written = f"{value:.{digits}f}"
    return written.replace("0.", ".", 1) if written.lstrip("-").startswith("0.") else written


def span(interval: Any, digits: int = 4) -> str:  # noqa: ANN401
    """Return an interval as ``.0422 to .0688``; nothing where there is none."""
    if interval is None:
        return ""
    low, high = (
        (interval.low, interval.high) if hasattr(interval, "low") else (interval[0], interval[1])
    )
    return f"{decimals(low, digits)} to {'…' if high is None else decimals(high, digits)}"


def percent(share: float | None) -> str:
    """Return a share as a percentage."""
    return "–" if share is None else f"{100 * share:.1f}%"


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


def fields(sentence: str) -> Markup:
    """Return a sentence with the fields that it names in backticks set apart."""
    return Markup(re.sub(r"`(\w+)`", r"<code>\1</code>", str(escape(sentence))))  # noqa: S704


FILTERS: dict[str, Callable[..., str]] = {
    "decimals": decimals,
    "span": span,
    "percent": percent,
    "day": day,
    "sparkline": sparkline,
    "fields": fields,
}
