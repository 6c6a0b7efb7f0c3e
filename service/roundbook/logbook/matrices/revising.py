"""Whether scores may be logged beside or over what is logged already."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import matrix, measure, round_, task
from roundbook.errors import (
    ContentDiffersError,
    NotRecordedError,
    RevisedMeanwhileError,
    RoundPublishedError,
)
from roundbook.formats import CompleteMatrix
from roundbook.logbook.lookup import Series, is_named
from roundbook.logbook.matrices.sources import read_sources
from roundbook.logbook.session import Session
from roundbook.requests.matrices import LoggingRequest


def latest_revisions(session: Session, request: LoggingRequest) -> dict[str, int]:
    """Return the latest revision of every measure that is logged where the request logs."""
    rows = session.connection.execute(
        select(measure.c.name, func.max(matrix.c.revision).label("revision"))
        .join_from(matrix, measure, measure.c.id == matrix.c.measure_id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .where(
            is_named(task.c.name, request.task),
            is_named(round_.c.label, request.round),
            is_named(matrix.c.assessments, request.assessments),
        )
        .group_by(measure.c.id)
    )
    return {row.name: row.revision for row in rows}


def check_revision(
    connection: Connection,
    series: Series,
    complete: CompleteMatrix,
    latest: Row[Any] | None,
    *,
    reason: str | None,
    expected: int | None,
) -> None:
    """Refuse other scores than those logged without a reason, and a reason without such scores.

    Parameters
    ----------
    latest : row of ``matrix``, or None
        The latest revision of the same series.
    expected : int, optional
        The latest revision that the person who revises has seen, 0 for none.
    """
    where = f"{series.measure} ({series.assessments} assessments) of round '{series.round}'"
    if latest is None:
        status = connection.execute(
            select(round_.c.status).where(round_.c.id == series.round_id)
        ).scalar_one()
        if reason is None and status == "published":
            raise RoundPublishedError(
                f"Round '{series.round}' is published: it takes further scores only with a reason.",
                way_out="revise with a reason",
            )
        if reason is not None and status != "published":
            raise NotRecordedError(
                f"Nothing is logged for {where} yet to revise.", way_out="nothing to revise"
            )
    elif reason is None:
        source = read_sources(connection, [latest.id]).get(latest.id)
        earlier = (
            ", computed from earlier runs or assessments" if source and source.outdated else ""
        )
        raise ContentDiffersError(
            f"Other scores are already logged for {where}{earlier}.",
            way_out="other scores",
            topics=len(complete.topics),
            runs=len(complete.runs),
        )
    elif expected not in (None, latest.revision):
        # Of two corrections at once, one wins: nobody revises what they have not seen.
        raise RevisedMeanwhileError(
            f"{latest.logged_by} logged revision {latest.revision} of {series.measure} in round"
            f" '{series.round}' while this correction was under way, so it was not logged.",
            way_out="revised meanwhile",
            matrix=latest.id,
        )
