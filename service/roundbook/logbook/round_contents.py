"""A round with its score matrices, runs, relevance assessments and published variances."""

from __future__ import annotations

from datetime import date, datetime

from sqlalchemy import text

from roundbook.logbook.lookup import recorded_round
from roundbook.logbook.matrices.listing import ListedMatrix, list_matrices
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import find_publication
from roundbook.logbook.runs.listing import ListedQrels, ListedUpload, list_qrels, list_runs
from roundbook.logbook.session import Session
from roundbook.requests.matrices import ListMatrices
from roundbook.requests.runs import ListQrels, ListRuns
from roundbook.requests.tasks import ShowRound


class ListedVariance(Result):
    """The latest revision of a variance that was published without its score matrix.

    `teams` is None where unknown, and `reason` where none was given.
    """

    measure: str
    assessments: str
    scale: str
    revision: int
    variance: float
    runs: int
    topics: int
    teams: int | None
    source: str
    reason: str | None
    recorded_at: datetime
    recorded_by: str


class RoundContents(Result):
    """A round with every revision of its score matrices, its uploads of runs, and its assessments.

    `published_variances` are those that were recorded without scores, in their latest revisions.
    `fingerprint` is today's, and `published_fingerprint` that of its publication; both are None for
    a draft, and the latter also if none was noted.
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
    published_variances: list[ListedVariance]


def show_round(session: Session, request: ShowRound) -> RoundContents:
    """Return a round with everything logged in it.

    Raises
    ------
    NotRecordedError
        When there is no such task or round.
    """
    connection, task = session.connection, request.task
    row = recorded_round(connection, task, request.round)
    publication = find_publication(session, task, row.label)
    names = {"task": task, "round": row.label}
    return RoundContents(
        **{**row._mapping, **names},
        fingerprint=publication and publication.fingerprint,
        published_fingerprint=publication and publication.published_fingerprint,
        matrices=list_matrices(session, ListMatrices(**names, superseded=True)).matrices,
        uploads=list_runs(session, ListRuns(**names)).uploads,
        qrels=list_qrels(session, ListQrels(**names)).qrels,
        published_variances=[
            ListedVariance(**variance._mapping)
            for variance in connection.execute(_PUBLISHED, {"round": row.id})
        ],
    )


# The published variances of a round in their latest revisions, by measure.
_PUBLISHED = text("""
SELECT DISTINCT ON (measure.name, assessments, scale) published.*, measure.name AS measure
FROM roundbook.published_variance AS published
JOIN roundbook.measure ON measure.id = published.measure_id
WHERE published.round_id = :round
ORDER BY measure.name, assessments, scale, revision DESC
""")
