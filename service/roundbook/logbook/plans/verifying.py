"""Verification of saved plans against the variance estimates they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select, text

from roundbook.database.table_parts import among
from roundbook.database.tables import topic
from roundbook.errors import RoundbookError
from roundbook.logbook.plans.plan import Plan, PlanNote, plan_variance_kind, variance_at
from roundbook.logbook.plans.planning import plan_from_history, plan_topics
from roundbook.logbook.variance_history import VarianceHistory, VarianceKind, weight
from roundbook.logbook.variance_rows import ROUND_COLUMNS, VARIANCES, VarianceRow
from roundbook.logbook.variances import judge_rounds, round_variance
from roundbook.logbook.verifying.differences import (
    FORMER_SENTENCES,
    Facts,
    NotComputed,
    differences_recomputed,
    differing,
)
from roundbook.requests.plans import PlanRequest

# The columns of a `VarianceRow`, and others by name.
_INPUTS = text(f"""
WITH counted AS (
    SELECT * FROM roundbook.matrix WHERE id IN (
        SELECT estimate.matrix_id FROM roundbook.result_input
        JOIN roundbook.variance_estimate AS estimate ON estimate.id = variance_estimate_id
        WHERE result_id = :result
    )
), variance AS (
{VARIANCES}
)
SELECT {ROUND_COLUMNS}, variance.*, position, known, task.name AS task
FROM roundbook.result_input
JOIN variance ON (variance.origin, variance.estimate) = (
    CASE WHEN variance_estimate_id IS NULL THEN 'published' ELSE 'matrix' END,
    coalesce(variance_estimate_id, published_variance_id)
)
JOIN roundbook.round ON round.id = variance.round_id
JOIN roundbook.measure ON measure.id = variance.measure_id
JOIN roundbook.task ON task.id = round.task_id
WHERE result_id = :result
ORDER BY position
""")  # noqa: S608
_ROUND_FIELDS = (
    *("origin", "estimate", "matrix", "topics", "runs", "dof", "variance"),
    *("two_way_dof", "two_way_variance"),
)

# Fields that are not verified: the software, withdrawn score matrices, and dates of rounds.
_UNVERIFIED = frozenset({"software", "withdrawn", "held"})
# Computed otherwise until schema 0004, when plans did not name the rounds' collections.
_BY_FORMER_METHOD = frozenset({"interval", "homogeneity"})
_NO_TWO_WAY = PlanNote(code="no_two_way_variance")


def plan_differences(
    connection: Connection, saved: Row[Any], plan: Plan, request: PlanRequest
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved plan and the same computed from its estimates.

    If the estimates agree with the plan, it is solved again.
    """
    inputs = connection.execute(_INPUTS, {"result": saved.id}).all()
    rounds = plan.estimate.rounds if plan.estimate else []
    if plan.estimate is None and request.task is not None:
        yield {"what": "task", "recorded": request.task, "computed": None}
        return
    if [row.position for row in inputs] != [*range(len(rounds))]:
        yield {"what": "inputs", "recorded": len(rounds), "computed": len(inputs)}
        return
    differences = list(_input_differences(saved, plan, inputs))
    if differences:
        yield from differences
        return
    history = plan.estimate and _history(connection, saved, plan.estimate, inputs)
    try:
        again = plan_from_history(request, history) if history else plan_topics(None, request)
    except RoundbookError as error:
        yield {"what": "plan", "reason": error}
        return
    # Earlier plans whose request was conservative lack this note.
    notes = [note for note in again.notes if note != _NO_TWO_WAY or note in plan.notes]
    computed = again.model_copy(update={"notes": notes}).model_dump(mode="json", by_alias=True)
    without = _UNVERIFIED
    if "protocol" in saved.result:
        without |= FORMER_SENTENCES
    if rounds and not any(
        "collection" in row.known or "collection" in recorded.model_fields_set
        for row, recorded in zip(inputs, rounds, strict=True)
    ):
        without |= _BY_FORMER_METHOD
    yield from differences_recomputed(saved.result, computed, without)


def _input_differences(saved: Row[Any], plan: Plan, inputs: Sequence[Row[Any]]) -> Iterator[Facts]:
    """Yield the differences between a plan's fields on its estimates and the estimates."""
    if plan.estimate is None:
        return
    for recorded, row in zip(plan.estimate.rounds, inputs, strict=True):
        yield from differing([("task", saved.task, row.task)], round=recorded.round)
        computed = round_variance(_as_row(row), interval=None)
        yield from differing(
            ((name, getattr(recorded, name), getattr(computed, name)) for name in _ROUND_FIELDS),
            round=recorded.round,
        )
    yield from differing(_plan_variances(plan, plan.estimate))


def _as_row(row: Row[Any]) -> VarianceRow:
    return VarianceRow._make(row[: len(VarianceRow._fields)])


def _history(
    connection: Connection, saved: Row[Any], history: VarianceHistory, inputs: Sequence[Row[Any]]
) -> VarianceHistory:
    """Return the variance history of a plan, computed again from its estimates.

    Collections and the ids of topics are those of the time of saving.
    """
    other_ids = [row.known.get("other_ids", {}) for row in inputs]
    named = {name for ids in other_ids for same in ids.items() for name in same}
    topics = select(topic.c.name, topic.c.id).where(
        topic.c.task_id == saved.task_id, among(topic.c.name, named)
    )
    id_of: dict[str, int] = {row.name: row.id for row in connection.execute(topics)}
    rows = []
    for row, ids in zip(inputs, other_ids, strict=True):
        same = {id_of[spelled]: id_of[name] for spelled, name in ids.items()}
        estimate = _as_row(row)._replace(collection=row.known.get("collection"))
        rows.append(estimate.with_same_topics(same))
    rounds, pooled = judge_rounds(rows, history.pooled.weights)
    return history.model_copy(update={"rounds": rounds, "pooled": pooled})


def _plan_variances(
    plan: Plan, history: VarianceHistory
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield the name, the saved and the computed value of each of a plan's variances."""
    pooled, kind = history.pooled, plan_variance_kind(plan)
    yield "pooled variance", pooled.variance, _pooled(history, "one-way")
    if kind == "two-way" or pooled.two_way_variance is not None:
        yield "pooled two-way variance", pooled.two_way_variance, _pooled(history, "two-way")
    if plan.variance_at != "given":
        yield "variance", plan.variance, variance_at(history, kind, plan.variance_at or "pooled")


def _pooled(history: VarianceHistory, kind: VarianceKind) -> float | None:
    weights, variances = [], []
    for row in history.rounds:
        of_kind = row.of_kind(kind)
        if of_kind.variance is not None:
            variances.append(of_kind.variance)
            weights.append(weight(history.pooled.weights, dof=of_kind.dof or 0, topics=row.topics))
    return float(np.average(variances, weights=weights)) if variances else None
