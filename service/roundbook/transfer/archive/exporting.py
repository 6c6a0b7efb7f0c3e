"""Export of the record, or of some of its tasks, to an archive that any program can read."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from textwrap import fill
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Table, cast, func, select

from roundbook.database.lists import read_lists
from roundbook.database.run_tables import run_upload
from roundbook.database.schema import EXPECTED_REVISION
from roundbook.database.tables import matrix, result, round_, run, task, topic
from roundbook.errors import InputError, RecordError
from roundbook.formats.text import shown_path
from roundbook.logbook.atomic_files import atomic_file
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.storing import load_matrix
from roundbook.presentation.terminal import command
from roundbook.requests.record import ExportRequest
from roundbook.transfer.archive.cells import single_precision, write_cell, write_record
from roundbook.transfer.archive.container import (
    FORMAT,
    Manifest,
    Member,
    is_archive,
    measure_member,
    write_archive,
)
from roundbook.transfer.archive.data_package import CONVENTIONS, LISTS_HEADER, table_schema
from roundbook.transfer.archive.tables import (
    README,
    TABLES,
    VERSION,
    Numbers,
    columns_of,
    has_id,
    in_order,
    lists_member,
    map_ids,
    rows_of,
    scores_member,
    table_member,
)

_ROWS_AT_ONCE = 5_000
_ABOUT = f"""\
This is an archive of Roundbook, the logbook of evaluation campaigns.

manifest.json says what is in it, with the SHA-256 of every member. datapackage.json describes the
files and their columns as a Frictionless Data Package, which many programs open. Each other member
but this one is CSV (RFC 4180, UTF-8, lines end in LF) with a header:

  task.csv, round.csv, ...  a table of the record each
  scores/000001.csv, ...    the scores of matrix 1, ...: a topic a row, a run a column
  lists/000001.csv, ...     what the runs of upload 1, ... retrieved: a run and topic a row

{fill(CONVENTIONS + " Times are UTC. Lists and objects are JSON.", 100)}

'{command("import")}' reads it into another record. Roundbook's documentation describes every column.
"""


class Contents(Result):
    """The contents of an archive; `whole` is whether it holds a whole record."""

    archive: str
    sha256: str
    bytes: int
    version: int
    schema_revision: str
    whole: bool
    tasks: list[str]
    rounds: int
    matrices: int
    scores: int
    factor_sets: int
    variances: int
    plans: int
    drift_reports: int
    studies: int
    events: int
    uploads: int
    qrels: int


class ExportedArchive(Contents):
    """The file of an exported archive, with its contents."""


def export_archive(
    session: Session, request: ExportRequest, progress: ReportProgress = ignore_progress
) -> ExportedArchive:
    """Write the record to an archive; the session must read it in one snapshot.

    The same record gives the same bytes, whatever the ids in its database. If tasks are named,
    plans and events without a task are left out.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    InputError
        When the file cannot be written or exists already.
    """
    file = request.archive
    if str(file) == "-":
        raise InputError("An archive is a file, not a stream; name one instead of '-'.")
    connection = session.connection
    with atomic_file(file, force=request.force, earlier=is_archive) as part:
        tasks = sorted({find_task(connection, name) for name in request.tasks}) or None
        names = list(
            connection.scalars(select(task.c.name).where(rows_of(task, tasks)).order_by(task.c.id))
        )
        scores = connection.execute(
            select(
                func.coalesce(func.sum(matrix.c.topics * cast(matrix.c.runs, BigInteger)), 0)
            ).where(rows_of(matrix, tasks))
        ).scalar_one()
        manifest = write_tables(connection, part, tasks, names, progress)
        with part.open("rb") as written:
            digest, size = hashlib.file_digest(written, "sha256").hexdigest(), written.tell()
    return ExportedArchive(
        archive=shown_path(file),
        sha256=digest,
        bytes=size,
        tasks=names,
        scores=int(scores),
        **contents(manifest),
        **result_counts(connection, rows_of(result, tasks)),
    )


def write_tables(
    connection: Connection,
    file: Path,
    tasks: Sequence[int] | None,
    names: Sequence[str],
    progress: ReportProgress,
) -> Manifest:
    """Write the tasks with these names, or the whole record, to a new archive.

    Raises
    ------
    OSError
    """
    about = Manifest(
        format=FORMAT,
        version=VERSION,
        software=SOFTWARE,
        schema_revision=EXPECTED_REVISION,
        tasks=None if tasks is None else list(names),
        members={},
    )
    schemas = {table_member(table): table_schema(table) for table in TABLES}
    return write_archive(file, _members(connection, tasks, progress), schemas=schemas, about=about)


def measure_tables(connection: Connection, progress: ReportProgress) -> dict[str, Member]:
    """Return the manifest's entries for an archive of the whole record, without writing it."""
    return {
        name: measure_member(name, pieces) for name, pieces in _members(connection, None, progress)
    }


