"""Storing and loading of score matrices."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import matrix_run, matrix_topic, run, topic
from roundbook.database.vectors import read_vectors, write_vectors
from roundbook.errors import RecordError


class LoadedMatrix(NamedTuple):
    """A stored matrix: scores (topics, runs) with names and ids, in the order logged."""

    row: Row[Any]
    topics: list[str]
    runs: list[str]
    scores: npt.NDArray[np.float64]
    topic_ids: npt.NDArray[np.int64]
    run_ids: npt.NDArray[np.int64]
    contributed: list[bool | None]
    team_ids: list[int | None]


def content_hash(
    topics: Sequence[str], runs: Sequence[str], scores: npt.NDArray[np.float64]
) -> str:
    """Return the hash of a matrix's content, whatever the order of its topics and runs."""
    topic_order = sorted(range(len(topics)), key=topics.__getitem__)
    run_order = sorted(range(len(runs)), key=runs.__getitem__)
    digest = blake2b(digest_size=32)
    for names, order in ((topics, topic_order), (runs, run_order)):
        digest.update(str(len(order)).encode())
        for index in order:
            # No name holds a control character, so one can separate names.
            digest.update(b"\0" + names[index].encode())
        digest.update(b"\0\0")
    # Adding zero makes -0.0 the 0.0 it equals.
    ordered = scores.T[np.ix_(run_order, topic_order)] + 0.0
    digest.update(np.ascontiguousarray(ordered, dtype="<f8").data)
    return digest.hexdigest()


def ensure_topics(
    connection: Connection, round_id: int, names: Sequence[str]
) -> npt.NDArray[np.int64]:
    """Return the ids of a task's topics, recording new ones."""
    values = {"round": round_id, "names": list(names)}
    connection.execute(
        text(
            "INSERT INTO roundbook.topic (task_id, name)"
            " SELECT task_id, unnest(CAST(:names AS text[])) FROM roundbook.round WHERE id = :round"
            " ON CONFLICT DO NOTHING"
        ),
        values,
    )
    rows = connection.execute(
        text(
            "SELECT topic.id FROM unnest(CAST(:names AS text[])) WITH ORDINALITY"
            " AS listed (name, number)"
            " JOIN roundbook.round ON round.id = :round"
            " JOIN roundbook.topic ON topic.task_id = round.task_id AND topic.name = listed.name"
            " ORDER BY number"
        ),
        values,
    )
    return np.array(rows.scalars().all(), dtype=np.int64)


def store_scores(
    connection: Connection,
    scores: npt.NDArray[np.float64],
    matrix_id: int,
    topic_ids: npt.NDArray[np.int64],
    run_ids: npt.NDArray[np.int64],
) -> None:
    """Store the scores (topics, runs) of a recorded matrix, and the order of topics and runs."""
    connection.execute(
        text(
            "WITH ordered AS ("
            " INSERT INTO roundbook.matrix_topic (matrix_id, position, topic_id, topics)"
            " SELECT :matrix, number - 1, topic, :topics"
            " FROM unnest(CAST(:topic_ids AS bigint[])) WITH ORDINALITY AS listed (topic, number))"
            " INSERT INTO roundbook.matrix_run (matrix_id, position, run_id, runs)"
            " SELECT :matrix, number - 1, run, :runs"
            " FROM unnest(CAST(:run_ids AS bigint[])) WITH ORDINALITY AS listed (run, number)"
        ),
        {
            "matrix": matrix_id,
            "topics": len(topic_ids),
            "runs": len(run_ids),
            "topic_ids": topic_ids.tolist(),
            "run_ids": run_ids.tolist(),
        },
    )
    write_vectors(connection, scores, matrix_id)


def load_matrix(connection: Connection, row: Row[Any]) -> LoadedMatrix:
    """Return the matrix of a ``matrix`` row, topics and runs in the order they were logged.

    Raises
    ------
    RecordError
        When the stored scores do not fit its topics and runs.
    """
    topics = connection.execute(
        select(topic.c.name, topic.c.id)
        .join(matrix_topic, matrix_topic.c.topic_id == topic.c.id)
        .where(matrix_topic.c.matrix_id == row.id)
        .order_by(matrix_topic.c.position)
    ).all()
    runs = connection.execute(
        select(run.c.tag, run.c.id, run.c.contributed_to_pool, run.c.team_id)
        .join(matrix_run, matrix_run.c.run_id == run.c.id)
        .where(matrix_run.c.matrix_id == row.id)
        .order_by(matrix_run.c.position)
    ).all()
    try:
        scores = read_vectors(connection, row.id, row.topics)
        intact = scores.shape == (len(topics), len(runs)) == (row.topics, row.runs)
    except ValueError:
        intact = False
    if not intact:
        raise RecordError(
            f"Matrix {row.id} is damaged: it was logged with {row.topics} topics and {row.runs} runs, and"
            f" has {len(topics)} and {len(runs)}, or not the scores of each. Restore a backup of before.",
            matrix=row.id,
        )
    return LoadedMatrix(
        row,
        [topic.name for topic in topics],
        [run.tag for run in runs],
        scores,
        np.array([topic.id for topic in topics], dtype=np.int64),
        np.array([run.id for run in runs], dtype=np.int64),
        [run.contributed_to_pool for run in runs],
        [run.team_id for run in runs],
    )
