"""An application that listens on loopback, in a thread of this process."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from fastapi import FastAPI

from roundbook.api.running import service_config


@contextmanager
def serving(app: FastAPI) -> Iterator[int]:
    """Yield the port on which an application listens, as the service does."""
    # Only of a socket that says it is TCP does asyncio send short answers without delay.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.bind(("127.0.0.1", 0))
    server = uvicorn.Server(service_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    until = time.monotonic() + 30
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    try:
        yield bound.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(30)
