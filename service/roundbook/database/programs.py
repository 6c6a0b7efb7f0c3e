"""PostgreSQL's own programs in the server's version, connected as this process is.

They get the connection's parameters, including the password, by environment: every user of the
machine can read a command line.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import IO

from psycopg import pq
from sqlalchemy import Connection

from roundbook.database.engine import driver_connection, is_pooled, server_version
from roundbook.database.server_library import wheel_programs
from roundbook.errors import DatabaseBusyError, DatabaseError, InputError

_DEBIAN = Path("/usr/lib/postgresql")
_LOCK_TIMEOUT = "canceling statement due to lock timeout"


def fitting_program(connection: Connection, name: str) -> Path:
    """Return the path of the program `name` in the server's version; see `find_program`.

    Raises
    ------
    InputError
        When there is none, or the connection goes through a pooler: in transaction mode the
        program's settings would be lost, and numbers rounded.
    """
    if is_pooled(connection):
        raise InputError(
            "A pooler answers at this address, and PostgreSQL's own programs, which save and"
            " restore backups, need the server itself.",
            way_out="name the server itself",
        )
    major, _ = server_version(connection)
    return find_program(name, major, encrypted=driver_connection(connection).pgconn.ssl_in_use)


def find_program(name: str, major: int, *, encrypted: bool = False) -> Path:
    """Return the path of PostgreSQL's program `name` in a major version.

    Parameters
    ----------
    encrypted : bool
        Whether it must support TLS, which the wheel's programs do not.

    Raises
    ------
    InputError
        When there is none; the message says how to get one.
    """
    wheel = None if encrypted else wheel_programs(major)
    if wheel is not None and (wheel / name).is_file():
        return wheel / name
    on_path = shutil.which(name)
    if on_path is not None and _major_of(on_path) == major:
        return Path(on_path)
    debian = _DEBIAN / str(major) / "bin" / name
    if debian.is_file():
        return debian
    raise InputError(
        f"The server is PostgreSQL {major}, but there is no {name} of version {major} here. Install"
        f" the client programs of PostgreSQL {major} (Debian: postgresql-client-{major}), or put"
        " their directory on PATH.",
        name=name,
        version=major,
    )


def program_environment(connection: Connection) -> dict[str, str]:
    """Return the environment variables with which a program connects as `connection` did.

    Connection parameters without a variable, such as keepalives, keep their defaults.
    """
    info = driver_connection(connection).info
    parameters = info.get_parameters() | {"password": info.password}
    # The parameters include those of the service file, which would override them again.
    parameters.pop("service", None)
    variables = {
        option.keyword.decode(): option.envvar.decode()
        for option in pq.Conninfo.get_defaults()
        if option.envvar
    }
    inherited = {
        name: value for name, value in os.environ.items() if name not in variables.values()
    }
    own = {
        variables[name]: value for name, value in parameters.items() if name in variables and value
    }
    return inherited | own | {"LC_ALL": "C", "PG_COLOR": "never"}


def run_program(connection: Connection, name: str, *arguments: str) -> str:
    """Run a program on the database of `connection` and return what it printed.

    Raises
    ------
    DatabaseBusyError, DatabaseError
        When it fails; the cause's message is the program's first error.
    """
    with tempfile.TemporaryFile() as errors:
        result = subprocess.run(  # noqa: S603
            [str(fitting_program(connection, name)), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=program_environment(connection),
            check=False,
        )
        if result.returncode != 0:
            raise program_error(name, errors, result.returncode)
    return result.stdout.decode(errors="replace")


def program_error(name: str, stderr: IO[bytes], code: int) -> DatabaseError:
    """Return the error for a failed program, with the reason it wrote to `stderr`."""
    reason = first_error(stderr, code)
    error = DatabaseError(f"{name} gave up, so nothing was changed: {reason}.")
    if _LOCK_TIMEOUT in reason:
        error = DatabaseBusyError(
            "Somebody else is using the record and held it longer than the lock timeout; nothing"
            " was changed. Try again, or raise ROUNDBOOK_LOCK_TIMEOUT."
        )
    error.__cause__ = RuntimeError(reason)
    return error


def first_error(stderr: IO[bytes], code: int) -> str:
    """Return the message of a program's first error, without its position in the script.

    If a signal ended it (a negative exit `code`), name the signal instead.
    """
    if code < 0:
        return f"the signal {signal.Signals(-code).name} ended it"
    stderr.seek(0)
    lines = stderr.read().decode(errors="replace").splitlines()
    for line in lines:
        match = re.search(r"(?:error|ERROR|FATAL): +(.*)$", line)
        if match:
            return re.sub(r"^.*(?:ERROR|FATAL): +", "", match[1]).rstrip(".")
    return lines[-1].rstrip(".") if lines else "it gave no reason"


def _major_of(program: str) -> int | None:
    try:
        result = subprocess.run(  # noqa: S603
            [program, "--version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"\(PostgreSQL\) (\d+)", result.stdout)
    return int(match[1]) if match else None
