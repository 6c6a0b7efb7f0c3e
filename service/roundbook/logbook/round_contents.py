"""A round with all that was logged in it: score matrices, runs and relevance assessments."""

from __future__ import annotations

from datetime import date

from sqlalchemy import select

from roundbook.database.tables import round_
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.matrices.listing import ListedMatrix, list_matrices
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import find_publication
from roundbook.logbook.runs.listing import ListedQrels, ListedUpload, list_qrels, list_runs
from roundbook.logbook.session import Session
from roundbook.requests.matrices import ListMatrices
from roundbook.requests.runs import ListQrels, ListRuns
from roundbook.requests.tasks import ShowRound


class RoundContents(Result):
    """A round with every revision of its score matrices, its uploads of runs, and its assessments.

    `fingerprint` is that of today and `published_fingerprint` that of its publication; both are
    None of a draft, and the latter where none was noted.
    """

    task: str
    round: str
    ordinal: int
    held: date | None
    collection: str | None
    status: str
    fingerprint: str | None
    published_fingerprint: str | None
    matrices: list[ListedMatrix]
    uploads: list[ListedUpload]
    qrels: list[ListedQrels]


def show_round(session: Session, request: ShowRound) -> RoundContents:
    """Return a round with all that was logged in it.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    """
    connection, task = session.connection, request.task
    number = find_round(connection, find_task(connection, task), task, request.round)
    row = connection.execute(select(round_).where(round_.c.id == number)).one()
    publication = find_publication(session, task, row.label)
    of = {"task": task, "round": row.label}
    return RoundContents(
        **row._mapping,
        task=task,
        round=row.label,
        fingerprint=publication and publication.fingerprint,
        published_fingerprint=publication and publication.published_fingerprint,
        matrices=list_matrices(session, ListMatrices(**of, superseded=True)).matrices,
        uploads=list_runs(session, ListRuns(**of)).uploads,
        qrels=list_qrels(session, ListQrels(**of)).qrels,
    )
