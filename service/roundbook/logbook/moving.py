"""Moving house: the record copied into a database of another server."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine, text

from roundbook.database.copying import copy_record
from roundbook.database.engine import unit_of_work
from roundbook.database.fingerprints import filled_tables
from roundbook.database.programs import server_version
from roundbook.database.schema import current_revision, expected_revision, require_current, upgrade
from roundbook.database.tables import metadata
from roundbook.errors import AlreadyRecordedError
from roundbook.logbook.backups import TableFingerprint, count_matrices, list_fingerprints
from roundbook.logbook.result import Result

# Lets others read, and the source be the same database as the target.
_LOCK = "LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE"


class MovedRecord(Result):
    """What was copied, between servers of which versions; both have it now."""

    schema_revision: str
    postgresql_from: str
    postgresql_to: str
    matrices: int
    tables: list[TableFingerprint]


def move_record(
    source: Engine, target: Engine, progress: Callable[[str], object] = lambda _: None
) -> MovedRecord:
    """Copy the whole record, ids and history included; the source stays as it is.

    Parameters
    ----------
    source : Engine
        On a record whose schema is up to date.
    target : Engine
        On a database without a schema, which is then made, or with an empty record.
    progress : callable
        Told in a few words what is done next.

    Raises
    ------
    AlreadyRecordedError
        When the target holds something.
    SchemaOutOfDateError
        When the target's schema is another than this program's.
    """
    if current_revision(target) is None:
        upgrade(target)
    require_current(target)
    one_moment = source.execution_options(
        isolation_level="REPEATABLE READ", postgresql_readonly=True
    )
    with unit_of_work(one_moment) as here, unit_of_work(target) as there:
        there.execute(text(_LOCK.format(", ".join(str(table) for table in metadata.sorted_tables))))
        if filled_tables(there):
            raise AlreadyRecordedError(
                "There is a record in the database that --to names already. Name one that is empty"
                " or has no Roundbook schema yet."
            )
        tables = copy_record(here, there, progress)
        versions = server_version(here)[1], server_version(there)[1]
        there.commit()
    return MovedRecord(
        schema_revision=expected_revision(),
        postgresql_from=versions[0],
        postgresql_to=versions[1],
        matrices=count_matrices(tables),
        tables=list_fingerprints(tables),
    )
