"""Saved plans and drift reports: legible, of inputs of their own task, and as these give.

Whatever a method may change is not computed again: neither sizes nor intervals, verdicts or tests.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from math import isclose
from typing import Any, Protocol

import numpy as np
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import factor, factor_set, result, result_input, round_, task, topic
from roundbook.errors import RecordError
from roundbook.logbook.drift.compared_rounds import collections_differ
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.variance import VarianceKind, kind_of, round_variance, variance_at
from roundbook.logbook.result import read_result
from roundbook.logbook.variance_history import VarianceHistory
from roundbook.logbook.verifying.differences import SAME, Difference

_AT_ONCE = 100
_PLAN_INPUTS = text("""
SELECT result_id, position, task.name AS task,
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
WHERE result_id = ANY(:ids)
ORDER BY result_id, position
""")
_OF_A_ROUND = (
    *("origin", "estimate", "matrix", "topics", "runs", "dof", "variance"),
    *("two_way_dof", "two_way_variance"),
)


class _Differs(Protocol):
    """What makes a difference about one saved result."""

    def __call__(self, *, what: str, **facts: Any) -> Difference: ...  # noqa: ANN401


def plan_differences(connection: Connection, plans: Sequence[int]) -> Iterator[Difference]:
    """Yield what of the plans among saved results cannot be read, or is not what their estimates give."""
    for first in range(0, len(plans), _AT_ONCE):
        ids = list(plans[first : first + _AT_ONCE])
        inputs: dict[int, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(_PLAN_INPUTS, {"ids": ids}):
            inputs[row.result_id].append(row)
        saved = connection.execute(
            select(result, task.c.name.label("task"))
            .outerjoin(task)
            .where(result.c.id.in_(ids), result.c.kind == "plan")
            .order_by(result.c.id)
        )
        for row in saved.all():
            differs: _Differs = partial(
                Difference,
                kind="result",
                table="result",
                task=row.task,
                result_kind="plan",
                result=row.name,
                version=row.version,
            )
            try:
                read = read_result(Plan, row.result, "a result")
            except RecordError as error:
                yield differs(what="result", reason=str(error).rstrip("."))
            else:
                yield from _plan_differences(read, inputs[row.id], row.task, differs)


def _plan_differences(
    read: Plan, inputs: list[Row[Any]], task_name: str | None, differs: _Differs
) -> Iterator[Difference]:
    rounds = read.estimate.rounds if read.estimate else []
    if [row.position for row in inputs] != [*range(len(rounds))]:
        yield differs(what="inputs", recorded=len(rounds), computed=len(inputs))
        return
    for shown, row in zip(rounds, inputs, strict=True):
        if row.task != task_name:
            yield differs(what="task", round=shown.round, recorded=task_name, computed=row.task)
        for name in _OF_A_ROUND:
            recorded, computed = getattr(shown, name), getattr(row, name)
            if not _same(recorded, computed):
                yield differs(what=name, round=shown.round, recorded=recorded, computed=computed)
    if read.estimate is not None:
        for what, recorded, computed in _plan_variances(read, read.estimate):
            if not _same(recorded, computed):
                yield differs(what=what, recorded=recorded, computed=computed)


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


def report_differences(connection: Connection, reports: Sequence[int]) -> Iterator[Difference]:
    """Yield what of the drift reports among saved results cannot be read, or is not what their factors give.

    Shifts and sd ratios are computed from the factors.
    """
    rows = connection.execute(
        select(result, task.c.name.label("task"))
        .join(task)
        .where(result.c.id.in_(reports), result.c.kind == "drift")
        .order_by(result.c.id)
    )
    for row in rows.all():
        differs: _Differs = partial(
            Difference,
            kind="result",
            table="result",
            task=row.task,
            result_kind="drift report",
            result=row.name,
            version=row.version,
        )
        try:
            read = read_result(DriftReport, row.result, "a result")
        except RecordError as error:
            yield differs(what="result", reason=str(error).rstrip("."))
        else:
            yield from _report_differences(connection, read, row, differs)


def _report_differences(
    connection: Connection, read: DriftReport, row: Row[Any], differs: _Differs
) -> Iterator[Difference]:
    compared = []
    inputs = connection.execute(
        select(factor_set, round_.c.task_id)
        .join(round_, round_.c.id == factor_set.c.round_id)
        .join(result_input, result_input.c.factor_set_id == factor_set.c.id)
        .where(result_input.c.result_id == row.id)
        .order_by(result_input.c.position)
    ).all()
    if len(inputs) != 2:
        yield differs(what="inputs", recorded=2, computed=len(inputs))
        return
    for end, fitted in zip(("from", "to"), inputs, strict=True):
        if fitted.task_id != row.task_id:
            yield differs(what="task", recorded=row.task_id, computed=fitted.task_id)
        for name, computed in (("matrix", fitted.matrix_id), ("version", fitted.version)):
            recorded = getattr(read, f"{end}_{name}")
            if recorded != computed:
                yield differs(what=f"{end}_{name}", recorded=recorded, computed=computed)
        compared.append(_factors(connection, fitted.id))
    yield from _topic_differences(read, compared, differs)


def _topic_differences(
    read: DriftReport, compared: list[dict[str, tuple[float, float]]], differs: _Differs
) -> Iterator[Difference]:
    """Yield what of a report's topics is not what the factors of both rounds give."""
    shared = set(compared[0]) & set(compared[1])
    if collections_differ(read.from_collection, read.to_collection):
        shared = set()
    if {shift.topic for shift in read.topics} != shared or len(read.topics) != len(shared):
        yield differs(what="topics", recorded=len(read.topics), computed=len(shared))
        return
    if read.shared_topics != len(shared):
        yield differs(what="shared_topics", recorded=read.shared_topics, computed=len(shared))
    for shift in read.topics:
        names = ("mean_from", "sd_from", "mean_to", "sd_to")
        factors = (*compared[0][shift.topic], *compared[1][shift.topic])
        for what, computed in zip(names, factors, strict=True):
            recorded = getattr(shift, what)
            if not _same(recorded, computed):
                yield differs(what=what, topic=shift.topic, recorded=recorded, computed=computed)
    largest = max((abs(row.shift) for row in read.topics if row.shift is not None), default=0)
    for what, over_topics in _over_topics(read).items():
        noise = 0.0 if what.startswith("sd_ratio") else SAME * largest
        if not _same(getattr(read, what), over_topics, noise):
            yield differs(what=what, recorded=getattr(read, what), computed=over_topics)


