"""A service's record: the methods of a local record over HTTP, with a token."""

from __future__ import annotations

import io
import json
import re
import time
from base64 import b64decode
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from ssl import SSLCertVerificationError, SSLError
from typing import IO, Any, TypeVar
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, build_opener
from urllib.request import Request as HttpRequest

from pydantic import BaseModel, ValidationError

from roundbook import errors
from roundbook.api.ways_out import PREFIX
from roundbook.errors import (
    BadFileError,
    DatabaseUnreachableError,
    InputError,
    RoundbookError,
    WayOut,
)
from roundbook.formats import ScoreMatrix
from roundbook.formats.text import shown_path
from roundbook.jobs.job import Job, JobList
from roundbook.logbook.atomic_files import atomic_file
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.saved_results import ShownResult
from roundbook.logbook.saving import SavedResult
from roundbook.logbook.studies.studies import find_study
from roundbook.python.scores import array_text
from roundbook.requests.base import Request
from roundbook.requests.matrices import LogRequest
from roundbook.requests.results import ListJobs, SaveResult, ShowJob, StartStudy
from roundbook.requests.studies import StudyRequest
from roundbook.use_cases import DOWNLOADS, UPLOADS, find_use_case, path_of

# The time limit of a request.
_SECONDS = 600.0
_BYTES_AT_ONCE = 2**16
_Result = TypeVar("_Result", bound=BaseModel)


