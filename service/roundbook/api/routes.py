"""A route for every use case, made from their table."""

import json
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel
from sqlalchemy import Engine
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import (
    Caller,
    find_caller,
    permit,
    permit_name,
    require_scope,
    visible,
)
from roundbook.api.answers import (
    CSV,
    JSON,
    PARQUET,
    Kept,
    Sent,
    accepted,
    moment_now,
    moment_of,
    render,
    render_file,
    respond,
)
from roundbook.api.bodies import uploaded
from roundbook.api.openapi import (
    FILENAME,
    answers,
    file_body,
    json_body,
    names_files,
    parameters,
)
from roundbook.api.problems import NO_JSON, HttpError
from roundbook.api.turns import SECONDS_TO_DECIDE, Limit, Turns, computed
from roundbook.errors import RequestError
from roundbook.formats import sent_to
from roundbook.logbook.kinds import find_kind, kind_of
from roundbook.logbook.saving import SavedResult, save_long_result
from roundbook.logbook.session import Session, begin
from roundbook.logbook.studies.studies import STUDIES, find_study, run_study
from roundbook.requests.base import Request as Asked
from roundbook.requests.base import is_kept
from roundbook.requests.matrices import ExportMatrix
from roundbook.requests.tokens import Scope
from roundbook.requests.transfer import ImportRequest
from roundbook.settings import Settings
from roundbook.transfer.archive.importing import ImportedArchive, import_archive
from roundbook.use_cases import DOWNLOADS, UPLOADS, USE_CASES, Download, Upload, UseCase

# What is told of today, or looks at what is stored, is asked for anew every time.
_NEVER_KEPT = frozenset({"tokens", "verify", "verify_round"})
_ELSEWHERE = "`{}` names a file of this machine; files are sent and answered in the body."


def make_router(prefix: str) -> APIRouter:
    """Return every route; their paths begin with a prefix."""
    router = APIRouter(prefix=prefix)
    for name, case in USE_CASES.items():
        (_add_decision if case.changes else _add_question)(router, name, case)
    for name, entry in STUDIES.items():
        router.get(
            f"/study/{name}",
            summary=entry.request.__doc__,
            operation_id=f"study_{name}",
            responses=answers(find_study(name).result),
            openapi_extra={"parameters": parameters(entry.request, ("study",))},
        )(_study(name, entry.request))
    for name, upload in UPLOADS.items():
        listed = parameters(upload.request, (upload.file, *upload.without))
        router.post(
            path_of(name),
            summary=upload.request.__doc__,
            operation_id=name,
            responses=answers(upload.result, question=False),
            openapi_extra={"parameters": [*listed, FILENAME], "requestBody": file_body(name)},
        )(_uploading(upload))
    router.post(
        "/save/{kind}",
        summary="Compute a plan, drift report or study and keep it with its inputs.",
        operation_id="save",
        responses=answers(SavedResult, question=False),
    )(_save)
    for name, download in DOWNLOADS.items():
        router.get(
            path_of(name),
            summary=download.request.__doc__,
            operation_id=name,
            response_class=FileResponse,
            responses=answers(download.result, file=download.media_type),
            openapi_extra={"parameters": parameters(download.request, ("force",))},
        )(_downloading(download))
    router.post(
        "/import",
        summary=ImportRequest.__doc__,
        operation_id="import",
        responses=answers(ImportedArchive, question=False),
        openapi_extra={
            "parameters": [*parameters(ImportRequest), FILENAME],
            "requestBody": file_body("import"),
        },
    )(_import)
    return router


def path_of(name: str) -> str:
    """Return the path of a use case."""
    return "/" + name.replace("_", "-")


def _add_question(router: APIRouter, name: str, case: UseCase) -> None:
    summary = (case.request.__doc__ or name) if case.request else f"All {name}."

    async def answer(http: Request) -> Response:
        return await _answer(http, name, case)

    router.get(
        path_of(name),
        summary=summary,
        operation_id=name,
        responses=answers(case.result),
        openapi_extra={"parameters": parameters(case.request, ("output", "force"))},
    )(answer)


def _study(name: str, request: type[Asked]) -> Callable[[Request], Awaitable[Response]]:
    async def answer(http: Request) -> Response:
        return await _answer(http, name, None, request)

    return answer


