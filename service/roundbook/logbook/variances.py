"""Variances: each round's residual variance, over all rounds and pooled; no score is read."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.lookup import choose_assessments, find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.pooling import judge_rounds, round_variance
from roundbook.logbook.same_topics import same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.variance_history import RoundVariance, VarianceHistories, VarianceHistory
from roundbook.logbook.withdrawals import left_out, read_withdrawn
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest


def show_variances(session: Session, request: VarianceRequest) -> VarianceHistory:
    """Return a measure's variance over all rounds and pooled.

    A round with a logged matrix counts by its latest revision (and that one's latest factors);
    a round without one by its published estimate, if there is any on this scale. Without
    assessments in the request these are the only ones there are.

    Raises
    ------
    NotRecordedError
        When the task or measure is not there, or has no variance on this scale.
    WithdrawnError
        When all its scores are withdrawn.
    """
    connection, task, scale = session.connection, request.task, request.scale
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, request.measure)
    labels = [
        choose_assessments(connection, task_id, measure_id, measure, label)
        for label in request.assessments or (None,)
    ]
    mixed = labels if len(labels) > 1 else []
    only: dict[str, Any] = {"measures": [measure_id], "assessments": labels}
    rows = read_rows(connection, task_id, scale, **only, mixed=bool(mixed))
    rows = with_same_topics(connection, task_id, rows)
    withdrawn = read_withdrawn(connection, task_id, **only)
    if not rows:
        raise (WithdrawnError if withdrawn else NotRecordedError)(
            f"Task '{task}' has no variance of {measure} on the scale {scale}"
            f" ({', '.join(labels)} assessments)."
            + "".join(f" {left_out(matrix)}" for matrix in withdrawn)
        )
    rounds, pooled = judge_rounds(rows, request.pool_by)
    return VarianceHistory(
        task=task,
        measure=measure,
        scale=scale,
        assessments=", ".join(labels),
        mixed=mixed,
        rounds=rounds,
        pooled=pooled,
        withdrawn=withdrawn,
    )


def show_histories(session: Session, request: VarianceHistoryRequest) -> VarianceHistories:
    """Return the variance history of a task's measures; one query.

    Raises
    ------
    NotRecordedError
        When the task, a measure or a round is not there, or nothing is left.
    """
    connection, task, since = session.connection, request.task, request.since
    task_id = find_task(connection, task)
    measures = [find_measure(connection, task_id, task, name)[0] for name in request.measures]
    for label in request.rounds:
        find_round(connection, task_id, task, label)
    only: dict[str, Any] = {
        "measures": measures or None,
        "rounds": list(request.rounds) or None,
        "assessments": None if request.assessments is None else [request.assessments],
    }
    rows = read_rows(connection, task_id, request.scale, **only)
    rows = with_same_topics(connection, task_id, rows)
    undated = sorted({row.round for row in rows if row.held is None}) if since else []
    kept = [row for row in rows if since is None or (row.held is not None and row.held >= since)]
    if not kept:
        raise NotRecordedError(
            f"Task '{task}' has no variance on the scale {request.scale} in the rounds asked for"
            + (f"; of these, rounds without a date: {', '.join(undated)}." if undated else ".")
        )
    histories = []
    for (measure, label), group in groupby(kept, key=lambda row: (row.measure, row.assessments)):
        rounds, pooled = judge_rounds(list(group), request.pool_by)
        histories.append(
            VarianceHistory(
                task=task,
                measure=measure,
                scale=request.scale,
                assessments=label,
                rounds=rounds,
                pooled=pooled,
            )
        )
    return VarianceHistories(
        task=task,
        scale=request.scale,
        since=since,
        undated=undated,
        histories=sorted(histories, key=_instability, reverse=True),
        withdrawn=read_withdrawn(connection, task_id, **only),
    )


def counting_estimates(
    connection: Connection, task_id: int, measure_id: int, scale: str
) -> list[RoundVariance]:
    """Return what each round counts with on a scale today, under each of its assessments."""
    rows = read_rows(connection, task_id, scale, measures=[measure_id])
    return [round_variance(row, interval=None) for row in rows]


def _instability(history: VarianceHistory) -> float:
    """Return the largest variance over the smallest, 0 where there is nothing to compare."""
    values = [row.variance for row in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")


class VarianceRow(NamedTuple):
    """A row of `HISTORY`: SQLAlchemy's own rows are slow to look into by name."""

    measure: str
    family: str
    scale: str
    round: str
    ordinal: int
    held: date | None
    collection: str | None
    round_id: int
    measure_id: int
    assessments: str
    rank: int
    estimate: int
    estimate_version: int | None
    runs: int
    topics: int
    clusters: int | None
    variance: float
    dof: int
    sum_of_squares: float | None
    two_way_sum_of_squares: float | None
    two_way_dof: int | None
    runs_part: float | None
    two_way_runs_part: float | None
    topic_ids: list[int] | None
    topic_squares: list[float] | None
    two_way_topic_squares: list[float] | None
    origin: str
    source: str | None
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str


def read_rows(
    connection: Connection,
    task_id: int,
    scale: str,
    *,
    measures: list[int] | None = None,
    rounds: list[str] | None = None,
    assessments: list[str] | None = None,
    mixed: bool = False,
) -> list[VarianceRow]:
    """Return what each round counts with on a scale, by measure, assessments and round.

    Parameters
    ----------
    measures, rounds, assessments : optional
        Only these; default all.
    mixed : bool
        Whether a round counts once, by the first of the assessments that it has.
    """
    filters = {
        "task": task_id,
        "scale": scale,
        "measures": measures,
        "rounds": rounds,
        "assessments": assessments,
        "mixed": mixed,
    }
    return [VarianceRow._make(row) for row in connection.execute(_HISTORY, filters)]


def with_same_topics(
    connection: Connection, task_id: int, rows: list[VarianceRow]
) -> list[VarianceRow]:
    """Return rows in which a topic that came under another id is the topic that it is."""
    same = same_topics(connection, task_id).ids
    if not same:
        return rows
    return [
        row._replace(topic_ids=[same.get(at, at) for at in row.topic_ids or ()] or None)
        for row in rows
    ]


# The current matrix of each round first; a published estimate where there is none. On the raw
# scale a matrix's estimate is the latest version, else the latest version by its latest factors.
HISTORY = """
WITH wanted AS (
    SELECT id, label, ordinal, held, collection FROM roundbook.round
    WHERE task_id = :task AND (CAST(:rounds AS text[]) IS NULL OR normalize(label) = ANY (:rounds))
), latest AS (
    SELECT DISTINCT ON (round_id, measure_id, assessments)
           id, round_id, measure_id, assessments, revision
    FROM roundbook.matrix
    WHERE round_id IN (SELECT id FROM wanted)
    ORDER BY round_id, measure_id, assessments, revision DESC
), counted AS (
    SELECT * FROM latest WHERE id NOT IN (SELECT matrix_id FROM roundbook.withdrawn)
), candidate AS (
    SELECT counted.round_id, counted.measure_id, counted.assessments, 1 AS rank,
           estimate.id AS estimate, estimate.version AS estimate_version, estimate.runs,
           estimate.topics, estimate.clusters, estimate.variance,
           estimate.dof, estimate.sum_of_squares, estimate.two_way_sum_of_squares,
           estimate.two_way_dof, estimate.runs_part, estimate.two_way_runs_part,
           estimate.topic_ids, estimate.topic_squares, estimate.two_way_topic_squares,
           'matrix' AS origin, NULL AS source, counted.id AS matrix, counted.revision,
           factor_set.version AS factor_version, estimate.software
    FROM counted
    JOIN roundbook.variance_estimate AS estimate
      ON estimate.matrix_id = counted.id AND estimate.scale = :scale
    LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
    UNION ALL
    SELECT round_id, measure_id, assessments, 2, id, NULL, runs, topics, teams, variance,
           runs::bigint * (topics - 1), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           'published', source, NULL, revision, NULL, software
    FROM roundbook.published_variance
    WHERE round_id IN (SELECT id FROM wanted) AND scale = :scale
)
SELECT DISTINCT ON (measure.name, apart.assessments, wanted.ordinal)
       measure.name AS measure, measure.family, CAST(:scale AS text) AS scale,
       wanted.label AS round, wanted.ordinal, wanted.held, wanted.collection, candidate.*
FROM candidate
JOIN wanted ON wanted.id = candidate.round_id
JOIN roundbook.measure ON measure.id = candidate.measure_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN :mixed THEN NULL ELSE candidate.assessments END
) AS apart (assessments)
WHERE (CAST(:measures AS bigint[]) IS NULL OR candidate.measure_id = ANY (:measures))
  AND (CAST(:assessments AS text[]) IS NULL OR candidate.assessments = ANY (:assessments))
ORDER BY measure.name, apart.assessments, wanted.ordinal,
         array_position(CAST(:assessments AS text[]), candidate.assessments), candidate.rank,
         candidate.factor_version DESC, candidate.estimate_version DESC, candidate.revision DESC
"""
_HISTORY = text(HISTORY)
