"""Files over HTTP: uploaded as the body of a request, or downloaded as a response."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from roundbook.api.access import answer, permit
from roundbook.api.answers import JSON, Sent, accepted, render, render_file, respond
from roundbook.api.callers import Caller, allowed_caller, find_caller, require_scope
from roundbook.api.endpoints import Endpoint, query_fields
from roundbook.api.problems import HttpError, too_long
from roundbook.api.turns import (
    SECONDS_TO_DECIDE,
    Limit,
    computed,
    in_turn,
    to_decide,
    transaction,
)
from roundbook.formats import sent_to
from roundbook.requests.base import is_kept
from roundbook.requests.tokens import Scope
from roundbook.requests.transfer import ImportRequest
from roundbook.transfer.archive.importing import import_archive
from roundbook.use_cases import Download, Upload

_BYTES_AT_ONCE = 2**20


def upload(case: Upload) -> Endpoint:
    """Return the endpoint of a use case that reads a file; the request's body is the file."""

    async def take(http: Request) -> Response:
        caller = await _caller(http, case.scope)
        fields = query_fields(http, case.request, case.file)

        def store(file: Path) -> Sent:
            request = case.ask(fields, file)
            kept = case.changes and is_kept(request)
            with transaction(http, caller, to_decide(http), keep=kept) as session:
                request = permit(caller, session, request)
                result = case.run(session, request, http.app.state.settings.max_file_bytes)
            return render(http, result, accepted(http))

        return await _stored(http, "scores", store)

    return take


async def take_archive(http: Request) -> Response:
    """Import an archive; the request's body is the archive."""
    caller = await _caller(http, "admin")
    fields = query_fields(http, ImportRequest, "archive")

    def store(file: Path) -> Sent:
        request = ImportRequest(**fields, archive=file)
        with transaction(http, caller, to_decide(http)) as session:
            imported = import_archive(session, permit(caller, session, request))
        return render(http, imported, accepted(http))

    return await _stored(http, "archive.zip", store)


def download(case: Download) -> Endpoint:
    """Return the endpoint of a use case that writes a file; the response is the file."""

    async def send(http: Request) -> Response:
        """Send the file itself, or within the JSON of the result if the client accepts JSON."""
        caller = await in_turn(http, lambda: allowed_caller(http, case.scope))
        of = JSON if JSON in http.headers.get("accept", "") else case.media_type
        with ExitStack() as stack:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="roundbook-"))
            file = Path(directory) / case.file

            def write(limit: Limit) -> Sent:
                asked = case.request(**query_fields(http, case.request), **{case.field: file})
                with (
                    transaction(http, caller, limit, one_moment=True) as session,
                    sent_to(directory),
                ):
                    written = answer(
                        caller,
                        session,
                        lambda session, asked: case.run(session, asked, limit.check),
                        asked,
                    )
                limit.check()  # what was left out may have been so for want of time
                return render_file(written, file, of)

            seconds = None if caller.scope is None else SECONDS_TO_DECIDE
            sent = await computed(http, write, caller=caller, seconds=seconds)
            answered = respond(http, sent, None if of == JSON else file)
            answered.background = BackgroundTask(stack.pop_all().close)
        return answered

    return send


async def _caller(http: Request, scope: Scope) -> Caller:
    caller = await run_in_threadpool(find_caller, http)
    require_scope(caller, scope)
    return caller


async def _stored(http: Request, unnamed: str, store: Callable[[Path], Sent]) -> Response:
    """Return the response of an upload; the file is called `unnamed` unless the query names it."""
    most_bytes = http.app.state.settings.max_file_bytes
    name = http.query_params.get("filename", unnamed)
    async with _uploaded(http, name, most_bytes) as file:
        return respond(http, await in_turn(http, lambda: store(file)))


@asynccontextmanager
async def _uploaded(http: Request, name: str, most_bytes: int) -> AsyncIterator[Path]:
    """Yield a temporary file with the body, written piece by piece; stop when it is too long."""
    safe = Path(name).name
    if not safe.isprintable() or safe in ("", ".", "..") or len(safe.encode()) > 200:
        raise HttpError(422, "The file's name is one printable line of at most 200 characters.")
    if http.headers.get("content-type", "").startswith("multipart/"):
        raise HttpError(415, "The body is a form; send the file itself as the body.")
    length = http.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most_bytes):
        raise too_long(most_bytes)
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / safe
        size, held = 0, bytearray()
        try:
            with file.open("wb") as target:
                async for piece in http.stream():
                    size += len(piece)
                    if size > most_bytes:
                        raise too_long(most_bytes)
                    held += piece
                    if len(held) >= _BYTES_AT_ONCE:
                        await run_in_threadpool(target.write, held)
                        held = bytearray()
                await run_in_threadpool(target.write, held)
        except ClientDisconnect:
            raise HttpError(400, "The file broke off; nothing was kept of it.") from None
        with sent_to(directory):
            yield file
