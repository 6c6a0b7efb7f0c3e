"""Backups: the whole record into one file, and back."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from roundbook.database.dump import read_dump, restore_dump, write_dump
from roundbook.database.engine import unit_of_work
from roundbook.database.fingerprints import Fingerprint, filled_tables, fingerprint_tables
from roundbook.database.programs import server_version
from roundbook.database.schema import current_revision, expected_revision, require_known
from roundbook.database.sealing import has_seal
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.result import Result


class TableFingerprint(Result):
    """How many rows a table has, and a hash over all of them in the order of its key."""

    table: str
    rows: int
    fingerprint: str


class SavedBackup(Result):
    """What was saved, where. `postgresql` is the version of the server."""

    file: str
    bytes: int
    schema_revision: str
    postgresql: str
    matrices: int
    tables: list[TableFingerprint]


class RestoredBackup(Result):
    """What was restored. `postgresql` is the version of the server it was saved from.

    `status` is ``up to date``, or ``out of date`` where the schema is older than this program
    needs; `replaced` says whether there was a record before.
    """

    file: str
    replaced: bool
    schema_revision: str
    status: str
    postgresql: str
    matrices: int
    tables: list[TableFingerprint]


def save_backup(engine: Engine, file: Path, *, force: bool = False) -> SavedBackup:
    """Save the record, whatever its schema, as one moment saw it.

    Parameters
    ----------
    force : bool
        Overwrite `file`, if it is an earlier backup or empty.

    Raises
    ------
    NotRecordedError
        When there is no record in the database.
    InputError
        When the file cannot be written or is there, or there is no pg_dump of the server's
        version.
    """
    revision = current_revision(engine)
    if revision is None:
        raise NotRecordedError(
            "There is no Roundbook record in this database, so there is nothing to save; check"
            " ROUNDBOOK_DATABASE_URL or --database."
        )
    target = _writable(file, force=force)
    part = _unfinished(target, file)
    try:
        with unit_of_work(_one_moment(engine)) as connection:
            tables = fingerprint_tables(connection)
            _, version = server_version(connection)
            write_dump(connection, part)
        size = part.stat().st_size
        with _named(file):
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)
    return SavedBackup(
        file=str(file),
        bytes=size,
        schema_revision=revision,
        postgresql=version,
        matrices=count_matrices(tables),
        tables=list_fingerprints(tables),
    )


def restore_backup(engine: Engine, file: Path, *, replace: bool = False) -> RestoredBackup:
    """Put a saved record into the database, all of it or nothing.

    Parameters
    ----------
    replace : bool
        In the place of all that the record there holds; otherwise that must be empty.

    Raises
    ------
    AlreadyRecordedError
        When there is something in the record, and not `replace`.
    SchemaOutOfDateError
        When the backup is of a later Roundbook.
    InputError
        When the file is no backup, is damaged, or is of a newer PostgreSQL than the server; or
        there is no pg_restore of the server's version.
    """
    file = _readable(file)
    with unit_of_work(engine) as connection:
        filled = filled_tables(connection)
        if filled and not replace:
            raise AlreadyRecordedError(
                "There is a record in this database already. Restore into an empty one, or give"
                " --replace to have the backup in its place; what is there now will be gone."
            )
        dump = read_dump(connection, file)
        require_known(dump.revision, "The backup")
        connection.rollback()  # psql, which restores, waits for every lock held here
        restore_dump(connection, file, replace=replace)
    with unit_of_work(_one_moment(engine)) as connection:
        tables = fingerprint_tables(connection)
    return RestoredBackup(
        file=str(file),
        replaced=bool(filled),
        schema_revision=dump.revision,
        status="up to date" if dump.revision == expected_revision() else "out of date",
        postgresql=dump.postgresql,
        matrices=count_matrices(tables),
        tables=list_fingerprints(tables),
    )


def list_fingerprints(tables: Mapping[str, Fingerprint]) -> list[TableFingerprint]:
    """Return the fingerprints of the tables as a result holds them."""
    return [
        TableFingerprint(table=name, rows=each.rows, fingerprint=each.hash)
        for name, each in tables.items()
    ]


def count_matrices(tables: Mapping[str, Fingerprint]) -> int:
    """Return how many matrices the record holds, every revision counted."""
    return tables["matrix"].rows if "matrix" in tables else 0


def _one_moment(engine: Engine) -> Engine:
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _writable(file: Path, *, force: bool) -> Path:
    """Return where to put the file, or say why not there."""
    with _named(file):
        target = file.resolve()
        there = target.exists()
        if not target.parent.is_dir():
            raise InputError(f"{file}: there is no directory {target.parent}; make it first.")
        if there and not target.is_file():
            raise InputError(f"{file}: this is no ordinary file; name another.")
    if there and not force:
        raise InputError(f"{file}: there is such a file; name another, or overwrite it by --force.")
    if there:
        with _named(file):
            replaceable = target.stat().st_size == 0 or has_seal(target)
        if not replaceable:
            raise InputError(
                f"{file}: this is no backup of Roundbook's, so --force does not overwrite it; name"
                " another file, or remove it."
            )
    return target


def _unfinished(target: Path, file: Path) -> Path:
    """Make the file to write into until all is there; only its owner may read it."""
    with _named(file):
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".part"
        )
    os.close(handle)
    return Path(name)


def _readable(file: Path) -> Path:
    with _named(file):
        there = file.is_file()
    if not there:
        raise InputError(
            f"{file}: there is no such file; name one that 'roundbook db backup' wrote."
        )
    return file


@contextmanager
def _named(file: Path) -> Iterator[None]:
    """Say of which file it is that the system refuses something."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"{file}: the system refuses this file: {error.strerror}. Name another."
        ) from error
