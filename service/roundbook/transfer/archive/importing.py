"""Importing: an archive into the record, all of it or nothing, verified before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt
import psycopg
from psycopg import sql
from psycopg.types.json import Json
from sqlalchemy import Connection, Table, exc, select, text
from sqlalchemy.dialects.postgresql import JSONB

from roundbook.database.faults import driver_error
from roundbook.database.lists import StoredList, write_lists
from roundbook.database.run_tables import run_upload
from roundbook.database.tables import (
    SCHEMA,
    event,
    matrix,
    matrix_topic,
    result,
    result_input,
    round_,
    run,
    task,
    topic,
    variance_estimate,
)
from roundbook.errors import AlreadyRecordedError, BadFileError
from roundbook.formats.archive import Archive, open_archive
from roundbook.formats.archive_package import DATA_PACKAGE
from roundbook.formats.table import shown
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session
from roundbook.logbook.storing import store_scores
from roundbook.logbook.verifying.differences import Difference
from roundbook.logbook.verifying.record import differences
from roundbook.presentation.verification import difference_sentence
from roundbook.requests.transfer import ImportRequest
from roundbook.transfer.archive.earlier import (
    EARLIER,
    drift_report,
    plan,
    plan_estimate,
    plan_inputs,
    plan_results,
    report_inputs,
    report_results,
)
from roundbook.transfer.archive.estimates import complete_estimates
from roundbook.transfer.archive.exporting import Contents, contents, result_counts
from roundbook.transfer.archive.reading import read_lists, read_matrix, table_rows
from roundbook.transfer.archive.shared import ensure_shared
from roundbook.transfer.archive.tables import (
    IMPORTED,
    IN_ORDER,
    LISTS,
    README,
    SHARED,
    columns_of,
    has_id,
    lists_member,
    scores_member,
    table_member,
    tables_of,
)

_ROWS_AT_ONCE = 1_000
# Each with several numbers for every topic.
_ESTIMATES_AT_ONCE = 50
# Two imports at once would each find that the other's tasks are not there yet.
_LOCK = text("SELECT pg_advisory_xact_lock(hashtextextended('roundbook.import', 0))")
# Where what an archive names is taken by something else in the record.
_TAKEN = {
    task: "Import the archive into another database; tasks are never merged",
    result: "Import the archive into another database; saved results are never merged",
}


class ImportedArchive(Contents):
    """What was imported; `software` wrote the archive."""

    software: str


class _Matrix(NamedTuple):
    id: int
    task_id: int
    round_id: int
    topics: int
    runs: int


@dataclass
class _Import:
    """What of the rows read so far the later ones need.

    Attributes
    ----------
    ids : by table, what id each number of the archive has become
    topics, runs : ids by (task, name) and by (round, tag)
    uploads : ids of uploads of runs, each with that of its round
    """

    archive: Archive
    connection: Connection
    ids: dict[str, dict[int, int]] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)
    task_of_round: dict[int, int] = field(default_factory=dict)
    published: list[int] = field(default_factory=list)
    topics: dict[tuple[int, str], int] = field(default_factory=dict)
    runs: dict[tuple[int, str], int] = field(default_factory=dict)
    matrices: list[_Matrix] = field(default_factory=list)
    uploads: list[tuple[int, int]] = field(default_factory=list)


def import_archive(
    session: Session,
    request: ImportRequest,
    progress: Callable[[str], object] = lambda _: None,
) -> ImportedArchive:
    """Record all that an archive holds, with ids of this database.

    Exported again, it gives the same archive. That it was imported is an event here.

    Parameters
    ----------
    progress : callable
        Told in a few words what is done next.

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
        state = _Import(archive, connection)
        for table in IN_ORDER:
            if table is matrix_topic:
                _import_scores(state, progress)
            elif archive.manifest.version < 3 and table in (result, result_input):
                if table is result:
                    _import_earlier_results(state)
            elif table in LISTS:
                _import_lists(state, progress)
            elif table in tables_of(archive.manifest.version):
                progress(f"Reading {table.name} ...")
                _import_table(state, table, progress)
        _check_contents(state)
        connection.execute(
            round_.update().where(round_.c.id.in_(state.published)).values(status="published")
        )
        connection.execute(text("SET CONSTRAINTS ALL IMMEDIATE"))
        connection.execute(text("SET CONSTRAINTS ALL DEFERRED"))
        if not request.trusted:
            ids = {name: list(made.values()) for name, made in state.ids.items()}
            for difference in differences(connection, ids, progress):
                if isinstance(difference, Difference):
                    raise _differs(state, difference)
        _record_import(state, session.user)
    return ImportedArchive(
        archive=archive.file,
        sha256=archive.sha256,
        bytes=archive.bytes,
        software=archive.manifest.software,
        tasks=state.tasks,
        scores=sum(imported.topics * imported.runs for imported in state.matrices),
        **contents(archive.manifest),
        **result_counts(connection, result.c.id.in_(list(state.ids[result.name].values()))),
    )


