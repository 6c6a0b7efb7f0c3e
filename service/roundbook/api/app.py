"""The web application: use cases below ``/api/v1``, the pages, health checks and metrics."""

from collections.abc import Sequence
from inspect import cleandoc
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import FileResponse, JSONResponse, PlainTextResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy import Engine
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import BaseRoute
from starlette.types import Scope

from roundbook.api import files, jobs
from roundbook.api.answers import AnswerCache
from roundbook.api.callers import Failures
from roundbook.api.endpoints import decision, question, save
from roundbook.api.middleware import add_metrics, body_limit, last_answer, security_headers
from roundbook.api.openapi import FILENAME, add_examples, answers, file_body, json_body, parameters
from roundbook.api.problems import add_handlers
from roundbook.api.turns import Turns
from roundbook.api.ways_out import PREFIX
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.saving import SavedResult
from roundbook.logbook.schema import read_schema
from roundbook.logbook.studies.studies import STUDIES, find_study
from roundbook.pages.site_routes import ROUTERS, make_site
from roundbook.settings import Settings
from roundbook.use_cases import DOWNLOADS, UPLOADS, USE_CASES, Upload, UseCase, path_of

_VERSION = SOFTWARE.removeprefix("roundbook ")


def make_app(settings: Settings, engine: Engine, *, open_to_all: bool = False) -> FastAPI:
    """Return the web application that serves a record.

    Parameters
    ----------
    engine : Engine
        On the record.
    open_to_all : bool
        Whether callers without a token may do everything, as on a loopback address. Otherwise they
        only see what is published.
    """
    app = FastAPI(
        title="Roundbook",
        version=_VERSION,
        description="The logbook of evaluation campaigns that run round after round.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,
        redoc_url=None,
    )
    app.state.settings = settings
    app.state.engine = engine
    app.state.turns = Turns()
    app.state.open = open_to_all
    app.state.failures = Failures()
    app.state.previewed = {}
    app.state.cache = AnswerCache()
    add_handlers(app)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=5)
    uploads = {PREFIX + path_of(name) for name in UPLOADS} | {"/upload"}
    app.add_middleware(body_limit, uploads=frozenset(uploads))
    app.add_middleware(last_answer)
    app.add_middleware(security_headers)
    add_metrics(app)
    # The application's own routes are matched once a request, those of an included router twice.
    app.router.routes += _ROUTES
    describe = app.openapi

    def openapi_with_examples() -> dict[str, Any]:
        if app.openapi_schema is None:
            add_examples(describe())
        return describe()

    app.openapi = openapi_with_examples  # type: ignore[method-assign]
    # The pages must not answer below the prefix: errors there are problem+json documents.
    app.mount(PREFIX, _refuse_unknown)
    site = make_site(app.state)
    site.router.routes += _heads([route for part in ROUTERS for route in part.routes])
    app.mount("/", site)
    return app


class Index(BaseModel):
    """The service's version, with the paths of its API description and its pages."""

    name: str = "Roundbook"
    version: str = _VERSION
    openapi: str = f"{PREFIX}/openapi.json"
    pages: str = "/"


# The routes of the service itself.
_service = APIRouter()


@_service.get(PREFIX, include_in_schema=False)
@_service.get(f"{PREFIX}/", summary=Index.__doc__, operation_id="index")
def _index() -> Index:
    return Index()


@_service.get("/healthz", include_in_schema=False)
def _healthy() -> PlainTextResponse:
    return PlainTextResponse("ok\n")


@_service.get("/readyz", include_in_schema=False)
def _ready(http: Request) -> JSONResponse:
    state = read_schema(http.app.state.engine)
    return JSONResponse(state.model_dump(), 200 if state.status == "up to date" else 503)


def _heads(routes: Sequence[BaseRoute]) -> list[BaseRoute]:
    """Return a HEAD route for every GET route with its endpoint; the server drops the body."""
    heads = APIRouter(include_in_schema=False)
    for route in routes:
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()):
            heads.head(route.path, response_model=None)(route.endpoint)
    return heads.routes


async def _refuse_unknown(scope: Scope, *_: object) -> None:
    """Refuse an unknown path with 404, and an unknown method with 405."""
    methods = {
        method
        for route in _ROUTES
        if isinstance(route, APIRoute) and route.path_regex.match(scope["path"])
        for method in route.methods or ()
    }
    if methods:
        raise HTTPException(405, headers={"Allow": ", ".join(sorted(methods))})
    raise HTTPException(404)


def _use_cases() -> APIRouter:
    router = APIRouter(prefix=PREFIX)
    for name, case in USE_CASES.items():
        if case.changes:
            assert case.request is not None
            router.post(
                path_of(name),
                **_summary(case.request),
                operation_id=name,
                responses=answers(case.result, question=False),
                openapi_extra={"requestBody": json_body(case.request)},
            )(decision(case))
        else:
            router.get(
                path_of(name),
                **_summary(case.request) if case.request else {"summary": f"All {name}."},
                operation_id=name,
                responses=answers(case.result),
                openapi_extra={"parameters": parameters(case.request, ("output", "force"))},
            )(question(name, case))
    for name, entry in STUDIES.items():
        router.get(
            f"/study/{name}",
            **_summary(entry.request),
            operation_id=f"study_{name}",
            responses=answers(find_study(name).result),
            openapi_extra={"parameters": parameters(entry.request, ("study",))},
        )(question(name, UseCase("studies.studies:run_study", entry.request, computes=True)))
    for name, upload in UPLOADS.items():
        _add_upload(router, name, upload)
    router.post(
        "/save/{kind}",
        summary="Compute a plan, drift report or study and keep it with its inputs.",
        operation_id="save",
        responses=answers(SavedResult, question=False),
    )(save)
    for name, download in DOWNLOADS.items():
        router.get(
            path_of(name),
            **_summary(download.request),
            operation_id=name,
            response_class=FileResponse,
            responses=answers(download.result, file=download.media_type),
            openapi_extra={"parameters": parameters(download.request, ("force",))},
        )(files.download(download))
    return router


def _summary(request: type[BaseModel]) -> dict[str, Any]:
    """Return the summary of a request, a sentence, and the rest of its docstring as description."""
    sentence, _, rest = cleandoc(request.__doc__ or "").partition("\n\n")
    return {"summary": sentence, "description": rest or None}


def _add_upload(router: APIRouter, name: str, upload: Upload) -> None:
    listed = parameters(upload.request, (upload.file, *upload.without))
    router.post(
        path_of(name),
        **_summary(upload.request),
        operation_id=name,
        responses=answers(upload.result, question=False),
        openapi_extra={"parameters": [*listed, FILENAME], "requestBody": file_body(name)},
    )(files.upload(upload))


# The routes of the API, the same in every application.
_ROUTES = [*_use_cases().routes, *jobs.router.routes, *_service.routes]
_ROUTES += _heads(_ROUTES)
