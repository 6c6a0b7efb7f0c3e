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
from roundbook.presentation.phrases import verdict_words

STATIC = Path(__file__).parent / "static"
# The hash makes browsers fetch a later version's file.
_ADDRESSES = {
    path.name: f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    for path in STATIC.iterdir()
}

# The page that a form leads to prints what was done, from sentences in a cookie. Browsers keep 4096
# bytes of a cookie, and base64 makes the sentences a third longer.
_COOKIE, _MOST_BYTES, _LONGEST_SENTENCE, _SECONDS = "roundbook_said", 2_800, 600, 60


def _without_none(query: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in query.items() if value is not None}


_TEMPLATES = Environment(
    loader=FileSystemLoader(STATIC.with_name("templates")),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= FILTERS | {
    "study_title": study_title,
    "shell": shlex.quote,
    "verdict_words": verdict_words,
}
_TEMPLATES.globals |= {
    "link": lambda path, **query: f"{path}?{urlencode(_without_none(query), doseq=True)}",
    "software": SOFTWARE,
    "static": _ADDRESSES.__getitem__,
}


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


def redirect(address: str, sentences: Sequence[str] = ()) -> RedirectResponse:
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
