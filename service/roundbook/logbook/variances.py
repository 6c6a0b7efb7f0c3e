"""Variances: each round's residual variance, over all rounds and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from itertools import groupby
from typing import Literal

from pydantic import Field
from sqlalchemy import Connection

from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.lookup import choose_assessments, find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.pooling import PoolBy, Pooled, RoundVariance
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.round_variances import judge_rounds, round_variance
from roundbook.logbook.session import Session
from roundbook.logbook.variance_rows import VarianceRow, read_rows
from roundbook.logbook.withdrawals import WithdrawnMatrix, read_withdrawn

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
    session: Session,
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
    NotRecordedError
        When the task or measure is not there, or has no variance on this scale.
    WithdrawnError
        When all its scores are withdrawn.
    """
    asked = [assessments] if isinstance(assessments, str) else list(assessments or [])
    connection = session.connection
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    labels = [
        choose_assessments(connection, task_id, measure_id, measure, label)
        for label in asked or (None,)
    ]
    mixed = len(labels) > 1
    rows = read_rows(
        connection, task_id, scale, measures=[measure_id], assessments=labels, mixed=mixed
    )
    withdrawn = read_withdrawn(connection, task_id, measures=[measure_id], assessments=labels)
    if not rows:
        raise (WithdrawnError if withdrawn else NotRecordedError)(
            f"Task '{task}' has no variance of {measure} on the scale {scale}"
            f" ({', '.join(labels)} assessments)."
            + "".join(f" {each.sentence()}" for each in withdrawn)
        )
    return _history(task, scale, rows, pool_by, withdrawn, labels if mixed else [])


def show_histories(
    session: Session,
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
    NotRecordedError
        When the task, a measure or a round is not there, or nothing is left.
    """
    connection = session.connection
    task_id = find_task(connection, task)
    wanted = [find_measure(connection, task_id, task, name)[0] for name in measures]
    for label in rounds:
        find_round(connection, task_id, task, label)
    rows = read_rows(
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
        raise NotRecordedError(
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
    rows = read_rows(connection, task_id, scale, measures=[measure_id])
    return [round_variance(row, interval=None) for row in rows]


def _history(
    task: str,
    scale: str,
    rows: list[VarianceRow],
    pool_by: PoolBy,
    withdrawn: list[WithdrawnMatrix],
    mixed: Sequence[str] = (),
) -> VarianceHistory:
    rounds, pooled = judge_rounds(rows, pool_by)
    return VarianceHistory(
        task=task,
        measure=rows[0].measure,
        scale=scale,
        assessments=", ".join(mixed) or rows[0].assessments,
        mixed=list(mixed),
        rounds=rounds,
        pooled=pooled,
        withdrawn=withdrawn,
    )


def _instability(history: VarianceHistory) -> float:
    """Return the largest variance over the smallest, 0 where there is nothing to compare."""
    values = [row.variance for row in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")
