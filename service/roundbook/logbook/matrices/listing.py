"""The score matrices of a task, with their status and, of computed scores, their sources.

The status is current, superseded or withdrawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, computed_field
from sqlalchemy import Connection, Row, text

from roundbook.errors import NotRecordedError
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import ScoresCode, scores_changes
from roundbook.requests.matrices import ListMatrices

Status = Literal["current", "superseded", "withdrawn"]


class Scores(Result):
    """The identity of a score matrix."""

    matrix: int
    task: str
    round: str
    measure: str
    assessments: str


class Source(Result):
    """The runs and assessments that a matrix was computed from, and the latest ones of its round.

    Assessments are numbered by `revision`, runs by `upload`.
    """

    upload: int
    revision: int
    latest_upload: int
    latest_revision: int

    @property
    def changes(self) -> list[ScoresCode]:
        """The codes by which the scores are stale."""
        latest = {"latest_upload": self.latest_upload, "latest_revision": self.latest_revision}
        return scores_changes(self.upload, self.revision, **latest)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def outdated(self) -> bool:
        """Whether the scores are to be computed anew, as later runs or assessments exist."""
        return bool(self.changes)


class ListedMatrix(Result):
    """A score matrix of `topics` by `runs`.

    `reason` is the reason for its `status`: that of the withdrawal or restoration, of the revision
    that replaced it (`replaced_by`), or of its own revision. `source` has the runs
    and assessments its scores were computed from, None for scores from files.
    """

    matrix: int
    round: str
    measure: str
    assessments: str
    revision: int
    topics: int
    runs: int
    status: Status = Field(alias="standing")
    reason: str | None
    replaced_by: int | None
    logged_at: datetime
    logged_by: str
    source: Source | None


class MatrixList(Result):
    """Score matrices by round, measure and revision; `later` counts those beyond the limit."""

    task: str
    matrices: list[ListedMatrix]
    later: int


def list_matrices(session: Session, request: ListMatrices) -> MatrixList:
    """Return a task's score matrices, by default the current and the withdrawn ones.

    Raises
    ------
    NotRecordedError
        When there is no such task, round or measure, or no matrix to continue after.
    """
    connection, task = session.connection, request.task
    task_id = find_task(connection, task)
    round_id, measure_id = None, None
    if request.round is not None:
        round_id = find_round(connection, task_id, task, request.round)
    if request.measure is not None:
        measure_id, _ = find_measure(connection, task_id, task, request.measure)
    if request.after is not None:
        last = find_matrix(connection, request.after)
        if last.task_id != task_id:
            raise NotRecordedError(
                f"Matrix {request.after} is of task '{last.task}', not of '{task}'.",
                way_out="list matrices",
                task=task,
            )
    rows = connection.execute(
        text(_MATRICES + _OF_TASK),
        {
            "task": task_id,
            "round": round_id,
            "measure": measure_id,
            "assessments": request.assessments and request.assessments.strip(),
            **request.model_dump(include={"superseded", "after", "limit"}),
        },
    ).all()
    sources = read_sources(connection, [row.id for row in rows])
    matrices = [
        ListedMatrix(
            **{**row._mapping, "matrix": row.id, "reason": row.why, "source": sources.get(row.id)}
        )
        for row in rows
    ]
    later = rows[0].fitting - len(rows) if rows else 0
    return MatrixList(task=task.strip(), matrices=matrices, later=later)


def read_sources(connection: Connection, matrices: Collection[int]) -> dict[int, Source]:
    """Return the sources of score matrices by number, without those logged from files."""
    rows = connection.execute(text(_SOURCES), {"matrices": list(matrices)})
    return {row.matrix_id: Source(**row._mapping) for row in rows}


# If later runs or assessments give the same scores, a further event records them as the source.
_SOURCES = """
SELECT source.*
FROM (
    SELECT DISTINCT ON (matrix.id) matrix.id AS matrix_id,
           CAST(event.details ->> 'upload' AS integer) AS upload,
           CAST(event.details ->> 'assessments_revision' AS integer) AS revision,
           (SELECT max(number) FROM roundbook.run_upload
            WHERE run_upload.round_id = matrix.round_id) AS latest_upload,
           (SELECT max(qrels.revision) FROM roundbook.qrels
            WHERE qrels.round_id = matrix.round_id
              AND normalize(qrels.assessments) = normalize(matrix.assessments)) AS latest_revision
    FROM roundbook.matrix
    JOIN roundbook.event ON event.matrix_id = matrix.id
    WHERE matrix.id = ANY (CAST(:matrices AS bigint[])) AND event.details ? 'assessments_revision'
    ORDER BY matrix.id, event.id DESC
) AS source
WHERE source.latest_upload IS NOT NULL AND source.latest_revision IS NOT NULL
"""


def find_matrix(connection: Connection, number: int) -> Row[Any]:
    """Return a matrix by its number, as `read_matrices` does; refuse the number of none."""
    # A number beyond the column's range is no matrix either.
    rows = read_matrices(connection, [number]) if 0 < number < 2**63 else ()
    if not rows:
        raise NotRecordedError(f"There is no matrix {number}.", way_out="no matrix", matrix=number)
    return rows[0]


def read_matrices(connection: Connection, numbers: Collection[int]) -> Sequence[Row[Any]]:
    """Return matrices in the order of their numbers, with their names and status.

    A row has the columns of ``matrix`` and ``task_id``, ``task``, ``round``, ``round_status``,
    ``measure``. Its ``status`` is current, superseded or withdrawn, with ``why``, ``since`` and
    ``decided_by``; ``replaced_by`` is the number of the next revision. For the latest
    revision of its series it has ``newest``, the revision, ``newest_id`` and ``newest_withdrawn``,
    the reason why it is withdrawn at present, else None.
    """
    condition = "WHERE matrix.id = ANY (CAST(:numbers AS bigint[])) ORDER BY matrix.id"
    return connection.execute(text(_MATRICES + condition), {"numbers": list(numbers)}).all()


# The latest decision on a matrix is in force, unless a later revision replaced the matrix. Plain
# joins for the latest revision would take the server far longer to plan.
_MATRICES = """
SELECT matrix.*, task.id AS task_id, task.name AS task, round.label AS round,
       round.status AS round_status, measure.name AS measure, count(*) OVER () AS fitting,
       newest.id AS newest_id, newest.revision AS newest, newest.reason AS newest_withdrawn,
       later.id AS replaced_by,
       CASE WHEN later.id IS NOT NULL THEN 'superseded'
            WHEN decided.withdrawn THEN 'withdrawn' ELSE 'current' END AS status,
       CASE WHEN later.id IS NOT NULL THEN later.reason
            ELSE coalesce(decided.reason, matrix.reason) END AS why,
       coalesce(later.logged_at, decided.decided_at, matrix.logged_at) AS since,
       coalesce(later.logged_by, decided.decided_by, matrix.logged_by) AS decided_by
