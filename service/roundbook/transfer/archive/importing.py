"""Import of an archive into the record, in one transaction and verified before the commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import exc, select, text

from roundbook.database.faults import driver_error
from roundbook.database.run_tables import run_upload
from roundbook.database.table_parts import among
from roundbook.database.tables import event, matrix, result, round_, task
from roundbook.errors import BadFileError
from roundbook.logbook.events import record_event
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.verifying.differences import Difference, ResultNotComputed
from roundbook.logbook.verifying.record import differences
from roundbook.logbook.verifying.saved_results import illegible_results
from roundbook.presentation.record import difference_sentence
from roundbook.requests.record import ImportRequest
from roundbook.transfer.archive.container import Archive, open_archive
from roundbook.transfer.archive.data_package import DATA_PACKAGE
from roundbook.transfer.archive.exporting import Contents, contents, result_counts
from roundbook.transfer.archive.inserting import Inserted, insert_tables
from roundbook.transfer.archive.tables import (
    IMPORTED,
    README,
    lists_member,
    scores_member,
    table_member,
    tables_of,
)

# Only one import at a time: of two at once, neither would see the other's tasks.
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('roundbook.import', 0))")


class ImportedArchive(Contents):
    """The contents of an imported archive; `software` is the program that wrote it."""

    software: str


def import_archive(
    session: Session, request: ImportRequest, progress: ReportProgress = ignore_progress
) -> ImportedArchive:
    """Record the content of an archive, with ids of this database.

    An export of it gives the same archive again. The import is recorded as an event.

    Raises
    ------
    BadFileError
        When it is no archive, of a later version, damaged, or contradicts itself.
    AlreadyRecordedError
        When a task, a plan, or another measure of the same name is recorded already.
    """
    connection = session.connection
    progress("Checking the archive ...")
    with open_archive(request.archive) as archive, _refusals(archive):
        _check_members(archive)
        connection.execute(_LOCK)
        state = insert_tables(connection, archive, progress)
        _check_contents(state)
        connection.execute(
            round_.update().where(among(round_.c.id, state.published)).values(status="published")
        )
        connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
        connection.execute(text("SET CONSTRAINTS ALL DEFERRED"))
        software = archive.manifest.software
        details = {"sha256": archive.sha256, "tasks": state.tasks, "software": software}
        for task_id in state.ids[task.name].values() or (None,):
            record_event(session, IMPORTED, task_id=task_id, details=details)
        ids = {name: list(by_number.values()) for name, by_number in state.ids.items()}
        checks: Iterator[Difference | ResultNotComputed] = (
            illegible_results(connection, ids[result.name])
            if request.trusted
            else differences(connection, ids, progress)
        )
        for difference in checks:
            if isinstance(difference, Difference):
                raise _differs(state, difference)
    return ImportedArchive(
        archive=archive.file,
        sha256=archive.sha256,
        bytes=archive.bytes,
        software=software,
        tasks=state.tasks,
        scores=sum(imported.topics * imported.runs for imported in state.matrices),
        **contents(archive.manifest),
        **result_counts(connection, among(result.c.id, state.ids[result.name].values())),
    )


def _check_members(archive: Archive) -> None:
    members = archive.manifest.members
    tables = tables_of(archive.manifest.version)
    expected = {README, *map(table_member, tables)} | ({DATA_PACKAGE} & members.keys())
    for table, member_of in ((matrix, scores_member), (run_upload, lists_member)):
        listed = members.get(table_member(table))
        for number in range(1, 1 + ((listed and listed.rows) or 0)):
            expected.add(member_of(number))
            if len(expected) > len(members):
                break
    if expected != members.keys():
        name = min(expected ^ members.keys())
        fault = "is missing" if name in expected else "belongs to no archive of this version"
        raise BadFileError(f"the member {name} {fault}", archive.file)


@contextmanager
def _refusals(archive: Archive) -> Iterator[None]:
    """Turn the database's refusal of a row into a BadFileError that names the archive."""
    try:
        yield
    except (exc.DBAPIError, psycopg.Error) as error:
        cause = driver_error(error)
        if isinstance(cause, psycopg.DataError | psycopg.IntegrityError):
            reason = str(cause).strip().partition("\n")[0]
            raise BadFileError(
                f"the record refuses what it holds, so nothing was kept: {reason}", archive.file
            ) from error
        raise


def _check_contents(state: Inserted) -> None:
    """Refuse content that no export writes: tasks not in the manifest, and events of imports."""
    if state.archive.manifest.tasks not in (None, state.tasks):
        reason = f"the manifest tells of other tasks than {table_member(task)}"
        raise BadFileError(reason, state.archive.file)
    imported = select(event.c.id).where(
        event.c.what == IMPORTED, among(event.c.id, state.ids[event.name].values())
    )
    if state.connection.execute(imported.limit(1)).first():
        raise BadFileError(
            f"an event says '{IMPORTED}', which belongs to the database it happened to alone",
            state.archive.member(table_member(event)),
        )


def _differs(state: Inserted, difference: Difference) -> BadFileError:
    """Return the error for an archive in which a derived value differs from its source."""
    member = f"{difference.table}.csv"
    if difference.table == result.name and state.archive.manifest.version < 3:
        title = difference.result_kind or difference.what.removesuffix(" saved")
        member = f"{title.replace(' ', '_')}.csv"
    if difference.what == "content_hash" and difference.matrix is not None:
        numbers = {matrix_id: number for number, matrix_id in state.ids[matrix.name].items()}
        member = scores_member(numbers[difference.matrix])
    return BadFileError(difference_sentence(difference), state.archive.member(member))
