"""The application: a route a use case, made from their table."""

import asyncio
import csv
import hashlib
import io
import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, FastAPI, Query, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel
from sqlalchemy import Engine, text
from starlette.concurrency import run_in_threadpool
from starlette.middleware.gzip import GZipMiddleware

from roundbook.api.access import (
    Caller,
    Failures,
    find_caller,
    limit_to_task,
    require_scope,
    visible,
)
from roundbook.api.metrics import add_metrics
from roundbook.api.problems import HttpError, add_handlers
from roundbook.csv_names import marked
from roundbook.errors import RoundbookError
from roundbook.logbook.matrices.files import log_files
from roundbook.logbook.record import open_record
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.saved_results import save_result
from roundbook.logbook.schema import read_schema
from roundbook.logbook.session import Session, Work, begin
from roundbook.logbook.studies.studies import STUDIES, run_study
from roundbook.logbook.teams import describe_teams
from roundbook.pages.site import make_site
from roundbook.presentation.views import rows_of, view_of
from roundbook.requests.matrices import LogFilesRequest
from roundbook.requests.teams import DescribeTeams
from roundbook.settings import Settings
from roundbook.use_cases import USE_CASES, UseCase

PREFIX = "/api/v1"
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_PROBLEM = {"description": "A problem+json document", "content": {"application/problem+json": {}}}
_PROBLEMS: dict[int | str, dict[str, Any]] = dict.fromkeys(
    (401, 403, 404, 409, 413, 422, 503), _PROBLEM
)


def make_app(
    settings: Settings, address: str | None = None, *, open_to_all: bool = False
) -> FastAPI:
    """Return the application on a record.

    Parameters
    ----------
    settings : Settings
    address : str, optional
        A server's; default: that of the settings, else the embedded server.
    open_to_all : bool
        Whether whoever comes without a token may do everything, as on a loopback address. Else
        they see what is published.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        record = open_record(settings, address)
        app.state.engine = await run_in_threadpool(record.__enter__)
        try:
            yield
        finally:
            await run_in_threadpool(record.__exit__, None, None, None)

    app = FastAPI(
        title="Roundbook",
        version=SOFTWARE.removeprefix("roundbook "),
        description="The logbook of evaluation campaigns that run round after round.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.settings = settings
    app.state.open = open_to_all
    app.state.failures = Failures()
    app.state.held = {}
    add_handlers(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000)
    app.middleware("http")(_with_headers)
    add_metrics(app)
    app.include_router(_use_cases(), prefix=PREFIX, responses=_PROBLEMS)
    app.include_router(_health())
    app.mount("/", make_site(app.state))
    return app


async def _with_headers(
    http: Request, answer: Callable[[Request], Awaitable[Response]]
) -> Response:
    response = await answer(http)
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def _engine(request: Request) -> Engine:
    engine: Engine = request.app.state.engine
    return engine


Who = Annotated[Caller, Depends(find_caller)]


def _asking(http: Request, caller: Who) -> Iterator[Session]:
    """Yield a transaction that reads the record as one moment saw it."""
    with begin(_engine(http), caller.user, one_moment=True) as session:
        yield session


Asking = Annotated[Session, Depends(_asking)]


@contextmanager
def _deciding(http: Request, caller: Caller, *, keep: bool = True) -> Iterator[Session]:
    with begin(_engine(http), caller.user, keep=keep) as session:
        yield session


def _refuse_files(request: BaseModel) -> None:
    """Refuse a request that names files: they would be the service's own."""
    for name in type(request).model_fields:
        value = getattr(request, name)
        if isinstance(value, Path) or (
            isinstance(value, tuple) and value and isinstance(value[0], Path)
        ):
            raise HttpError(422, f"`{name}` names a file of this machine; send it in the body.")


def _use_cases() -> APIRouter:
    router = APIRouter()
    for name, case in USE_CASES.items():
        path = "/" + name.replace("_", "-")
        summary = (case.request.__doc__ or name) if case.request else f"All {name}."
        if case.changes:
            router.post(path, summary=summary, operation_id=name)(_decision(case))
        else:
            router.get(path, summary=summary, operation_id=name)(_question(case))
    for name, entry in STUDIES.items():
        router.get(f"/study/{name}", summary=entry.request.__doc__, operation_id=f"study_{name}")(
            _study(entry.request)
        )
    router.post("/save/{kind}", summary="Compute a result and keep it with its inputs.")(_save)
    router.post("/log", summary="Log the scores of a round; the body is the file.")(_log)
    router.post("/describe-teams", summary="Record the runs' teams; the body is the team file.")(
        _teams
    )
    return router


def _question(case: UseCase) -> Callable[..., Response]:
    if case.request is None:

        def answer(http: Request, caller: Who, session: Asking) -> Response:
            if case.scope != "read":
                require_scope(caller, case.scope)
            return _respond(http, visible(caller, session, lambda: case.run(session, None)))

        return answer

    def answer_request(http: Request, caller: Who, session: Asking, asked: Any) -> Response:  # noqa: ANN401
        _refuse_files(asked)
        return _respond(http, visible(caller, session, lambda: case.run(session, asked)))

    answer_request.__annotations__["asked"] = Annotated[case.request, Query()]
    return answer_request


def _study(request: type[BaseModel]) -> Callable[..., Response]:
    def answer(http: Request, caller: Who, session: Asking, asked: Any) -> Response:  # noqa: ANN401
        _refuse_files(asked)
        return _respond(http, visible(caller, session, lambda: run_study(session, asked, Work())))

    answer.__annotations__["asked"] = Annotated[request, Query()]
    return answer


