"""Variance histories: rounds' variances with intervals, tested and pooled; reads no scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import groupby
from typing import Any

import numpy as np

from roundbook.logbook.held_order import rounds_out_of_order
from roundbook.logbook.lookup import (
    choose_assessments,
    find_round,
    find_task,
    recorded_assessments,
)
from roundbook.logbook.measures import find_measure
from roundbook.logbook.same_topics import collection_keys, same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.variance_history import (
    PREFIX,
    Homogeneity,
    Interval,
    Pooled,
    RoundVariance,
    TeamsOfRounds,
    VarianceHistories,
    VarianceHistory,
    weight,
)
from roundbook.logbook.variance_rows import VarianceRow, read_rows, read_teams
from roundbook.logbook.withdrawals import TaskScores, none_counts, read_withdrawn
from roundbook.requests.fields import PoolBy
from roundbook.requests.variances import VarianceHistoryRequest, VarianceRequest
from roundbook.statistics.score_matrix import Ints
from roundbook.statistics.variance.interval import VarianceInterval, variance_intervals
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import (
    PublishedVariance,
    StoredVariance,
    constants_for,
    own_constants,
    published_variance,
    round_arrays,
)

LEVEL = 0.95
# The fields taken over from the row.
_STORED = [
    name
    for name in RoundVariance.model_fields
    if not name.endswith(("interval", "interval_reason"))
]


def show_variances(session: Session, request: VarianceRequest) -> VarianceHistory:
    """Return a measure's variance over all rounds and pooled.

    A round with a logged matrix counts by its latest revision (and that revision's latest factors),
    a round without one by its published variance on this scale, if any. Without assessments in the
    request there must be only one label.

    Raises
    ------
    NotRecordedError
        When the task or measure does not exist, or has no variance on this scale.
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
        raise none_counts(
            f"Task '{task}' has no variance of {measure} on the scale {scale}"
            f" ({', '.join(labels)} assessments).",
            withdrawn,
            task=task,
            measure=measure,
            scale=scale,
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
        teams=_teams_of(rows, read_teams(connection, rows)),
        withdrawn=withdrawn,
        out_of_order=rounds_out_of_order(rows),
    )


def show_histories(session: Session, request: VarianceHistoryRequest) -> VarianceHistories:
    """Return the variance histories of a task's measures, in a fixed number of queries.

    Raises
    ------
    NotRecordedError
        When the task, a measure or a round does not exist, or nothing is left.
    WithdrawnError
        When all the scores asked for are withdrawn.
    """
    connection, task, since = session.connection, request.task, request.since
    task_id = find_task(connection, task)
    measures = [find_measure(connection, task_id, task, name)[0] for name in request.measures]
    round_ids = [find_round(connection, task_id, task, label) for label in request.rounds]
    labels = None
    if request.assessments is not None:
        labels = recorded_assessments(connection, task_id, request.assessments)
    scores = TaskScores(task_id, measures or None, labels, round_ids or None)
    same = same_topics(connection, task_id).ids
    rows = [row.with_same_topics(same) for row in read_rows(connection, scores, request.scale)]
    undated = sorted({row.round for row in rows if row.held is None}) if since else []
    kept = [row for row in rows if since is None or (row.held is not None and row.held >= since)]
    withdrawn = read_withdrawn(connection, scores)
    if not kept:
        raise none_counts(
            f"Task '{task}' has no variance on the scale {request.scale}"
            + (" in the rounds asked for" if since or round_ids else "")
            + (f"; of these, rounds without a date: {', '.join(undated)}." if undated else "."),
            [] if rows else withdrawn,
            task=task,
            scale=request.scale,
        )
    teams, histories = read_teams(connection, kept), []
    for (measure, label), group in groupby(kept, key=lambda row: (row.measure, row.assessments)):
        of_measure = list(group)
        rounds, pooled = judge_rounds(of_measure, request.pool_by)
        histories.append(
            VarianceHistory(
                task=task,
                measure=measure,
                scale=request.scale,
                assessments=label,
                rounds=rounds,
                pooled=pooled,
                teams=_teams_of(of_measure, teams),
            )
        )
    return VarianceHistories(
        task=task,
        scale=request.scale,
        since=since,
        undated=undated,
        histories=sorted(histories, key=_instability, reverse=True),
        withdrawn=withdrawn,
    )


def _instability(history: VarianceHistory) -> float:
    """Return the ratio of the largest variance to the smallest, 0 with nothing to compare."""
    values = [row.variance for row in history.rounds]
    if len(values) < 2 or max(values) == 0:
        return 0.0
    return max(values) / min(values) if min(values) > 0 else float("inf")


def _teams_of(
    rows: Sequence[VarianceRow], teams_by_matrix: Mapping[int, Set[int | None]]
) -> TeamsOfRounds:
    """Return the numbers of teams that return from round to round."""
    scored = [row for row in rows if row.origin == "matrix"]
    by_round = [teams_by_matrix[row.matrix] for row in scored if row.matrix is not None]
    rounds = Counter(team for teams in by_round for team in teams if team is not None)
    first = {team for teams in by_round[:1] for team in teams if team is not None}
    return TeamsOfRounds(
        teams=len(rounds),
        later=rounds.total() - len(first),
        again=rounds.total() - len(rounds),
        returning=sum(count > 1 for count in rounds.values()),
        in_every_round=sum(count == len(rows) > 1 for count in rounds.values()),
        some_unknown=[
            row.round for row, teams in zip(scored, by_round, strict=True) if None in teams
        ],
    )


def judge_rounds(
    rows: Sequence[VarianceRow], pool_by: PoolBy
) -> tuple[list[RoundVariance], Pooled]:
    """Return the variances of a measure's rounds with their intervals, and the pooled variance."""
    topics = _topic_identities(rows)
    intervals: list[dict[str, Any]] = [{} for _ in rows]
    judged: dict[str, Any] = {"weights": pool_by}
    # The two-way variance is pooled over the rounds that have one.
    for prefix in PREFIX.values():
        variances: Sequence[StoredVariance | PublishedVariance | None]
        stored = [_stored(row, ids, pool_by, prefix) for row, ids in zip(rows, topics, strict=True)]
        variances, source = stored, None
        if not prefix:
            variances, source = _with_published(rows, stored, pool_by)
        present = {index: row for index, row in enumerate(variances) if row is not None}
        if not present:
            continue
        arrays = round_arrays(list(present.values()))
        for index, interval in zip(present, variance_intervals(arrays, LEVEL), strict=True):
            of_round = source if rows[index].origin == "published" else None
            intervals[index] |= _interval(interval, of_round, prefix)
        all_published = source if all(row.origin == "published" for row in rows) else None
        pooled = pool(arrays, LEVEL)
        test = pooled.homogeneity
        if not prefix:
            judged |= {"topics": pooled.topics, "max_min_ratio": test.max_min_ratio}
        judged |= {
            f"{prefix}variance": pooled.variance,
            f"{prefix}dof": sum(getattr(rows[index], f"{prefix}dof") for index in present),
            f"{prefix}rounds": [rows[index].round for index in present],
            **_interval(pooled.interval, all_published, prefix),
            f"{prefix}returning_interval": (
                _limits(pooled.returning_interval, all_published) if len(present) > 1 else None
            ),
            f"{prefix}homogeneity": Homogeneity(**vars(test), method="wald-f"),
            f"{prefix}next_round": pooled.next_round,
        }
    rounds = [
        round_variance(row, **of_round) for row, of_round in zip(rows, intervals, strict=True)
    ]
    return rounds, Pooled(**judged)


def round_variance(row: VarianceRow, **intervals: Any) -> RoundVariance:  # noqa: ANN401
    """Return a round's variance as a result; `intervals` are its intervals and their reasons."""
    values = {name: getattr(row, name) for name in _STORED}
    if row.sum_of_squares is None:
        # The sum of squares of a published value follows from its sizes.
        values["sum_of_squares"] = row.variance * row.dof
    return RoundVariance(**values, **intervals)


def _topic_identities(rows: Sequence[VarianceRow]) -> list[Ints]:
    """Return a number for every topic of each row, equal for the same topic on the same collection."""
    keys = collection_keys(row.collection for row in rows)
    distinct = sorted(set(keys))
    return [
        np.array(row.topic_ids or (), dtype=np.int64) * len(distinct) + distinct.index(key)
        for row, key in zip(rows, keys, strict=True)
    ]


def _stored(row: VarianceRow, topics: Ints, pool_by: PoolBy, prefix: str) -> StoredVariance | None:
    """Return the statistics' input for a kind of variance; None without scores."""
    squares, dof = getattr(row, f"{prefix}topic_squares"), getattr(row, f"{prefix}dof")
    if squares is None or not dof:
        return None
    return StoredVariance(
        getattr(row, f"{prefix}variance"),
        weight(pool_by, dof=dof, topics=row.topics),
        row.runs,
        topics,
        np.array(squares),
        getattr(row, f"{prefix}runs_part"),
    )


def _with_published(
    rows: Sequence[VarianceRow], stored: Sequence[StoredVariance | None], pool_by: PoolBy
) -> tuple[list[StoredVariance | PublishedVariance], str | None]:
    """Return stored and published variances, and the source of the published ones' spread.

    Published values take the variance per topic and run from the matrices among the rows, or else
    from typical values for the measure.
    """
    own = [variance for variance in stored if variance is not None]
    if len(own) == len(rows):
        return [*own], None
    constants = constants_for(
        rows[0].family, own_constants(own) if own else None, standardised=rows[0].scale != "raw"
    )
    estimates = [
        variance
        or published_variance(
            row.variance,
            row.topics,
            row.runs,
            constants,
            teams=row.clusters,
            weight=weight(pool_by, dof=row.dof, topics=row.topics),
        )
        for row, variance in zip(rows, stored, strict=True)
    ]
    return estimates, None if isinstance(constants, str) else constants.source


def _interval(interval: VarianceInterval, source: str | None, prefix: str) -> dict[str, Any]:
    """Return an interval's fields, with a reason's code if it or its upper limit is missing.

    `source` is that of a published variance's variance per topic and per run.
    """
    limits = _limits(interval, source)
    reason = interval.reason if limits is None else interval.upper_reason
    return {f"{prefix}interval": limits, f"{prefix}interval_reason": reason}


def _limits(interval: VarianceInterval, source: str | None) -> Interval | None:
    if interval.low is None:
        return None
    method = "jackknife" if source is None else "published"
    return Interval(**vars(interval), method=method, source=source)
