"""The rendering of pages: the templates, and numbers in them as the field's papers print them."""

from __future__ import annotations

import hashlib
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from textwrap import shorten
from typing import get_args
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.variance_history import Interval
from roundbook.pages.study_form import study_title
from roundbook.presentation.figures import short
from roundbook.presentation.phrases import verdict_words
from roundbook.presentation.tables import Column, Table
from roundbook.presentation.terminal import command
from roundbook.requests.fields import Missing, VarianceScale

STATIC = Path(__file__).parent / "static"
# The hash makes browsers fetch a later version's file.
_ADDRESSES = {
    path.name: f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    for path in STATIC.iterdir()
}

# The page that a form leads to prints what was done, from sentences in a cookie. Browsers keep 4096
# bytes of a cookie, and base64 makes the sentences a third longer.
_COOKIE, _MOST_BYTES, _LONGEST_SENTENCE, _SECONDS = "roundbook_said", 2_800, 600, 60


def link(path: str, /, **query: object) -> str:
    """Return the address of a page with its fields; those that are None are left out."""
    fields = {name: value for name, value in query.items() if value is not None}
    return f"{path}?{urlencode(fields, doseq=True)}"


def page(http: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """Return the response with a page rendered from a template."""
    caller = getattr(http.state, "caller", None)
    common = {"caller": caller, "here": http.url.path, "open_to_all": http.app.state.open}
    if outcome := _outcome(http):
        common |= {"outcome": outcome, "of_page": template}
        template = "outcome.html"
    written = render(template, **(common | context))
    response = HTMLResponse(written, status, {"Cache-Control": "private, no-cache"})
    if outcome:
        response.delete_cookie(_COOKIE, path=http.url.path)
    return response


def redirect(address: str, sentences: Sequence[str]) -> RedirectResponse:
    """Return the response that leads from a form to a page, with sentences for it to print once."""
    response = RedirectResponse(address, 303)
    lines = [shorten(sentence, _LONGEST_SENTENCE, placeholder=" ...") for sentence in sentences]
    while len("\n".join(lines).encode()) > _MOST_BYTES:
        lines.pop()
    if len(lines) < len(sentences):
        lines.append(f"And {len(sentences) - len(lines)} more.")
    if lines:
        value = urlsafe_b64encode("\n".join(lines).encode()).decode()
        # Browsers send it to the page that it leads to alone.
        path = urlsplit(address).path
        response.set_cookie(
            _COOKIE, value, max_age=_SECONDS, path=path, httponly=True, samesite="strict"
        )
    return response


def _outcome(http: Request) -> list[str]:
    """Return the sentences in the cookie; the client may have changed it."""
    try:
        sentences = urlsafe_b64decode(http.cookies.get(_COOKIE, "")).decode("utf-8", "replace")
    except ValueError:
        return []
    return sentences.splitlines()


def render(template: str, **context: object) -> str:
    """Return the HTML of a template; `context` has its facts, the caller and the address."""
    return _TEMPLATES.get_template(template).render(**context)


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
# matched first, so that it stays as it is; an apostrophe within or behind a word begins none.
_BELOW_ONE = re.compile(
    r"((?<!\w)&#39;.*?&#39;(?!\w))|(?<![^\s(\[±])([+-]?)0(\.(?=\d*[1-9])\d+)(?![\w.]*[\w%])"
)


def fields(text: str) -> Markup:
    """Return a sentence as HTML, with fields and commands that stand in backticks as code."""
    return Markup(re.sub(r"`([\w.]+|roundbook [^`]+)`", r"<code>\1</code>", str(escape(text))))  # noqa: S704


def sentence(text: str) -> Markup:
    """Return a sentence as HTML, with its numbers written as in tables; see `fields`."""
    return Markup(_BELOW_ONE.sub(r"\1\2\3", str(fields(text))))  # noqa: S704


_TEMPLATES = Environment(
    loader=FileSystemLoader(STATIC.with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= {
    "cell": cell,
    "filled": filled,
    "decimals": decimals,
    "span": span,
    "day": day,
    "sparkline": sparkline,
    "fields": fields,
    "sentence": sentence,
    "study_title": study_title,
    "verdict_words": verdict_words,
}
_TEMPLATES.globals |= {
    "command": command,
    "link": link,
    "software": SOFTWARE,
    "static": _ADDRESSES.__getitem__,
    "variance_scales": get_args(VarianceScale),
    "missing_policies": get_args(Missing),
}
