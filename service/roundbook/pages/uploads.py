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

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect

from roundbook.api.access import permit
from roundbook.api.callers import Caller, require_scope
from roundbook.api.problems import BROKEN_OFF, HttpError, refuse_too_long
from roundbook.api.turns import decision_limit, in_turn, transaction
from roundbook.errors import (
    BadFileError,
    ContentDiffersError,
    ImpossibleStatisticError,
    NotRecordedError,
    RequestError,
    RevisedMeanwhileError,
    RoundbookError,
    RoundPublishedError,
)
from roundbook.formats import sent_to
from roundbook.logbook.lookup import recorded_round
from roundbook.logbook.matrices.logged import LoggedMatrices
from roundbook.logbook.names import known_names, near_name, near_recorded
from roundbook.logbook.session import Session
from roundbook.pages.forms import (
    PageCaller,
    Refusal,
    permit_named,
    read_form,
    refusal,
    refused_status,
)
from roundbook.pages.previews import KINDS, FileKind, Logged, logged_sentences
from roundbook.pages.rendering import link, page, redirect
from roundbook.presentation.impact import stale_lines
from roundbook.presentation.previews import near_note
from roundbook.use_cases import UPLOADS

router = APIRouter()
_FIELDS = ("task", "round", "measure", "assessments", "missing", "revise")
# Slips are searched for among at most so many new names, as more are none, and so many recorded
# ones, as more take too long.
_MOST_SLIPS, _MOST_KNOWN = 20, 2_000
_MOST_FILES = 1_000
# Previewed files wait so long on disk to be logged; beyond the number or size the oldest go.
_SECONDS = 1_800
_MOST_PREVIEWED, _MOST_BYTES = 100, 2**29
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


class _Preview:
    """Previewed files and the form as filled in; the files are deleted together with the object.

    `fields` are those of the use case; `logged` is the address of what was logged, once it is.
    """

    def __init__(self, user: str, kind: FileKind, values: dict[str, str]) -> None:
        self.until = time.monotonic() + _SECONDS
        self.user = user
        self.kind = kind
        self.values = values
        self.fields: dict[str, Any] = {
            "task": values["task"],
            "round": values["round"],
            "create": True,
        }
        for name in kind.fields:
            if value := values.get(name):
                self.fields |= {"measures": (value,)} if name == "measure" else {name: value}
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
def upload_page(http: Request, caller: PageCaller) -> HTMLResponse:
    """Show the form for a round's scores, runs or assessments."""
    require_scope(caller, "log")
    own = {"task": caller.task} if caller.task else {}
    return _form(http, own | dict(http.query_params))


def _form(
    http: Request, values: dict[str, str], status: int = 200, **context: object
) -> HTMLResponse:
    context = {"refused": None, "preview": None, "matrix": None} | context
    if values.get("kind") not in KINDS:
        values = values | {"kind": "scores"}
    kind = KINDS[values["kind"]]
    return page(http, "upload.html", status, values=values, kinds=KINDS, kind=kind, **context)


@router.post("/upload")
async def preview(http: Request, caller: PageCaller) -> HTMLResponse:
    """Show how a file was understood and what logging it would change, without logging it."""
    require_scope(caller, "log")
    if not http.headers.get("content-length", "").isdigit():
        raise HttpError(411, "The upload says not how long it is (Content-Length).")
    refuse_too_long(http, http.app.state.settings.max_file_bytes, form_bytes=10_000)
    try:
        async with http.form(max_files=_MOST_FILES, max_fields=20) as form:
            values = {name: str(form.get(name) or "").strip() for name in _FIELDS}
            values["kind"] = str(form.get("kind") or "scores")
            if values["kind"] not in KINDS:
                raise HttpError(422, f"A file is of {', '.join(KINDS)}.")
            kind = KINDS[values["kind"]]
            previewed = _Preview(caller.user, kind, values)
            await run_in_threadpool(_store, previewed, form.getlist("file"), form.get("teams"))
    except ClientDisconnect:
        raise HttpError(400, BROKEN_OFF) from None
    except RequestError as error:
        return _refused(http, previewed, error)
    if not previewed.files:
        return _form(http, values, 422, refused=Refusal("file", "Choose a file."))
    try:
        facts = await in_turn(http, lambda: _look(http, caller, previewed))
    except RoundbookError as error:
        return _refused(http, previewed, error)
    return _form(http, values, preview=facts | {"held": _keep(http, previewed)})


def _refused(http: Request, previewed: _Preview, error: RoundbookError) -> HTMLResponse:
    """Return the form of files that cannot be logged, with the reason beside its field."""
    status, code = refused_status(error), error.way_out and error.way_out.code
    why = refusal(error, (*_FIELDS, "measures", "file", "teams"), _BESIDE)
    field = "measure" if why.field == "measures" else why.field
    teams = previewed.fields.get("teams")
    if code == "correct the teams" or (
        teams and isinstance(error, BadFileError) and error.file == teams.name
    ):
        field = "teams"
    elif field == "revise" and field not in previewed.kind.fields:
        field = "file"
    matrix = error.facts.get("matrix")
    return _form(http, previewed.values, status, refused=why._replace(field=field), matrix=matrix)


