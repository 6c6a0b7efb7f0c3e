"""Revisions: when other scores may take the place of those that are logged."""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import event, matrix, round_, task
from roundbook.database.tables import measure as measure_table
from roundbook.errors import (
    ContentDiffersError,
    NotRecordedError,
    RevisedMeanwhileError,
    RoundPublishedError,
)
from roundbook.formats import SettledMatrix
from roundbook.logbook.lookup import Series
from roundbook.logbook.measures import parse_measure


def check_revision(
    connection: Connection,
    series: Series,
    revise: str | None,
    settled: SettledMatrix,
    current: Row[Any] | None,
) -> None:
    """Refuse other scores than those logged, unless a reason is given.

    Raises
    ------
    ContentDiffersError
        When scores are logged and there is no reason.
    NotRecordedError
        When there is a reason and nothing to revise.
    RoundPublishedError
        When the round is published and there is no reason.
    """
    where = f"{series.measure} ({series.assessments} assessments) of round '{series.round}'"
    reasoned = revise is not None
    if current is not None and not reasoned:
        raise ContentDiffersError(
            f"Other scores are already logged for {where}. If these"
            f" {len(settled.topics)} x {len(settled.runs)} scores correct them, log them with"
            " --revise 'REASON'; if they rest on other assessments, name these with --assessments."
        )
    if current is None and reasoned != _is_published(connection, series.round_id):
        if reasoned:
            raise NotRecordedError(
                f"Nothing is logged for {where} yet to revise; leave out --revise."
            )
        raise RoundPublishedError(
            f"Round '{series.round}' is published: it takes further scores only with a reason; add"
            " --revise 'REASON'."
        )


def _is_published(connection: Connection, round_id: int) -> bool:
    status = connection.execute(select(round_.c.status).where(round_.c.id == round_id)).scalar_one()
    return bool(status == "published")


def read_revision(
    connection: Connection, task_name: str, round_label: str, measure: str, assessments: str
) -> int | None:
    """Return the latest revision at this moment, None where nothing is logged."""
    found: int | None = connection.execute(
        select(func.max(matrix.c.revision))
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .join(measure_table, measure_table.c.id == matrix.c.measure_id)
        .where(
            task.c.name == task_name.strip(),
            round_.c.label == round_label.strip(),
            func.lower(measure_table.c.name) == func.lower(parse_measure(measure).name),
            matrix.c.assessments == assessments.strip(),
        )
    ).scalar_one()
    return found


def check_seen(
    connection: Connection, series: Series, current: Row[Any], seen: int | None, asked: float
) -> None:
    """Refuse to revise what the person who asked has not seen: of two at once, one wins.

    Parameters
    ----------
    seen : int or None
        The latest revision when the work began.
    asked : float
        When the person asked, by ``time.monotonic()``.

    Raises
    ------
    RevisedMeanwhileError
        Naming who revised it, and why.
    """
    # Read before the server's clock is: an answer that is slow to come makes nothing newer.
    waited = time.monotonic() - asked
    # By its event, which comes last: the row says when the work on it began.
    age = connection.execute(
        select(
            func.extract(
                "epoch",
                func.clock_timestamp() - func.coalesce(func.max(event.c.at), current.logged_at),
            )
        ).where(
            event.c.matrix_id == current.id, event.c.what.in_(("matrix logged", "matrix revised"))
        )
    ).scalar_one()
    # A server whose clock was set back since tells nothing by it.
    meanwhile = 0 <= age <= waited
    if current.revision == seen and not meanwhile:
        return
    raise RevisedMeanwhileError(
        f"{current.logged_by} logged revision {current.revision} of {series.measure} in round"
        f" '{series.round}' while this correction was under way, so it was not"
        f" logged. Look at it with 'roundbook matrix show {current.id}', and log this one again if"
        " it still corrects it."
    )
