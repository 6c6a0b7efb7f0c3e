"""Keeping the embedded server up between commands, by a process that uses it and does nothing.

The keeper counts as a user of the server like any command; the last user to leave stops it, see
`server`. The keeper is the process ``python -m roundbook.embedded.keeper DIRECTORY UNTIL``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from roundbook.embedded.locks import (
    MODULE,
    Keeper,
    become_keeper,
    end_keeper,
    find_keeper,
    is_in_place,
)
from roundbook.embedded.server import embedded_server, server_process
from roundbook.errors import DatabaseUnreachableError, RoundbookError

_UP, _TAKEN = "up", "taken"
# Sleeps are short, as they do not count the time that the machine is suspended.
_LONGEST_SLEEP = 60.0


def keep_up(
    directory: Path, time_up: timedelta
) -> tuple[Literal["started", "extended", "unchanged"], Keeper]:
    """Start the embedded server in `directory` and keep it up between commands, for `time_up`.

    A later end that is already set stays.
    """
    directory = directory.expanduser().resolve()
    status: Literal["started", "extended"] = "started"
    with embedded_server(directory):
        until = datetime.now(UTC) + time_up
        while True:
            keeper = find_keeper(directory)
            if keeper is not None and keeper.until >= until:
                return "unchanged", keeper
            # The server stays up, since this process uses it meanwhile.
            if end_keeper(directory):
                status = "extended"
            started = _start_keeper(directory, until)
            if started is not None:
                return status, started


def stop_server(directory: Path) -> Literal["stopped", "in use", "not running"]:
    """Stop the embedded server in `directory`; if commands still use it, the last one stops it."""
    directory = directory.expanduser().resolve()
    was_kept = end_keeper(directory)
    if server_process(directory) is None:
        return "stopped" if was_kept else "not running"
    with embedded_server(directory):
        pass  # if its other users were killed, this one is the last to leave
    return "stopped" if server_process(directory) is None else "in use"


def _start_keeper(directory: Path, until: datetime) -> Keeper | None:
    """Start the keeper, and return it once it uses the server.

    None if there is another keeper, or another start ended this one to keep the server up longer.
    """
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-m", MODULE, str(directory), until.isoformat()],
        cwd="/",
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        answer = process.stdout.readline().strip()
    if answer == _UP:
        process.returncode = 0  # it outlives this process, which must not warn of that
        return Keeper(process.pid, until)
    ended_by_another = process.wait() == 0 and not answer
    if answer == _TAKEN or ended_by_another:
        return None
    raise DatabaseUnreachableError(
        f"The embedded server in {directory} cannot be kept up:"
        f" {answer.rstrip('.') or 'the process that should keep it up ended at once'}."
    )


def _keep(directory: Path, until: datetime) -> None:
    """Use the server until its time is up, a signal arrives, or the directory is deleted."""
    with become_keeper(directory, until) as file, embedded_server(directory):
        _answer(_UP)
        while is_in_place(file, directory):
            left = (until - datetime.now(UTC)).total_seconds()
            if left <= 0:
                break
            time.sleep(min(left, _LONGEST_SLEEP))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # leaving must not be broken off


def _answer(line: str) -> None:
    """Print a line to the process that waits for this one, and close the pipe to it."""
    print(line, flush=True)  # noqa: T201
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _end(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit


def main() -> None:
    """Keep the server up, with the directory and end time of the command line."""
    signal.signal(signal.SIGTERM, _end)
    try:
        _keep(Path(sys.argv[1]), datetime.fromisoformat(sys.argv[2]))
    except BlockingIOError:
        _answer(_TAKEN)
    except (RoundbookError, OSError) as error:
        _answer(str(error))


if __name__ == "__main__":
    main()