def _store(
    previewed: _Preview, sent: Sequence[UploadFile | str], teams: UploadFile | str | None
) -> None:
    """Write files under their own names; an empty field of the form sends a file without a name.

    Raises
    ------
    RequestError
        When two files have the same name, or a name is not one printable line.
    """

    def store(field: UploadFile | str | None, of: str) -> Path | None:
        name = Path(field.filename or "").name if isinstance(field, UploadFile) else ""
        path = previewed.directory / name
        if not isinstance(field, UploadFile) or not name:
            return None
        if not name.isprintable() or len(name.encode()) > 200:
            raise RequestError(of, "a file's name is one printable line of at most 200 characters")
        # The team file may have the name of a score file in another directory.
        while of == "teams" and path.exists():
            path = path.with_name(f"teams {path.name}")
        if path.exists():
            raise RequestError(of, f"two of the files are called '{name}'")
        with path.open("wb") as target:
            shutil.copyfileobj(field.file, target)
        return path

    previewed.files = [path for field in sent if (path := store(field, "file"))]
    if "teams" in previewed.kind.fields and (path := store(teams, "teams")):
        previewed.fields["teams"] = path
    previewed.bytes = sum(file.stat().st_size for file in previewed.directory.iterdir())


def _look(http: Request, caller: Caller, previewed: _Preview) -> dict[str, Any]:
    """Return the preview of files: log them in a transaction that is rolled back."""
    task, label = previewed.fields["task"], previewed.fields["round"]
    with transaction(http, caller, decision_limit(http), keep=False) as session:
        permit_named(caller, session, {"task": task})
        names = [*near_recorded(session, task), *near_recorded(session, task, label)]
        near = [near_note(new.kind, new.name, new.near) for new in names]
        recorded = known_names(session, task, label)
        creates = None
        try:
            recorded_round(session.connection, task, label)
        except NotRecordedError as error:
            creates = "a new round" if "round" in error.facts else "a new task"
    with _logged(http, caller, previewed, dry_run=True) as (session, logged):
        for noun, known in known_names(session, task, label).items():
            new = known - recorded[noun]
            if len(new) <= _MOST_SLIPS and len(recorded[noun]) <= _MOST_KNOWN:
                near += [
                    near_note(noun, name, meant)
                    for name in sorted(new)
                    if (meant := near_name(name, recorded[noun]))
                ]
        looked = previewed.kind.look(session, logged)
    # Saved results first: they were decided on.
    dependents = sorted(looked.impact, key=lambda dependent: dependent.entry is None)
    if previewed.fields.get("revise"):
        # The correction is then refused if somebody else corrects it in between.
        previewed.fields |= looked.expected
    return {
        "unchanged": looked.unchanged,
        "understood": looked.understood,
        "notes": looked.notes,
        "near": near,
        "stale": stale_lines(dependents),
        "files": len(previewed.files),
        "creates": creates,
    }


@router.post("/upload/confirm")
async def confirm(http: Request, caller: PageCaller) -> Response:
    """Log the previewed files."""
    require_scope(caller, "log")
    form = await read_form(http)
    previewed = http.app.state.previewed.get(form.get("held", ""))
    if previewed is None or previewed.user != caller.user or previewed.until < time.monotonic():
        gone = "What was looked at is not kept any more; send the file again."
        return _form(http, form, 409, refused=Refusal("file", gone))

    def log() -> Logged:
        with _logged(http, caller, previewed) as (_, logged):
            return logged

    if not previewed.logged:
        try:
            logged = await in_turn(http, log)
        except RoundbookError as error:
            if not previewed.logged:
                return _refused(http, previewed, error)
    if previewed.logged:  # perhaps by an earlier press of the button, meanwhile
        return redirect(previewed.logged, [_LOGGED_ALREADY])
    query = {"task": previewed.fields["task"], "round": previewed.fields["round"]}
    if isinstance(logged, LoggedMatrices):
        query["measure"] = logged.matrices[0].measure
        if "assessments" in previewed.fields:
            query["assessments"] = logged.matrices[0].assessments
    previewed.logged = link("/round", **query)
    previewed.delete_files()
    return redirect(previewed.logged, logged_sentences(logged))


@contextmanager
def _logged(
    http: Request, caller: Caller, previewed: _Preview, *, dry_run: bool = False
) -> Iterator[tuple[Session, Logged]]:
    """Log files, or try to in a dry run; yield the session and the logged result."""
    upload = UPLOADS[previewed.kind.use_case]
    request = upload.ask(previewed.fields | {"dry_run": dry_run}, *previewed.files)
    with (
        sent_to(str(previewed.directory)),
        transaction(http, caller, decision_limit(http), keep=not dry_run) as session,
    ):
        logged: Logged = upload.run(session, permit(caller, session, request))
        yield session, logged


def _keep(http: Request, previewed: _Preview) -> str:
    kept: dict[str, _Preview] = http.app.state.previewed
    for key in [key for key, entry in kept.items() if entry.until < time.monotonic()]:
        del kept[key]
    while kept and (
        len(kept) >= _MOST_PREVIEWED or sum(entry.bytes for entry in kept.values()) > _MOST_BYTES
    ):
        del kept[next(iter(kept))]
    key = token_urlsafe(16)
    kept[key] = previewed
    return key
