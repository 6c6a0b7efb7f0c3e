"""The site: its pages, how a page is written, errors beside what caused them, logging in."""

import asyncio
import hashlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from roundbook.api.access import (
    COOKIE,
    Caller,
    asking,
    computing,
    find_caller,
    permit,
    refuse_other_pages,
)
from roundbook.api.problems import HttpError, for_caller, status_of
from roundbook.api.turns import Limit
from roundbook.errors import NotRecordedError, RequestError, RoundbookError
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tokens import check_token
from roundbook.pages.numbers import FILTERS
from roundbook.requests.matrices import ListMatrices, ShowMatrix
from roundbook.requests.results import ShowResult
from roundbook.requests.tasks import ListRounds

_HERE = Path(__file__).parent
_MOST_FORM_BYTES = 100_000
# So many pages at once are for those without a token.
_STRANGERS = 4
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


async def in_turn(http: Request, caller: Who) -> AsyncIterator[Session]:
    """Yield a transaction for a page, which ends in time; a page that names a study computes.

    Whoever comes without a token leaves turns to read to those who have one.
    """
    source = computing if "study" in http.query_params else asking
    is_stranger = caller.scope is None and source is asking
    turn = http.app.state.strangers if is_stranger else nullcontext()
    async with turn, asynccontextmanager(source)(http, caller) as session:
        yield session


def permitted(http: Request, caller: Who, session: Annotated[Session, Depends(in_turn)]) -> Session:
    """Return the session of a page, once who asks may see what its address names."""
    permit_named(caller, session, http.query_params)
    return session


@contextmanager
def deciding(
    http: Request, caller: Caller, limit: Limit, *, keep: bool = True, one_moment: bool = False
) -> Iterator[Session]:
    """Yield a transaction of a form, which ends in time; see `begin`."""
    engine = http.app.state.engine
    with begin(engine, caller.user, keep=keep, one_moment=one_moment) as session:
        yield limit.on(session)


def permit_named(caller: Caller, session: Session, fields: Mapping[str, str]) -> None:
    """Refuse fields that name what a caller may not see, whether it is there or not.

    Whatever the page or the form, `task` and `round`, `matrix`, and `name`, of a saved result, mean
    the same.

    Raises
    ------
    HttpError
        401 without a token, 403 for another task than the token's.
    """
    given = {name: value.strip() for name, value in fields.items() if value.strip()}
    if "task" in given:
        if "round" in given:
            permit(caller, session, ListMatrices(task=given["task"], round=given["round"]))
        permit(caller, session, ListRounds(task=given["task"]))
    if "matrix" in given:
        permit(caller, session, ShowMatrix(matrix=given["matrix"]))
    if "name" in given:
        permit(caller, session, ShowResult(name=given["name"]))


Asking = Annotated[Session, Depends(permitted)]
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
    state.strangers = asyncio.Semaphore(_STRANGERS)
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
        413 for one that is far too long, 400 for one that broke off.
    """
    body = b""
    try:
        async for chunk in http.stream():
            body += chunk
            if len(body) > _MOST_FORM_BYTES:
                raise HttpError(413, "The form is too long.")
    except ClientDisconnect:
        raise HttpError(400, "The form broke off; nothing was kept of it.") from None
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=False)
    return {name: values[-1].strip() for name, values in read.items()}


def _error_page(http: Request, error: Exception) -> Response:
    if isinstance(error, RoundbookError):
        error = for_caller(http, error)
        status, sentence = status_of(error), str(error)
    elif isinstance(error, HTTPException):
        status, sentence = error.status_code, "There is no such page."
        if status not in (404, 405):
            sentence = "The form cannot be read."
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

    def is_valid() -> bool:
        with begin(http.app.state.engine) as session:
            return check_token(session, form.get("token", "")) is not None

    async with http.app.state.turns.reading:
        valid = await run_in_threadpool(is_valid)
    if not valid:
        # A right token is let in, whatever else came from its address.
        address = http.client.host if http.client else ""
        http.app.state.failures.check(address)
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


def fields_of(request: type[BaseModel], query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the fields of a request in an address: several values where a field takes several."""

    def several(name: str) -> bool:
        field = request.model_fields.get(name)
        return field is not None and "tuple[" in str(field.annotation)

    return {name: tuple(values) if several(name) else values[-1] for name, values in query.items()}


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
