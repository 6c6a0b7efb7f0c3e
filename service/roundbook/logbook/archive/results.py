"""The saved plans and drift reports of an archive: legible, and resting on what it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import isclose
from typing import Any, TypeVar

import numpy as np
from sqlalchemy import Connection, Row, Table, select, text

from roundbook.database.tables import drift_report, factor, factor_set, plan, task, topic
from roundbook.errors import BadFileError, RecordError
from roundbook.logbook.archive.scores import SAME
from roundbook.logbook.archive.tables import table_member
from roundbook.logbook.drift.ends import collections_differ
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.variance import VarianceKind, kind_of, round_variance, variance_at
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.variances import VarianceHistory

_AT_ONCE = 100
_RESTS_ON = text("""
SELECT plan_id, position,
       CASE WHEN computed.id IS NULL THEN 'published' ELSE 'matrix' END AS origin,
       coalesce(computed.id, published.id) AS estimate, computed.matrix_id AS matrix,
       coalesce(computed.topics, published.topics) AS topics,
       coalesce(computed.runs, published.runs) AS runs,
       coalesce(computed.dof, CAST(published.runs AS bigint) * (published.topics - 1)) AS dof,
       coalesce(computed.variance, published.variance) AS variance,
       computed.two_way_dof,
       computed.two_way_sum_of_squares / nullif(computed.two_way_dof, 0) AS two_way_variance
