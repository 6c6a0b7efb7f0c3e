"""Lists of the uploads of runs, of the runs with ranked lists, and of the assessments."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select, tuple_

from roundbook.database.run_tables import qrels, run_upload, uploaded_run
from roundbook.database.tables import round_, run, team
from roundbook.errors import NotRecordedError, RequestError
from roundbook.formats.text import StoredFile
from roundbook.logbook.lookup import find_round, find_task, recorded_round
from roundbook.logbook.names import is_named
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.runs import ListQrels, ListRuns


class ListedUpload(Result):
    """An upload of runs: the number of runs, the largest number of topics, and the files."""

    round: str
    upload: int
    runs: int
    topics: int
    documents: int
    beyond_depth: int
    files: list[StoredFile]
    software: str
    logged_at: datetime
    logged_by: str


class ListedRun(Result):
    """A run with ranked lists: its numbers of topics and documents, and its team.

    The team, and whether the run contributed to the pool, are None if not known.
    """

    run: str
    upload: int
    topics: int
    documents: int
    team: str | None
    contributed_to_pool: bool | None


class RunList(Result):
    """The uploads to rounds and, if the request names a round, its runs.

    `later` counts the runs, or else the uploads, that the limit left out.
    """

    task: str
    round: str | None
    uploads: list[ListedUpload]
    runs: list[ListedRun] | None
    later: int


class ListedQrels(Result):
    """A revision of a round's relevance assessments; `current` is whether it is the latest."""

    round: str
    assessments: str
    revision: int
    current: bool
    topics: int
    judged: int
    relevant: int
    reason: str | None
    files: list[StoredFile]
    software: str
    logged_at: datetime
    logged_by: str


class QrelsList(Result):
    """The relevance assessments of rounds, by round, label and revision."""

    task: str
    round: str | None
    qrels: list[ListedQrels]


def list_runs(session: Session, request: ListRuns) -> RunList:
    """Return the uploads of runs to a task's rounds, or to one round with its runs.

    Raises
    ------
    NotRecordedError
        When there is no such task or round, or no upload or run to continue after.
    """
    connection = session.connection
    within, round_id = _within(connection, request)
    topics, documents = (
        select(total).where(uploaded_run.c.run_upload_id == run_upload.c.id).scalar_subquery()
        for total in (func.max(uploaded_run.c.topics), func.sum(uploaded_run.c.documents))
    )
    listed = (
        select(
            run_upload,
            round_.c.label,
            topics.label("topics"),
            documents.label("listed"),
            func.count().over().label("fitting"),
        )
        .join(round_, round_.c.id == run_upload.c.round_id)
        .where(within)
        .order_by(round_.c.ordinal, run_upload.c.number)
    )
    runs: list[ListedRun] | None = None
    if round_id is not None:
        runs, later = _runs(connection, request, round_id)
        uploads = connection.execute(listed).all()
    else:
        uploads = connection.execute(_page(connection, request, listed)).all()
        later = uploads[0].fitting - len(uploads) if uploads else 0
    return RunList(
        task=request.task.strip(),
        round=request.round,
        uploads=[
            ListedUpload(
                **{
                    **row._mapping,
                    "round": row.label,
                    "upload": row.number,
                    "documents": row.listed,
                    "files": _files(row),
                }
            )
            for row in uploads
        ],
        runs=runs,
        later=later,
    )


def _page(connection: Connection, request: ListRuns, listed: Select[Any]) -> Select[Any]:
    """Return the query of all uploads, narrowed to the requested page."""
    if request.after is not None:
        label, _, number = request.after.rpartition(":")
        if not (label and number.isdecimal() and len(number) < 10):
            raise RequestError("after", "`after` is an upload of a round, as ROUND:UPLOAD")
        last = recorded_round(connection, request.task, label)
        listed = listed.where(
            tuple_(round_.c.ordinal, run_upload.c.number) > tuple_(last.ordinal, int(number))
        )
    return listed.limit(request.limit)


def _files(row: Row[Any]) -> list[StoredFile]:
    return list(map(StoredFile, row.files, row.file_sizes, row.file_hashes))


def _within(
    connection: Connection, request: ListRuns | ListQrels
) -> tuple[ColumnElement[bool], int | None]:
    """Return the condition on the requested rounds, and the round's id if it is one round."""
    task_id = find_task(connection, request.task)
    if request.round is None:
        return round_.c.task_id == task_id, None
    round_id = find_round(connection, task_id, request.task, request.round)
    return round_.c.id == round_id, round_id


def _runs(connection: Connection, request: ListRuns, round_id: int) -> tuple[list[ListedRun], int]:
    """Return a page of a round's runs, and the number of runs that the limit left out."""
    listed = (
        select(
            run.c.tag.label("run"),
            run_upload.c.number.label("upload"),
            uploaded_run.c.topics,
            uploaded_run.c.documents,
            team.c.name.label("team"),
            run.c.contributed_to_pool,
            func.count().over().label("fitting"),
        )
        .join(uploaded_run, uploaded_run.c.run_id == run.c.id)
        .join(run_upload, run_upload.c.id == uploaded_run.c.run_upload_id)
        .outerjoin(team, team.c.id == run.c.team_id)
        .where(run.c.round_id == round_id)
        .order_by(run.c.id)
    )
    if request.after is not None:
        last = connection.execute(
            select(run.c.id).where(run.c.round_id == round_id, is_named(run.c.tag, request.after))
        ).scalar()
        if last is None:
            raise NotRecordedError(
                f"Round '{request.round}' has no run '{request.after}'.",
                round=request.round,
                run=request.after,
            )
        listed = listed.where(run.c.id > last)
    rows = connection.execute(listed.limit(request.limit)).all()
    later = rows[0].fitting - len(rows) if rows else 0
    return [ListedRun(**row._mapping) for row in rows], later


def list_qrels(session: Session, request: ListQrels) -> QrelsList:
    """Return all revisions of the relevance assessments of a task's rounds, or of one round.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    """
    connection = session.connection
    within, _ = _within(connection, request)
    newest = func.max(qrels.c.revision).over(partition_by=[qrels.c.round_id, qrels.c.assessments])
    rows = connection.execute(
        select(qrels, round_.c.label, (newest == qrels.c.revision).label("current"))
        .join(round_, round_.c.id == qrels.c.round_id)
        .where(within)
        .order_by(round_.c.ordinal, qrels.c.assessments, qrels.c.revision)
    )
    return QrelsList(
        task=request.task.strip(),
        round=request.round,
        qrels=[
            ListedQrels(**{**row._mapping, "round": row.label, "files": _files(row)})
            for row in rows
        ],
    )
