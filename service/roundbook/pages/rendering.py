"""The rendering of pages: the templates, with the filters and globals of all of them."""

from __future__ import annotations

import hashlib
import shlex
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from pathlib import Path
from textwrap import shorten
from urllib.parse import urlencode, urlsplit

from fastapi import Request
from fastapi.responses import HTMLResponse, RedirectResponse
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

# A form's answer is another page; a cookie brings the sentences on what was done there. Browsers
# keep 4096 bytes of one, and a third of that is lost as text.
_SAID, _MOST_SAID, _LONGEST, _SECONDS = "roundbook_said", 2_800, 600, 60


def _given(query: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in query.items() if value is not None}


_TEMPLATES = Environment(
    loader=FileSystemLoader(STATIC.with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= FILTERS | {"study_title": study_title, "shell": shlex.quote}
_TEMPLATES.globals |= {
    "link": lambda path, **query: f"{path}?{urlencode(_given(query), doseq=True)}",
    "software": SOFTWARE,
    "static": _ADDRESSES.__getitem__,
}


def page(http: Request, template: str, status: int = 200, **context: object) -> HTMLResponse:
    """Return the response with a page rendered from a template."""
    caller = getattr(http.state, "caller", None)
    known = {"caller": caller, "here": http.url.path, "open_to_all": http.app.state.open}
    if said := _said(http):
        known |= {"said": said, "of_page": template}
        template = "said.html"
    written = render(template, **(known | context))
    response = HTMLResponse(written, status, {"Cache-Control": "private, no-cache"})
    if said:
        response.delete_cookie(_SAID, path=http.url.path)
    return response


def redirect(address: str, said: Sequence[str] = ()) -> RedirectResponse:
    """Return the response that leads from a form to a page, which says what was done, once."""
    response = RedirectResponse(address, 303)
    kept = [shorten(sentence, _LONGEST, placeholder=" ...") for sentence in said]
    while len("\n".join(kept).encode()) > _MOST_SAID:
        kept.pop()
    if len(kept) < len(said):
        kept.append(f"And {len(said) - len(kept)} more.")
    if kept:
        value = urlsafe_b64encode("\n".join(kept).encode()).decode()
        # For the page that it leads to alone.
        where = urlsplit(address).path
        response.set_cookie(
            _SAID, value, max_age=_SECONDS, path=where, httponly=True, samesite="strict"
        )
    return response


def _said(http: Request) -> list[str]:
    """Return the sentences on what was done just before, of a cookie that whoever asks may change."""
    try:
        said = urlsafe_b64decode(http.cookies.get(_SAID, "")).decode("utf-8", "replace")
    except ValueError:
        return []
    return said.splitlines()


def render(template: str, **context: object) -> str:
    """Return the HTML of a template; `context` has its facts, the caller and the address."""
    return _TEMPLATES.get_template(template).render(**context)
