"""The site: its pages put together, errors as pages, logging in."""

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import State
from starlette.exceptions import HTTPException

from roundbook.api.callers import COOKIE, find_token, refuse_other_pages
from roundbook.api.problems import field_error, for_caller, status_of
from roundbook.api.turns import in_turn
from roundbook.errors import RoundbookError
from roundbook.pages import answers, charts, results, rounds, studies, tasks, uploads
from roundbook.pages.forms import Refusal, came_from, own_address, read_form, refusal
from roundbook.pages.rendering import STATIC, link, page

# Charts are drawn into the page; the style sheet, the one script and what it reads come from here.
_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self';"
    " img-src 'self' data:; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
router = APIRouter()
_PARTS = (tasks, rounds, answers, studies, results, charts, uploads)
ROUTERS = (router, *(part.router for part in _PARTS))


def make_site(state: State) -> FastAPI:
    """Return the site as an application of its own, to be mounted in one whose state it shares."""
    site = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    site.state = state
    site.mount("/static", StaticFiles(directory=STATIC), name="static")
    for part in ROUTERS:
        site.include_router(part)
    for kind in (RoundbookError, RequestValidationError, HTTPException):
        site.exception_handler(kind)(_error_page)

    @site.middleware("http")
    async def add_policy(
        http: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        response = await answer(http)
        response.headers["Content-Security-Policy"] = _POLICY
        # With no referrer at all, a form could not lead back to the page that it is on.
        response.headers["Referrer-Policy"] = "same-origin"
        return response

    return site


def _error_page(http: Request, error: Exception) -> Response:
    if isinstance(error, RequestValidationError):
        error = field_error(error)
    if isinstance(error, HTTPException):
        status, refused = error.status_code, Refusal("", "There is no such page.")
        if status not in (404, 405):
            refused = Refusal("", "The form cannot be read.")
    else:
        assert isinstance(error, RoundbookError)
        error = for_caller(http, error)
        status, refused = status_of(error), refusal(error, ())
    if status == 401 and http.method in ("GET", "HEAD"):
        query = f"?{http.url.query}" if http.url.query else ""
        return RedirectResponse(link("/login", then=http.url.path + query), 303)
    back = came_from(http)
    return page(http, "error.html", status, refused=refused, back=back, unknown=status == 401)


@router.get("/login")
def login_form(http: Request, then: str = "/") -> HTMLResponse:
    """Ask for a token."""
    return page(http, "login.html", then=then, refused=None)


@router.post("/login")
async def login(http: Request) -> Response:
    """Keep a token in a cookie that no script reads and no other site sends."""
    refuse_other_pages(http)
    form = await read_form(http)
    then = own_address(form.get("then", "/")) or "/"
    secret = form.get("token", "")
    if await in_turn(http, lambda: find_token(http, secret)) is None:
        return page(http, "login.html", 401, then=then, refused="The token is not valid.")
    response = RedirectResponse(then, 303)
    response.set_cookie(
        COOKIE, secret, httponly=True, samesite="strict", secure=http.url.scheme == "https"
    )
    return response


@router.post("/logout")
def logout(http: Request) -> Response:
    """Forget the token."""
    refuse_other_pages(http)
    response = RedirectResponse("/", 303)
    response.delete_cookie(COOKIE)
    return response
