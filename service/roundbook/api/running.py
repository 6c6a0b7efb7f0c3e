"""The service as a process: one server that runs until it is interrupted."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from types import FrameType

import h11
import uvicorn
from fastapi import FastAPI
from sqlalchemy import Engine
from uvicorn.protocols.http.h11_impl import H11Protocol

from roundbook.api.app import make_app
from roundbook.errors import InputError
from roundbook.settings import Settings

_SECONDS_TO_ASK, _SECONDS_TO_END = 30, 10


def run_service(
    settings: Settings,
    engine: Engine,
    *,
    host: str,
    port: int,
    open_to_all: bool,
    listening: Callable[[str], object],
) -> None:
    """Serve the record until the process is interrupted; `listening` is called with the address.

    Raise InputError where the address cannot be bound.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the socket's protocol is given as TCP.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except (OSError, UnicodeError) as error:
        bound.close()
        raise InputError(
            f"Nothing can listen on {host}, port {port}: {getattr(error, 'strerror', error)}."
        ) from None
    url_host = f"[{host}]" if family == socket.AF_INET6 else host
    app = make_app(settings, engine, open_to_all=open_to_all)
    url = f"http://{url_host}:{bound.getsockname()[1]}"
    server = _Server(app, lambda: listening(url))
    # An interrupt is the normal end: requests under way are still answered.
    with bound, suppress(KeyboardInterrupt):
        server.run(sockets=[bound])


def service_config(app: FastAPI) -> uvicorn.Config:
    """Return the uvicorn configuration of an application."""
    proxies = app.state.settings.proxies
    return uvicorn.Config(
        app,
        http=_Protocol,
        ws="none",
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=proxies,
        timeout_keep_alive=_SECONDS_TO_ASK,
        timeout_graceful_shutdown=_SECONDS_TO_END,
    )


class _Protocol(H11Protocol):
    """A connection that is closed if no complete request arrives in time, however many bytes do."""

    _before: object = False  # the request answered last, while the next has not come

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        waiting = self.conn.their_state is h11.IDLE
        if waiting and self._before is self.cycle:
            self.transport.close()
            return
        self._before = self.cycle if waiting else False
        self.loop.call_later(_SECONDS_TO_ASK, self._look)


class _Server(uvicorn.Server):
    """A server that calls back once it listens, and marks the application as ending on shutdown."""

    def __init__(self, app: FastAPI, answering: Callable[[], object]) -> None:
        super().__init__(service_config(app))
        self._state, self._answering = app.state, answering

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End as soon as what is under way is answered; a second interrupt changes nothing.

        It would break off requests in the middle, each with a traceback.
        """
        if not self.should_exit:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._state.turns.ending = True  # else shutdown waits for computations and event streams
        await super().shutdown(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._answering()
