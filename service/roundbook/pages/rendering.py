"""The rendering of pages: the templates, with the filters and globals of all of them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from roundbook.logbook.result import SOFTWARE
from roundbook.pages.number_format import FILTERS
from roundbook.pages.study_form import study_title

STATIC = Path(__file__).parent / "static"
# The hash makes browsers fetch a later version's file.
_ADDRESSES = {
    path.name: f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    for path in STATIC.iterdir()
}


def _given(query: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in query.items() if value is not None}


_TEMPLATES = Environment(
    loader=FileSystemLoader(STATIC.with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= FILTERS | {"study_title": study_title}
_TEMPLATES.globals |= {
    "link": lambda path, **query: f"{path}?{urlencode(_given(query), doseq=True)}",
    "software": SOFTWARE,
    "static": _ADDRESSES.__getitem__,
}


def page(http: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """Return the response with a page rendered from a template."""
    caller = getattr(http.state, "caller", None)
    known = {"caller": caller, "here": http.url.path, "open_to_all": http.app.state.open}
    written = render(template, **(known | context))
    return HTMLResponse(written, status, {"Cache-Control": "private, no-cache"})


def render(template: str, **context: object) -> str:
    """Return the HTML of a template; `context` has its facts, the caller and the address."""
    return _TEMPLATES.get_template(template).render(**context)
