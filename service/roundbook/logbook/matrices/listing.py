"""The score matrices of a task, with where each stands."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.standings import read_standings

Standing = Literal["current", "superseded", "withdrawn"]


class ListedMatrix(Result):
    """A score matrix of `topics` by `runs`.

    `reason` is why it stands as it does: of the withdrawal or restoration, of the revision that
    took its place (`replaced_by`), or of the revision that it is.
    """

    matrix: int
    round: str
    measure: str
    assessments: str
    revision: int
    topics: int
    runs: int
    standing: Standing
    reason: str | None
    replaced_by: int | None
    logged_at: datetime
    logged_by: str


class MatrixList(Result):
    """Score matrices by round, measure and revision."""

    task: str
    matrices: list[ListedMatrix]


def list_matrices(
    session: Session,
    task: str,
    *,
    round_label: str | None = None,
    measure: str | None = None,
    assessments: str | None = None,
    superseded: bool = False,
) -> MatrixList:
    """Return a task's score matrices, the current and the withdrawn ones.

    Parameters
    ----------
    superseded : bool
        Those whose place a later revision took as well.

    Raises
    ------
    NotRecordedError
        When there is no such task, round or measure.
    """
    connection = session.connection
    task_id = find_task(connection, task)
    round_id, measure_id = None, None
    if round_label is not None:
        round_id = find_round(connection, task_id, task, round_label)
    if measure is not None:
        measure_id, _ = find_measure(connection, task_id, task, measure)
    rows = read_standings(
        connection,
        task_id,
        round_id=round_id,
        measure_id=measure_id,
        assessments=None if assessments is None else assessments.strip(),
        superseded=superseded,
    )
    listed = [
        ListedMatrix(
            matrix=row.id,
            round=row.round,
            measure=row.measure,
            assessments=row.assessments,
            revision=row.revision,
            topics=row.topics,
            runs=row.runs,
            standing=row.standing,
            reason=row.why,
            replaced_by=row.replaced_by,
            logged_at=row.logged_at,
            logged_by=row.logged_by,
        )
        for row in rows
    ]
    return MatrixList(task=task.strip(), matrices=listed)
