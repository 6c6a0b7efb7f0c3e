"""Where a score matrix stands: it counts, a later revision took its place, or it is withdrawn."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, text

from roundbook.logbook.lookup import find_matrix


def read_standings(
    connection: Connection,
    task_id: int,
    *,
    round_id: int | None = None,
    measure_id: int | None = None,
    assessments: str | None = None,
    superseded: bool = True,
) -> list[Row[Any]]:
    """Return a task's matrices and where each stands, by round, measure and revision.

    Parameters
    ----------
    superseded : bool
        With those whose place a later revision took.
    """
    return list(
        connection.execute(
            text(_STANDINGS.format(wanted=_OF_TASK)),
            {
                "task": task_id,
                "round": round_id,
                "measure": measure_id,
                "assessments": assessments,
                "superseded": superseded,
            },
        )
    )


def read_standing(connection: Connection, number: int) -> Row[Any]:
    """Return where one matrix stands.

    The row has the columns of ``matrix``, the names of its ``task``, ``round`` and ``measure``,
    and ``standing``, one of current, superseded and withdrawn; ``why``, ``since`` and
    ``decided_by`` tell of that, and ``replaced_by`` is the number of the next revision.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    """
    found = find_matrix(connection, number)
    wanted = "WHERE matrix.id = :matrix"
    return connection.execute(text(_STANDINGS.format(wanted=wanted)), {"matrix": found.id}).one()


def standing_words(row: Row[Any]) -> str | None:
    """Return how a matrix that does not count stands, and why; None where it is current."""
    if row.standing == "current":
        return None
    place = f" by matrix {row.replaced_by}" if row.standing == "superseded" else ""
    return f"{row.standing}{place}: {row.why.rstrip('.')}"


def factors_note(version: int, row: Row[Any]) -> str | None:
    """Return what to tell of factors whose matrix does not count; None where it does.

    Parameters
    ----------
    version : int
        Theirs.
    row
        Where the matrix stands that they were fitted on.
    """
    words = standing_words(row)
    return words and (
        f"Factor version {version} of round '{row.round}' was fitted on matrix {row.id} (revision"
        f" {row.revision}), which is {words}."
    )


# What was decided last of a matrix holds, unless a later revision took its place.
_STANDINGS = """
SELECT matrix.*, task.name AS task, round.label AS round, round.status AS round_status,
       measure.name AS measure, later.id AS replaced_by,
       CASE WHEN later.id IS NOT NULL THEN 'superseded'
            WHEN decided.withdrawn THEN 'withdrawn' ELSE 'current' END AS standing,
       CASE WHEN later.id IS NOT NULL THEN later.reason
            ELSE coalesce(decided.reason, matrix.reason) END AS why,
       coalesce(later.logged_at, decided.decided_at, matrix.logged_at) AS since,
       coalesce(later.logged_by, decided.decided_by, matrix.logged_by) AS decided_by
FROM roundbook.matrix
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
LEFT JOIN roundbook.matrix AS later
    ON (later.round_id, later.measure_id, later.assessments, later.revision)
       = (matrix.round_id, matrix.measure_id, matrix.assessments, matrix.revision + 1)
LEFT JOIN LATERAL (
    SELECT withdrawn, reason, decided_at, decided_by
    FROM roundbook.withdrawal WHERE matrix_id = matrix.id ORDER BY number DESC LIMIT 1
) AS decided ON true
{wanted}
ORDER BY round.ordinal, measure.name, matrix.assessments, matrix.revision
"""

_OF_TASK = """
WHERE round.task_id = :task
  AND (CAST(:round AS bigint) IS NULL OR matrix.round_id = :round)
  AND (CAST(:measure AS bigint) IS NULL OR matrix.measure_id = :measure)
  AND (CAST(:assessments AS text) IS NULL OR matrix.assessments = :assessments)
  AND (:superseded OR later.id IS NULL)
"""
