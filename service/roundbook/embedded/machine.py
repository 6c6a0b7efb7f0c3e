"""The lock by which only one machine at a time uses a shared data directory.

The processes of that machine share a lock on a file beside the directory, which names the machine.
PostgreSQL's own lock file has only a process number, which means nothing to another machine or
container. The locks are released when the process ends.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from roundbook.errors import DatabaseUnreachableError

try:
    import fcntl
except ImportError:  # on Windows, where the embedded server is not run
    fcntl = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None


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
            before = _read(file)
            crashed = (directory / "postmaster.pid").exists()
            if crashed and before and not _same_machine(before, here):
                raise DatabaseUnreachableError(
                    f"The embedded server in {directory} was started on '{before['name']}', and"
                    " nothing tells whether it still runs there. Run a command there, or make"
                    f" sure that it does not and delete {path}."
                )
            file.truncate(0)
            file.write(json.dumps(here))
            file.flush()
        lock(file, shared=True, wait=True)
        user = _read(file)
        if user and user != here:
            raise DatabaseUnreachableError(
                f"The embedded server in {directory} is in use on '{user['name']}', another machine"
                " or container than this one, and cannot be shared. Try again when nobody uses it"
                " there; to work from several machines, use a server:"
                " postgresql://USER:PASSWORD@HOST:PORT/DATABASE in ROUNDBOOK_DATABASE_URL."
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


def _read(file: IO[str]) -> dict[str, str] | None:
    file.seek(0)
    try:
        written = json.load(file)
        return {name: str(written[name]) for name in ("name", "boot", "processes")}
    except (ValueError, KeyError, TypeError):
        return None