def contents(manifest: Manifest) -> dict[str, Any]:
    """Return the fields of `Contents` that follow from an archive's manifest."""
    rows = {name: member.rows for name, member in manifest.members.items()}
    return {
        "version": manifest.version,
        "schema_revision": manifest.schema_revision,
        "whole": manifest.tasks is None,
        "rounds": rows["round.csv"],
        "matrices": rows["matrix.csv"],
        "factor_sets": rows["factor_set.csv"],
        "variances": (rows["variance_estimate.csv"] or 0) + (rows["published_variance.csv"] or 0),
        "events": rows["event.csv"],
        "uploads": rows.get("run_upload.csv", 0),
        "qrels": rows.get("qrels.csv", 0),
    }


def result_counts(connection: Connection, condition: ColumnElement[bool]) -> dict[str, int]:
    """Return the numbers of plans, drift reports and studies among some saved results."""
    counted = (
        select(result.c.kind, func.count().label("number")).where(condition).group_by(result.c.kind)
    )
    counts: dict[str, int] = {row.kind: row.number for row in connection.execute(counted)}
    kinds = {"plans": "plan", "drift_reports": "drift", "studies": "study"}
    return {name: counts.get(kind, 0) for name, kind in kinds.items()}


def _members(
    connection: Connection, tasks: Sequence[int] | None, progress: ReportProgress
) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield the members in order of their names, each with its pieces of text."""
    numbers = {table.name: _numbered(connection, table, tasks) for table in TABLES if has_id(table)}
    members: dict[str, Callable[[], Iterable[str]]] = {README: lambda: [_ABOUT]}
    for table in TABLES:
        members[table_member(table)] = partial(_rows, connection, table, tasks, numbers)
    for matrix_id, number in numbers["matrix"].items():
        members[scores_member(number)] = partial(_scores, connection, matrix_id)
    for upload_id, number in numbers["run_upload"].items():
        members[lists_member(number)] = partial(_lists, connection, upload_id)
    for name in sorted(members):
        progress(f"Reading {name} ...")
        yield name, members[name]()


def _numbered(connection: Connection, table: Table, tasks: Sequence[int] | None) -> dict[int, int]:
    rows = connection.execute(
        select(table.c.id).where(rows_of(table, tasks)).order_by(*in_order(table))
    )
    return {row.id: number for number, row in enumerate(rows, 1)}


def _rows(
    connection: Connection, table: Table, tasks: Sequence[int] | None, numbers: Numbers
) -> Iterator[str]:
    columns = columns_of(table)
    yield write_record(column.name for column in columns)
    rows = connection.execute(
        select(*columns)
        .where(rows_of(table, tasks))
        .order_by(*in_order(table))
        .execution_options(yield_per=_ROWS_AT_ONCE)
    )
    for row in rows:
        try:
            yield write_record(
                write_cell(column, map_ids(column, value, numbers))
                for column, value in zip(columns, row, strict=True)
            )
        except KeyError as error:
            raise RecordError(
                f"A row of {table.name} refers to number {error}, which is not part of what is"
                " exported; export the whole record, or report this if it is."
            ) from None


def _scores(connection: Connection, matrix_id: int) -> Iterator[str]:
    row = connection.execute(select(matrix).where(matrix.c.id == matrix_id)).one()
    loaded = load_matrix(connection, row)
    yield write_record(["topic", *loaded.runs])
    for name, scores in zip(loaded.topics, loaded.scores, strict=True):
        yield write_record([name, *map(repr, scores.tolist())])


def _lists(connection: Connection, upload_id: int) -> Iterator[str]:
    yield write_record(LISTS_HEADER)
    round_id = select(run_upload.c.round_id).where(run_upload.c.id == upload_id).scalar_subquery()
    runs = select(run.c.id, run.c.tag).where(run.c.round_id == round_id)
    tags = {row.id: row.tag for row in connection.execute(runs)}
    of_task = (
        select(topic.c.id, topic.c.name)
        .join(round_, round_.c.task_id == topic.c.task_id)
        .where(round_.c.id == round_id)
    )
    topics = {row.id: row.name for row in connection.execute(of_task)}
    for stored in read_lists(connection, upload_id):
        assert stored.scores is not None
        documents = " ".join(map(str, stored.documents.tolist()))
        scores = single_precision(stored.scores)
        yield write_record([tags[stored.run_id], topics[stored.topic_id], documents, scores])
