"""The keeper of an embedded server: the process that keeps it up, and its end time.

It holds a lock on a file in the data directory while it runs, so that after a crash or a restart
of the machine no dead keeper is taken for a live one.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

import psutil

from roundbook.embedded.machine import lock
from roundbook.errors import DatabaseUnreachableError

_FILE = ".kept_up.json"
_WRITE_SECONDS = 5
_STOP_SECONDS = 90
MODULE = "roundbook.embedded.keeper"


class Keeper(NamedTuple):
    """The process that keeps a server up, and the time at which it ends."""

    process: int
    until: datetime


@contextmanager
def become_keeper(directory: Path, until: datetime) -> Iterator[IO[str]]:
    """Become the only keeper of the server in `directory`; yield the locked file.

    Raises
    ------
    BlockingIOError
        When another process is its keeper.
    """
    with _open(directory, "a+") as file:
        lock(file)
        file.truncate(0)
        file.write(json.dumps({"process": os.getpid(), "until": until.isoformat()}))
        file.flush()
        try:
            yield file
        finally:
            file.truncate(0)


def is_in_place(file: IO[str], directory: Path) -> bool:
    """Return whether the keeper's file still exists in `directory`, which may have been deleted."""
    with suppress(OSError):
        return os.path.samestat(os.fstat(file.fileno()), (directory / _FILE).stat())
    return False


def find_keeper(directory: Path) -> Keeper | None:
    """Return the keeper of the server in `directory`, None if there is none."""
    for _ in range(100 * _WRITE_SECONDS):
        try:
            with _open(directory, "r") as file:
                with suppress(BlockingIOError):
                    lock(file, shared=True)
                    return None
                keeper = _read(file)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if keeper is not None:
            return keeper
        time.sleep(0.01)  # it has the lock, and is still writing
    raise DatabaseUnreachableError(f"{directory / _FILE} is locked, but names no process.")


def forget_dead_keeper(directory: Path) -> int | None:
    """Return the process number of a keeper that died, and clear it; None without one."""
    with suppress(FileNotFoundError, BlockingIOError), _open(directory, "r+") as file:
        lock(file)
        keeper = _read(file)
        file.truncate(0)
        return keeper.process if keeper is not None else None
    return None


def end_keeper(directory: Path) -> bool:
    """End the keeper; the server stops unless somebody else uses it.

    Returns
    -------
    bool
        Whether there was a keeper.

    Raises
    ------
    DatabaseUnreachableError
        When it cannot be reached from here, or does not end.
    """
    keeper = find_keeper(directory)
    if keeper is None:
        return False
    if not _is_keeper(keeper.process):
        raise DatabaseUnreachableError(
            f"The embedded server in {directory} is kept up by process {keeper.process} of another"
            " container or machine.",
            way_out="stop it there",
        )
    with suppress(ProcessLookupError):
        os.kill(keeper.process, signal.SIGTERM)
    for _ in range(50 * _STOP_SECONDS):
        current = find_keeper(directory)
        if current is None or current.process != keeper.process:
            return True
        time.sleep(0.02)
    raise DatabaseUnreachableError(
        f"Process {keeper.process}, which keeps the embedded server in {directory} up, does not"
        " end; try again in a moment."
    )


def _is_keeper(process: int) -> bool:
    with suppress(psutil.Error):
        return MODULE in psutil.Process(process).cmdline()
    return False


def _open(directory: Path, mode: str) -> IO[str]:
    return (directory / _FILE).open(mode, encoding="utf-8")


def _read(file: IO[str]) -> Keeper | None:
    try:
        kept = json.loads(file.read())
        return Keeper(int(kept["process"]), datetime.fromisoformat(kept["until"]).astimezone(UTC))
    except (ValueError, KeyError, TypeError):
        return None
