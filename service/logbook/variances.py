"""Variances: each round's residual variance, over all rounds and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import Literal, NamedTuple

from pydantic import Field
from sqlalchemy import Connection, Engine, text

from service.database.engine import unit_of_work
from service.errors import NotRecorded, Withdrawn
from service.logbook.lookup import choose_assessments, find_round, find_task
from service.logbook.measures import find_measure
from service.logbook.pooling import (
    LEVEL,
    PoolBy,
    Pooled,
    RoundVariance,
    chi_square,
    intervals,
    pool,
)
from service.logbook.result import SOFTWARE, Result
from service.logbook.withdrawals import WithdrawnMatrix, read_withdrawn

VarianceScale = Literal["raw", "std-ab", "std-cdf"]


class VarianceHistory(Result):
    """A measure's variance in each round, and pooled.

    `mixed` are the assessments asked for, the preferred first, where there were several: a round
    then counts by the first of them that it has. `withdrawn` are the rounds left out for that.
    """

    task: str
    measure: str
    scale: str
    assessments: str
    # The keys that came later have defaults: a saved plan is read back by this model.
    mixed: list[str] = Field(default_factory=list)
    rounds: list[RoundVariance]
    pooled: Pooled
    withdrawn: list[WithdrawnMatrix] = Field(default_factory=list)
    software: str = SOFTWARE


class VarianceHistories(Result):
    """The variance history of several measures, the least stable first.

    A measure is the less stable the larger its largest variance is over its smallest; measures
    with one round come last. `undated` are rounds that --since leaves out because their date is
    not recorded.
    """

    task: str
    scale: str
    since: date | None
    undated: list[str]
    histories: list[VarianceHistory]
    withdrawn: list[WithdrawnMatrix]
    software: str


def show_variances(
    engine: Engine,
    task: str,
    measure: str,
    *,
    scale: VarianceScale = "raw",
    assessments: str | Sequence[str] | None = None,
    pool_by: PoolBy = "dof",
) -> VarianceHistory:
    """Return a measure's variance over all rounds and pooled; no score is read.

    A round with a logged matrix counts by its latest revision (and that one's latest factors);
    a round without one by its published estimate, if there is any on this scale.

    Parameters
    ----------
    assessments : str or sequence of str, optional
        Whose variances; of several, each round's first in this order, which mixes them. Default
        the only ones there are.
    pool_by : 'dof' or 'topics'
        What each round counts in the pooled variance: runs * (topics - 1), or topics - 1.

    Raises
    ------
    NotRecorded
        When the task or measure is not there, or has no variance on this scale.
    Withdrawn
        When all its scores are withdrawn.
    """
    asked = [assessments] if isinstance(assessments, str) else list(assessments or [])
    with unit_of_work(engine) as connection:
        task_id = find_task(connection, task)
        measure_id, measure = find_measure(connection, task_id, task, measure)
        labels = [
            choose_assessments(connection, task_id, measure_id, measure, label)
            for label in asked or (None,)
        ]
        mixed = len(labels) > 1
        rows = _read(
            connection, task_id, scale, measures=[measure_id], assessments=labels, mixed=mixed
        )
        withdrawn = read_withdrawn(connection, task_id, measures=[measure_id], assessments=labels)
    if not rows:
        raise (Withdrawn if withdrawn else NotRecorded)(
            f"Task '{task}' has no variance of {measure} on the scale {scale}"
            f" ({', '.join(labels)} assessments)."
            + "".join(f" {each.sentence()}" for each in withdrawn)
        )
    return _history(task, scale, rows, pool_by, withdrawn, labels if mixed else [])


def show_histories(
    engine: Engine,
    task: str,
    *,
    measures: Sequence[str] = (),
    rounds: Sequence[str] = (),
    since: date | None = None,
    scale: VarianceScale = "raw",
    assessments: str | None = None,
    pool_by: PoolBy = "dof",
) -> VarianceHistories:
    """Return the variance history of a task's measures; one query, no score read.

    Parameters
    ----------
    measures, rounds : sequence of str
        Only these; default all.
    since : date, optional
        Only rounds held on that day or later.

    Raises
    ------
    NotRecorded
        When the task, a measure or a round is not there, or nothing is left.
    """
    with unit_of_work(engine) as connection:
        task_id = find_task(connection, task)
        wanted = [find_measure(connection, task_id, task, name)[0] for name in measures]
        for label in rounds:
            find_round(connection, task_id, task, label)
        rows = _read(
            connection,
            task_id,
            scale,
            measures=wanted or None,
            rounds=list(rounds) or None,
            assessments=None if assessments is None else [assessments],
        )
        withdrawn = read_withdrawn(
            connection,
            task_id,
            measures=wanted or None,
            assessments=None if assessments is None else [assessments],
            rounds=list(rounds) or None,
        )
    undated = sorted({row.round for row in rows if row.held is None}) if since else []
    kept = [row for row in rows if since is None or (row.held is not None and row.held >= since)]
    if not kept:
        raise NotRecorded(
            f"Task '{task}' has no variance on the scale {scale} in the rounds asked for"
            + (f"; of these, rounds without a date: {', '.join(undated)}." if undated else ".")
        )
    histories = [
        _history(task, scale, list(group), pool_by, [])
        for _, group in groupby(kept, key=lambda row: (row.measure, row.assessments))
    ]
    histories.sort(key=_instability, reverse=True)
    return VarianceHistories(
        task=task,
        scale=scale,
        since=since,
        undated=undated,
        histories=histories,
        withdrawn=withdrawn,
        software=SOFTWARE,
    )


def counting_estimates(
    connection: Connection, task_id: int, measure_id: int, scale: str
) -> list[RoundVariance]:
    """Return what each round counts with on a scale today, under each of its assessments."""
    return [_round(row) for row in _read(connection, task_id, scale, measures=[measure_id])]


def _read(
    connection: Connection,
    task_id: int,
    scale: str,
    *,
    measures: list[int] | None = None,
    rounds: list[str] | None = None,
    assessments: list[str] | None = None,
    mixed: bool = False,
) -> list[_Found]:
    filters = {
        "task": task_id,
        "scale": scale,
        "measures": measures,
        "rounds": rounds,
        "assessments": assessments,
        "mixed": mixed,
    }
    return [_Found._make(row) for row in connection.execute(text(HISTORY), filters)]


class _Found(NamedTuple):
    """A row of `HISTORY`: SQLAlchemy's own rows are slow to look into by name."""

    measure: str
    round: str
    ordinal: int
    held: date | None
    round_id: int
    measure_id: int
    assessments: str
    rank: int
    estimate: int
    runs: int
    topics: int
    variance: float
    dof: int
    sum_of_squares: float | None
    two_way_sum_of_squares: float | None
    two_way_dof: int | None
    level: float | None
    chi_square_low: float | None
    chi_square_high: float | None
    bootstrap_low: float | None
    bootstrap_high: float | None
    origin: str
    source: str | None
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str


# The current matrix of each round first; a published estimate where there is none. On the raw
# scale there is one estimate a matrix, else the one by its latest factors.
HISTORY = """
WITH wanted AS (
    SELECT id, label, ordinal, held FROM roundbook.round
    WHERE task_id = :task AND (CAST(:rounds AS text[]) IS NULL OR label = ANY (:rounds))
), latest AS (
    SELECT DISTINCT ON (round_id, measure_id, assessments)
           id, round_id, measure_id, assessments, revision
    FROM roundbook.matrix
    WHERE round_id IN (SELECT id FROM wanted)
    ORDER BY round_id, measure_id, assessments, revision DESC
), counted AS (
    SELECT * FROM latest WHERE id NOT IN (SELECT matrix_id FROM roundbook.withdrawn)
), found AS (
    SELECT counted.round_id, counted.measure_id, counted.assessments, 1 AS rank,
           estimate.id AS estimate, estimate.runs, estimate.topics, estimate.variance,
           estimate.dof, estimate.sum_of_squares, estimate.two_way_sum_of_squares,
           estimate.two_way_dof, estimate.level, estimate.chi_square_low,
           estimate.chi_square_high, estimate.bootstrap_low, estimate.bootstrap_high,
           'matrix' AS origin, NULL AS source, counted.id AS matrix, counted.revision,
           factor_set.version AS factor_version, estimate.software
    FROM counted
    JOIN roundbook.variance_estimate AS estimate
      ON estimate.matrix_id = counted.id AND estimate.scale = :scale
    LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
    UNION ALL
    SELECT round_id, measure_id, assessments, 2, id, runs, topics, variance,
           runs::bigint * (topics - 1), NULL, NULL, NULL, NULL, NULL,
           NULL, NULL, NULL,
           'published', source, NULL, revision, NULL, software
    FROM roundbook.published_variance
    WHERE round_id IN (SELECT id FROM wanted) AND scale = :scale
)
SELECT DISTINCT ON (measure.name, apart.assessments, wanted.ordinal)
       measure.name AS measure, wanted.label AS round, wanted.ordinal, wanted.held, found.*
FROM found
JOIN wanted ON wanted.id = found.round_id
JOIN roundbook.measure ON measure.id = found.measure_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN :mixed THEN NULL ELSE found.assessments END
) AS apart (assessments)
WHERE (CAST(:measures AS bigint[]) IS NULL OR found.measure_id = ANY (:measures))
  AND (CAST(:assessments AS text[]) IS NULL OR found.assessments = ANY (:assessments))
ORDER BY measure.name, apart.assessments, wanted.ordinal,
         array_position(CAST(:assessments AS text[]), found.assessments), found.rank,
         found.factor_version DESC, found.revision DESC
"""


def _history(
    task: str,
    scale: str,
    rows: list[_Found],
    pool_by: PoolBy,
    withdrawn: list[WithdrawnMatrix],
    mixed: Sequence[str] = (),
) -> VarianceHistory:
    rounds = [_round(row) for row in rows]
    return VarianceHistory(
        task=task,
        measure=rows[0].measure,
        scale=scale,
        assessments=", ".join(mixed) or rows[0].assessments,
        mixed=list(mixed),
        rounds=rounds,
        pooled=pool(rounds, pool_by),
        withdrawn=withdrawn,
    )


def _round(row: _Found) -> RoundVariance:
    bootstrap = _limits(row.bootstrap_low, row.bootstrap_high)
    plain = _limits(row.chi_square_low, row.chi_square_high)
    sum_of_squares = row.sum_of_squares
    if sum_of_squares is None:  # published
        sum_of_squares = row.variance * row.dof
    if row.level is None:  # published, or logged before intervals were stored
        plain = chi_square(sum_of_squares, row.dof)
    best, plain_interval = intervals(row.variance, row.level or LEVEL, plain, bootstrap)
    two_way, dof = row.two_way_sum_of_squares, row.two_way_dof
    return RoundVariance(
        round=row.round,
        assessments=row.assessments,
        ordinal=row.ordinal,
        runs=row.runs,
        topics=row.topics,
        variance=row.variance,
        dof=row.dof,
        sum_of_squares=sum_of_squares,
        two_way_variance=None if two_way is None or not dof else two_way / dof,
        two_way_dof=dof,
        interval=best,
        chi_square=plain_interval,
        origin=row.origin,
        source=row.source,
        estimate=row.estimate,
        matrix=row.matrix,
        revision=row.revision,
        factor_version=row.factor_version,
        software=row.software,
    )


def _instability(history: VarianceHistory) -> float:
    """Return the largest variance over the smallest, 0 where there is nothing to compare."""
    values = [each.variance for each in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")


def _limits(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
