"""The assessments labels under which a task's scores are recorded."""

from __future__ import annotations

from unicodedata import normalize

from sqlalchemy import Connection, text

from roundbook.errors import InputError, NotRecordedError


def choose_assessments(
    connection: Connection,
    task_id: int,
    measure_id: int,
    measure: str,
    wanted: str | None,
    *,
    round_id: int | None = None,
) -> str:
    """Return the assessments label to read: the one asked for, or the only one.

    Scores from different assessments are never mixed, so one must be named if the task (or the
    round) has several labels. A label whose scores are all withdrawn counts only if it is named, or
    if no other has scores that stand.
    """
    labels = _labels(connection, task_id, round_id, measure_id)
    where = "task" if round_id is None else "round"
    if wanted is not None:
        spelled = normalize("NFC", wanted.strip())
        for label in labels:
            if normalize("NFC", label) == spelled:
                return label
    if not labels:
        raise NotRecordedError(f"This {where} has nothing for measure {measure}.", measure=measure)
    if wanted is not None:
        raise NotRecordedError(
            f"This {where} has no assessments '{wanted}' of {measure}; it has {', '.join(labels)}.",
            measure=measure,
            assessments=wanted,
        )
    standing = [label for label, stands in labels.items() if stands] or list(labels)
    if len(standing) > 1:
        raise InputError(
            f"{measure} is recorded under several assessments in this {where}"
            f" ({', '.join(standing)}), which are never mixed.",
            way_out="several assessments",
        )
    return standing[0]


def other_assessments(connection: Connection, task_id: int, label: str) -> list[str]:
    """Return the task's assessments labels if one is new to it, as it may be mistyped; else none.

    Labels whose scores are all withdrawn are left out.
    """
    labels = _labels(connection, task_id)
    if label in {normalize("NFC", known) for known in labels}:
        return []
    return [other for other, stands in labels.items() if stands]


def _labels(
    connection: Connection,
    task_id: int,
    round_id: int | None = None,
    measure_id: int | None = None,
) -> dict[str, bool]:
    """Return assessments labels in order, each with whether any of its scores stand.

    Without a measure those of relevance assessments alone are among them.
    """
    values = {"task": task_id, "round": round_id, "measure": measure_id}
    rows = connection.execute(_LABELS, values).all()
    # In the order of Python, whatever the database's collation.
    return dict(sorted((str(row.assessments), bool(row.stands)) for row in rows))


_LABELS = text("""
SELECT assessments, bool_or(stands) AS stands
FROM (
    (
        SELECT DISTINCT ON (matrix.round_id, matrix.measure_id, matrix.assessments)
               matrix.round_id, matrix.measure_id, matrix.assessments,
               withdrawn.matrix_id IS NULL AS stands
        FROM roundbook.matrix
        JOIN roundbook.round ON round.id = matrix.round_id AND round.task_id = :task
        LEFT JOIN roundbook.withdrawn ON withdrawn.matrix_id = matrix.id
        WHERE CAST(:measure AS bigint) IS NULL OR matrix.measure_id = :measure
        ORDER BY matrix.round_id, matrix.measure_id, matrix.assessments, matrix.revision DESC
    )
    UNION ALL
    SELECT round_id, measure_id, assessments, true FROM roundbook.published_variance
    WHERE CAST(:measure AS bigint) IS NULL OR measure_id = :measure
    UNION ALL
    SELECT round_id, NULL, assessments, false FROM roundbook.qrels
    WHERE CAST(:measure AS bigint) IS NULL
) AS labelled
JOIN roundbook.round ON round.id = labelled.round_id
WHERE round.task_id = :task AND (CAST(:round AS bigint) IS NULL OR round.id = :round)
GROUP BY assessments
""")
