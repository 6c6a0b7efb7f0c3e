"""Backups: saving a dump of the record by PostgreSQL with a checksum, and restoring it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine

from roundbook.database.dump import has_checksum, read_dump, restore_dump, write_dump
from roundbook.database.engine import server_version, unit_of_work
from roundbook.database.fingerprints import filled_tables, fingerprint_tables
from roundbook.database.schema import EXPECTED_REVISION, current_revision, require_known
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.atomic_files import atomic_file
from roundbook.logbook.result import Result
from roundbook.logbook.session import begin
from roundbook.requests.record import BackupRequest, RestoreRequest


class TableChecksum(Result):
    """The number of a table's rows, and a hash to compare it with another copy."""

    table: str
    rows: int
    fingerprint: str


class SavedBackup(Result):
    """A saved backup: its file and its tables. `postgresql` is the version of the server."""

    file: str
    bytes: int
    schema_revision: str
    postgresql: str
    matrices: int
    tables: list[TableChecksum]


class RestoredBackup(Result):
    """A restored backup. `postgresql` is the version of the server it was saved from.

    `status` is ``up to date``, or ``out of date`` where the schema is older than this program
    needs; `replaced` says whether there was a record before.
    """

    file: str
    replaced: bool
    schema_revision: str
    status: str
    postgresql: str
    matrices: int
    tables: list[TableChecksum]


def save_backup(engine: Engine, request: BackupRequest) -> SavedBackup:
    """Save the record, whatever its schema, in one snapshot.

    Raises
    ------
    NotRecordedError
        When there is no record in the database.
    InputError
        When the file cannot be written or exists already, or there is no pg_dump of the server's
        version.
    """
    file = request.file
    revision = current_revision(engine)
    if revision is None:
        raise NotRecordedError(
            "There is no Roundbook record in this database, so there is nothing to save",
            way_out="other database",
        )
    with (
        atomic_file(file, force=request.force, earlier=has_checksum) as part,
        begin(engine, one_snapshot=True) as session,
    ):
        part.touch(mode=0o600, exist_ok=False)  # before anything is in it
        contents = _contents(session.connection)
        _, version = server_version(session.connection)
        write_dump(session.connection, part)
        size = part.stat().st_size
    return SavedBackup(
        file=str(file), bytes=size, schema_revision=revision, postgresql=version, **contents
    )


def restore_backup(engine: Engine, request: RestoreRequest) -> RestoredBackup:
    """Restore a saved record into the database, in one transaction.

    Raises
    ------
    AlreadyRecordedError
        When the database's record holds something and may not be replaced.
    SchemaOutOfDateError
        When the backup is of a later Roundbook.
    InputError
        When the file is no backup, is damaged, or is of a newer PostgreSQL than the server; or
        there is no pg_restore of the server's version.
    """
    file = request.file
    try:
        is_file = file.is_file()
    except OSError as error:
        raise InputError(
            f"{file}: the system refuses this file: {error.strerror}. Name another."
        ) from error
    if not is_file:
        raise InputError(f"{file}: there is no such file", way_out="name a backup")
    with unit_of_work(engine) as connection:
        filled = filled_tables(connection)
        if filled and not request.replace:
            raise AlreadyRecordedError(
                "There is a record in this database already.", way_out="replace the record"
            )
        dump = read_dump(connection, file)
        require_known(dump.revision, "The backup")
        connection.rollback()  # psql, which restores, waits for every lock held here
        restore_dump(connection, file, replace=request.replace)
    with begin(engine, one_snapshot=True) as session:
        contents = _contents(session.connection)
    return RestoredBackup(
        file=str(file),
        replaced=bool(filled),
        schema_revision=dump.revision,
        status="up to date" if dump.revision == EXPECTED_REVISION else "out of date",
        postgresql=dump.postgresql,
        **contents,
    )


def _contents(connection: Connection) -> dict[str, Any]:
    """Return the tables of the record and the number of its matrices, as fields of a result."""
    tables = fingerprint_tables(connection)
    return {
        "matrices": tables["matrix"].rows if "matrix" in tables else 0,
        "tables": [
            TableChecksum(table=name, rows=table.rows, fingerprint=table.hash)
            for name, table in tables.items()
        ],
    }
