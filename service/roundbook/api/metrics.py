"""What a monitor reads: how many requests were answered how, and how long they took."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Histogram,
    generate_latest,
)


def add_metrics(app: FastAPI) -> None:
    """Count an application's requests by route, method and status, and serve ``/metrics``.

    Whoever may read it is told routes, never names: those are in the query.
    """
    registry = CollectorRegistry()
    labels = ("method", "route", "status")
    requests = Counter("roundbook_requests", "Requests answered.", labels, registry=registry)
    seconds = Histogram(
        "roundbook_request_seconds", "Seconds until the answer.", labels[:2], registry=registry
    )

    @app.middleware("http")
    async def count(http: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        response = await answer(http)
        route = getattr(http.scope.get("route"), "path", "other")
        requests.labels(http.method, route, str(response.status_code)).inc()
        seconds.labels(http.method, route).observe(time.perf_counter() - began)
        return response

    @app.get("/metrics", include_in_schema=False)
    def metrics() -> Response:
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)
