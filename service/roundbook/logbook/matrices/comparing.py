"""What of a score matrix just stored is otherwise than what is beside it, or the same elsewhere."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import (
    current_matrix,
    matrix,
    matrix_run,
    matrix_topic,
    measure,
    round_,
)
from roundbook.logbook.lookup import Series
from roundbook.logbook.matrices.logged import Difference, Twin
from roundbook.logbook.storing import StoredMatrix


def read_difference(
    connection: Connection, series: Series, stored: StoredMatrix, replaced: Row[Any] | None
) -> Difference | None:
    """Return how a matrix differs from the revision before, or from its round's other matrices.

    None where it does not, or nothing is beside it.
    """
    if replaced is not None:
        others = select(matrix.c.id).where(matrix.c.id == replaced.id)
    else:
        others = select(current_matrix.c.id).where(
            current_matrix.c.round_id == series.round_id, current_matrix.c.id != stored.matrix_id
        )
    topics = matrix_topic.c.topic_id, matrix_topic.c.matrix_id, stored.topic_ids
    runs = matrix_run.c.run_id, matrix_run.c.matrix_id, stored.run_ids
    counts = []
    for column, of_matrix, ids in (topics, runs):
        there = set(connection.execute(select(column).where(of_matrix.in_(others))).scalars())
        if not there:
            return None
        own = set(ids.tolist())
        counts += [len(own - there), len(there - own)]
    if not any(counts):
        return None
    return Difference(
        revision=None if replaced is None else replaced.revision,
        new_topics=counts[0],
        lacking_topics=counts[1],
        new_runs=counts[2],
        lacking_runs=counts[3],
    )


def find_twin(connection: Connection, task_id: int, series: Series, digest: str) -> Twin | None:
    """Return the first matrix of another round or measure with the same content, None for none."""
    row = connection.execute(
        select(matrix.c.id, round_.c.label, measure.c.name)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(measure, measure.c.id == matrix.c.measure_id)
        .where(
            matrix.c.content_hash == digest,
            round_.c.task_id == task_id,
            (matrix.c.measure_id == series.measure_id) != (round_.c.id == series.round_id),
        )
        .order_by(matrix.c.id)
        .limit(1)
    ).one_or_none()
    return None if row is None else Twin(round=row.label, measure=row.name, matrix=row.id)
