"""Response bodies: results as JSON, CSV or Parquet, cached while the record is unchanged."""

from __future__ import annotations

import hashlib
import io
import json
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from datetime import date, datetime
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import urlencode

import psycopg
from fastapi import Request
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel
from sqlalchemy import Connection, Engine, exc
from starlette.types import Receive, Scope, Send

from roundbook.csv_names import write_csv
from roundbook.formats.extras import import_extra
from roundbook.logbook.events import EventList
from roundbook.logbook.matrices.export import ExportedMatrix
from roundbook.logbook.matrices.listing import MatrixList
from roundbook.logbook.runs.listing import RunList
from roundbook.logbook.topics import TopicList
from roundbook.presentation.views import columns_of, table_of, view_of

JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
_PRIVATE = "private, no-cache"
# Size of the cache; a single answer may take a quarter of it.
_MOST_BYTES = 2**26
# The scores of a matrix never change, even if it is withdrawn; those of a round may be revised.
_IMMUTABLE = "private, max-age=31536000, immutable"
# The same snapshot of the same server means an unchanged record. A standby's snapshots name no
# transactions.
_SNAPSHOT = (
    "SELECT pg_catalog.concat_ws(' ', pg_catalog.pg_current_snapshot(),"
    " extract(epoch FROM pg_catalog.pg_postmaster_start_time())) WHERE NOT pg_catalog.pg_is_in_recovery()"
)


class Rendered(NamedTuple):
    """A response: its body, media type and headers."""

    body: bytes
    kind: str
    headers: dict[str, str]


class AnswerCache:
    """A cache of recently used responses, each with the database snapshot it was read from."""

    def __init__(self) -> None:
        self._bytes = 0
        self._answers: OrderedDict[object, tuple[str, Rendered]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: object, snapshot: str | None) -> Rendered | None:
        """Return the cached response for a key; None without one or if the snapshot has changed."""
        with self._lock:
            if snapshot is None:
                # After a crash the server may lose its latest transactions, and give their numbers
                # to others.
                self._answers.clear()
                self._bytes = 0
            cached = self._answers.get(key)
            if cached is None or cached[0] != snapshot:
                return None
            self._answers.move_to_end(key)
            return cached[1]

    def put(self, key: object, snapshot: str | None, rendered: Rendered) -> None:
        """Cache a response, and drop the least recently used ones beyond the limits."""
        if snapshot is None or len(rendered.body) > _MOST_BYTES // 4:
            return
        with self._lock:
            before = self._answers.pop(key, None)
            self._bytes += len(rendered.body) - (len(before[1].body) if before else 0)
            self._answers[key] = (snapshot, rendered)
            while self._bytes > _MOST_BYTES or len(self._answers) > 1_000:
                self._bytes -= len(self._answers.popitem(last=False)[1][1].body)


def snapshot_of(connection: Connection) -> str | None:
    """Return the snapshot of this transaction, as text that is equal while the record is unchanged.

    None on a standby, whose snapshots name no transactions.
    """
    snapshot: str | None = connection.exec_driver_sql(_SNAPSHOT).scalar()
    return snapshot


def current_snapshot(engine: Engine) -> str | None:
    """Return the snapshot a new transaction would have; None on a standby or without a server."""
    with suppress(exc.SQLAlchemyError, psycopg.Error):
        connection = engine.raw_connection()
        try:
            # One round trip, where a transaction would take four.
            driver: Any = connection.driver_connection
            read = driver.pgconn.exec_(_SNAPSHOT.encode())
            if read.status == psycopg.pq.ExecStatus.TUPLES_OK:
                return str(read.get_value(0, 0).decode()) if read.ntuples else None
            connection.invalidate()
        finally:
            connection.close()
    return None


def accepted(http: Request) -> str:
    """Return the media type that a request accepts: CSV, Parquet, or else JSON."""
    accept = http.headers.get("accept", "")
    return next((kind for kind in (CSV, PARQUET) if kind in accept), JSON)


