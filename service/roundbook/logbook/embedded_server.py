"""Keeping the embedded server up between commands, and stopping it."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal

from roundbook.embedded.keeper import keep_up, stop_server
from roundbook.errors import InputError
from roundbook.logbook.result import Result
from roundbook.logbook.session import chosen_address
from roundbook.settings import Settings


class EmbeddedServer(Result):
    """The embedded server after it was started or stopped.

    `until` is when it stops by itself, None if it is not kept up. A server that is `in use` stops
    when the commands that use it have ended.
    """

    directory: Path
    status: Literal["started", "extended", "unchanged", "stopped", "in use", "not running"]
    until: datetime | None


def start_embedded_server(
    settings: Settings, time_up: timedelta, address: str | None = None
) -> EmbeddedServer:
    """Start the embedded server and keep it up between commands, for `time_up` from now or longer.

    Raises
    ------
    InputError
        When the record is on a PostgreSQL server, not the embedded one.
    DatabaseUnreachableError
        When the server cannot be started.
    """
    directory = _directory(settings, address)
    status, keeper = keep_up(directory, time_up)
    return EmbeddedServer(directory=directory, status=status, until=keeper.until)


def stop_embedded_server(settings: Settings, address: str | None = None) -> EmbeddedServer:
    """Stop the embedded server; if commands still use it, the last one stops it.

    Raises
    ------
    InputError
        When the record is on a PostgreSQL server, not the embedded one.
    DatabaseUnreachableError
        When the process that keeps the server up cannot be ended.
    """
    directory = _directory(settings, address)
    return EmbeddedServer(directory=directory, status=stop_server(directory), until=None)


def _directory(settings: Settings, address: str | None) -> Path:
    if chosen_address(settings, address) is not None:
        raise InputError(
            "The record is on a server of its own, and this is for the embedded server, which"
            " Roundbook starts and stops itself.",
            way_out="embedded only",
        )
    return settings.data_dir / "postgres"
