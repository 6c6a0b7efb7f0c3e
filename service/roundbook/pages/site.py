"""The site: its pages, how a page is written, errors beside what caused them, logging in."""

import hashlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException

from roundbook.api.access import COOKIE, Caller, asking, find_caller, refuse_other_pages
from roundbook.api.problems import HttpError, for_caller, status_of
from roundbook.errors import NotRecordedError, RequestError, RoundbookError
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tokens import check_token
from roundbook.pages.numbers import FILTERS

_HERE = Path(__file__).parent
_MOST_FORM_BYTES = 100_000
# Charts are drawn into the page; the style sheet, the one script and what it reads come from here.
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';"
    " img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
_TEMPLATES = Environment(
    loader=FileSystemLoader(_HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.filters |= FILTERS
_TEMPLATES.globals["link"] = lambda path, **query: f"{path}?{urlencode(query, doseq=True)}"
_TEMPLATES.globals["software"] = SOFTWARE
# A later version's file is another one.
_STATIC = {
    path.name: f"/static/{path.name}?v={hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
    for path in (_HERE / "static").iterdir()
}
_TEMPLATES.globals["static"] = _STATIC.__getitem__


Who = Annotated[Caller, Depends(find_caller)]
Asking = Annotated[Session, Depends(asking)]
router = APIRouter()


def make_site(state: Any) -> FastAPI:  # noqa: ANN401
    """Return the site as an application of its own, to be mounted.

    Parameters
    ----------
    state
        Of the application it is mounted in: the record's engine, and how it is open.
    """
    from roundbook.pages import answers, charts, jobs, tasks, uploads

    site = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    site.state = state
    site.mount("/static", StaticFiles(directory=_HERE / "static"), name="static")
    for part in (router, *(room.router for room in (tasks, answers, jobs, charts, uploads))):
        site.include_router(part)
    for kind in (RoundbookError, RequestValidationError, HTTPException):
        site.exception_handler(kind)(_error_page)

    @site.middleware("http")
    async def add_policy(
        http: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await answer(http)
        response.headers["Content-Security-Policy"] = _POLICY
        # With none at all, browsers would not say that a form comes from these pages.
        response.headers["Referrer-Policy"] = "same-origin"
        return response

    return site


def page(http: Request, template: str, status: int = 200, **context: Any) -> HTMLResponse:  # noqa: ANN401
    """Return a page of a template."""
    caller = getattr(http.state, "caller", None)
    known = {"caller": caller, "here": http.url.path, "open_to_all": http.app.state.open}
    written = render(template, **(known | context))
    return HTMLResponse(written, status, {"Cache-Control": "private, no-cache"})


def render(template: str, **context: Any) -> str:  # noqa: ANN401
    """Return what a template makes of its facts, and of who asks, where, and of whom."""
    return _TEMPLATES.get_template(template).render(**context)


async def read_form(http: Request) -> dict[str, str]:
    """Return the fields of a form that was sent, the last of each.

    Raises
    ------
    HttpError
        413 for one that is far too long.
    """
    body = b""
    async for chunk in http.stream():
        body += chunk
        if len(body) > _MOST_FORM_BYTES:
            raise HttpError(413, "The form is too long.")
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=False)
    return {name: values[-1].strip() for name, values in read.items()}


def _error_page(http: Request, error: Exception) -> Response:
    if isinstance(error, RoundbookError):
        error = for_caller(http, error)
        status, sentence = status_of(error), str(error)
    elif isinstance(error, HTTPException):
        status, sentence = error.status_code, "There is no such page."
    else:
        fault = error.errors()[0]  # type: ignore[attr-defined]
        status, sentence = 422, f"{'.'.join(map(str, fault['loc'][1:]))}: {fault['msg']}."
    if status == 401 and http.method == "GET":
        query = urlencode({"then": f"{http.url.path}?{http.url.query}"})
        return RedirectResponse(f"/login?{query}", 303)
    return page(http, "error.html", status, sentence=sentence)


@router.get("/login")
def login_form(http: Request, then: str = "/") -> HTMLResponse:
    """Ask for a token."""
    return page(http, "login.html", then=then, refused=None)


@router.post("/login")
async def login(http: Request) -> Response:
    """Keep a token in a cookie that no script reads and no other site sends."""
    refuse_other_pages(http)
    form = await read_form(http)
    then = form.get("then", "/")
    if not then.startswith("/") or then.startswith("//") or "\\" in then:
        then = "/"  # never to another site
    address = http.client.host if http.client else ""
    http.app.state.failures.check(address)
    with begin(http.app.state.engine) as session:
        token = check_token(session, form.get("token", ""))
    if token is None:
        http.app.state.failures.note(address)
        return page(http, "login.html", 401, then=then, refused="The token is not valid.")
    response = RedirectResponse(then, 303)
    response.set_cookie(
        COOKIE,
        form["token"],
        httponly=True,
        samesite="strict",
        secure=http.url.scheme == "https",
    )
    return response


@router.post("/logout")
def logout(http: Request) -> Response:
    """Forget the token."""
    refuse_other_pages(http)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE)
    return response


class Refusal(NamedTuple):
    """Why a form was refused, and the field that it stands beside; empty for the form as a whole."""

    field: str
    sentence: str


def refusal(
    error: Exception,
    shown: Collection[str],
    fields: Mapping[type[Exception], str] | None = None,
) -> Refusal:
    """Return why a form was refused.

    Parameters
    ----------
    shown : collection of str
        The fields of the form; what is wrong with another stands beside the form as a whole.
    fields : mapping, optional
        By the class of an error that names no field of a request, the field that it is about.
    """
    sentence = str(error)
    if isinstance(error, RequestError):
        field = error.field.partition(".")[0]
        return Refusal(field if field in shown else "", sentence)
    of = (field for kind, field in (fields or {}).items() if isinstance(error, kind))
    return Refusal(next(of, ""), sentence)


def missing(sentence: str) -> NotRecordedError:
    """Return the error of a page about what is not there."""
    return NotRecordedError(sentence)
