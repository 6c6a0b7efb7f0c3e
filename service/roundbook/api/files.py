"""Files over HTTP: uploaded as the body of a request, or downloaded as a response."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path

from fastapi import Request
from fastapi.responses import Response
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from roundbook.api.access import permit, run_permitted
from roundbook.api.answers import JSON, Rendered, accepted, render, render_file, respond
from roundbook.api.callers import allowed_caller, find_caller, require_scope
from roundbook.api.endpoints import Endpoint, query_fields
from roundbook.api.problems import BROKEN_OFF, HttpError, refuse_too_long, too_long
from roundbook.api.turns import (
    SECONDS_TO_DECIDE,
    Limit,
    computed,
    decision_limit,
    in_turn,
    transaction,
)
from roundbook.formats import sent_to
from roundbook.requests.base import is_kept
from roundbook.use_cases import Download, Upload

_BYTES_AT_ONCE = 2**20


def upload(case: Upload) -> Endpoint:
    """Return the endpoint of a use case that reads a file; the request's body is the file."""

    async def take(http: Request) -> Response:
        caller = await run_in_threadpool(find_caller, http)
        require_scope(caller, case.scope)
        fields = query_fields(http, case.request, case.file)

        def store(file: Path) -> Rendered:
            request = case.ask(fields, file)
            kept = case.changes and is_kept(request)
            with transaction(
                http, caller, decision_limit(http), keep=kept, one_snapshot=not case.changes
            ) as session:
                request = permit(caller, session, request)
                result = case.run(session, request)
            return render(http, result, accepted(http))

        async with _uploaded(http, case.holds) as file:
            return respond(http, await in_turn(http, lambda: store(file)))

    return take


def download(case: Download) -> Endpoint:
    """Return the endpoint of a use case that writes a file; the response is the file."""

    async def send(http: Request) -> Response:
        """Send the file itself, or within the JSON of the result if the client accepts JSON."""
        caller = await in_turn(http, lambda: allowed_caller(http, case.scope))
        media_type = JSON if JSON in http.headers.get("accept", "") else case.media_type
        with ExitStack() as stack:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="roundbook-"))
            file = Path(directory) / case.file

            def write(limit: Limit) -> Rendered:
                request = case.request(
                    **query_fields(http, case.request), **{case.file_field: file}
                )
                with (
                    transaction(http, caller, limit, one_snapshot=True) as session,
                    sent_to(directory),
                ):
                    written = run_permitted(
                        caller,
                        session,
                        lambda session, request: case.run(session, request, limit.check),
                        request,
                    )
                limit.check()  # pages may be left out because the time is over
                return render_file(written, file, media_type)

            seconds = None if caller.scope is None else SECONDS_TO_DECIDE
            rendered = await computed(http, write, caller=caller, seconds=seconds)
            response = respond(http, rendered, None if media_type == JSON else file)
            response.background = BackgroundTask(stack.pop_all().close)
        return response

    return send


@asynccontextmanager
async def _uploaded(http: Request, default_name: str) -> AsyncIterator[Path]:
    """Yield a temporary file with the body, written piece by piece; stop when it is too long.

    `default_name` is the file's unless the query has one.
    """
    most_bytes = http.app.state.settings.max_file_bytes
    file_name = Path(http.query_params.get("filename", default_name)).name
    if not file_name.isprintable() or file_name in ("", ".", "..") or len(file_name.encode()) > 200:
        raise HttpError(422, "The file's name is one printable line of at most 200 characters.")
    if http.headers.get("content-type", "").startswith("multipart/"):
        raise HttpError(415, "The body is a form; send the file itself as the body.")
    refuse_too_long(http, most_bytes)
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / file_name
        size, buffer = 0, bytearray()
        try:
            with file.open("wb") as target:
                async for piece in http.stream():
                    size += len(piece)
                    if size > most_bytes:
                        raise too_long(most_bytes)
                    buffer += piece
                    if len(buffer) >= _BYTES_AT_ONCE:
                        await run_in_threadpool(target.write, buffer)
                        buffer = bytearray()
                await run_in_threadpool(target.write, buffer)
        except ClientDisconnect:
            raise HttpError(400, BROKEN_OFF) from None
        with sent_to(directory):
            yield file
