"""Prometheus metrics: numbers of requests by route, method and status, and their durations."""

from __future__ import annotations

import time

from fastapi import FastAPI, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Other methods are counted as one: clients could otherwise add labels without limit.
_METHODS = frozenset({"GET", "HEAD", "POST"})


def add_metrics(app: FastAPI) -> None:
    """Count an application's requests by route, method and status, and serve ``/metrics``.

    Labels are route templates, never names from the record: those are in the query.
    """
    registry = CollectorRegistry()
    app.add_middleware(_Metrics, registry=registry)

    @app.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class _Metrics:
    """Middleware that counts and times requests."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        labels = ("method", "route", "status")
        self._app = app
        self._requests = Counter(
            "roundbook_requests", "Requests answered.", labels, registry=registry
        )
        self._seconds = Histogram(
            "roundbook_request_seconds", "Seconds until the answer.", labels[:2], registry=registry
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            method = scope["method"] if scope["method"] in _METHODS else "other"
            route = getattr(scope.get("route"), "path", "other")
            self._requests.labels(method, route, str(status)).inc()
            self._seconds.labels(method, route).observe(time.perf_counter() - began)