FROM roundbook.plan_estimate
LEFT JOIN roundbook.variance_estimate AS computed ON computed.id = variance_estimate_id
LEFT JOIN roundbook.published_variance AS published ON published.id = published_variance_id
WHERE plan_id = ANY(:ids)
ORDER BY plan_id, position
""")

_OF_A_ROUND = (
    *("origin", "estimate", "matrix", "topics", "runs", "dof", "variance"),
    *("two_way_dof", "two_way_variance"),
)

_Printed = TypeVar("_Printed", bound=Result)


def check_plans(connection: Connection, plans: Sequence[int], file: str) -> None:
    """Refuse a plan that cannot be read, or whose variance is not that of its estimates.

    Its sizes are not solved for again.

    Parameters
    ----------
    plans : sequence of int
        The ids of the plans that were imported.
    file : str
        The archive, for the message.

    Raises
    ------
    BadFileError
        Naming the plan, and what it says beside what there is.
    """
    place = f"{file}/{table_member(plan)}"
    for first in range(0, len(plans), _AT_ONCE):
        ids = list(plans[first : first + _AT_ONCE])
        rests_on: dict[int, list[Row[Any]]] = defaultdict(list)
        for row in connection.execute(_RESTS_ON, {"ids": ids}):
            rests_on[row.plan_id].append(row)
        for row in connection.execute(select(plan).where(plan.c.id.in_(ids)).order_by(plan.c.id)):
            what = f"plan '{row.name}' version {row.version}"
            _check_plan(_printed(Plan, plan, row, file), rests_on[row.id], what, place)


def _check_plan(printed: Plan, rests_on: list[Row[Any]], what: str, place: str) -> None:
    rounds = printed.estimate.rounds if printed.estimate else []
    if len(rounds) != len(rests_on) or [each.position for each in rests_on] != [
        *range(len(rounds))
    ]:
        raise BadFileError(
            f"{what}: its result tells of {len(rounds)} estimates, and {len(rests_on)} are listed"
            " in their order in plan_estimate.csv",
            place,
        )
    for said, there in zip(rounds, rests_on, strict=True):
        for name in _OF_A_ROUND:
            one, other = getattr(said, name), getattr(there, name)
            _compare(f"{what}: the {name} of round '{said.round}'", one, other, place)
    if printed.estimate is not None:
        _check_variance(printed, printed.estimate, what, place)


def _check_variance(printed: Plan, history: VarianceHistory, what: str, place: str) -> None:
    """Refuse a plan whose variance is not the one of its rounds that it says it took."""
    pooled, kind = history.pooled, kind_of(printed) or "one-way"
    found = _pooled(history, "one-way")
    _compare(f"{what}: the pooled variance", pooled.variance, found, place)
    if kind == "two-way" or pooled.two_way_variance is not None:
        two_way = _pooled(history, "two-way")
        _compare(f"{what}: the pooled two-way variance", pooled.two_way_variance, two_way, place)
    if printed.variance_at != "given":
        taken = variance_at(history, kind, printed.variance_at or "pooled")
        _compare(f"{what}: the variance", printed.variance, taken, place)


def _pooled(history: VarianceHistory, kind: VarianceKind) -> float | None:
    rows = [row for row in history.rounds if round_variance(row, kind) is not None]
    if not rows:
        return None
    dofs = [row.dof if kind == "one-way" else row.two_way_dof or 0 for row in rows]
    shares = dofs if history.pooled.weights == "dof" else [row.topics - 1 for row in rows]
    return float(np.average([round_variance(row, kind) or 0.0 for row in rows], weights=shares))


def check_reports(connection: Connection, reports: Sequence[int], file: str) -> None:
    """Refuse a drift report that cannot be read, or tells of other factors than it names.

    Shifts and sd ratios are computed anew from the factors. The intervals, the verdict, the tests
    and the sizes, which rest on scores, are not looked for again.

    Parameters
    ----------
    reports : sequence of int
        The ids of the reports that were imported.
    file : str
        The archive, for the message.

    Raises
    ------
    BadFileError
        Naming the report, and what it says beside what there is.
    """
    rows = connection.execute(
        select(drift_report, task.c.name.label("task"))
        .join(task)
        .where(drift_report.c.id.in_(reports))
        .order_by(drift_report.c.id)
    )
    for row in rows.all():
        what = f"drift report {row.number} of '{row.task}'"
        printed = _printed(DriftReport, drift_report, row, file)
        _check_report(connection, printed, row, what, f"{file}/{table_member(drift_report)}")


def _check_report(
    connection: Connection, printed: DriftReport, row: Row[Any], what: str, place: str
) -> None:
    ends = []
    for end in ("from", "to"):
        found = connection.execute(
            select(factor_set).where(factor_set.c.id == getattr(row, f"{end}_factor_set_id"))
        ).one()
        for name, there in (("matrix", found.matrix_id), ("version", found.version)):
            said = getattr(printed, f"{end}_{name}")
            _compare(f"{what}: {end}_{name}", said, there, place)
        ends.append(_factors(connection, found.id))
    shared = set(ends[0]) & set(ends[1])
    if collections_differ(printed.from_collection, printed.to_collection):
        shared = set()
    if {each.topic for each in printed.topics} != shared or len(printed.topics) != len(shared):
        raise BadFileError(
            f"{what}: it compares {len(printed.topics)} topics, and these are not the"
            f" {len(shared)} that both factor versions have",
            place,
        )
    _compare(f"{what}: shared_topics", printed.shared_topics, len(shared), place)
    for each in printed.topics:
        for end, factors in zip(("from", "to"), ends, strict=True):
            for name, there in zip(("mean", "sd"), factors[each.topic], strict=True):
                said = getattr(each, f"{name}_{end}")
                _compare(f"{what}: {name}_{end} of topic '{each.topic}'", said, there, place)
    largest = max((abs(each.shift) for each in printed.topics if each.shift is not None), default=0)
    for name, there in _over_topics(printed).items():
        noise = 0.0 if name.startswith("sd_ratio") else SAME * largest
        _compare(f"{what}: {name}", getattr(printed, name), there, place, noise)


def _over_topics(printed: DriftReport) -> dict[str, float | None]:
    """Return what a report says over its topics, from the factors of each."""
    used = [each for each in printed.topics if each.shift is not None and each.sd_from > 0]
    if not used:
        return dict.fromkeys(("mean_shift", "sd_ratio"))
    moved = np.array([each.mean_to - each.mean_from for each in used])
    first, later = (
        np.array([getattr(each, f"sd_{end}") for each in used]) for end in ("from", "to")
    )
    ratios = (later / first)[later > 0]
    geometric = float(np.exp(np.log(ratios).mean())) if ratios.size else None
    if printed.shift is None:
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


def _printed(model: type[_Printed], table: Table, row: Row[Any], file: str) -> _Printed:
    """Return a result, or refuse one that could never be shown, and never be deleted."""
    try:
        return read_result(model, row.result, "a result")
    except RecordError as error:
        raise BadFileError(str(error).rstrip("."), f"{file}/{table_member(table)}") from None


def _compare(what: str, said: Any, there: Any, place: str, noise: float = 0.0) -> None:  # noqa: ANN401
    if isinstance(said, float) and isinstance(there, float):
        same = isclose(said, there, rel_tol=SAME, abs_tol=noise)
    else:
        same = said == there
    if not same:
        read, given = ("none" if each is None else repr(each) for each in (said, there))
        raise BadFileError(f"{what} is {read}, and what it rests on gives {given}", place)
