"""Logging a round from a page: first a look at what was understood, then the log itself."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from roundbook.api.access import Caller, limit_to_task, require_scope
from roundbook.api.problems import HttpError, status_of
from roundbook.errors import (
    BadFileError,
    ContentDiffersError,
    ImpossibleStatisticError,
    RevisedMeanwhileError,
    RoundbookError,
    RoundPublishedError,
)
from roundbook.formats import sent_to
from roundbook.logbook.matrices.files import log_files
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.matrices.logged import LoggedMatrices
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.near_names import near_name
from roundbook.logbook.rounds import near_round
from roundbook.logbook.session import Session, begin
from roundbook.logbook.tasks import near_task
from roundbook.logbook.topics import list_topics
from roundbook.pages.site import Refusal, Who, page, read_form, refusal
from roundbook.presentation.impact import dependent_name, dependent_place
from roundbook.presentation.matrices import log_notes, standardising_note
from roundbook.presentation.previews import near_note, understood
from roundbook.requests.matrices import ListMatrices, LogFilesRequest, ShowMatrix
from roundbook.requests.topics import ListTopics

router = APIRouter()
_FIELDS = ("task", "round", "measure", "missing", "revise")
# What was looked at waits so long for somebody to log it.
_SECONDS = 1_800
_MOST_HELD = 100
# Beside which field of the form an error stands.
_BESIDE: dict[type[Exception], str] = {
    BadFileError: "file",
    ImpossibleStatisticError: "file",
    ContentDiffersError: "revise",
    RevisedMeanwhileError: "revise",
    RoundPublishedError: "revise",
}


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
        if not hasattr(file, "read") or not getattr(file, "filename", None):
            return _refuse(http, given, 422, Refusal("file", "Choose a file."))
        content, name = await file.read(), Path(str(file.filename)).name or "scores"  # type: ignore[union-attr]
    fields = _fields(given)
    try:
        seen, fields = await run_in_threadpool(_look, http, caller, name, content, fields)
    except RoundbookError as error:
        return _refuse(
            http, given, status_of(error), refusal(error, (*_FIELDS, "measures"), _BESIDE)
        )
    held = _hold(http, _Held(time.monotonic() + _SECONDS, caller.user, name, content, fields))
    return page(http, "upload.html", given=given, refused=None, preview=seen | {"held": held})


def _refuse(http: Request, given: dict[str, str], status: int, why: Refusal) -> HTMLResponse:
    if why.field == "measures":
        why = why._replace(field="measure")
    return page(http, "upload.html", status, given=given, refused=why, preview=None)


def _look(
    http: Request,
    caller: Caller,
    name: str,
    content: bytes,
    fields: dict[str, Any],
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Log a file and take it back; return what was understood, and the fields to log it by."""
    asked = fields | {"dry_run": True}

    def look(session: Session, logged: LoggedMatrices) -> dict[str, Any]:
        (one,) = logged.matrices
        known = ListMatrices(task=one.task, round=one.round, measure=one.measure)
        number = next(
            matrix.matrix
            for matrix in list_matrices(session, known).matrices
            if matrix.assessments == one.assessments
        )
        shown = show_matrix(session, ShowMatrix(matrix=number))
        listed = list_topics(session, ListTopics(task=one.task)).topics
        own = set(shown.topics)
        returned = sum(
            len(topic.rounds) > 1
            for topic in listed
            if any(there.round == one.round and there.id in own for there in topic.rounds)
        )
        return {
            "status": one.status,
            "understood": understood(one, shown.topics, [run.run for run in shown.runs])
            | {"Topics of other rounds": f"{returned} of {one.topics}"},
            "notes": [
                note
                for note in (
                    standardising_note(one),
                    *log_notes(one),
                    near_note("measure", one.measure,
                              near_name(one.measure, one.remarks.other_measures)),
                )
                if note
            ],
            "stale": [f"{dependent_name(dependent)} ({dependent_place(dependent)})"
                      # Saved results first: they were decided on.
                      for dependent in sorted(one.impact, key=lambda of: of.entry is None)],
            "seen": {one.measure: one.revision - 1},
        }  # fmt: skip

    with begin(http.app.state.engine, caller.user, keep=False) as session:
        near = [
            near_note("task", fields["task"], near_task(session, fields["task"])),
            near_note("round", fields["round"],
                      near_round(session, fields["task"], fields["round"])),
        ]  # fmt: skip
    seen = _log(http, caller, name, content, asked, look)
    seen["near"] = [note for note in near if note]
    if fields.get("revise"):
        # What somebody else revises in between is not replaced.
        fields = fields | {"expected_revisions": seen["seen"]}
    return seen, fields


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


def _log(
    http: Request,
    caller: Caller,
    name: str,
    content: bytes,
    fields: dict[str, Any],
    look: Callable[[Session, LoggedMatrices], Any] = lambda _, logged: logged,
) -> Any:  # noqa: ANN401
    """Log a file, or try to, and return what `look` sees within the transaction."""
    settings = http.app.state.settings
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory, sent_to(directory):
        file = Path(directory) / name
        file.write_bytes(content)
        request = LogFilesRequest(**fields, files=(file,))
        with begin(http.app.state.engine, caller.user, keep=not request.dry_run) as session:
            logged = log_files(session, request, max_file_bytes=settings.max_file_bytes)
            limit_to_task(caller, logged)
            return look(session, logged)


def _hold(http: Request, held: _Held) -> str:
    kept: dict[str, _Held] = http.app.state.held
    for key in [key for key, one in kept.items() if one.until < time.monotonic()]:
        del kept[key]
    while len(kept) >= _MOST_HELD or sum(len(one.content) for one in kept.values()) > 2**29:
        del kept[next(iter(kept))]
    key = token_urlsafe(16)
    kept[key] = held
    return key
