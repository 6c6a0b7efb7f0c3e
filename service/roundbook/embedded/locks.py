"""The locked files that say which machine uses a data directory, and which process keeps it up.

Only one machine at a time uses a shared data directory: its processes share a lock on a file beside
the directory, which names the machine. PostgreSQL's own lock file has only a process number, which
means nothing to another machine or container.

The keeper, which keeps the server up between commands, holds a lock on a file in the directory,
with its process number and end time. Locks are released when a process ends, so that after a crash
or a restart of the machine no dead keeper is taken for a live one.
"""

from __future__ import annotations

import json
import os
import platform
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

import psutil

from roundbook.errors import DatabaseUnreachableError

try:
    import fcntl
except ImportError:  # on Windows, where the embedded server is not run
    fcntl = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None
_FILE = ".kept_up.json"
_WRITE_SECONDS = 5
_STOP_SECONDS = 90
MODULE = "roundbook.embedded.keeper"


def lock(file: IO[str], *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file, alone or `shared`.

    Raises
    ------
    BlockingIOError
        When another process has it, unless `wait` is set.
    """
    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(file, mode if wait else mode | fcntl.LOCK_NB)


@contextmanager
def use_here(directory: Path) -> Iterator[None]:
    """Keep other machines from using the data directory `directory` within the block.

    Raises
    ------
    DatabaseUnreachableError
        When another machine or container uses it, or has left its server running.
    OSError
    """
    path = directory.with_name(f"{directory.name}.machine")
    here = _here()
    with path.open("a+", encoding="utf-8") as file:
        with suppress(BlockingIOError):
            lock(file)  # nobody uses it
            before = _read_machine(file)
            crashed = (directory / "postmaster.pid").exists()
            if crashed and before and not _same_machine(before, here):
                raise DatabaseUnreachableError(
                    f"The embedded server in {directory} was started on '{before['name']}', and"
                    " nothing tells whether it still runs there. Run a command there, or make"
                    f" sure that it does not and delete {path}.",
                    machine=before["name"],
                )
            file.truncate(0)
            file.write(json.dumps(here))
            file.flush()
        lock(file, shared=True, wait=True)
        user = _read_machine(file)
        if user and user != here:
            raise DatabaseUnreachableError(
                f"The embedded server in {directory} is in use on '{user['name']}', another machine"
                " or container than this one, and cannot be shared. Try again when nobody uses it"
                " there; to work from several machines, use a server:"
                " postgresql://USER:PASSWORD@HOST:PORT/DATABASE in ROUNDBOOK_DATABASE_URL.",
                machine=user["name"],
            )
        yield


def _here() -> dict[str, str]:
    """Return the machine's name and, on Linux, the ids of its boot and of this container."""
    facts = {"name": platform.node(), "boot": "", "processes": ""}
    with suppress(OSError):
        facts["boot"] = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        facts["processes"] = str(Path("/proc/self/ns/pid").readlink())
    return facts


def _same_machine(before: dict[str, str], here: dict[str, str]) -> bool:
    # A restarted machine keeps its name; a restarted container has a new name on the same boot.
    return before["name"] == here["name"] or before["boot"] == here["boot"] != ""


def _read_machine(file: IO[str]) -> dict[str, str] | None:
    file.seek(0)
    try:
        written = json.load(file)
        return {name: str(written[name]) for name in ("name", "boot", "processes")}
    except (ValueError, KeyError, TypeError):
        return None


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
                keeper = _read_keeper(file)
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
        keeper = _read_keeper(file)
        file.truncate(0)
        return keeper.process if keeper is not None else None
    return None


def end_keeper(directory: Path) -> bool:
    """End the keeper, if there is one, and return whether there was.

    The server stops unless somebody else uses it.

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
            process=keeper.process,
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
        " end; try again in a moment.",
        process=keeper.process,
    )


def _is_keeper(process: int) -> bool:
    with suppress(psutil.Error):
        return MODULE in psutil.Process(process).cmdline()
    return False


def _open(directory: Path, mode: str) -> IO[str]:
    return (directory / _FILE).open(mode, encoding="utf-8")


def _read_keeper(file: IO[str]) -> Keeper | None:
    try:
        kept = json.loads(file.read())
        return Keeper(int(kept["process"]), datetime.fromisoformat(kept["until"]).astimezone(UTC))
    except (ValueError, KeyError, TypeError):
        return None
