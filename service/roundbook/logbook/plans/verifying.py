"""A saved plan beside the variance estimates that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, text

from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.variance import VarianceKind, kind_of, round_variance, variance_at
from roundbook.logbook.variance_history import VarianceHistory
from roundbook.logbook.verifying.differences import Facts, same

_INPUTS = text("""
SELECT position, task.name AS task,
       CASE WHEN computed.id IS NULL THEN 'published' ELSE 'matrix' END AS origin,
       coalesce(computed.id, published.id) AS estimate, computed.matrix_id AS matrix,
       coalesce(computed.topics, published.topics) AS topics,
       coalesce(computed.runs, published.runs) AS runs,
       coalesce(computed.dof, CAST(published.runs AS bigint) * (published.topics - 1)) AS dof,
       coalesce(computed.variance, published.variance) AS variance,
       computed.two_way_dof,
       computed.two_way_sum_of_squares / nullif(computed.two_way_dof, 0) AS two_way_variance
FROM roundbook.result_input
LEFT JOIN roundbook.variance_estimate AS computed ON computed.id = variance_estimate_id
LEFT JOIN roundbook.published_variance AS published ON published.id = published_variance_id
LEFT JOIN roundbook.matrix ON matrix.id = computed.matrix_id
JOIN roundbook.round ON round.id = coalesce(matrix.round_id, published.round_id)
JOIN roundbook.task ON task.id = round.task_id
WHERE result_id = :result
ORDER BY position
""")
_OF_A_ROUND = (
    *("origin", "estimate", "matrix", "topics", "runs", "dof", "variance"),
    *("two_way_dof", "two_way_variance"),
)


def plan_differences(connection: Connection, saved: Row[Any], read: Plan) -> Iterator[Facts]:
    """Yield what of a saved plan is not what its estimates give."""
    inputs = connection.execute(_INPUTS, {"result": saved.id}).all()
    rounds = read.estimate.rounds if read.estimate else []
    if [row.position for row in inputs] != [*range(len(rounds))]:
        yield {"what": "inputs", "recorded": len(rounds), "computed": len(inputs)}
        return
    for shown, row in zip(rounds, inputs, strict=True):
        if row.task != saved.task:
            yield {
                "what": "task",
                "round": shown.round,
                "recorded": saved.task,
                "computed": row.task,
            }
        for name in _OF_A_ROUND:
            recorded, computed = getattr(shown, name), getattr(row, name)
            if not same(recorded, computed):
                yield {
                    "what": name,
                    "round": shown.round,
                    "recorded": recorded,
                    "computed": computed,
                }
    if read.estimate is not None:
        for what, recorded, computed in _plan_variances(read, read.estimate):
            if not same(recorded, computed):
                yield {"what": what, "recorded": recorded, "computed": computed}


def _plan_variances(
    read: Plan, history: VarianceHistory
) -> Iterator[tuple[str, float | None, float | None]]:
    """Yield a plan's variances: what each is, as it is saved, and as its rounds give it."""
    pooled, kind = history.pooled, kind_of(read) or "one-way"
    yield "pooled variance", pooled.variance, _pooled(history, "one-way")
    if kind == "two-way" or pooled.two_way_variance is not None:
        yield "pooled two-way variance", pooled.two_way_variance, _pooled(history, "two-way")
    if read.variance_at != "given":
        yield "variance", read.variance, variance_at(history, kind, read.variance_at or "pooled")


def _pooled(history: VarianceHistory, kind: VarianceKind) -> float | None:
    rows = [row for row in history.rounds if round_variance(row, kind) is not None]
    if not rows:
        return None
    dofs = [row.dof if kind == "one-way" else row.two_way_dof or 0 for row in rows]
    shares = dofs if history.pooled.weights == "dof" else [row.topics - 1 for row in rows]
    return float(np.average([round_variance(row, kind) or 0.0 for row in rows], weights=shares))