FROM roundbook.matrix
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
CROSS JOIN LATERAL (
    SELECT last.id, last.revision, withdrawn.reason
    FROM roundbook.matrix AS last
    LEFT JOIN roundbook.withdrawn ON withdrawn.matrix_id = last.id
    WHERE (last.round_id, last.measure_id, last.assessments)
          = (matrix.round_id, matrix.measure_id, matrix.assessments)
    ORDER BY last.revision DESC LIMIT 1
) AS newest
LEFT JOIN roundbook.matrix AS later
    ON (later.round_id, later.measure_id, later.assessments, later.revision)
       = (matrix.round_id, matrix.measure_id, matrix.assessments, matrix.revision + 1)
LEFT JOIN LATERAL (
    SELECT withdrawn, reason, decided_at, decided_by
    FROM roundbook.withdrawal WHERE matrix_id = matrix.id ORDER BY number DESC LIMIT 1
) AS decided ON true
"""

_OF_TASK = """
WHERE round.task_id = :task
  AND (CAST(:round AS bigint) IS NULL OR matrix.round_id = :round)
  AND (CAST(:measure AS bigint) IS NULL OR matrix.measure_id = :measure)
  AND (CAST(:assessments AS text) IS NULL OR normalize(matrix.assessments) = :assessments)
  AND (:superseded OR later.id IS NULL)
  AND (CAST(:after AS bigint) IS NULL
       OR (round.ordinal, measure.name, matrix.assessments, matrix.revision) > (
           SELECT last_round.ordinal, last_measure.name, last.assessments, last.revision
           FROM roundbook.matrix AS last
           JOIN roundbook.round AS last_round ON last_round.id = last.round_id
           JOIN roundbook.measure AS last_measure ON last_measure.id = last.measure_id
           WHERE last.id = :after))
ORDER BY round.ordinal, measure.name, matrix.assessments, matrix.revision
LIMIT CAST(:limit AS bigint)
"""