class RemoteRecord:
    """A service's record; each method is one HTTP request, and one transaction there."""

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url.rstrip("/").removesuffix(PREFIX)
        # Error messages show the address: without a password that it may hold.
        self._public_url = re.sub(r"(?<=://)[^/]*@", "", self._url)
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token.strip()}"

    def close(self) -> None:
        """Close nothing: a request leaves no connection open."""

    def ask(self, name: str, request: Request | None) -> BaseModel:
        """Return the result of a use case, from the service."""
        case = find_use_case(name)
        fields = _sent(request)
        body = json.dumps(fields).encode() if case.changes else None
        answer = self._send(path_of(name), {} if case.changes else fields, body)
        return _read(case.result, answer)

    def study(self, request: StudyRequest) -> BaseModel:
        """Return a study of a round, computed by the service."""
        name = getattr(request, "study", "")
        answer = self._send(f"/study/{name}", _sent(request))
        return _read(find_study(name).result, answer)

    def save(self, kind: str, fields: dict[str, Any], under: SaveResult) -> SavedResult:
        """Have the service compute a result of a kind and save it."""
        body = under.model_dump() | {"request": fields}
        answer = self._send(f"/save/{kind}", {}, json.dumps(body, default=str).encode())
        return _read(SavedResult, answer)

    def job(self, name: str, request: Request) -> Job | JobList:
        """Return the result of a job's use case, as `LocalRecord.job` does."""
        if isinstance(request, StartStudy):
            fields = request.model_dump(mode="json", include={"name", "note", "request"})
            path, body = f"/jobs/study/{quote(request.study, safe='')}", json.dumps(fields).encode()
            return _read(Job, self._send(path, {}, body))
        if isinstance(request, ListJobs):
            return _read(JobList, self._send("/jobs", _sent(request)))
        assert isinstance(request, ShowJob)
        path = f"/jobs/{request.job}"
        if name == "cancel_job":
            return _read(Job, self._send(f"{path}/cancel", {}, b""))
        return _read(Job, self._send(path, {}))

    def download(self, name: str, fields: dict[str, Any]) -> BaseModel:
        """Return the result of a use case that writes a file; the service makes its content."""
        from roundbook.reports.deposit import is_bundle
        from roundbook.transfer.archive.container import is_archive

        case = DOWNLOADS[name]
        request: Any = case.request(**fields)
        file: Path = getattr(request, case.file_field)
        suffix = Path(case.file).suffix
        if name in ("report_latex", "report_datacite") and file.suffix.lower() != suffix:
            raise InputError(
                f"{file}: by way of a service a report is one file, which ends in {suffix}."
            )
        earlier = {"report_datacite": is_bundle, "export": is_archive}.get(name)
        with atomic_file(file, force=request.force, earlier=earlier) as part:
            answer = self._send(path_of(name), _sent(request, case.file_field, "force"))
            part.write_bytes(b64decode(answer.pop("content", "")))
        written = "archive" if name == "export" else "report"
        return _read(case.result, answer | {written: shown_path(file)})

    def log_matrix(self, request: LogRequest, matrix: ScoreMatrix) -> LoggedMatrix:
        """Log scores that are in memory, as a file."""
        fields = _sent(request)
        fields["measures"] = [fields.pop("measure")]
        text, layout = array_text(matrix)
        body = text.encode()
        answer = self._send("/log", fields | {"layout": layout}, io.BytesIO(body), len(body))
        return _read(LoggedMatrices, answer).matrices[0]

    def upload(self, name: str, fields: dict[str, Any], files: tuple[Path, ...]) -> BaseModel:
        """Return the result of a use case that reads files, one of which is sent."""
        path, upload = path_of(name), UPLOADS[name]
        if not files and fields.get("from_runs"):
            return _read(upload.result, self._send(path, fields, io.BytesIO(), 0))
        if len(files) != 1:
            raise InputError(f"A service takes one file at a time, not {len(files)}.")
        try:
            with files[0].open("rb") as body:
                size = files[0].stat().st_size
                answer = self._send(path, fields | {"filename": files[0].name}, body, size)
        except FileNotFoundError:
            raise BadFileError("there is no such file", str(files[0])) from None
        except OSError as error:
            raise BadFileError(str(error.strerror or error), str(files[0])) from None
        return _read(upload.result, answer)

    def _send(
        self,
        path: str,
        query: dict[str, Any],
        body: bytes | IO[bytes] | None = None,
        size: int | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the JSON of its response; a body with a `size` is a file."""
        until = time.monotonic() + _SECONDS
        parameters = {
            name: json.dumps(value) if isinstance(value, dict) else value
            for name, value in query.items()
            if value is not None
        }
        url = f"{self._url}{PREFIX}{path}?{urlencode(parameters, doseq=True)}"
        headers = dict(self._headers)
        if size is not None:
            headers |= {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        elif body is not None:
            headers["Content-Type"] = "application/json"
        try:
            http = HttpRequest(url, body, headers)  # noqa: S310
            with _OPENER.open(http, timeout=_SECONDS) as response:
                pieces = []
                while piece := response.read1(_BYTES_AT_ONCE):
                    pieces.append(piece)
                    if time.monotonic() > until:
                        raise TimeoutError
                read = json.loads(b"".join(pieces))
                if not isinstance(read, dict):
                    raise ValueError
        except HTTPError as error:
            raise _refusal(self._public_url, error) from None
        except (OSError, ValueError, RecursionError, HTTPException) as error:
            raise DatabaseUnreachableError(
                f"The service at {self._public_url} {_why(error)}."
            ) from None
        read.pop("sentences", None)
        return read


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect, since the token would be sent along."""

    def redirect_request(self, *_: object) -> None:
        return None


class _Refusable:
    """A connection that reads the answer of a service that refuses before all of a body is sent."""

    def send(self, data: Any) -> None:  # noqa: ANN401
        with suppress(BrokenPipeError, ConnectionResetError):
            super().send(data)  # type: ignore[misc]


class _Connection(_Refusable, HTTPConnection):
    pass


class _SecureConnection(_Refusable, HTTPSConnection):
    pass


class _Http(HTTPHandler):
    def http_open(self, req: HttpRequest) -> HTTPResponse:
        return self.do_open(_Connection, req)


class _Https(HTTPSHandler):
    def https_open(self, req: HttpRequest) -> HTTPResponse:
        return self.do_open(_SecureConnection, req)


_OPENER = build_opener(_NoRedirect, _Http, _Https)


def _why(error: Exception) -> str:
    """Return the reason why a service did not answer, as the end of a sentence."""
    reason = getattr(error, "reason", error)
    if isinstance(reason, SSLCertVerificationError):
        return f"shows a certificate that cannot be trusted: {reason.verify_message}"
    if isinstance(reason, SSLError):
        return "does not speak TLS as it should: is its address one with http://?"
    if isinstance(reason, TimeoutError):
        return f"did not answer within {_SECONDS:g} seconds"
    if isinstance(reason, OSError):
        return f"cannot be reached: {reason.strerror or reason}"
    return "does not answer as Roundbook does"


def _read(model: type[_Result], answer: dict[str, Any]) -> _Result:
    try:
        read = model.model_validate(answer)
        if isinstance(read, ShownResult):
            # The type of the result depends on its kind.
            result = find_kind(read.kind).read(answer["result"], "The result")
            read = read.model_copy(update={"result": result})
        return read
    except ValidationError:
        raise RoundbookError(
            f"The service's {model.__name__} is none that this Roundbook ({SOFTWARE}) can read: it is"
            " of another version."
        ) from None


def _sent(request: BaseModel | None, *without: str) -> dict[str, Any]:
    if request is None:
        return {}
    return request.model_dump(
        mode="json", exclude=set(without), exclude_defaults=True, exclude_none=True
    )


def _refusal(url: str, error: HTTPError) -> RoundbookError:
    """Return the service's error as the exception that a local record would raise."""
    try:
        problem = json.load(error)
        kind = getattr(errors, f"{problem['code']}Error", RoundbookError)
        detail = "".join(char if char.isprintable() else " " for char in str(problem["detail"]))
    except (ValueError, KeyError, TypeError):
        return DatabaseUnreachableError(
            f"The service at {url} does not answer as Roundbook does: {error.code} {error.reason}."
        )
    if not (isinstance(kind, type) and issubclass(kind, RoundbookError)):
        return RoundbookError(detail)
    refusal = kind.__new__(kind)
    Exception.__init__(refusal, detail)
    code, facts = problem.get("way_out"), problem.get("facts")
    refusal.facts = facts if isinstance(facts, dict) else {}
    refusal.way_out = WayOut(str(code), refusal.facts) if code else None
    for name in ("file", "line", "column", "field"):
        if name in problem:
            setattr(refusal, name, problem[name])
    return refusal