async def _answer(
    http: Request, name: str, case: UseCase | None, study: type[Asked] | None = None
) -> Response:
    """Answer a question; a use case's, or that of a study."""
    kind = accepted(http)
    kept: Kept | None = http.app.state.kept if name not in _NEVER_KEPT else None
    turns: Turns = http.app.state.turns

    def look() -> tuple[Caller, Any, Sent | None]:
        """Return who asks, all that an answer depends on beside the record, and what is kept."""
        caller = _allowed(http, "read" if case is None else case.scope)
        key = (http.url.path, http.url.query, kind, caller.scope is None, caller.task)
        return caller, key, kept.get(key, moment_now(_engine(http))) if kept is not None else None

    def ask(caller: Caller, key: object, limit: Limit) -> Sent:
        model = study or (case.request if case is not None else None)
        asked = None if model is None else model(**_fields(http, model))
        with _reading(http, caller, limit) as session:
            moment = moment_of(session.connection) if kept is not None else None
            asked = asked if asked is None else permit(caller, session, asked)
            if case is None:
                result = visible(caller, session, lambda: run_study(session, asked), permitted=True)  # type: ignore[arg-type]
            elif isinstance(asked, ExportMatrix) and kind == PARQUET:
                return _scores_as_parquet(http, caller, session, case, asked)
            else:
                result = visible(
                    caller, session, lambda: case.run(session, asked), permitted=asked is not None
                )
        sent = render(http, result, kind)
        if kept is not None:
            kept.put(key, moment, sent)
        return sent

    def read() -> Sent:
        caller, key, sent = look()
        return sent or ask(caller, key, Limit(turns))

    if case is not None and not case.computes:
        async with turns.reading:
            return respond(http, await run_in_threadpool(read))
    async with turns.reading:
        caller, key, sent = await run_in_threadpool(look)
    if sent is None:
        sent = await computed(http, lambda limit: ask(caller, key, limit), caller=caller)
    return respond(http, sent)


def _scores_as_parquet(
    http: Request, caller: Caller, session: Session, case: UseCase, asked: ExportMatrix
) -> Sent:
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / "scores.parquet"
        asked = asked.model_copy(update={"output": file})
        result = visible(caller, session, lambda: case.run(session, asked))
        return render(http, result, CSV)._replace(body=file.read_bytes(), kind=PARQUET)


def _add_decision(router: APIRouter, name: str, case: UseCase) -> None:
    request = case.request
    assert request is not None

    async def decide(http: Request) -> Response:
        body = await http.body()

        def work(caller: Caller, limit: Limit) -> Sent:
            asked = request(**_json_object(http, body))
            with _deciding(http, caller, limit, keep=is_kept(asked)) as session:
                result = case.run(session, permit(caller, session, asked))
            return render(http, result, accepted(http))

        return respond(http, await _decided(http, work, case.scope, computes=case.computes))

    router.post(
        path_of(name),
        summary=request.__doc__,
        operation_id=name,
        responses=answers(case.result, question=False),
        openapi_extra={"requestBody": json_body(request)},
    )(decide)


def _json_object(http: Request, body: bytes) -> dict[str, Any]:
    """Return the fields that a body has; other sites' forms can send no JSON."""
    kind = http.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        fields = json.loads(body) if kind == "application/json" else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise HttpError(422, NO_JSON)
    return fields


class Saving(BaseModel):
    """What is saved: under which name, why, and what is asked."""

    name: str | None = None
    note: str | None = None
    request: dict[str, Any]

    model_config = {
        "json_schema_extra": {
            "example": {"name": "next-round", "request": {"task": "covid", "measure": "nDCG@10"}}
        }
    }


async def _save(http: Request, kind: str, saving: Saving) -> Response:
    def work(caller: Caller, limit: Limit) -> Sent:
        of, asked = kind_of(kind, saving.request)
        request = find_kind(of).request(**asked)
        _refuse_files(request)

        def begin_in_time(*, one_moment: bool = False) -> AbstractContextManager[Session]:
            if one_moment:
                return _reading(http, caller, limit)
            return _deciding(http, caller, limit)

        with begin_in_time(one_moment=True) as session:
            request = permit(caller, session, request)
            permit_name(caller, session, saving.name)
        saved = save_long_result(begin_in_time, of, request, saving.name, saving.note)
        return render(http, saved, accepted(http))

    return respond(http, await _decided(http, work, "log", computes=True))


async def _decided(
    http: Request, work: Callable[[Caller, Limit], Sent], scope: Scope, *, computes: bool
) -> Sent:
    """Return what comes of a decision; one that computes for long has a turn of its own."""
    if http.query_params:  # as of an upload, whose body is a file: `dry_run` is not to be missed
        raise HttpError(422, "The fields of a decision are in its body, none in the address.")
    if not computes:
        async with http.app.state.turns.reading:
            return await run_in_threadpool(lambda: work(_allowed(http, scope), _to_decide(http)))
    caller = await _looked_up(http, scope)
    return await computed(
        http, lambda limit: work(caller, limit), caller=caller, seconds=SECONDS_TO_DECIDE
    )


def _allowed(http: Request, scope: Scope) -> Caller:
    """Return who asks; without a token they may read."""
    caller = find_caller(http)
    if scope != "read":
        require_scope(caller, scope)
    return caller


