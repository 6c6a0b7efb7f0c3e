"""Files that are sent as the body of a request: written down as they come, never whole in memory."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Request
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect

from roundbook.api.problems import HttpError
from roundbook.formats import sent_to

_BYTES_AT_ONCE = 2**20


@asynccontextmanager
async def uploaded(http: Request, name: str, most_bytes: int) -> AsyncIterator[Path]:
    """Yield the file that the body was written to; what is too long is refused midway.

    Raises
    ------
    HttpError
        413, 415 or 422; 400 where it broke off.
    """
    safe = Path(name).name
    if not safe.isprintable() or safe in ("", ".", "..") or len(safe.encode()) > 200:
        raise HttpError(422, "The file's name is one printable line of at most 200 characters.")
    if http.headers.get("content-type", "").startswith("multipart/"):
        raise HttpError(415, "The body is a form; send the file itself as the body.")
    too_long = HttpError(413, f"The file is longer than {most_bytes} bytes.")
    length = http.headers.get("content-length", "")
    if length.isdigit() and (len(length) > 18 or int(length) > most_bytes):
        raise too_long
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / safe
        size, held = 0, bytearray()
        try:
            with file.open("wb") as target:
                async for piece in http.stream():
                    size += len(piece)
                    if size > most_bytes:
                        raise too_long
                    held += piece
                    if len(held) >= _BYTES_AT_ONCE:
                        await run_in_threadpool(target.write, held)
                        held = bytearray()
                await run_in_threadpool(target.write, held)
        except ClientDisconnect:
            raise HttpError(400, "The file broke off; nothing was kept of it.") from None
        with sent_to(directory):
            yield file
