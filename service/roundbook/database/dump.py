"""Dumps of the record by PostgreSQL's own programs: writing, reading and restoring them.

At a dump's end is a checksum, a hash of all bytes before it: pg_restore does not notice a changed
byte in the definitions of tables, constraints and functions, which are plain text in a dump, and it
ignores bytes after the dump's end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import IO, NamedTuple

from sqlalchemy import Connection, text

from roundbook.database.engine import server_version
from roundbook.database.programs import (
    first_error,
    fitting_program,
    program_environment,
    program_error,
    run_program,
)
from roundbook.database.table_parts import SCHEMA, VERSION_TABLE
from roundbook.errors import DatabaseError, InputError

# Runs in the restore's transaction, so that nothing written meanwhile is lost.
_REFUSE_A_FILLED_RECORD = f"""
DO $$
DECLARE
    name text;
    filled boolean;
BEGIN
    FOR name IN
        SELECT format('%I.%I', '{SCHEMA}', relname) FROM pg_catalog.pg_class
        WHERE relnamespace = to_regnamespace('{SCHEMA}') AND relkind = 'r'
          AND relname <> '{VERSION_TABLE}'
    LOOP
        EXECUTE 'LOCK TABLE ' || name || ' IN ACCESS EXCLUSIVE MODE';
        EXECUTE 'SELECT EXISTS (SELECT FROM ' || name || ')' INTO filled;
        IF filled THEN
            RAISE EXCEPTION 'somebody wrote to the record just now';
        END IF;
    END LOOP;
