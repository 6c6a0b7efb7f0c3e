"""Logging a round from a page: first a look at what was understood, then the log itself."""

import shutil
import tempfile
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from secrets import token_urlsafe
from typing import Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from roundbook.api.access import Caller, permit, require_scope
from roundbook.api.problems import HttpError, status_of
from roundbook.api.turns import SECONDS_TO_DECIDE, Limit
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
from roundbook.logbook.session import Session
from roundbook.logbook.tasks import near_task
from roundbook.logbook.topics import list_topics
from roundbook.pages.site import Refusal, Who, deciding, page, permit_named, read_form, refusal
from roundbook.presentation.impact import dependent_name, dependent_place
from roundbook.presentation.matrices import log_notes, standardising_note
from roundbook.presentation.previews import near_note, understood
from roundbook.requests.matrices import ListMatrices, LogFilesRequest, ShowMatrix
from roundbook.requests.topics import ListTopics

router = APIRouter()
_FIELDS = ("task", "round", "measure", "assessments", "missing", "revise")
_MOST_FILES = 1_000
# What was looked at waits so long for somebody to log it, on disk, and the latest of all of it.
_SECONDS = 1_800
_MOST_HELD, _MOST_BYTES = 100, 2**29
# Beside which field of the form an error stands.
_BESIDE: dict[type[Exception], str] = {
    BadFileError: "file",
    ImpossibleStatisticError: "file",
    ContentDiffersError: "revise",
    RevisedMeanwhileError: "revise",
    RoundPublishedError: "revise",
}
# What to fill in, by the code of a way out.
_WAYS_OUT = {
    "other scores": "If these correct them, say why; if they rest on other assessments, name those.",
    "missing scores": "Fill them in, or choose how missing scores count.",
    "revise with a reason": "Say why it is corrected.",
    "revised meanwhile": "Look at it first, then send the file again if it still corrects it.",
    "one measure a file": "Log it by itself.",
    "other judgments": "If they are others, name the assessments.",
}


class _Files(NamedTuple):
    """Files that were sent: of scores, and of teams if there is one."""

    scores: tuple[Path, ...]
    teams: Path | None
    bytes: int


class _Held:
    """Files that were looked at, and what was asked; they are deleted with it."""

    def __init__(self, user: str, fields: dict[str, Any]) -> None:
        self.until = time.monotonic() + _SECONDS
        self.user = user
        self.fields = fields
        self.directory = Path(tempfile.mkdtemp(prefix="roundbook-"))
        self.files = _Files((), None, 0)
        weakref.finalize(self, shutil.rmtree, self.directory, ignore_errors=True)


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
    if not length.isdigit() or len(length) > 18 or int(length) > settings.max_file_bytes + 10_000:
        raise HttpError(413, f"The file is longer than {settings.max_file_bytes} bytes.")
    try:
        async with http.form(max_files=_MOST_FILES, max_fields=20) as form:
            given = {name: str(form.get(name) or "").strip() for name in _FIELDS}
            held = _Held(caller.user, _fields(given))
            sent = [one for one in form.getlist("file") if isinstance(one, UploadFile)]
            teams = form.get("teams")
            held.files = await run_in_threadpool(
                _store, held.directory, sent, teams if isinstance(teams, UploadFile) else None
            )
    except ClientDisconnect:
        raise HttpError(400, "The file broke off; nothing was kept of it.") from None
    if not held.files.scores:
        return _refuse(http, given, 422, Refusal("file", "Choose a file."))
    try:
        async with http.app.state.turns.reading:
            seen = await run_in_threadpool(_look, http, caller, held)
    except RoundbookError as error:
        status = status_of(error)
        if status in (401, 403):
            raise
        why = refusal(error, (*_FIELDS, "measures"), _BESIDE)
        more = _WAYS_OUT.get(error.way_out.code) if error.way_out else None
        sentence = f"{why.sentence} {more}" if more else why.sentence
        return _refuse(http, given, status, why._replace(sentence=sentence))
    return page(
        http, "upload.html", given=given, refused=None, preview=seen | {"held": _hold(http, held)}
    )


