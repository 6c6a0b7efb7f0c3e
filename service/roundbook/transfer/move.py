"""Moving a record to a database on another server, by exporting and importing an archive."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, func, select, text

from roundbook.database.engine import server_version
from roundbook.database.fingerprints import filled_tables
from roundbook.database.schema import EXPECTED_REVISION, require_current, upgrade
from roundbook.database.tables import metadata
from roundbook.database.token_tables import access_token
from roundbook.errors import (
    AlreadyRecordedError,
    BadFileError,
    DatabaseError,
    InputError,
    RecordError,
)
from roundbook.logbook.result import Result
from roundbook.logbook.session import ReportProgress, begin, ignore_progress
from roundbook.requests.record import ImportRequest
from roundbook.transfer.archive.data_package import DATA_PACKAGE
from roundbook.transfer.archive.exporting import measure_tables, write_tables
from roundbook.transfer.archive.importing import import_archive
from roundbook.transfer.archive.tables import TABLES, table_member
from roundbook.transfer.backup import TableChecksum

# Allows others to read, also where source and target are the same database.
_LOCK = "LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE"


class MovedRecord(Result):
    """A copied record: the servers' versions and the tables; both databases now have it.

    The fingerprint of a table is the SHA-256 of its file in an archive. `tokens_left` counts the
    access tokens, which no archive holds and which stay with the original.
    """

    schema_revision: str
    postgresql_from: str
    postgresql_to: str
    matrices: int
    tokens_left: int
    tables: list[TableChecksum]


def move_record(
    source: Engine,
    target: Engine,
    user: str = "unknown",
    progress: ReportProgress = ignore_progress,
) -> MovedRecord:
    """Copy the whole record, history included; the source stays as it is.

    Parameters
    ----------
    source : Engine
        Engine of a record whose schema is up to date.
    target : Engine
        Engine of a database without a schema, or with an empty record, which is upgraded.

    Raises
    ------
    AlreadyRecordedError
        When the target holds something.
    SchemaOutOfDateError
        When the target's schema is not that of this program.
    InputError
        When the directory for temporary files has no room for the archive.
    RecordError
        When a derived value of the record differs from its scores.
    DatabaseError
        When the imported copy differs from the record.
    """
    with begin(target) as copy:
        empty = not filled_tables(copy.connection)
    if empty:  # also where a move was killed while it made the tables
        upgrade(target)
    require_current(target)
    with begin(target, user) as copy, TemporaryDirectory(prefix="roundbook-") as directory:
        tables = ", ".join(str(table) for table in metadata.sorted_tables)
        copy.connection.execute(text(_LOCK.format(tables)))
        if filled_tables(copy.connection):
            raise AlreadyRecordedError(
                "There is a record in the database to move to already.", way_out="move elsewhere"
            )
        file = Path(directory) / "record.zip"
        with begin(source, one_snapshot=True) as original:
            try:
                written = write_tables(original.connection, file, None, (), progress).members
            except OSError as error:
                raise InputError(
                    f"{directory}: the archive cannot be written there ({error.strerror or error});"
                    " name another directory in TMPDIR."
                ) from None
            _, postgresql_from = server_version(original.connection)
            tokens = original.connection.execute(select(func.count()).select_from(access_token))
            tokens_left = tokens.scalar_one()
        try:
            imported = import_archive(copy, ImportRequest(archive=file), progress)
        except BadFileError as error:  # the file was just written: what is wrong is in the record
            raise RecordError(
                f"The record is damaged, so nothing was moved: {error.reason}.",
                way_out="verify the record",
            ) from None
        read_again = measure_tables(copy.connection, progress)
        differing = [
            name
            for name, member in written.items()
            if name != DATA_PACKAGE and read_again.get(name) != member
        ]
        if differing:
            raise DatabaseError(
                f"The copy differs from the original in {', '.join(differing[:5])}, so it was not"
                " kept. Please report this."
            )
        _, postgresql_to = server_version(copy.connection)
    return MovedRecord(
        schema_revision=EXPECTED_REVISION,
        postgresql_from=postgresql_from,
        postgresql_to=postgresql_to,
        matrices=imported.matrices,
        tokens_left=tokens_left,
        tables=[
            TableChecksum(table=table.name, rows=member.rows or 0, fingerprint=member.sha256)
            for table in TABLES
            for member in [written[table_member(table)]]
        ],
    )
