"""Which score matrices count: the latest revision of each series, unless it is withdrawn."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.result import Result

if TYPE_CHECKING:
    from sqlalchemy import Connection

# An error names so many withdrawn matrices, and counts the others.
_MOST_NAMED = 3

# A condition on rows of `matrix`: the latest revision of its series, withdrawn or not.
IS_LATEST = """NOT EXISTS (
    SELECT FROM roundbook.matrix AS later
    WHERE (later.round_id, later.measure_id, later.assessments)
          = (matrix.round_id, matrix.measure_id, matrix.assessments)
      AND later.revision > matrix.revision
)"""
# The rows of `matrix` that are the latest of their series, with the reason why they are `withdrawn`
# at present, else null, `withdrawn_at` and `withdrawn_by`.
LATEST = f"""(
    SELECT matrix.*, withdrawn.reason AS withdrawn, withdrawn.decided_at AS withdrawn_at,
           withdrawn.decided_by AS withdrawn_by
    FROM roundbook.matrix
    LEFT JOIN roundbook.withdrawn ON withdrawn.matrix_id = matrix.id
    WHERE {IS_LATEST}
)"""  # noqa: S608


class WithdrawnMatrix(Result):
    """A withdrawn score matrix of a round, with the reason."""

    round: str
    measure: str
    assessments: str
    matrix: int
    revision: int
    reason: str
    withdrawn_at: datetime
    withdrawn_by: str


class TaskScores(NamedTuple):
    """A selection of a task's scores by the ids of measures and rounds, and by assessments."""

    task: int
    measures: list[int] | None = None
    assessments: list[str] | None = None
    rounds: list[int] | None = None


def left_out(matrix: WithdrawnMatrix, counted: Collection[str] = ()) -> str:
    """Return the sentence that a withdrawn matrix is left out, for results and errors.

    The rounds `counted` still count, by other scores.
    """
    scores = (
        f"{matrix.measure} scores (matrix {matrix.matrix}, revision {matrix.revision},"
        f" {matrix.assessments} assessments)"
    )
    why = matrix.reason.rstrip(".")
    if matrix.round in counted:
        return f"Left out: the {scores} of round '{matrix.round}', withdrawn: {why}."
    return f"Left out: round '{matrix.round}', whose {scores} are withdrawn: {why}."


def none_counts(
    message: str,
    withdrawn: Sequence[WithdrawnMatrix],
    *,
    way_out: str | None = None,
    **facts: object,
) -> NotRecordedError:
    """Return the error that nothing asked for counts, with what is withdrawn of it.

    Its way out is to take the withdrawal of the last one back, else `way_out`.
    """
    if not withdrawn:
        return NotRecordedError(message, way_out=way_out, **facts)
    named = withdrawn[-_MOST_NAMED:]
    said = [message, *map(left_out, named)]
    if more := len(withdrawn) - len(named):
        matrices = "matrix is" if more == 1 else "matrices are"
        said.append(f"{more} more score {matrices} withdrawn.")
    return WithdrawnError(
        " ".join(said), way_out="withdrawn matrix", **{**facts, "matrix": named[-1].matrix}
    )


def read_withdrawn(connection: Connection, scores: TaskScores) -> list[WithdrawnMatrix]:
    """Return the withdrawn matrices of a task without a later revision, by round."""
    # As plain SQL, so that plans from a given variance do not import SQLAlchemy.
    rows = connection.exec_driver_sql(_WITHDRAWN, scores._asdict())
    return [WithdrawnMatrix(**row._mapping) for row in rows]


_WITHDRAWN = f"""
SELECT round.label AS round, measure.name AS measure, matrix.assessments, matrix.id AS matrix,
       matrix.revision, matrix.withdrawn AS reason, matrix.withdrawn_at, matrix.withdrawn_by
FROM {LATEST} AS matrix
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE round.task_id = %(task)s AND matrix.withdrawn IS NOT NULL
  AND (CAST(%(measures)s AS bigint[]) IS NULL OR matrix.measure_id = ANY (%(measures)s))
  AND (CAST(%(assessments)s AS text[]) IS NULL OR matrix.assessments = ANY (%(assessments)s))
  AND (CAST(%(rounds)s AS bigint[]) IS NULL OR round.id = ANY (%(rounds)s))
ORDER BY round.ordinal, measure.name, matrix.assessments
"""  # noqa: S608
