"""Score matrices that are withdrawn at present, and so left out of what spans the rounds."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, text

from roundbook.logbook.result import Result


class WithdrawnMatrix(Result):
    """A round's score matrix that counts in nothing, and why."""

    round: str
    measure: str
    assessments: str
    matrix: int
    revision: int
    reason: str
    withdrawn_at: datetime
    withdrawn_by: str

    def sentence(self, counted: Collection[str] = ()) -> str:
        """Return what to tell of it, where these rounds count all the same, by other scores."""
        scores = (
            f"{self.measure} scores (matrix {self.matrix}, revision {self.revision},"
            f" {self.assessments} assessments)"
        )
        why = self.reason.rstrip(".")
        if self.round in counted:
            return f"Left out: the {scores} of round '{self.round}', withdrawn: {why}."
        return f"Left out: round '{self.round}', whose {scores} are withdrawn: {why}."


def read_withdrawn(
    connection: Connection,
    task_id: int,
    *,
    measures: list[int] | None = None,
    assessments: list[str] | None = None,
    rounds: list[str] | None = None,
) -> list[WithdrawnMatrix]:
    """Return the withdrawn matrices of a task that no later revision has replaced, by round."""
    rows = connection.execute(
        text(_WITHDRAWN),
        {"task": task_id, "measures": measures, "assessments": assessments, "rounds": rounds},
    )
    return [WithdrawnMatrix(**row._mapping) for row in rows]


_WITHDRAWN = """
SELECT round.label AS round, measure.name AS measure, matrix.assessments, matrix.id AS matrix,
       matrix.revision, withdrawn.reason, withdrawn.decided_at AS withdrawn_at,
       withdrawn.decided_by AS withdrawn_by
FROM roundbook.withdrawn
JOIN roundbook.matrix ON matrix.id = withdrawn.matrix_id
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE round.task_id = :task
  AND (CAST(:measures AS bigint[]) IS NULL OR matrix.measure_id = ANY (:measures))
  AND (CAST(:assessments AS text[]) IS NULL OR matrix.assessments = ANY (:assessments))
  AND (CAST(:rounds AS text[]) IS NULL OR round.label = ANY (:rounds))
  AND NOT EXISTS (
      SELECT FROM roundbook.matrix AS later
      WHERE (later.round_id, later.measure_id, later.assessments)
            = (matrix.round_id, matrix.measure_id, matrix.assessments)
        AND later.revision > matrix.revision
  )
ORDER BY round.ordinal, measure.name, matrix.assessments
"""