def _check_members(archive: Archive) -> None:
    members = archive.manifest.members
    tables = tables_of(archive.manifest.version)
    if archive.manifest.version < 3:
        tables = (tables - {result, result_input}) | set(EARLIER)
    wanted = {README, *map(table_member, tables)} | ({DATA_PACKAGE} & members.keys())
    for table, member_of in ((matrix, scores_member), (run_upload, lists_member)):
        listed = members.get(table_member(table))
        for number in range(1, 1 + ((listed and listed.rows) or 0)):
            wanted.add(member_of(number))
            if len(wanted) > len(members):
                break
    if wanted != members.keys():
        name = min(wanted ^ members.keys())
        fault = "is missing" if name in wanted else "belongs to no archive of this version"
        _refuse(archive, f"the member {name} {fault}")


@contextmanager
def _refusals(archive: Archive) -> Iterator[None]:
    """Say of what the record's own rules refuse that it is the archive that holds it."""
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


def _refuse(archive: Archive, reason: str) -> NoReturn:
    raise BadFileError(reason, archive.file)


def _import_table(state: _Import, table: Table, progress: Callable[[str], object]) -> None:
    rows = table_rows(state.archive, table, state.ids)
    if table in SHARED:
        file = f"{state.archive.file}/{table_member(table)}"
        state.ids[table.name] = ensure_shared(state.connection, table, list(rows), file)
    elif table is variance_estimate:
        rows = complete_estimates(state.connection, rows, state.archive.file, progress)
        _insert(state, table, rows, at_once=_ESTIMATES_AT_ONCE)
    elif table is event and state.archive.manifest.version < 3:
        _insert(state, table, ({**row, "database_user": None} for row in rows))
    elif has_id(table):
        _insert(state, table, rows)
    else:
        _copy(state.connection, table, rows, state.archive.manifest.version)


def _insert(
    state: _Import, table: Table, rows: Iterator[dict[str, Any]], *, at_once: int = _ROWS_AT_ONCE
) -> None:
    ids = state.ids[table.name] = {}
    ours: set[str] = set()
    while batch := list(islice(rows, at_once)):
        if table in _TAKEN:
            new = {row["name"] for row in batch} - ours
            _refuse_taken(state.connection, table, new)
            ours |= new
        given = state.connection.execute(
            table.insert().returning(table.c.id, sort_by_parameter_order=True),
            [
                # Published at the end: from then on it takes no matrix without a reason.
                row | {"status": "draft"}
                if table is round_ and row["status"] == "published"
                else row
                for row in batch
            ],
        ).scalars()
        for row, made in zip(batch, given, strict=True):
            ids[len(ids) + 1] = made
            _note(state, table, row, made)


def _import_earlier_results(state: _Import) -> None:
    """Store the plans and drift reports of an archive of version 1 or 2 as saved results."""
    archive = state.archive
    plans = plan_results(table_rows(archive, plan, state.ids))
    _insert(state, result, iter(plans))
    made = dict(state.ids[result.name])
    state.ids[plan.name] = made
    stored = {made[number]: row["result"] for number, row in enumerate(plans, 1)}
    inputs = plan_inputs(table_rows(archive, plan_estimate, state.ids), stored)
    reports = list(table_rows(archive, drift_report, state.ids))
    named = zip(state.ids[task.name].values(), state.tasks, strict=True)
    _insert(state, result, iter(report_results(reports, dict(named))))
    of_reports = list(state.ids[result.name].values())
    inputs += report_inputs(reports, of_reports)
    if inputs:
        state.connection.execute(result_input.insert(), inputs)
    together = [*made.values(), *of_reports]
    state.ids[result.name] = dict(enumerate(together, 1))


def _copy(
    connection: Connection, table: Table, rows: Iterator[dict[str, Any]], version: int
) -> None:
    driver = connection.connection.driver_connection
    assert driver is not None
    names = [column.name for column in columns_of(table, version)]
    objects = {column.name for column in table.columns if isinstance(column.type, JSONB)}
    statement = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(SCHEMA, table.name), sql.SQL(", ").join(map(sql.Identifier, names))
    )
    with driver.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row([Json(row[name]) if name in objects else row[name] for name in names])


