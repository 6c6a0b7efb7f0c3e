"""Variances: each round's residual variance, over all rounds and pooled; no score is read."""

from __future__ import annotations

from itertools import groupby

from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.lookup import choose_assessments, find_round, find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.pooling import judge_rounds
from roundbook.logbook.same_topics import same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.variance_history import VarianceHistories, VarianceHistory
from roundbook.logbook.variance_rows import read_rows
from roundbook.logbook.withdrawals import TaskScores, left_out, read_withdrawn
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
    scores = TaskScores(task_id, measures=[measure_id], assessments=labels)
    same = same_topics(connection, task_id).ids
    rows = [
        row.with_same_topics(same)
        for row in read_rows(connection, scores, scale, mixed=bool(mixed))
    ]
    withdrawn = read_withdrawn(connection, scores)
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
    scores = TaskScores(
        task_id,
        measures=measures or None,
        assessments=None if request.assessments is None else [request.assessments],
        rounds=list(request.rounds) or None,
    )
    same = same_topics(connection, task_id).ids
    rows = [row.with_same_topics(same) for row in read_rows(connection, scores, request.scale)]
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
        withdrawn=read_withdrawn(connection, scores),
    )


def _instability(history: VarianceHistory) -> float:
    """Return the largest variance over the smallest, 0 where there is nothing to compare."""
    values = [row.variance for row in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")
