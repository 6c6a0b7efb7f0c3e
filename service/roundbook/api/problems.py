"""Errors over HTTP as problem+json documents (RFC 9457), with the sentence the terminal prints."""

from __future__ import annotations

import json
import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from roundbook.api.ways_out import PREFIX, help_after
from roundbook.errors import (
    BadFileError,
    DatabaseBusyError,
    DatabaseError,
    DatabaseUnreachableError,
    InputError,
    MissingExtraError,
    NotRecordedError,
    RecordError,
    RequestError,
    RoundbookError,
    SchemaOutOfDateError,
    WithdrawnError,
)
from roundbook.requests.base import refusal_reason

# The first class that an error is an instance of decides.
_STATUSES: tuple[tuple[type[RoundbookError], int], ...] = (
    (WithdrawnError, 409),
    (NotRecordedError, 404),
    (RecordError, 409),
    (InputError, 422),
    (MissingExtraError, 501),
    (SchemaOutOfDateError, 503),
    (DatabaseError, 503),
)


_LOG = logging.getLogger(__name__)
BROKEN_OFF = "The file broke off; nothing was kept of it."
NO_JSON = "The body is no JSON object, or its `Content-Type` is not application/json."
_NO_OBJECT = ("json_invalid", "model_attributes_type", "model_type")
PROBLEM_TYPE = "application/problem+json"
# The members of RFC 9457, and Roundbook's own.
PROBLEM_SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "The sentence that the terminal prints."},
        "code": {"type": "string", "description": "The error's name in Python, without Error."},
        "way_out": {"type": "string", "description": "The code of what would help."},
        "help": {"type": "string", "description": "What would help, over HTTP, in a sentence."},
        "facts": {"type": "object", "description": "What it is about, by name: task, round, ..."},
        "field": {"type": "string", "description": "Of the request."},
        "file": {"type": "string"},
        "line": {"type": "integer"},
        "column": {"type": "integer"},
    },
    "example": {
        "type": "about:blank",
        "title": "Not there",
        "status": 404,
        "detail": "There is no task 'covid'.",
        "code": "NotRecorded",
        "way_out": "list tasks",
        "help": f"GET {PREFIX}/tasks lists those there are.",
        "facts": {"task": "covid"},
    },
}


class HttpError(RoundbookError):
    """A request refused with an HTTP status of its own: too large, not allowed, without a token."""

    def __init__(self, status: int, message: str, *, way_out: str | None = None) -> None:
        self.status = status
        super().__init__(message, way_out=way_out)


def too_long(most_bytes: int) -> HttpError:
    """Return the error for a file longer than the limit."""
    size = f"{most_bytes:,} bytes" if most_bytes < 2**20 else f"{most_bytes / 2**20:,.4g} MiB"
    return HttpError(413, f"The file is longer than {size}.")


def refuse_too_long(http: Request, most_bytes: int, form_bytes: int = 0) -> None:
    """Refuse a file longer than the limit by the length that its request states.

    `form_bytes` is the most that a form around the file takes.
    """
    length = http.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most_bytes + form_bytes):
        raise too_long(most_bytes)


def field_error(error: RequestValidationError) -> RequestError:
    """Return FastAPI's error as that of the first field with a value it cannot have."""
    fault = error.errors()[0]
    field = ".".join(str(part) for part in fault["loc"][1:])
    return RequestError(field, f"`{field}` {refusal_reason(fault)}".rstrip("."))


def problem(error: RoundbookError) -> Response:
    """Return an error as a response: sentence, code, facts, and file position or field if any."""
    position: dict[str, Any] = {}
    if isinstance(error, BadFileError):
        position = {"file": error.file, "line": error.line, "column": error.column}
    elif isinstance(error, RequestError):
        position = {"field": error.field}
    status = status_of(error)
    headers = {"Retry-After": "5"} if status == 503 else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    facts = {
        name: value if isinstance(value, (int, float, list)) else str(value)
        for name, value in error.facts.items()
    }
    content = _document(
        status,
        str(error),
        code=type(error).__name__.removesuffix("Error"),
        way_out=error.way_out.code if error.way_out else None,
        help=help_after(error.way_out),
        facts=facts or None,
        **position,
    )
    return _answer(content, headers)


def for_caller(http: Request, error: RoundbookError) -> RoundbookError:
    """Return the error that the caller may see.

    A database error names the server and its message. Callers without a token only learn that the
    database does not answer; the log has the rest.
    """
    caller = getattr(http.state, "caller", None)
    if not isinstance(error, DatabaseError) or (caller is not None and caller.scope is not None):
        return error
    _LOG.error("%s %s: %s", http.method, http.url.path, error)
    busy = isinstance(error, DatabaseBusyError)
    kind = DatabaseBusyError if busy else DatabaseUnreachableError
    return kind("The database does not answer at present; try again later.")


def add_handlers(app: FastAPI) -> None:
    """Add handlers that turn every error of an application into a problem+json response."""

    @app.exception_handler(RoundbookError)
    def refuse(http: Request, error: RoundbookError) -> Response:
        return problem(for_caller(http, error))

    @app.exception_handler(RequestValidationError)
    def refuse_request(_: Request, error: RequestValidationError) -> Response:
        refused = field_error(error)
        if error.errors()[0]["type"] in _NO_OBJECT or not refused.field:
            return problem(HttpError(422, NO_JSON))
        return problem(refused)

    @app.exception_handler(HTTPException)
    def refuse_http(http: Request, error: HTTPException) -> Response:
        status, detail, headers = error.status_code, str(error.detail), dict(error.headers or {})
        if status == 400:  # FastAPI's, for JSON that its parser gives up on
            return problem(HttpError(422, NO_JSON))
        helps = None
        if status == 404:
            detail = "There is no such path."
            helps = f"GET {PREFIX}/openapi.json describes those there are."
        elif status == 405:
            detail = f"It is not asked for by {http.method}, but by {headers['Allow']}."
        return _answer(_document(status, detail, code="Http", help=helps), headers)

    @app.exception_handler(Exception)
    def report_failure(*_: object) -> Response:
        # Starlette raises it again after this response, for the log.
        return problem(
            HttpError(500, "Roundbook itself went wrong here; the service's log says how.")
        )


def status_of(error: RoundbookError) -> int:
    """Return the HTTP status of an error."""
    if isinstance(error, HttpError):
        return error.status
    return next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)


def _document(status: int, detail: str, **facts: object) -> dict[str, Any]:
    titles = {401: "Not allowed", 403: "Not allowed", 404: "Not there", 409: "In conflict"}
    titles |= {408: "Too much", 413: "Too much"}
    return {
        "type": "about:blank",
        "title": titles.get(status, "Not possible"),
        "status": status,
        "detail": detail,
        **{name: value for name, value in facts.items() if value is not None},
    }


def _answer(content: dict[str, Any], headers: dict[str, str]) -> Response:
    body = json.dumps(content, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(body, content["status"], headers, media_type=PROBLEM_TYPE)