def render(http: Request, result: BaseModel, kind: str) -> Rendered:
    """Return the response with a result in a media type."""
    scores = isinstance(result, ExportedMatrix) and kind != JSON
    cache = _IMMUTABLE if scores and "matrix" in http.query_params else _PRIVATE
    if kind == JSON:
        body = _json(result)
    elif isinstance(result, ExportedMatrix) and kind == CSV:
        body = (result.content or "").encode()
    elif kind == CSV:
        body = csv_text(*table_of(result)).encode()
    else:
        body = _parquet(result)
    headers = _headers(hashlib.sha256(kind.encode() + body), cache)
    if isinstance(result, (EventList, MatrixList, RunList, TopicList)) and result.later:
        query = [
            (name, value) for name, value in http.query_params.multi_items() if name != "after"
        ]
        after = urlencode([*query, ("after", _last(result))])
        headers["Link"] = f'<{http.url.path}?{after}>; rel="next"'
    return Rendered(body, f"{kind}; charset=utf-8" if kind == CSV else kind, headers)


def _last(page: EventList | MatrixList | RunList | TopicList) -> int | str:
    """Return the `after` of the next page: the key of the last row of this page."""
    match page:
        case EventList():
            return page.events[-1].event
        case MatrixList():
            return page.matrices[-1].matrix
        case TopicList():
            return page.topics[-1].topic
    return page.runs[-1].run if page.runs else f"{page.uploads[-1].round}:{page.uploads[-1].upload}"


def render_file(result: BaseModel, file: Path, kind: str) -> Rendered:
    """Return the response with a written file: in base64 within JSON, else with an empty body."""
    if kind == JSON:
        body = _json(result, content=b64encode(file.read_bytes()).decode())
        return Rendered(body, kind, _headers(hashlib.sha256(body), _PRIVATE))
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256")
    return Rendered(b"", kind, _headers(digest, _PRIVATE))


def respond(http: Request, rendered: Rendered, file: Path | None = None) -> Response:
    """Return the HTTP response, with a file's content if one is given; 304 if the client has it."""
    tag, client_tags = rendered.headers["ETag"], http.headers.get("if-none-match", "")
    if http.method in ("GET", "HEAD") and (tag in client_tags or client_tags.strip() == "*"):
        # The ETag as the client has it: a compressed answer was sent with a weak one.
        headers = rendered.headers | ({"ETag": f"W/{tag}"} if f"W/{tag}" in client_tags else {})
        return Response(status_code=304, headers=headers)
    if file is not None:
        headers = rendered.headers | {"Accept-Ranges": "none"}
        return _WholeFile(file, headers=headers, media_type=rendered.kind, filename=file.name)
    return Response(rendered.body, headers=rendered.headers, media_type=rendered.kind)


class _WholeFile(FileResponse):
    """A response with a temporary file that ignores Range, whose errors are no problem+json."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await super().__call__({**scope, "headers": []}, receive, send)


def _json(result: BaseModel, **more: str) -> bytes:
    facts = result.model_dump(mode="json", by_alias=True) | more
    if sentences := list(view_of(result).sentences):
        facts["sentences"] = sentences
    return json.dumps(facts, ensure_ascii=False).encode("utf-8", "backslashreplace")


def _headers(digest: hashlib._Hash, cache: str) -> dict[str, str]:
    return {
        "ETag": f'"{digest.hexdigest()[:32]}"',
        "Vary": "Accept, Authorization, Cookie",
        "Cache-Control": cache,
    }


def csv_text(names: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV text, with cells marked that a spreadsheet would take for formulas."""
    stream = io.StringIO()
    write_csv(stream, (names, *([_plain(row[name]) for name in names] for row in rows)))
    return stream.getvalue()


def _parquet(result: BaseModel) -> bytes:
    arrow = import_extra("pyarrow", "parquet", "Parquet")
    parquet = import_extra("pyarrow.parquet", "parquet", "Parquet")
    types = {
        str: arrow.string(),
        bool: arrow.bool_(),
        int: arrow.int64(),
        float: arrow.float64(),
        datetime: arrow.timestamp("us", "UTC"),
        date: arrow.date32(),
        object: arrow.string(),
    }
    columns = {
        name: arrow.array(
            map(_text if types[kind] == arrow.string() else _plain, values), types[kind]
        )
        for name, (kind, values) in columns_of(result).items()
    }
    stream = io.BytesIO()
    parquet.write_table(arrow.table(columns), stream)
    return stream.getvalue()


def _text(value: object) -> str | None:
    """Return a value for a cell of text."""
    plain = _plain(value)
    return None if plain is None else str(plain)


def _plain(value: object) -> object:
    """Return a value for a cell: a list or mapping as JSON text, anything else unchanged."""
    if not isinstance(value, (list, tuple, dict)):
        return value
    return json.dumps(value, default=str, ensure_ascii=False)