END $$;
"""  # noqa: S608
_SILENT = f"\\o {os.devnull}\n"
# Drops the whole schema, not only the objects in the dump.
_EMPTY_SCHEMA = f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE;\nCREATE SCHEMA {SCHEMA};\n"

_MARK = b"\nRoundbook backup, BLAKE2b "
_DIGEST_BYTES = 32
_ENDING_BYTES = len(_MARK) + 2 * _DIGEST_BYTES + 1
_BLOCK_BYTES = 2**20


class Dump(NamedTuple):
    """The header of a dump: the record's schema revision, and the server's PostgreSQL version."""

    revision: str
    postgresql: str


def write_dump(connection: Connection, file: Path) -> None:
    """Write the schema ``roundbook``, as this connection's transaction sees it, to `file`.

    Parameters
    ----------
    connection : Connection
        In a transaction of isolation level REPEATABLE READ.
    file : Path
        Overwritten.

    Raises
    ------
    InputError
        When there is no pg_dump of the server's version.
    DatabaseError
        When pg_dump fails, or its file cannot be read back from end to end.
    """
    snapshot = connection.execute(text("SELECT pg_export_snapshot()")).scalar_one()
    lock_timeout = connection.execute(text("SHOW lock_timeout")).scalar_one()
    run_program(
        connection,
        "pg_dump",
        "--format=custom",
        f"--schema={SCHEMA}",
        f"--snapshot={snapshot}",
        f"--lock-wait-timeout={lock_timeout}",
        "--no-password",
        f"--file={file.absolute()}",
    )
    append_checksum(file)
    run_program(connection, "pg_restore", f"--file={os.devnull}", str(file.absolute()))


def read_dump(connection: Connection, file: Path) -> Dump:
    """Return the header of a dump, read by pg_restore of the server's version.

    Raises
    ------
    InputError
        When it is no dump of a record, or one that this pg_restore cannot read.
    """
    _check_checksum(file)
    major, _ = server_version(connection)
    try:
        contents = run_program(connection, "pg_restore", "--list", str(file.absolute()))
        rows = run_program(
            connection,
            "pg_restore",
            "--data-only",
            f"--schema={SCHEMA}",
            f"--table={VERSION_TABLE}",
            "--file=-",
            str(file.absolute()),
        )
    except DatabaseError as error:
        reason = str(error.__cause__)
        if "unsupported version" in reason:
            raise _too_new(file, major) from error
        raise InputError(
            f"{file}: pg_restore {major} cannot read this backup: {reason}. Restore another."
        ) from error
    version = re.search(r"^;\s*Dumped from database version: (\d+\S*)", contents, re.MULTILINE)
    revision = re.search(
        rf"^COPY {SCHEMA}\.{VERSION_TABLE} \(version_num\) FROM stdin;\n(\S+)\n\\\.$",
        rows,
        re.MULTILINE,
    )
    if version is None or revision is None:
        raise InputError(f"{file}: there is no Roundbook record in this backup. Restore another.")
    if int(version[1].split(".")[0]) > major:
        raise _too_new(file, major)
    return Dump(revision[1], version[1])


def _too_new(file: Path, major: int) -> InputError:
    return InputError(
        f"{file}: this backup was made by a PostgreSQL newer than {major}, which this server is."
        " Restore it into a server of its own version or into the embedded one.",
        way_out="move from another server",
    )


def _end(*processes: subprocess.Popen[bytes]) -> None:
    for process in processes:
        process.kill()
        with suppress(BrokenPipeError):
            if process.stdin is not None:
                process.stdin.close()
        process.wait()


def restore_dump(connection: Connection, file: Path, *, replace: bool) -> None:
    """Replace the schema ``roundbook`` by a dump, in one transaction of psql's own.

    `connection` names the database; it must hold no lock there.

    Parameters
    ----------
    replace : bool
        Replace it whatever it holds; otherwise only if no table has a row.

    Raises
    ------
    DatabaseBusyError, DatabaseError
        Then the database is as it was.
    """
    reader = (
        str(fitting_program(connection, "pg_restore")),
        f"--schema={SCHEMA}",
        "--no-owner",
        "--no-privileges",
        "--exit-on-error",
        "--file=-",
        str(file.absolute()),
    )
    writer = (
        str(fitting_program(connection, "psql")),
        "--no-psqlrc",
        "--quiet",
        "--no-password",
        "--set=ON_ERROR_STOP=1",
    )
    lock_timeout = connection.execute(text("SHOW lock_timeout")).scalar_one()
    # READ COMMITTED, to see rows that were written before the locks were taken.
    begin = (
        f"{_SILENT}BEGIN ISOLATION LEVEL READ COMMITTED;\n"
        f"SET LOCAL lock_timeout = '{lock_timeout}';\n"
    )
    check = "" if replace else _REFUSE_A_FILLED_RECORD
    with tempfile.TemporaryFile() as reader_errors, tempfile.TemporaryFile() as writer_errors:
        with (
            subprocess.Popen(  # noqa: S603
                writer,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=writer_errors,
                env=program_environment(connection),
            ) as psql,
            subprocess.Popen(  # noqa: S603
                reader, stdout=subprocess.PIPE, stderr=reader_errors
            ) as pg_restore,
        ):
            assert psql.stdin is not None
            assert psql.stdout is not None
            assert pg_restore.stdout is not None
            complete = False
            try:
                psql.stdin.write(f"{begin}{check}{_EMPTY_SCHEMA}".encode())
                shutil.copyfileobj(pg_restore.stdout, psql.stdin)
                # The script may be cut off, and psql reads ahead of what it executes: COMMIT is
                # sent only once the whole script was read and this process still runs.
                if pg_restore.wait() == 0:
                    psql.stdin.write(b"\\echo done\n")
                    psql.stdin.flush()
                    if psql.stdout.readline() == b"done\n":
                        psql.stdin.write(b"COMMIT;\n")
                        complete = True
                psql.stdin.close()
            except BrokenPipeError:  # psql has ended; its reason is in writer_errors
                with suppress(BrokenPipeError):
                    psql.stdin.close()
            except BaseException:
                # After Ctrl-C Popen waits only a moment, and psql would go on with its transaction.
                _end(pg_restore, psql)
                raise
            psql.wait()
        if pg_restore.returncode > 0:  # negative: SIGPIPE, as psql closed the pipe
            raise InputError(
                f"{file}: the backup is damaged, so nothing was changed:"
                f" {first_error(reader_errors, pg_restore.returncode)}. Restore another."
            )
        if psql.returncode != 0:
            raise program_error("psql", writer_errors, psql.returncode)
        if not complete:
            raise program_error("pg_restore", reader_errors, pg_restore.returncode)


def append_checksum(file: Path) -> None:
    """Append the checksum, and flush the file to disk."""
    with file.open("r+b") as stream:
        digest = _digest(stream, file.stat().st_size)
        stream.write(_MARK + digest + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def has_checksum(file: Path) -> bool:
    """Return whether the file ends with a checksum, right or wrong.

    Raises
    ------
    OSError
    """
    with file.open("rb") as stream:
        stream.seek(max(file.stat().st_size - _ENDING_BYTES, 0))
        return _digest_within(stream.read()) is not None


def _check_checksum(file: Path) -> None:
    """Raise InputError unless the file is a complete, unchanged backup."""
    try:
        with file.open("rb") as stream:
            size = file.stat().st_size - _ENDING_BYTES
            stream.seek(max(size, 0))
            written = _digest_within(stream.read())
            stream.seek(0)
            unchanged = written is not None and _digest(stream, size) == written
    except OSError as error:
        raise InputError(f"{file}: this file cannot be read: {error.strerror}.") from error
    if written is None:
        raise InputError(
            f"{file}: this is no backup, or not all of one: it does not end as every backup does.",
            way_out="name a saved backup",
        )
    if not unchanged:
        raise InputError(
            f"{file}: this backup is damaged: its bytes are not those that were written. Restore"
            " another."
        )


def _digest_within(ending: bytes) -> bytes | None:
    """Return the digest in a file's ending, None if that is no checksum."""
    complete = len(ending) == _ENDING_BYTES and ending.startswith(_MARK) and ending.endswith(b"\n")
    return ending[len(_MARK) : -1] if complete else None


def _digest(stream: IO[bytes], size: int) -> bytes:
    """Return the hash of the first `size` bytes of a stream, in hexadecimal digits."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    while size > 0 and (block := stream.read(min(size, _BLOCK_BYTES))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest().encode()