def _decision(case: UseCase) -> Callable[..., Response]:
    def decide(http: Request, caller: Who, asked: Any) -> Response:  # noqa: ANN401
        require_scope(caller, case.scope)
        with _deciding(http, caller) as session:
            result = case.run(session, asked)
            limit_to_task(caller, result)
        return _respond(http, result)

    decide.__annotations__["asked"] = Annotated[case.request, Body()]
    return decide


class Saving(BaseModel):
    """What is saved: under which name, why, and what is asked."""

    name: str | None = None
    note: str | None = None
    request: dict[str, Any]


def _save(http: Request, caller: Who, kind: str, saving: Saving) -> Response:
    require_scope(caller, "log")
    from roundbook.logbook.kinds import find_kind  # noqa: PLC0415

    asked = saving.request
    if kind in STUDIES:
        kind, asked = "study", {"study": kind} | asked
    request = find_kind(kind).request(**asked)
    _refuse_files(request)
    with _deciding(http, caller) as session:
        saved = save_result(session, kind, request, saving.name, saving.note)
        limit_to_task(caller, saved)
    return _respond(http, saved)


async def _log(http: Request, caller: Who, filename: str = "scores") -> Response:
    """Log what is uploaded, a score file in any format, by the fields of the query."""
    require_scope(caller, "log")
    settings: Settings = http.app.state.settings
    fields = _fields(http, LogFilesRequest, without=("files", "teams"))

    def store(file: Path) -> Any:  # noqa: ANN401
        request = LogFilesRequest(**fields, files=(file,))
        with _deciding(http, caller, keep=not request.dry_run) as session:
            logged = log_files(session, request, max_file_bytes=settings.max_file_bytes)
            limit_to_task(caller, logged)
            return logged

    return _respond(http, await _with_upload(http, filename, store))


async def _teams(http: Request, caller: Who, filename: str = "teams.csv") -> Response:
    """Record what a team file says of a round's runs, by the fields of the query."""
    require_scope(caller, "log")
    settings: Settings = http.app.state.settings
    fields = _fields(http, DescribeTeams, without=("file",))

    def store(file: Path) -> Any:  # noqa: ANN401
        request = DescribeTeams(**fields, file=file)
        with _deciding(http, caller, keep=not request.dry_run) as session:
            described = describe_teams(session, request, max_file_bytes=settings.max_file_bytes)
            limit_to_task(caller, described)
            return described

    return _respond(http, await _with_upload(http, filename, store))


def _fields(http: Request, request: type[BaseModel], *, without: tuple[str, ...]) -> dict[str, Any]:
    """Return the query's fields of a request whose file is the body."""
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(http.query_params):
        values = http.query_params.getlist(name)
        annotation = (
            str(request.model_fields[name].annotation) if name in request.model_fields else ""
        )
        several = annotation.startswith("tuple") or "tuple[" in annotation
        if name in without:
            raise HttpError(422, f"`{name}` names a file of this machine; send it in the body.")
        if name != "filename":
            fields[name] = values if several else values[-1]
    return fields


async def _with_upload(http: Request, name: str, store: Callable[[Path], Any]) -> Any:  # noqa: ANN401
    """Write the body to a file as it comes, and hand it on; what is too long is refused midway."""
    settings: Settings = http.app.state.settings
    safe = Path(name).name
    if not safe.isprintable() or safe in ("", ".", "..") or len(safe) > 200:
        raise HttpError(422, "The file's name is one printable line of at most 200 characters.")
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / safe
        size = 0
        with file.open("wb") as target:
            async with asyncio.timeout(600):
                async for chunk in http.stream():
                    size += len(chunk)
                    if size > settings.max_file_bytes:
                        raise HttpError(
                            413, f"The file is longer than {settings.max_file_bytes} bytes."
                        )
                    target.write(chunk)
        try:
            return await run_in_threadpool(store, file)
        except RoundbookError as error:
            # Whoever sent it knows no directory of this machine.
            error.args = (str(error).replace(f"{directory}/", ""),)
            if hasattr(error, "file"):
                error.file = safe
            raise


def _respond(http: Request, result: BaseModel) -> Response:
    """Return a result as JSON, or its rows as CSV; unchanged since it was asked for last: 304."""
    if "text/csv" in http.headers.get("accept", ""):
        body, kind = _csv(result), "text/csv; charset=utf-8"
    else:
        facts = result.model_dump(mode="json", by_alias=True)
        said = list(view_of(result).sentences)
        body = json.dumps(facts | ({"sentences": said} if said else {}), ensure_ascii=False)
        kind = "application/json"
    tag = f'"{hashlib.sha256(body.encode()).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Vary": "Accept, Authorization", "Cache-Control": "private, no-cache"}
    if http.method == "GET" and tag in http.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=kind)


def _csv(result: BaseModel) -> str:
    rows = rows_of(result)
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {name: marked(value) if isinstance(value, str) else value for name, value in row.items()}
        for row in rows
    )
    return stream.getvalue()


def _health() -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.get("/healthz")
    def healthy() -> PlainTextResponse:
        return PlainTextResponse("ok\n")

    @router.get("/readyz")
    def ready(http: Request) -> JSONResponse:
        engine = _engine(http)
        with begin(engine) as session:
            session.connection.execute(text("SELECT 1"))
        state = read_schema(engine)
        return JSONResponse(state.model_dump(), 200 if state.status == "up to date" else 503)

    return router
