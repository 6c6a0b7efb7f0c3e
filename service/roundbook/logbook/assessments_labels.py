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
    assessments: str | None,
    *,
    round_id: int | None = None,
) -> str:
    """Return the assessments label to read: the one asked for, or the only one.

    Scores from different assessments are never mixed, so a label must be named if the task (or the
    round) has several. A label whose scores are all withdrawn counts only if it is named, or if the
    scores of all labels are withdrawn.
    """
    labels = _labels(connection, task_id, round_id, measure_id)
    where = "task" if round_id is None else "round"
    if assessments is not None:
        spelled = normalize("NFC", assessments.strip())
        for label in labels:
            if normalize("NFC", label) == spelled:
                return label
    if not labels:
        raise NotRecordedError(f"This {where} has nothing for measure {measure}.", measure=measure)
    if assessments is not None:
        raise NotRecordedError(
            f"This {where} has no assessments '{assessments}' of {measure}; it has {', '.join(labels)}.",
            measure=measure,
            assessments=assessments,
        )
    current = [label for label, is_current in labels.items() if is_current] or list(labels)
    if len(current) > 1:
        raise InputError(
            f"{measure} is recorded under several assessments in this {where}"
            f" ({', '.join(current)}), which are never mixed.",
            way_out="several assessments",
        )
    return current[0]


def other_assessments(connection: Connection, task_id: int, label: str) -> list[str]:
    """Return the task's assessments labels if `label` is none of them, as it may be mistyped.

    Else the list is empty. Labels whose scores are all withdrawn are left out.
    """
    labels = _labels(connection, task_id)
    if label in {normalize("NFC", recorded) for recorded in labels}:
        return []
    return [recorded for recorded, is_current in labels.items() if is_current]


def _labels(
    connection: Connection, task_id: int, round_id: int | None = None, measure_id: int | None = None
) -> dict[str, bool]:
    """Return assessments labels in order, with whether they have scores that are not withdrawn.

    Without a measure, labels that only relevance assessments have are included.
    """
    values = {"task": task_id, "round": round_id, "measure": measure_id}
    rows = connection.execute(_LABELS, values).all()
    # Sorted here, as collations differ between databases.
    return dict(sorted((str(row.assessments), bool(row.is_current)) for row in rows))


_LABELS = text("""
SELECT assessments, bool_or(is_current) AS is_current
FROM (
    (
        SELECT DISTINCT ON (matrix.round_id, matrix.measure_id, matrix.assessments)
               matrix.round_id, matrix.measure_id, matrix.assessments,
               withdrawn.matrix_id IS NULL AS is_current
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