def _over_topics(read: DriftReport) -> dict[str, float | None]:
    """Return what a report says over its topics, from the factors of each."""
    used = [topic for topic in read.topics if topic.shift is not None and topic.sd_from > 0]
    if not used:
        return dict.fromkeys(("mean_shift", "sd_ratio"))
    moved = np.array([topic.mean_to - topic.mean_from for topic in used])
    first = np.array([topic.sd_from for topic in used])
    later = np.array([topic.sd_to for topic in used])
    ratios = (later / first)[later > 0]
    geometric = float(np.exp(np.log(ratios).mean())) if ratios.size else None
    if read.shift is None:
        # A report saved before the weighted shift was the primary one.
        return {"mean_shift": float((moved / first).mean()), "sd_ratio": geometric}
    return {
        "shift": float(moved.mean() / first.mean()),
        "mean_shift": float((moved / first).mean()),
        "median_shift": float(np.median(moved / first)),
        "sd_ratio": float(later.mean() / first.mean()),
        "sd_ratio_geometric": geometric,
    }


def _factors(connection: Connection, factor_set_id: int) -> dict[str, tuple[float, float]]:
    rows = connection.execute(
        select(topic.c.name, factor.c.mean, factor.c.sd)
        .join(topic, topic.c.id == factor.c.topic_id)
        .where(factor.c.factor_set_id == factor_set_id)
    )
    return {row.name: (row.mean, row.sd) for row in rows}


def _same(recorded: Any, computed: Any, noise: float = 0.0) -> bool:  # noqa: ANN401
    if isinstance(recorded, float) and isinstance(computed, float):
        return isclose(recorded, computed, rel_tol=SAME, abs_tol=noise)
    return bool(recorded == computed)
