"""What every answer carries, and how long the body of a request may be and take."""

from __future__ import annotations

import asyncio

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from roundbook.api.problems import HttpError, problem

_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class SecurityHeaders:
    """Adds to every answer what keeps browsers from doing more with it than was meant."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def adding(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, adding)


class BodyLimit:
    """Reads the JSON of a decision before anything looks at it: at most so long, in so long a time.

    Parameters
    ----------
    below : str
        The paths that take JSON begin so.
    uploads : frozenset of str
        The paths among them that take files, which have limits of their own.
    most_bytes : int
    seconds : float
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        below: str,
        uploads: frozenset[str],
        most_bytes: int = 1_000_000,
        seconds: float = 30,
    ) -> None:
        self._app = app
        self._below, self._uploads = below, uploads
        self._most_bytes, self._seconds = most_bytes, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        path = scope.get("path", "")
        read = scope["type"] == "http" and scope["method"] == "POST"  # of no other is a body read
        if not read or not path.startswith(self._below) or path in self._uploads:
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read(receive)
        except HttpError as error:
            await problem(error)(scope, receive, send)
            return
        if body is None:
            return  # whoever asked has gone
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replaying() -> Message:
            return messages.pop() if messages else await receive()

        await self._app(scope, replaying, send)

    async def _read(self, receive: Receive) -> bytes | None:
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._most_bytes:
                        raise HttpError(413, f"The body is longer than {self._most_bytes} bytes.")
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            raise HttpError(408, f"The body took longer than {self._seconds:g} seconds.") from None
