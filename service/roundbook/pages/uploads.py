"""Logging scores, runs or assessments from a page: first a preview, then the log."""

import shutil
import tempfile
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from roundbook.api.access import permit
from roundbook.api.callers import Caller, require_scope
from roundbook.api.problems import HttpError, too_long
from roundbook.api.turns import in_turn, to_decide, transaction
from roundbook.errors import (
    BadFileError,
    ContentDiffersError,
    ImpossibleStatisticError,
    NotRecordedError,
    RevisedMeanwhileError,
    RoundbookError,
    RoundPublishedError,
)
from roundbook.formats import sent_to
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.matrices.logged import LoggedMatrices
from roundbook.logbook.near_names import near_name, near_recorded
from roundbook.logbook.recorded_names import known_names
from roundbook.logbook.session import Session
from roundbook.pages.forms import (
    Refusal,
    Who,
    permit_named,
    read_form,
    refusal,
    refused_status,
)
from roundbook.pages.previews import KINDS, FileKind, Logged, logged_sentences
from roundbook.pages.rendering import page, redirect
from roundbook.presentation.impact import dependent_name, dependent_place
from roundbook.presentation.previews import near_note
from roundbook.use_cases import UPLOADS

router = APIRouter()
_FIELDS = ("task", "round", "measure", "assessments", "missing", "revise")
# More new names than so many are no slips; among more known ones, the search takes too long.
_MOST_SLIPS, _MOST_KNOWN = 20, 2_000
_MOST_FILES = 1_000
# Previewed files wait so long on disk to be logged; beyond the number or size the oldest go.
_SECONDS = 1_800
_MOST_HELD, _MOST_BYTES = 100, 2**29
_LOGGED_ALREADY = "It was logged before; nothing was logged again."
# By class of an error, the field of the form that it stands beside.
_BESIDE: dict[type[Exception], str] = {
    BadFileError: "file",
    ImpossibleStatisticError: "file",
    ContentDiffersError: "revise",
    NotRecordedError: "revise",
    RevisedMeanwhileError: "revise",
    RoundPublishedError: "revise",
}


class _Held:
    """Previewed files and the form as filled in; the files are deleted together with the object.

    `fields` are those of the use case; `logged` is the address of what was logged, once it is.
    """

    def __init__(self, user: str, kind: FileKind, given: dict[str, str]) -> None:
        self.until = time.monotonic() + _SECONDS
        self.user = user
        self.kind = kind
        self.given = given
        self.fields = _fields(kind, given)
        self.logged: str | None = None
        self.directory = Path(tempfile.mkdtemp(prefix="roundbook-"))
        self.files: list[Path] = []
        self.bytes = 0
        self._deleted = weakref.finalize(self, shutil.rmtree, self.directory, ignore_errors=True)

    def delete_files(self) -> None:
        """Delete the files before the object goes."""
        self._deleted()
        self.bytes = 0


@router.get("/upload")
def upload_page(http: Request, caller: Who) -> HTMLResponse:
    """Show the form for a round's scores, runs or assessments."""
    require_scope(caller, "log")
    given = dict(http.query_params)
    if given.get("kind") not in KINDS:
        given["kind"] = "scores"
    return _form(http, given)


def _form(
    http: Request, given: dict[str, str], status: int = 200, **context: object
) -> HTMLResponse:
    shown = {"refused": None, "preview": None, "matrix": None} | context
    kind = KINDS[given["kind"]]
    return page(http, "upload.html", status, given=given, kinds=KINDS, kind=kind, **shown)


@router.post("/upload")
async def preview(http: Request, caller: Who) -> HTMLResponse:
    """Show how a file was understood and what logging it would change, without logging it."""
    require_scope(caller, "log")
    settings = http.app.state.settings
    length = http.headers.get("content-length", "")
    if not length.isdigit():
        raise HttpError(411, "The upload says not how long it is (Content-Length).")
    if len(length) > 18 or int(length) > settings.max_file_bytes + 10_000:
        raise too_long(settings.max_file_bytes)
    try:
        async with http.form(max_files=_MOST_FILES, max_fields=20) as form:
            given = {name: str(form.get(name) or "").strip() for name in _FIELDS}
            given["kind"] = str(form.get("kind") or "scores")
            if given["kind"] not in KINDS:
                raise HttpError(422, f"A file is of {', '.join(KINDS)}.")
            kind = KINDS[given["kind"]]
            held = _Held(caller.user, kind, given)
            await run_in_threadpool(_store, held, form.getlist("file"), form.get("teams"))
    except ClientDisconnect:
        raise HttpError(400, "The file broke off; nothing was kept of it.") from None
    if not held.files:
        return _form(http, given, 422, refused=Refusal("file", "Choose a file."))
    try:
        seen = await in_turn(http, lambda: _look(http, caller, held))
    except RoundbookError as error:
        return _refused(http, held, error)
    return _form(http, given, preview=seen | {"held": _hold(http, held)})


def _refused(http: Request, held: _Held, error: RoundbookError) -> HTMLResponse:
    """Return the form of files that cannot be logged, with the reason beside its field."""
    status, code = refused_status(error), error.way_out and error.way_out.code
    why = refusal(error, (*_FIELDS, "measures"), _BESIDE)
    field = "measure" if why.field == "measures" else why.field
    teams = held.fields.get("teams")
    if code == "correct the teams" or (
        teams and isinstance(error, BadFileError) and error.file == teams.name
    ):
        field = "teams"
    elif field == "revise" and field not in held.kind.fields:
        field = "file"
    matrix = error.facts.get("matrix")
    return _form(http, held.given, status, refused=why._replace(field=field), matrix=matrix)


