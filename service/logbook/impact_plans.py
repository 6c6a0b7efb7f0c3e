"""The saved plans that rest on a score matrix, through the estimates of its variance."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, text

from service.logbook.dependents import Dependent
from service.logbook.plan_standing import PlanStanding, plan_standings, renewal
from service.logbook.plans import Plan


def plan_dependents(connection: Connection, matrix: int) -> list[Dependent]:
    """Return every version of a plan that rests on a matrix, by name and version."""
    rows = connection.execute(text(_PLANS), {"matrix": matrix}).all()
    plans = [Plan.model_validate(row.result) for row in rows]
    standings = plan_standings(
        connection,
        [
            (plan, list(zip(row.computed or (), row.published or (), strict=True)))
            for row, plan in zip(rows, plans, strict=True)
        ],
    )
    # The last version of a name is the one that is in force, and so the one to renew.
    last = {row.name: place for place, row in enumerate(rows)}
    return [
        _dependent(
            row,
            standings[place],
            rows[last[row.name]].version,
            plans[last[row.name]],
            standings[last[row.name]],
        )
        for place, row in enumerate(rows)
        if row.rests
    ]


# With all versions of each such plan: a later one may rest on other matrices.
_PLANS = """
SELECT plan.name, plan.version, plan.result, plan.saved_at, plan.saved_by, task.name AS task,
       array_agg(rests_on.variance_estimate_id ORDER BY rests_on.position)
           FILTER (WHERE rests_on.position IS NOT NULL) AS computed,
       array_agg(rests_on.published_variance_id ORDER BY rests_on.position)
           FILTER (WHERE rests_on.position IS NOT NULL) AS published,
       coalesce(bool_or(estimate.matrix_id = :matrix), false) AS rests
FROM roundbook.plan
LEFT JOIN roundbook.task ON task.id = plan.task_id
LEFT JOIN roundbook.plan_estimate AS rests_on ON rests_on.plan_id = plan.id
LEFT JOIN roundbook.variance_estimate AS estimate ON estimate.id = rests_on.variance_estimate_id
WHERE plan.name IN (
    SELECT plan.name FROM roundbook.plan
    JOIN roundbook.plan_estimate ON plan_estimate.plan_id = plan.id
    JOIN roundbook.variance_estimate ON variance_estimate.id = plan_estimate.variance_estimate_id
    WHERE variance_estimate.matrix_id = :matrix
)
GROUP BY plan.id, task.name
ORDER BY plan.name, plan.version
"""


def _dependent(
    row: Row[Any],
    standing: PlanStanding,
    last_version: int,
    last_plan: Plan,
    last: PlanStanding,
) -> Dependent:
    said = [f"round '{each.round}': {each.why}" for each in standing.stale]
    renew = None
    if said and not last.stale:
        said.append(f"version {last_version} takes its place")
    elif said and last.empty:
        said.append("no round has a variance to plan from")
    elif said:
        renew = renewal(row.name, last_plan)
    return Dependent(
        kind="plan",
        name=f"plan '{row.name}' version {row.version}",
        where=f"task '{row.task}'",
        saved_at=row.saved_at,
        saved_by=row.saved_by,
        stale=bool(said),
        why="; ".join(said) or None,
        renew=renew,
    )
