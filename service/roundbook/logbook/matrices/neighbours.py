"""What a score matrix just logged has in common with those beside it, or strangely has not.

A file of the wrong round is a score matrix like any other. What gives it away is that its topics
and runs are not those of the round.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, Select, select

from roundbook.database.tables import current_matrix, matrix, matrix_run, matrix_topic, round_
from roundbook.logbook.lookup import Series
from roundbook.logbook.storing import StoredMatrix


def notes_on_neighbours(
    connection: Connection,
    task_id: int,
    series: Series,
    stored: StoredMatrix,
    *,
    digest: str,
    replaced: Row[Any] | None,
) -> list[str]:
    """Return what is strange beside the matrices there are, a sentence each.

    Parameters
    ----------
    stored : StoredMatrix
        The matrix just logged.
    digest : str
        The identity of its content.
    replaced : Row, optional
        The revision before it.
    """
    if replaced is not None:
        notes = _against_revision(connection, stored, replaced)
    else:
        notes = _against_round(connection, series, stored)
    return notes + _same_elsewhere(connection, task_id, series, digest)


def _against_revision(
    connection: Connection, stored: StoredMatrix, replaced: Row[Any]
) -> list[str]:
    topics, runs = _ids_of(connection, select(matrix.c.id).where(matrix.c.id == replaced.id))
    differences = [
        _difference("topic", set(stored.topic_ids.tolist()), topics),
        _difference("run", set(stored.run_ids.tolist()), runs),
    ]
    told = " and ".join(each for each in differences if each)
    return [f"Against revision {replaced.revision} it has {told}."] if told else []


def _difference(noun: str, now: set[int], before: set[int]) -> str:
    new, gone = len(now - before), len(before - now)
    if not new and not gone:
        return ""
    both = f" ({new} new, {gone} gone)" if new and gone else ""
    if new == gone:
        return f"as many {noun}s{both}"
    return (
        f"{abs(new - gone)} {'more' if new > gone else 'fewer'} {_plural(noun, new - gone)}{both}"
    )


def _against_round(connection: Connection, series: Series, stored: StoredMatrix) -> list[str]:
    others = select(current_matrix.c.id).where(
        current_matrix.c.round_id == series.round_id, current_matrix.c.id != stored.matrix_id
    )
    topics, runs = _ids_of(connection, others)
    if not runs:
        return []
    unknown, lacking = [], []
    for noun, own, theirs in (
        ("run", set(stored.run_ids.tolist()), runs),
        ("topic", set(stored.topic_ids.tolist()), topics),
    ):
        if new := len(own - theirs):
            unknown.append(f"{new} of its {len(own)} {_plural(noun, len(own))}")
        if gone := len(theirs - own):
            lacking.append(f"{gone} {_plural(noun, gone)}")
    notes = []
    if unknown:
        notes.append(f"No other matrix of this round has {' and '.join(unknown)}.")
    if lacking:
        notes.append(
            f"This matrix lacks {' and '.join(lacking)} that other matrices of this round have."
        )
    return notes


def _ids_of(connection: Connection, matrices: Select[tuple[int]]) -> tuple[set[int], set[int]]:
    """Return the topics and the runs of these matrices."""
    found = (
        connection.execute(
            select(table.c[column]).where(table.c.matrix_id.in_(matrices)).distinct()
        ).scalars()
        for table, column in ((matrix_topic, "topic_id"), (matrix_run, "run_id"))
    )
    topics, runs = (set(ids) for ids in found)
    return topics, runs


def _same_elsewhere(connection: Connection, task_id: int, series: Series, digest: str) -> list[str]:
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
    if row is None:
        return []
    return [
        f"Round '{row.label}' has exactly the same {series.measure} scores (matrix {row.id});"
        f" check that the file is of round '{series.round}'."
    ]


def _plural(noun: str, number: int) -> str:
    return noun if abs(number) == 1 else f"{noun}s"
