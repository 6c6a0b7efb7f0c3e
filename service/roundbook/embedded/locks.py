"""Locks on files, which end with the process that holds them; POSIX systems have them."""

from __future__ import annotations

from typing import IO

try:
    import fcntl
except ImportError:  # on Windows, where the embedded server is not run
    fcntl = None  # type: ignore[assignment]

AVAILABLE = fcntl is not None


def lock(file: IO[str], *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file.

    Parameters
    ----------
    shared : bool
        Let others share it.
    wait : bool
        Until whoever has it lets go of it.

    Raises
    ------
    BlockingIOError
        When another process has it, unless one waits.
    """
    how = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    fcntl.flock(file, how if wait else how | fcntl.LOCK_NB)
