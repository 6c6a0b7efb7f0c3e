"""Middleware: security headers, limits of size and time on bodies, and Prometheus metrics."""

from __future__ import annotations

import asyncio
import time

from fastapi import FastAPI, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roundbook.api.problems import HttpError, problem

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
# An upload must send this many bytes in this many seconds, and end within ten minutes.
_LEAST_BYTES, _SECONDS_FOR_THEM, _SECONDS = 2**16, 30, 600
# Limits of any other body.
_MOST_BYTES, _SECONDS_FOR_BODY = 1_000_000, 30


def security_headers(app: ASGIApp) -> ASGIApp:
    """Add headers that restrict what browsers do with a response."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                # Compressed bodies differ in bytes, not in content: the tag is weak.
                if "content-encoding" in headers and headers.get("etag", "").startswith('"'):
                    headers["etag"] = f"W/{headers['etag']}"
            await send(message)

        await app(scope, receive, adding)

    return answer


def last_answer(app: ASGIApp) -> ASGIApp:
    """Answer requests that are broken off because the service ends."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await app(scope, receive, noting)
        except asyncio.CancelledError:
            if scope["type"] != "http" or begun:
                raise
            # Its thread goes on until the process ends, so what it changes may still be kept.
            sentence = "The service ended before it was done; it may be done all the same, or not."
            await problem(HttpError(503, sentence))(scope, receive, send)

    return answer


def body_limit(app: ASGIApp, *, uploads: frozenset[str]) -> ASGIApp:
    """Read the whole body before the application runs, within limits of size and time.

    Bodies of the paths in `uploads` are streamed instead, and must keep a minimum pace.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "POST":  # only a POST's body is read
            await app(scope, receive, send)
            return
        if scope["path"] in uploads:
            await _take_file(app, scope, receive, send)
            return
        try:
            body = await _read(receive)
        except HttpError as error:
            await problem(error)(scope, receive, send)
            return
        if body is None:
            return  # the client has disconnected
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replaying() -> Message:
            return messages.pop() if messages else await receive()

        await app(scope, replaying, send)

    return answer


async def _take_file(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    paced, begun = _Paced(receive), False

    async def sending(message: Message) -> None:
        nonlocal begun
        if begun or not paced.slow:
            begun = True
            await send(message)

    try:
        await app(scope, paced, sending)
    except ClientDisconnect:
        pass  # there is no client to answer
    except Exception:
        if not paced.slow:
            raise
    if paced.slow and not begun:
        slow = HttpError(408, "The file came too slowly; nothing was kept of it.")
        await problem(slow)(scope, receive, send)


class _Paced:
    """Receives an upload; if too little arrives in time, sets `slow` and reports a disconnect."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._clock = asyncio.get_running_loop().time
        self._end = self._clock() + _SECONDS
        self._next = self._clock() + _SECONDS_FOR_THEM
        self._came = 0
        self._whole = False
        self.slow = False

    async def __call__(self) -> Message:
        if self._whole:
            return await self._receive()
        try:
            async with asyncio.timeout_at(min(self._next, self._end)):
                message = await self._receive()
        except TimeoutError:
            self._whole = self.slow = True
            return {"type": "http.disconnect"}
        self._whole = not message.get("more_body", False)
        self._came += len(message.get("body", b""))
        if self._came >= _LEAST_BYTES:
            self._came, self._next = 0, self._clock() + _SECONDS_FOR_THEM
        return message


async def _read(receive: Receive) -> bytes | None:
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS_FOR_BODY):
            while True:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return None
                body += message.get("body", b"")
                if len(body) > _MOST_BYTES:
                    raise HttpError(413, f"The body is longer than {_MOST_BYTES:,} bytes.")
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        sentence = f"The body took longer than {_SECONDS_FOR_BODY:g} seconds."
        raise HttpError(408, sentence) from None


# Other methods are counted as one: clients could otherwise add labels without limit.
_METHODS = frozenset({"GET", "HEAD", "POST"})


def add_metrics(app: FastAPI) -> None:
    """Count and time an application's requests by route, method and status; serve ``/metrics``.

    Labels are route templates, never names from the record: those are in the query.
    """
    registry, labels = CollectorRegistry(), ("method", "route", "status")
    requests = Counter("roundbook_requests", "Requests answered.", labels, registry=registry)
    seconds = Histogram(
        "roundbook_request_seconds", "Seconds until the answer.", labels[:2], registry=registry
    )

    def counting(app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            began, status = time.perf_counter(), 500

            async def noting(message: Message) -> None:
                nonlocal status
                if message["type"] == "http.response.start":
                    status = message["status"]
                await send(message)

            try:
                await app(scope, receive, noting)
            finally:
                method = scope["method"] if scope["method"] in _METHODS else "other"
                route = getattr(scope.get("route"), "path", "other")
                requests.labels(method, route, str(status)).inc()
                seconds.labels(method, route).observe(time.perf_counter() - began)

        return answer

    app.add_middleware(counting)

    @app.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
