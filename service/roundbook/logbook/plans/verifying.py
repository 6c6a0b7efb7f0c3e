"""Verification of saved plans against the variance estimates they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import topic
from roundbook.errors import RoundbookError
from roundbook.logbook.plans.plan import Plan, PlanNote, kind_of, variance_at
from roundbook.logbook.plans.planning import plan_from_history, plan_topics
from roundbook.logbook.variance_history import VarianceHistory, VarianceKind
from roundbook.logbook.variance_rows import VarianceRow
from roundbook.logbook.variances import judge_rounds, round_variance
from roundbook.logbook.verifying.differences import (
    ROUNDING,
    Facts,
    NotComputed,
    differing,
    same_form,
    unlike,
)
from roundbook.requests.plans import PlanRequest

_INPUTS = text("""
SELECT position, known, task.name AS task,
       measure.name AS measure, measure.family, coalesce(estimate.scale, published.scale) AS scale,
       round.label AS round, round.ordinal, round.held, round.collection, round.id AS round_id,
       measure.id AS measure_id, coalesce(matrix.assessments, published.assessments) AS assessments,
       CASE WHEN estimate.id IS NULL THEN 2 ELSE 1 END AS rank,
       coalesce(estimate.id, published.id) AS estimate, estimate.version AS estimate_version,
       coalesce(estimate.runs, published.runs) AS runs,
       coalesce(estimate.topics, published.topics) AS topics,
       CASE WHEN estimate.id IS NULL THEN published.teams ELSE estimate.clusters END AS clusters,
       coalesce(estimate.variance, published.variance) AS variance,
       coalesce(estimate.dof, CAST(published.runs AS bigint) * (published.topics - 1)) AS dof,
       estimate.sum_of_squares, estimate.two_way_sum_of_squares, estimate.two_way_dof,
       estimate.runs_part, estimate.two_way_runs_part, estimate.topic_ids, estimate.topic_squares,
       estimate.two_way_topic_squares,
       CASE WHEN estimate.id IS NULL THEN 'published' ELSE 'matrix' END AS origin,
       published.source, matrix.id AS matrix,
       coalesce(matrix.revision, published.revision) AS revision, fitted.version AS factor_version,
       coalesce(estimate.software, published.software) AS software
FROM roundbook.result_input
LEFT JOIN roundbook.variance_estimate AS estimate ON estimate.id = variance_estimate_id
LEFT JOIN roundbook.published_variance AS published ON published.id = published_variance_id
LEFT JOIN roundbook.factor_set AS fitted ON fitted.id = estimate.factor_set_id
LEFT JOIN roundbook.matrix ON matrix.id = estimate.matrix_id
JOIN roundbook.round ON round.id = coalesce(matrix.round_id, published.round_id)
JOIN roundbook.measure ON measure.id = coalesce(matrix.measure_id, published.measure_id)
JOIN roundbook.task ON task.id = round.task_id
WHERE result_id = :result
ORDER BY position
""")
_OF_A_ROUND = (
    *("origin", "estimate", "matrix", "topics", "runs", "dof", "variance"),
    *("two_way_dof", "two_way_variance"),
)

# Fields that are not verified: the software, and what was left out.
_BESIDE = frozenset({"software", "withdrawn", "held"})
_NOTE = PlanNote(code="no_two_way_variance")


def plan_differences(
    connection: Connection, saved: Row[Any], read: Plan, request: PlanRequest
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved plan and the same computed from its estimates.

    If the estimates agree with the plan, it is solved again.
    """
    inputs = connection.execute(_INPUTS, {"result": saved.id}).all()
    rounds = read.estimate.rounds if read.estimate else []
    if read.estimate is None and request.task is not None:
        yield {"what": "task", "recorded": request.task, "computed": None}
        return
    if [row.position for row in inputs] != [*range(len(rounds))]:
        yield {"what": "inputs", "recorded": len(rounds), "computed": len(inputs)}
        return
    differences = list(_input_differences(saved, read, inputs))
    if differences:
        yield from differences
        return
    if any("collection" not in row.known for row in inputs):
        yield NotComputed("form")
        return
    history = read.estimate and _history(connection, saved, read.estimate, inputs)
    try:
        again = plan_from_history(request, history) if history else plan_topics(None, request)
    except RoundbookError as error:
        yield {"what": "plan", "reason": str(error).rstrip(".")}
        return
    # Earlier plans that were asked to be conservative lack this note.
    notes = [note for note in again.notes if note != _NOTE or note in read.notes]
    computed = again.model_copy(update={"notes": notes}).model_dump(mode="json", by_alias=True)
    if same_form(saved.result, computed):
        yield from unlike(saved.result, computed, noise=ROUNDING, without=_BESIDE)
    else:
        yield NotComputed("form")


def _input_differences(saved: Row[Any], read: Plan, inputs: Sequence[Row[Any]]) -> Iterator[Facts]:
    """Yield the differences between a plan's fields on its estimates and the estimates."""
    for shown, row in zip(read.estimate.rounds if read.estimate else (), inputs, strict=True):
        yield from differing([("task", saved.task, row.task)], round=shown.round)
        given = round_variance(_as_row(row), interval=None)
        yield from differing(
            ((name, getattr(shown, name), getattr(given, name)) for name in _OF_A_ROUND),
            round=shown.round,
        )
    if read.estimate is not None:
        yield from differing(_plan_variances(read, read.estimate))


def _as_row(row: Row[Any]) -> VarianceRow:
    return VarianceRow(**{name: getattr(row, name) for name in VarianceRow._fields})


def _history(
    connection: Connection, saved: Row[Any], read: VarianceHistory, inputs: Sequence[Row[Any]]
) -> VarianceHistory:
    """Return the variance history of a plan, computed again from its estimates.

    Collections and the ids of topics are as they were known then.
    """
    other_ids = [row.known.get("other_ids", {}) for row in inputs]
    named = {name for ids in other_ids for same in ids.items() for name in same}
    topics = select(topic.c.name, topic.c.id).where(
        topic.c.task_id == saved.task_id, topic.c.name.in_(named)
    )
    id_of: dict[str, int] = {row.name: row.id for row in connection.execute(topics)}
    rows = []
    for row, ids in zip(inputs, other_ids, strict=True):
        same = {id_of[spelled]: id_of[name] for spelled, name in ids.items()}
        known = _as_row(row)._replace(collection=row.known["collection"])
        rows.append(known.with_same_topics(same))
    rounds, pooled = judge_rounds(rows, read.pooled.weights)
    return read.model_copy(update={"rounds": rounds, "pooled": pooled})


def _plan_variances(
    read: Plan, history: VarianceHistory
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield the name, the saved and the computed value of each of a plan's variances."""
    pooled, kind = history.pooled, kind_of(read) or "one-way"
    yield "pooled variance", pooled.variance, _pooled(history, "one-way")
    if kind == "two-way" or pooled.two_way_variance is not None:
        yield "pooled two-way variance", pooled.two_way_variance, _pooled(history, "two-way")
    if read.variance_at != "given":
        yield "variance", read.variance, variance_at(history, kind, read.variance_at or "pooled")


def _pooled(history: VarianceHistory, kind: VarianceKind) -> float | None:
    by_dof, shares, variances = history.pooled.weights == "dof", [], []
    for row in history.rounds:
        of_kind = row.of_kind(kind)
        if of_kind.variance is not None:
            variances.append(of_kind.variance)
            shares.append((of_kind.dof or 0) if by_dof else row.topics - 1)
    return float(np.average(variances, weights=shares)) if variances else None
