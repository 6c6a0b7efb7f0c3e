"""Variances: each round's residual variance, over all rounds and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sqlalchemy import Connection, Engine, text

from service.database.engine import unit_of_work
from service.errors import NotRecorded, Withdrawn
from service.logbook.lookup import choose_assessments, find_round, find_task
from service.logbook.measures import find_measure
from service.logbook.pooling import (
    LEVEL,
    Estimate,
    PoolBy,
    Pooled,
    RoundVariance,
    interval_result,
    pool,
)
from service.logbook.result import SOFTWARE, Result
from service.logbook.withdrawals import WithdrawnMatrix, read_withdrawn
from service.statistics.variance.interval import variance_intervals
from service.statistics.variance.published import (
    constants_for,
    own_constants,
    published_variance,
)
from service.statistics.variance.rounds import RoundVariance as StoredVariance

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
    rows = _read(connection, task_id, scale, measures=[measure_id])
    return [_round(row, interval=None) for row in rows]


def _read(
    connection: Connection,
    task_id: int,
    scale: str,
    *,
    measures: list[int] | None = None,
    rounds: list[str] | None = None,
    assessments: list[str] | None = None,
    mixed: bool = False,
) -> list[_Row]:
    filters = {
        "task": task_id,
        "scale": scale,
        "measures": measures,
        "rounds": rounds,
        "assessments": assessments,
        "mixed": mixed,
    }
    return [_Row._make(row) for row in connection.execute(text(HISTORY), filters)]


class _Row(NamedTuple):
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


# The current matrix of each round first; a published estimate where there is none. On the raw
# scale a matrix's estimate is the latest version, else the latest version by its latest factors.
HISTORY = """
WITH wanted AS (
    SELECT id, label, ordinal, held, collection FROM roundbook.round
    WHERE task_id = :task AND (CAST(:rounds AS text[]) IS NULL OR label = ANY (:rounds))
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


def _history(
    task: str,
    scale: str,
    rows: list[_Row],
    pool_by: PoolBy,
    withdrawn: list[WithdrawnMatrix],
    mixed: Sequence[str] = (),
) -> VarianceHistory:
    identities = _topic_identities(rows)
    one_way, source = _estimates(rows, identities, pool_by)
    two_way = [
        _two_way_estimate(row, topics, pool_by)
        for row, topics in zip(rows, identities, strict=True)
    ]
    rounds = _rounds(rows, one_way, two_way, source)
    return VarianceHistory(
        task=task,
        measure=rows[0].measure,
        scale=scale,
        assessments=", ".join(mixed) or rows[0].assessments,
        mixed=list(mixed),
        rounds=rounds,
        pooled=pool(rounds, one_way, two_way, pool_by),
        withdrawn=withdrawn,
    )


def _topic_identities(rows: Sequence[_Row]) -> list[npt.NDArray[np.int64]]:
    """Return a number for every topic of each row, the same on the same collection.

    Rounds without a declared collection share it with one another, and with the others where
    these declare one only.
    """
    collections = {row.collection.casefold() for row in rows if row.collection is not None}
    codes = {name: place for place, name in enumerate(sorted(collections), 1)}
    alone = len(collections) == 1
    identities = []
    for row in rows:
        code = 0 if row.collection is None or alone else codes[row.collection.casefold()]
        ids = np.array(row.topic_ids or (), dtype=np.int64)
        identities.append(ids * (len(codes) + 1) + code)
    return identities


def _weight(row: _Row, pool_by: PoolBy, dof: int) -> float:
    return float(dof if pool_by == "dof" else row.topics - 1)


def _estimates(
    rows: Sequence[_Row], identities: Sequence[npt.NDArray[np.int64]], pool_by: PoolBy
) -> tuple[list[Estimate], str | None]:
    """Return what the statistics need of each row, and where those of published values come from.

    Published values take the variance per topic and run from the matrices among the rows, else
    from what is usual for the measure.
    """
    stored = {
        place: StoredVariance(
            row.variance,
            _weight(row, pool_by, row.dof),
            row.runs,
            topics,
            np.array(row.topic_squares),
            row.runs_part,
        )
        for place, (row, topics) in enumerate(zip(rows, identities, strict=True))
        if row.topic_squares is not None
    }
    if len(stored) == len(rows):
        return list(stored.values()), None
    constants = constants_for(
        rows[0].family,
        own_constants(list(stored.values())) if stored else None,
        standardised=rows[0].scale != "raw",
    )
    estimates = [
        stored.get(place)
        or published_variance(
            row.variance,
            row.topics,
            row.runs,
            constants,
            teams=row.clusters,
            weight=_weight(row, pool_by, row.dof),
        )
        for place, row in enumerate(rows)
    ]
    return estimates, None if isinstance(constants, str) else constants.source


def _two_way_estimate(
    row: _Row, topics: npt.NDArray[np.int64], pool_by: PoolBy
) -> StoredVariance | None:
    if row.two_way_topic_squares is None or not row.two_way_dof:
        return None
    return StoredVariance(
        (row.two_way_sum_of_squares or 0.0) / row.two_way_dof,
        _weight(row, pool_by, row.two_way_dof),
        row.runs,
        topics,
        np.array(row.two_way_topic_squares),
        row.two_way_runs_part,
    )


def _rounds(
    rows: Sequence[_Row],
    one_way: Sequence[Estimate],
    two_way: Sequence[StoredVariance | None],
    source: str | None,
) -> list[RoundVariance]:
    intervals = variance_intervals(one_way, LEVEL)
    known = [estimate for estimate in two_way if estimate is not None]
    of_two_way = iter(variance_intervals(known, LEVEL))
    results = []
    for row, interval, second in zip(rows, intervals, two_way, strict=True):
        limits, reason = interval_result(interval, source if row.origin == "published" else None)
        second_limits, second_reason = (
            (None, None) if second is None else interval_result(next(of_two_way))
        )
        results.append(
            _round(
                row,
                interval=limits,
                interval_reason=reason,
                two_way_interval=second_limits,
                two_way_interval_reason=second_reason,
            )
        )
    return results


def _round(row: _Row, **intervals: Any) -> RoundVariance:  # noqa: ANN401
    two_way, dof = row.two_way_sum_of_squares, row.two_way_dof
    # Of a published value the sum of squares is what its sizes make of it.
    squares = row.variance * row.dof if row.sum_of_squares is None else row.sum_of_squares
    return RoundVariance(
        round=row.round,
        assessments=row.assessments,
        ordinal=row.ordinal,
        collection=row.collection,
        runs=row.runs,
        clusters=row.clusters,
        topics=row.topics,
        variance=row.variance,
        dof=row.dof,
        sum_of_squares=squares,
        two_way_variance=None if two_way is None or not dof else two_way / dof,
        two_way_dof=dof,
        origin=row.origin,
        source=row.source,
        estimate=row.estimate,
        estimate_version=row.estimate_version,
        matrix=row.matrix,
        revision=row.revision,
        factor_version=row.factor_version,
        software=row.software,
        **intervals,
    )


def _instability(history: VarianceHistory) -> float:
    """Return the largest variance over the smallest, 0 where there is nothing to compare."""
    values = [row.variance for row in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")
