"""How a score matrix just logged differs from those beside it.

A file of the wrong round is a score matrix like any other. What gives it away is that its topics
and runs are not those of the round.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import current_matrix, matrix, matrix_run, matrix_topic, round_
from roundbook.logbook.lookup import Series
from roundbook.logbook.result import Result
from roundbook.logbook.storing import StoredMatrix


class Difference(Result):
    """How many topics and runs only this matrix has (`new`), and how many it lacks.

    `revision` is the one it is compared with, None for all other matrices of the round.
    """

    revision: int | None
    new_topics: int
    lacking_topics: int
    new_runs: int
    lacking_runs: int


class Twin(Result):
    """The matrix of another round that has exactly the same scores."""

    round: str
    matrix: int


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
    """Return the first matrix of another round with the same content, None where there is none."""
    row = connection.execute(
        select(matrix.c.id, round_.c.label)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .where(
            matrix.c.content_hash == digest,
            matrix.c.measure_id == series.measure_id,
            round_.c.task_id == task_id,
            round_.c.id != series.round_id,
        )
        .order_by(matrix.c.id)
        .limit(1)
    ).one_or_none()
    return None if row is None else Twin(round=row.label, matrix=row.id)