def _store(held: _Held, sent: Sequence[UploadFile | str], teams: UploadFile | str | None) -> None:
    """Write files under their own names; an empty field of the form sends a file without a name."""

    def store(one: UploadFile | str | None) -> Path | None:
        name = Path(one.filename or "").name if isinstance(one, UploadFile) else ""
        path = held.directory / name
        if not isinstance(one, UploadFile) or not name:
            return None
        if not name.isprintable() or len(name.encode()) > 200:
            raise HttpError(422, "A file's name is one printable line of at most 200 characters.")
        if path.exists():
            raise HttpError(422, f"Two of the files are called '{name}'.")
        with path.open("wb") as target:
            shutil.copyfileobj(one.file, target)
        return path

    held.files = [path for path in map(store, sent) if path]
    if "teams" in held.kind.fields and (path := store(teams)):
        held.fields["teams"] = path
    held.bytes = sum(file.stat().st_size for file in held.directory.iterdir())


def _look(http: Request, caller: Caller, held: _Held) -> dict[str, Any]:
    """Return the preview of files: log them in a transaction that is rolled back."""
    task, label = held.fields["task"], held.fields["round"]
    with transaction(http, caller, to_decide(http), keep=False) as session:
        permit_named(caller, session, {"task": task})
        near = [
            near_note("task", task, near_recorded(session, task)),
            near_note("round", label, near_recorded(session, task, label)),
        ]
        known = known_names(session, task, label)
        made = _what_is_made(session, task, label)
    with _logged(http, caller, held, dry_run=True) as (session, logged):
        for what, names in known_names(session, task, label).items():
            new = names - known[what]
            if len(new) <= _MOST_SLIPS and len(known[what]) <= _MOST_KNOWN:
                near += [
                    near_note(what, name, near_name(name, known[what])) for name in sorted(new)
                ]
        seen = held.kind.look(session, logged)
    stale = [
        f"{dependent_name(dependent)} ({dependent_place(dependent)})"
        # Saved results first: they were decided on.
        for dependent in sorted(seen.pop("impact"), key=lambda of: of.entry is None)
    ]
    if held.fields.get("revise"):
        # What somebody else revises in between is not replaced.
        held.fields |= seen["expected"]
    named = [note for note in near if note]
    return seen | {"near": named, "stale": stale, "files": len(held.files), "made": made}


def _what_is_made(session: Session, task: str, label: str) -> str | None:
    """Return 'a new task' or 'a new round' if logging makes one; None where both are there."""
    try:
        task_id = find_task(session.connection, task)
    except NotRecordedError:
        return "a new task"
    try:
        find_round(session.connection, task_id, task, label)
    except NotRecordedError:
        return "a new round"
    return None


@router.post("/upload/confirm")
async def confirm(http: Request, caller: Who) -> Response:
    """Log the previewed files."""
    require_scope(caller, "log")
    form = await read_form(http)
    held = http.app.state.held.get(form.get("held", ""))
    if held is None or held.user != caller.user or held.until < time.monotonic():
        gone = "What was looked at is not kept any more; send the file again."
        return _form(http, {"kind": "scores"}, 409, refused=Refusal("file", gone))
    if held.logged:
        return redirect(held.logged, [_LOGGED_ALREADY])

    def log() -> Logged:
        with _logged(http, caller, held) as (_, logged):
            return logged

    try:
        logged = await in_turn(http, log)
    except RoundbookError as error:
        if held.logged:  # A second press of the button came before the first one was done.
            return redirect(held.logged, [_LOGGED_ALREADY])
        return _refused(http, held, error)
    if held.logged:
        return redirect(held.logged, [_LOGGED_ALREADY])
    shown = {"task": held.fields["task"], "round": held.fields["round"]}
    if isinstance(logged, LoggedMatrices):
        shown["measure"] = logged.matrices[0].measure
        if "assessments" in held.fields:
            shown["assessments"] = logged.matrices[0].assessments
    held.logged = f"/round?{urlencode(shown)}"
    held.delete_files()
    return redirect(held.logged, logged_sentences(logged))


def _fields(kind: FileKind, given: dict[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: given[name] for name in ("task", "round")} | {"create": True}
    for name in kind.fields:
        if given.get(name):
            fields |= {"measures": (given[name],)} if name == "measure" else {name: given[name]}
    return fields


@contextmanager
def _logged(
    http: Request, caller: Caller, held: _Held, *, dry_run: bool = False
) -> Iterator[tuple[Session, Logged]]:
    """Log files, or try to in a dry run; yield the session and the logged result."""
    most_bytes = http.app.state.settings.max_file_bytes
    upload = UPLOADS[held.kind.use_case]
    request = upload.ask(held.fields | {"dry_run": dry_run}, *held.files)
    with (
        sent_to(str(held.directory)),
        transaction(http, caller, to_decide(http), keep=not dry_run) as session,
    ):
        logged: Logged = upload.run(session, permit(caller, session, request), most_bytes)
        yield session, logged


def _hold(http: Request, held: _Held) -> str:
    kept: dict[str, _Held] = http.app.state.held
    for key in [key for key, one in kept.items() if one.until < time.monotonic()]:
        del kept[key]
    while kept and (
        len(kept) >= _MOST_HELD or sum(one.bytes for one in kept.values()) > _MOST_BYTES
    ):
        del kept[next(iter(kept))]
    key = token_urlsafe(16)
    kept[key] = held
    return key
