"""Logging a round from a page: first a look at what was understood, then the log itself."""

import tempfile
import time
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Request, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import limit_to_task, require_scope
from roundbook.api.problems import HttpError, status_of
from roundbook.errors import RoundbookError
from roundbook.logbook.matrices.files import log_files
from roundbook.logbook.session import begin
from roundbook.pages.site import Who, page, read_form
from roundbook.presentation.matrices import log_notes
from roundbook.requests.matrices import LogFilesRequest

router = APIRouter()
_FIELDS = ("task", "round", "measure", "missing", "revise")
# What was looked at waits so long for somebody to log it.
_SECONDS = 1_800
_MOST_HELD = 100


class _Held(NamedTuple):
    """A file that was looked at: its content, and what was asked."""

    until: float
    user: str
    name: str
    content: bytes
    fields: dict[str, Any]


@router.get("/upload")
def upload_page(http: Request, caller: Who) -> HTMLResponse:
    """Ask for a round's scores."""
    require_scope(caller, "log")
    return page(http, "upload.html", given=dict(http.query_params), refused=None, preview=None)


@router.post("/upload")
async def preview(http: Request, caller: Who) -> HTMLResponse:
    """Show what was understood of a file, and what logging it would change; log nothing."""
    require_scope(caller, "log")
    settings = http.app.state.settings
    length = http.headers.get("content-length", "")
    if not length.isdigit() or int(length) > settings.max_file_bytes + 10_000:
        raise HttpError(413, f"The file is longer than {settings.max_file_bytes} bytes.")
    async with http.form(max_files=1, max_fields=20) as form:
        given = {name: str(form.get(name) or "").strip() for name in _FIELDS}
        file = form.get("file")
        if not isinstance(file, UploadFile) and not hasattr(file, "read"):
            return page(
                http, "upload.html", 422, given=given, refused="Choose a file.", preview=None
            )
        content, name = await file.read(), Path(str(file.filename)).name or "scores"  # type: ignore[union-attr]
    fields = _fields(given)
    try:
        logged = await run_in_threadpool(
            _log, http, caller, name, content, fields | {"dry_run": True}
        )
    except RoundbookError as error:
        return page(
            http, "upload.html", status_of(error), given=given, refused=str(error), preview=None
        )
    held = _hold(http, _Held(time.monotonic() + _SECONDS, caller.user, name, content, fields))
    (one,) = logged.matrices
    seen = {
        "held": held,
        "topics": one.topics,
        "runs": one.runs,
        "measure": one.measure,
        "round": given["round"],
        "new_round": one.revision == 1 and one.status == "logged",
        "near": None,
        "variance": one.variance,
        "status": one.status,
        "revision": one.revision,
        "notes": log_notes(one),
        "stale": [dependent.entry.name for dependent in one.impact if dependent.entry],
    }
    return page(http, "upload.html", given=given, refused=None, preview=seen)


@router.post("/upload/confirm")
async def confirm(http: Request, caller: Who) -> Response:
    """Log what was looked at."""
    require_scope(caller, "log")
    form = await read_form(http)
    held = http.app.state.held.get(form.get("held", ""))
    if held is None or held.user != caller.user or held.until < time.monotonic():
        raise HttpError(409, "What was looked at is not kept any more; send the file again.")
    await run_in_threadpool(_log, http, caller, held.name, held.content, held.fields)
    http.app.state.held.pop(form["held"], None)
    query = urlencode({"task": held.fields["task"], "round": held.fields["round"]})
    return RedirectResponse(f"/round?{query}", 303)


def _fields(given: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "task": given["task"],
        "round": given["round"],
        "measures": (given["measure"],) if given["measure"] else (),
        "create": True,
    }
    return fields | {name: given[name] for name in ("missing", "revise") if given[name]}


def _log(http: Request, caller: Any, name: str, content: bytes, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    settings = http.app.state.settings
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / name
        file.write_bytes(content)
        request = LogFilesRequest(**fields, files=(file,))
        try:
            with begin(http.app.state.engine, caller.user, keep=not request.dry_run) as session:
                logged = log_files(session, request, max_file_bytes=settings.max_file_bytes)
                limit_to_task(caller, logged)
                return logged
        except RoundbookError as error:
            # Whoever sent it knows no directory of this machine.
            error.args = (str(error).replace(f"{directory}/", ""),)
            raise


def _hold(http: Request, held: _Held) -> str:
    kept: dict[str, _Held] = http.app.state.held
    for key in [key for key, one in kept.items() if one.until < time.monotonic()]:
        del kept[key]
    while len(kept) >= _MOST_HELD or sum(len(one.content) for one in kept.values()) > 2**29:
        del kept[next(iter(kept))]
    key = token_urlsafe(16)
    kept[key] = held
    return key