def _refuse_taken(connection: Connection, table: Table, names: set[str]) -> None:
    taken = connection.execute(
        select(table.c.name).where(table.c.name.in_(names)).distinct().order_by(table.c.name)
    ).scalars()
    if listed := ", ".join(f"'{name}'" for name in taken):
        raise AlreadyRecordedError(
            f"The record has a {table.name} of this name already: {listed}. {_TAKEN[table]}."
        )


def _note(state: _Import, table: Table, row: dict[str, Any], made: int) -> None:
    """Keep what later rows need."""
    if table is task:
        state.tasks.append(row["name"])
    elif table is round_:
        state.task_of_round[made] = row["task_id"]
        if row["status"] == "published":
            state.published.append(made)
    elif table is topic:
        state.topics[row["task_id"], row["name"]] = made
    elif table is run:
        state.runs[row["round_id"], row["tag"]] = made
    elif table is matrix:
        round_id = row["round_id"]
        task_id = state.task_of_round[round_id]
        state.matrices.append(_Matrix(made, task_id, round_id, row["topics"], row["runs"]))
    elif table is run_upload:
        state.uploads.append((made, row["round_id"]))


def _import_scores(state: _Import, progress: Callable[[str], object]) -> None:
    for number, recorded in enumerate(state.matrices, 1):
        member = scores_member(number)
        progress(f"Reading {member} ...")
        read = read_matrix(state.archive, member, recorded.topics, recorded.runs)
        file = f"{state.archive.file}/{member}"
        store_scores(
            state.connection,
            read.scores,
            recorded.id,
            _find(state.topics, recorded.task_id, read.topics, "topic", file),
            _find(state.runs, recorded.round_id, read.runs, "run", file),
        )


def _import_lists(state: _Import, progress: Callable[[str], object]) -> None:
    for number, (upload_id, round_id) in enumerate(state.uploads, 1):
        member = lists_member(number)
        progress(f"Reading {member} ...")
        file = f"{state.archive.file}/{member}"
        task_id = state.task_of_round[round_id]
        write_lists(
            state.connection,
            (
                StoredList(
                    int(_find(state.runs, round_id, [read.run], "run", file)[0]),
                    int(_find(state.topics, task_id, [read.topic], "topic", file)[0]),
                    read.documents,
                    read.scores,
                )
                for read in read_lists(state.archive, member)
            ),
            upload_id,
        )


def _find(
    ids: dict[tuple[int, str], int], within: int, names: list[str], what: str, file: str
) -> npt.NDArray[np.int64]:
    try:
        return np.array([ids[within, name] for name in names], dtype=np.int64)
    except KeyError as error:
        name = shown(error.args[0][1])
        raise BadFileError(f"{what} {name} is not in {what}.csv", file) from None


def _check_contents(state: _Import) -> None:
    """Refuse what no export writes: other tasks than the manifest has, the event of an import."""
    if state.archive.manifest.tasks not in (None, state.tasks):
        _refuse(state.archive, f"the manifest tells of other tasks than {table_member(task)}")
    imported = select(event.c.id).where(
        event.c.what == IMPORTED, event.c.id.in_(list(state.ids[event.name].values()))
    )
    if state.connection.execute(imported.limit(1)).first():
        raise BadFileError(
            f"an event says '{IMPORTED}', which belongs to the database it happened to alone",
            f"{state.archive.file}/{table_member(event)}",
        )


def _differs(state: _Import, difference: Difference) -> BadFileError:
    """Return the refusal of an archive in which something does not follow from the rest."""
    member = f"{difference.table}.csv"
    if difference.table == result.name and state.archive.manifest.version < 3:
        title = difference.result_kind or difference.what.removesuffix(" saved")
        member = f"{title.replace(' ', '_')}.csv"
    if difference.what == "content_hash" and difference.matrix is not None:
        numbers = {made: number for number, made in state.ids[matrix.name].items()}
        member = scores_member(numbers[difference.matrix])
    return BadFileError(difference_sentence(difference), f"{state.archive.file}/{member}")


def _record_import(state: _Import, user: str) -> None:
    manifest = state.archive.manifest
    for task_id in state.ids[task.name].values() or (None,):
        record_event(
            state.connection,
            IMPORTED,
            who=user,
            task_id=task_id,
            details={
                "sha256": state.archive.sha256,
                "tasks": state.tasks,
                "software": manifest.software,
            },
        )