def _store(directory: Path, scores: list[UploadFile], teams: UploadFile | None) -> _Files:
    """Write files down under their own names; a field that was left empty sends one without."""

    def store(sent: UploadFile) -> Path | None:
        name = Path(sent.filename or "").name
        path = directory / name
        if not name:
            return None
        if not name.isprintable() or len(name.encode()) > 200:
            raise HttpError(422, "A file's name is one printable line of at most 200 characters.")
        if path.exists():
            raise HttpError(422, f"Two of the files are called '{name}'.")
        with path.open("wb") as target:
            shutil.copyfileobj(sent.file, target)
        return path

    paths = tuple(path for path in map(store, scores) if path)
    of_teams = store(teams) if teams else None
    size = sum(file.stat().st_size for file in directory.iterdir())
    return _Files(paths, of_teams, size)


def _refuse(http: Request, given: dict[str, str], status: int, why: Refusal) -> HTMLResponse:
    if why.field == "measures":
        why = why._replace(field="measure")
    return page(http, "upload.html", status, given=given, refused=why, preview=None)


def _look(http: Request, caller: Caller, held: _Held) -> dict[str, Any]:
    """Log files and take them back; return what was understood, and hold them to be logged by it."""
    fields = held.fields

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
            "files": len(held.files.scores),
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

    with deciding(http, caller, _limit(http), keep=False) as session:
        permit_named(caller, session, {"task": fields["task"]})
        near = [
            near_note("task", fields["task"], near_task(session, fields["task"])),
            near_note("round", fields["round"],
                      near_round(session, fields["task"], fields["round"])),
        ]  # fmt: skip
    seen: dict[str, Any] = _log(http, caller, held, look, dry_run=True)
    seen["near"] = [note for note in near if note]
    if fields.get("revise"):
        # What somebody else revises in between is not replaced.
        fields["expected_revisions"] = seen["seen"]
    return seen


@router.post("/upload/confirm")
async def confirm(http: Request, caller: Who) -> Response:
    """Log what was looked at."""
    require_scope(caller, "log")
    form = await read_form(http)
    held = http.app.state.held.get(form.get("held", ""))
    if held is None or held.user != caller.user or held.until < time.monotonic():
        raise HttpError(409, "What was looked at is not kept any more; send the file again.")
    async with http.app.state.turns.reading:
        await run_in_threadpool(_log, http, caller, held)
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
    optional = ("assessments", "missing", "revise")
    return fields | {name: given[name] for name in optional if given[name]}


def _limit(http: Request) -> Limit:
    return Limit(http.app.state.turns, SECONDS_TO_DECIDE)


def _log(
    http: Request,
    caller: Caller,
    held: _Held,
    look: Callable[[Session, LoggedMatrices], Any] = lambda _, logged: logged,
    *,
    dry_run: bool = False,
) -> Any:  # noqa: ANN401
    """Log files, or try to, and return what `look` sees within the transaction."""
    most_bytes = http.app.state.settings.max_file_bytes
    fields = held.fields | {"dry_run": dry_run}
    request = LogFilesRequest(**fields, files=held.files.scores, teams=held.files.teams)
    with (
        sent_to(str(held.directory)),
        deciding(http, caller, _limit(http), keep=not dry_run) as session,
    ):
        asked = permit(caller, session, request)
        return look(session, log_files(session, asked, max_file_bytes=most_bytes))


def _hold(http: Request, held: _Held) -> str:
    kept: dict[str, _Held] = http.app.state.held
    for key in [key for key, one in kept.items() if one.until < time.monotonic()]:
        del kept[key]
    while kept and (
        len(kept) >= _MOST_HELD or sum(one.files.bytes for one in kept.values()) > _MOST_BYTES
    ):
        del kept[next(iter(kept))]
    key = token_urlsafe(16)
    kept[key] = held
    return key
