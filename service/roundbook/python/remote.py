"""A record behind a service: the same methods over HTTP, with a token."""

from __future__ import annotations

import csv
import io
import json
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request as HttpRequest
from urllib.request import urlopen

from pydantic import BaseModel

from roundbook import errors
from roundbook.errors import DatabaseUnreachableError, InputError, RoundbookError
from roundbook.formats import ScoreMatrix
from roundbook.logbook.matrices.logged import LoggedMatrices
from roundbook.logbook.saved_results import SavedResult
from roundbook.logbook.studies.studies import find_study
from roundbook.logbook.teams import DescribedTeams
from roundbook.requests.base import Request
from roundbook.requests.matrices import LogRequest
from roundbook.requests.studies import StudyRequest
from roundbook.use_cases import find_use_case

_PREFIX = "/api/v1"
_SECONDS = 600


class RemoteRecord:
    """A service's record; each method is one request, and one transaction there.

    Parameters
    ----------
    url : str
        The service's, as it printed it.
    token : str or None
        None sees what is published.
    """

    def __init__(self, url: str, token: str | None) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Accept": "application/json"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"

    def close(self) -> None:
        """Close nothing: a request leaves no connection open."""

    def ask(self, name: str, request: Request | None) -> Any:  # noqa: ANN401
        """Return what comes of a use case there."""
        case = find_use_case(name)
        path = "/" + name.replace("_", "-")
        fields = _sent(request)
        body = json.dumps(fields).encode() if case.changes else None
        answer = self._send(path, {} if case.changes else fields, body)
        return _model(case.function).model_validate(answer)

    def study(self, request: StudyRequest) -> Any:  # noqa: ANN401
        """Return a study of a round there."""
        name = getattr(request, "study", "")
        answer = self._send(f"/study/{name}", _sent(request))
        return find_study(name).result.model_validate(answer)

    def save(self, kind: str, fields: dict[str, Any], name: str | None, note: str | None) -> Any:  # noqa: ANN401
        """Save a result of a kind there."""
        body = {"name": name, "note": note, "request": fields}
        answer = self._send(f"/save/{kind}", {}, json.dumps(body, default=str).encode())
        return SavedResult.model_validate(answer)

    def log_matrix(self, request: LogRequest, matrix: ScoreMatrix) -> Any:  # noqa: ANN401
        """Log scores that are in memory, as a wide file."""
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["topic", *matrix.runs])
        for topic, row in zip(matrix.topics, matrix.scores.tolist(), strict=True):
            writer.writerow([topic, *("" if score != score else repr(score) for score in row)])  # noqa: PLR0124
        fields = _sent(request)
        fields["measures"] = [fields.pop("measure")]
        answer = self._send("/log", fields | {"layout": "wide"}, stream.getvalue().encode())
        return LoggedMatrices.model_validate(answer).matrices[0]

    def log_files(self, fields: dict[str, Any], files: tuple[Path, ...]) -> Any:  # noqa: ANN401
        """Log the scores in a file there."""
        if len(files) != 1:
            raise InputError(f"A service takes one score file at a time, not {len(files)}.")
        query = fields | {"filename": files[0].name}
        return LoggedMatrices.model_validate(self._send("/log", query, _content(files[0])))

    def describe_teams(self, fields: dict[str, Any], file: Path) -> Any:  # noqa: ANN401
        """Record what a team file says there."""
        query = fields | {"filename": file.name}
        return DescribedTeams.model_validate(self._send("/describe-teams", query, _content(file)))

    def _send(self, path: str, query: dict[str, Any], body: bytes | None = None) -> dict[str, Any]:
        given = {name: value for name, value in query.items() if value is not None}
        url = f"{self._url}{_PREFIX}{path}?{urlencode(given, doseq=True)}"
        kind = "application/json" if (body or b"")[:1] == b"{" else "application/octet-stream"
        http = HttpRequest(  # noqa: S310
            url, body, self._headers | ({} if body is None else {"Content-Type": kind})
        )
        try:
            with urlopen(http, timeout=_SECONDS) as response:  # noqa: S310
                read: dict[str, Any] = json.load(response)
        except HTTPError as error:
            raise _refusal(error) from None
        except (URLError, OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise DatabaseUnreachableError(
                f"The service at {self._url} does not answer as Roundbook does: {reason}."
            ) from None
        read.pop("sentences", None)
        return read


def _sent(request: BaseModel | None) -> dict[str, Any]:
    if request is None:
        return {}
    return request.model_dump(mode="json", exclude_defaults=True, exclude_none=True)


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror}.") from None


def _model(function: str) -> type[BaseModel]:
    """Return the type of what a use case returns."""
    module, _, name = function.partition(":")
    imported = import_module(f"roundbook.logbook.{module}")
    model: type[BaseModel] = getattr(imported, getattr(imported, name).__annotations__["return"])
    return model


def _refusal(error: HTTPError) -> RoundbookError:
    """Return the error that the service met, as it would be raised here."""
    try:
        problem = json.load(error)
        kind = getattr(errors, f"{problem['code']}Error", RoundbookError)
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return RoundbookError(f"The service answered with {error.code} {error.reason}.")
    made = RoundbookError(detail)
    if isinstance(kind, type) and issubclass(kind, RoundbookError):
        made = kind.__new__(kind)
        Exception.__init__(made, detail)
        made.way_out = None
        for name in ("file", "line", "column", "field"):
            if name in problem:
                setattr(made, name, problem[name])
    return made
