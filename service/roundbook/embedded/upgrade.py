"""Upgrade of an embedded data directory from an older PostgreSQL.

The record is dumped by the programs of the old version and restored into a new directory by
those of the new one; pg_upgrade would be faster but changes the old directory. The new directory
replaces the old one only if the fingerprints of all tables are equal. The old directory and the
dump are kept.

    postgres              the data directory
    postgres.lock         held while its version changes
    postgres.new          the new directory, incomplete
    postgres.ready        the new directory, complete; next it replaces the old one
    postgres-16           the old directory afterwards
    postgres-16.dump      the dump of its record
"""

from __future__ import annotations

import logging
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from sqlalchemy import Connection, text

from roundbook.database.dump import restore_dump, write_dump
from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.fingerprints import Fingerprint, fingerprint_tables
from roundbook.database.programs import find_program
from roundbook.database.server_library import load_library, target_version
from roundbook.embedded.locks import end_keeper, lock
from roundbook.errors import DatabaseUnreachableError, RoundbookError

_LOGGER = logging.getLogger(__name__)
_SOCKETS = "roundbook-upgrade-"
_START_SECONDS = 60  # the old server may have to recover from a crash

# What stays behind and is named to the user: only the record is moved, and not its jobs.
_OTHERS = text(
    """
    SELECT 'the database ' || datname FROM pg_database
    WHERE datname NOT IN ('postgres', 'template0', 'template1')
    UNION ALL
    SELECT 'the role ' || rolname FROM pg_roles
    WHERE rolname <> 'postgres' AND rolname NOT LIKE 'pg\\_%'
    UNION ALL
    SELECT 'the schema ' || nspname FROM pg_namespace
    WHERE nspname NOT IN ('public', 'roundbook', 'roundbook_jobs', 'information_schema')
      AND nspname NOT LIKE 'pg\\_%'
    ORDER BY 1
    """
)


def bring_to_this_version(directory: Path) -> None:
    """Upgrade the data directory if an older PostgreSQL made it; else do nothing.

    Raises
    ------
    DatabaseUnreachableError
        When a newer PostgreSQL made it, the old one's programs are gone, or the upgrade fails.
        The directory is as it was.
    """
    # Checked in this order: between the two final renames only the ready directory exists.
    version = _version_of(directory)
    ready = _beside(directory, ".ready")
    if version in (None, target_version()) and not ready.exists():
        return
    with _beside(directory, ".lock").open("w") as file:
        lock(file, wait=True)
        if _version_of(directory) is None and ready.exists():
            ready.rename(directory)
        version = _version_of(directory)
        if version is not None and version != target_version():
            end_keeper(directory)
            _check(directory, version)
            try:
                _upgrade(directory, version)
            except (RoundbookError, OSError, subprocess.SubprocessError, RuntimeError) as error:
                raise DatabaseUnreachableError(
                    f"The embedded record in {directory} could not be brought from PostgreSQL"
                    f" {version} to {target_version()}, and is as it was: {reason_of(error)}. Try"
                    " again, or use the Roundbook that you used before.",
                    version=version,
                ) from error


def _version_of(directory: Path) -> int | None:
    file = directory / "PG_VERSION"
    try:
        return int(file.read_text())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except ValueError:
        raise DatabaseUnreachableError(
            f"{file} does not hold the version of a PostgreSQL; restore the directory from a"
            " backup, or set ROUNDBOOK_DATA_DIR to another."
        ) from None


def _check(directory: Path, version: int) -> None:
    library = load_library()
    if version > target_version():
        raise DatabaseUnreachableError(
            f"The embedded record in {directory} was made by PostgreSQL {version}, and this program"
            f" brings {target_version()}. Install the newer Roundbook that made it.",
            version=version,
        )
    if version not in library.utils.POSTGRES_VERSIONS:
        raise DatabaseUnreachableError(
            f"The embedded record in {directory} was made by PostgreSQL {version}, whose programs"
            " this program no longer brings.",
            way_out="carry it over",
            version=version,
        )
    _stop_leftover(directory)
    running = library.utils.PostmasterInfo.read_from_pgdata(directory)
    if running is not None and running.is_running():
        raise DatabaseUnreachableError(
            f"The embedded record in {directory} is to be brought from PostgreSQL {version} to"
            f" {target_version()}, but process {running.pid} still serves it. Try again when no"
            " other Roundbook uses it.",
            version=version,
            process=running.pid,
        )


def _stop_leftover(directory: Path) -> None:
    """Stop a server that an upgrade left running when it was killed."""
    version = _version_of(directory)
    info = load_library().utils.PostmasterInfo.read_from_pgdata(directory)
    if version is None or info is None or not info.is_running():
        return
    if info.socket_dir is not None and info.socket_dir.name.startswith(_SOCKETS):
        _control(directory, version, "-m", "fast", "stop")