async def _looked_up(http: Request, scope: Scope) -> Caller:
    async with http.app.state.turns.reading:
        return await run_in_threadpool(_allowed, http, scope)


def _uploading(upload: Upload) -> Callable[[Request], Awaitable[Response]]:
    async def take(http: Request) -> Response:
        caller = await run_in_threadpool(find_caller, http)
        require_scope(caller, upload.scope)
        settings: Settings = http.app.state.settings
        fields = _fields(http, upload.request, upload.file)
        name = http.query_params.get("filename", "scores")

        def store(file: Path) -> Sent:
            request = upload.ask(fields, file)
            kept = upload.changes and is_kept(request)
            with _deciding(http, caller, _to_decide(http), keep=kept) as session:
                request = permit(caller, session, request)
                result = upload.run(session, request, settings.max_file_bytes)
            return render(http, result, accepted(http))

        turn = http.app.state.turns.reading
        async with uploaded(http, name, settings.max_file_bytes) as file, turn:
            return respond(http, await run_in_threadpool(store, file))

    return take


def _downloading(download: Download) -> Callable[[Request], Awaitable[Response]]:
    async def send(http: Request) -> Response:
        """Send what is written to a file; with what it is, for whoever asks for JSON."""
        caller = await _looked_up(http, download.scope)
        of = JSON if JSON in http.headers.get("accept", "") else download.media_type
        with ExitStack() as stack:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="roundbook-"))
            file = Path(directory) / download.file

            def write(limit: Limit) -> Sent:
                fields = _fields(http, download.request)
                asked = download.request(**fields, **{download.field: file})
                with _reading(http, caller, limit) as session, sent_to(directory):
                    asked = permit(caller, session, asked)
                    written = visible(
                        caller,
                        session,
                        lambda: download.run(session, asked, limit.check),
                        permitted=True,
                    )
                limit.check()  # what was left out may have been so for want of time
                return render_file(written, file, of)

            seconds = None if caller.scope is None else SECONDS_TO_DECIDE
            sent = await computed(http, write, caller=caller, seconds=seconds)
            answer = respond(http, sent, None if of == JSON else file)
            answer.background = BackgroundTask(stack.pop_all().close)
        return answer

    return send


async def _import(http: Request) -> Response:
    """Record all that an archive holds; the body is the archive."""
    caller = await run_in_threadpool(find_caller, http)
    require_scope(caller, "admin")
    fields = _fields(http, ImportRequest, "archive")

    def store(file: Path) -> Sent:
        request = ImportRequest(**fields, archive=file)
        with _deciding(http, caller, _to_decide(http)) as session:
            imported = import_archive(session, permit(caller, session, request))
        return render(http, imported, accepted(http))

    most_bytes = http.app.state.settings.max_file_bytes
    name = http.query_params.get("filename", "archive.zip")
    async with uploaded(http, name, most_bytes) as file, http.app.state.turns.reading:
        return respond(http, await run_in_threadpool(store, file))


def _engine(http: Request) -> Engine:
    engine: Engine = http.app.state.engine
    return engine


def _to_decide(http: Request) -> Limit:
    return Limit(http.app.state.turns, SECONDS_TO_DECIDE)


@contextmanager
def _reading(http: Request, caller: Caller, limit: Limit) -> Iterator[Session]:
    """Yield a transaction that reads the record as one moment saw it."""
    with begin(_engine(http), caller.user, one_moment=True) as session:
        yield limit.on(session)


@contextmanager
def _deciding(
    http: Request, caller: Caller, limit: Limit, *, keep: bool = True
) -> Iterator[Session]:
    with begin(_engine(http), caller.user, keep=keep) as session:
        yield limit.on(session)


def _fields(http: Request, request: type[BaseModel], file: str | None = None) -> dict[str, Any]:
    """Return the query's fields of a request, whose file, if it has one, is the body.

    Raises
    ------
    HttpError
        422 for a field that names a file: it would be the service's own.
    """
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(http.query_params):
        if name == "filename" and file is not None:
            continue
        values: list[Any] = http.query_params.getlist(name)
        annotation = ""
        if name in request.model_fields:
            if name == "force" or names_files(request, name):
                raise HttpError(422, _ELSEWHERE.format(name))
            annotation = str(request.model_fields[name].annotation)
        if "Mapping" in annotation:
            try:
                values = [json.loads(value) for value in values]
            except (ValueError, RecursionError):
                raise RequestError(name, f"`{name}` is a JSON object") from None
        fields[name] = values if "tuple[" in annotation else values[-1]
    return fields


def _refuse_files(request: BaseModel) -> None:
    """Refuse a request that names files: they would be the service's own."""
    for name in type(request).model_fields:
        if names_files(type(request), name) and getattr(request, name):
            raise HttpError(422, _ELSEWHERE.format(name))