def _upgrade(directory: Path, version: int) -> None:
    target = target_version()
    saved, kept = _free_names(directory, version)
    new, ready = _beside(directory, ".new"), _beside(directory, ".ready")
    _stop_leftover(new)
    for leftover in (new, ready):  # of an upgrade that was killed; the old directory still holds
        shutil.rmtree(leftover, ignore_errors=True)
    _LOGGER.warning(
        "The embedded record was made by PostgreSQL %s and is now brought to %s ...",
        version,
        target,
    )
    try:
        before = _save(directory, version, saved)
        state = _state(directory)
        if before:
            _LOGGER.warning("Saved it first, in %s", saved)
        after = _create(new, saved if before else None)
        if before != after:
            names = sorted({*before, *after})
            differing = [name for name in names if before.get(name) != after.get(name)]
            raise RuntimeError(f"the tables differ afterwards: {', '.join(differing)}")
        if _state(directory) != state:
            raise RuntimeError("another Roundbook used it meanwhile")
        new.rename(ready)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        saved.unlink(missing_ok=True)
        raise
    directory.rename(kept)
    try:
        ready.rename(directory)
    except OSError:
        kept.rename(directory)
        raise
    _LOGGER.warning(
        "Done: all %s tables are equal. The old directory stays in %s; delete it when you need it"
        " no longer.",
        len(after),
        kept,
    )


def _save(directory: Path, version: int, file: Path) -> dict[str, Fingerprint]:
    """Dump the record, if there is one, and return the fingerprints of its tables."""
    # No other client of this server may write to it any more.
    with _running(directory, version, "-c default_transaction_read_only=on") as connection:
        tables = fingerprint_tables(connection)
        if tables:
            file.touch(mode=0o600)
            write_dump(connection, file)
        left_behind = connection.execute(_OTHERS).scalars().all()
    if left_behind:
        _LOGGER.warning(
            "Note: only Roundbook's record is taken along. In the old directory stay %s.",
            ", ".join(left_behind),
        )
    return tables


def _state(directory: Path) -> bytes:
    """Return the content of pg_control, which changes whenever a server starts or stops."""
    return (directory / "global" / "pg_control").read_bytes()


def _create(directory: Path, dump: Path | None) -> dict[str, Fingerprint]:
    """Create a data directory of this version, restore the dump, and return the fingerprints."""
    directory.mkdir()
    with _running(directory, target_version()) as connection:
        if dump is not None:
            restore_dump(connection, dump, replace=False)
            connection.rollback()  # the next transaction sees the restored rows
        return fingerprint_tables(connection)


@contextmanager
def _running(directory: Path, version: int, options: str = "") -> Iterator[Connection]:
    """Run a server of a version on a directory, created if empty, for this connection only."""
    server = load_library().PostgresServer(directory, postgres_version=version)
    # As root, this also gives the server's own user access to its data and programs.
    server.ensure_pgdata_inited()
    with tempfile.TemporaryDirectory(prefix=_SOCKETS) as sockets:
        if server.system_user is not None:
            load_library().utils.ensure_prefix_permissions(Path(sockets))
            shutil.chown(sockets, server.system_user)
        options = f"-h '' -k {shlex.quote(sockets)} {options}"
        _control(directory, version, "-l", str(directory / "log"), "-o", options, "start")
        try:
            query = urlencode({"host": sockets})
            engine = make_engine(parse_url(f"postgresql://postgres@/postgres?{query}"))
            repeatable = engine.execution_options(isolation_level="REPEATABLE READ")
            try:
                with unit_of_work(repeatable) as connection:
                    yield connection
            finally:
                engine.dispose()
        finally:
            _control(directory, version, "-m", "fast", "stop")


def _control(directory: Path, version: int, *arguments: str) -> None:
    """Run pg_ctl as the server's own user."""
    program = str(find_program("pg_ctl", version))
    command = (program, "-w", "-t", str(_START_SECONDS), "-D", str(directory), *arguments)
    # A started server keeps its output open: reading a pipe would never end.
    with tempfile.TemporaryFile() as output:
        result = subprocess.run(  # noqa: S603
            command,
            user=load_library().PostgresServer(directory, postgres_version=version).system_user,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
        if result.returncode != 0:
            output.seek(0)
            lines = output.read().decode(errors="replace").splitlines()
            raise RuntimeError(lines[-1] if lines else "pg_ctl failed")


def _free_names(directory: Path, version: int) -> tuple[Path, Path]:
    """Return unused paths beside the directory for the dump and for the old directory."""
    number = 1
    while True:
        kept = _beside(directory, f"-{version}" + (f"-{number}" if number > 1 else ""))
        saved = kept.with_name(f"{kept.name}.dump")
        if not kept.exists() and not saved.exists():
            return saved, kept
        number += 1


def _beside(directory: Path, ending: str) -> Path:
    return directory.with_name(directory.name + ending)


def reason_of(error: BaseException) -> str:
    """Return an error's message as part of a sentence, or its type's name without a message."""
    return str(error).rstrip(".") or type(error).__name__
