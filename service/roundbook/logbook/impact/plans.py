"""The saved plans that rest on a score matrix, or would today, through its variance."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, text

from roundbook.logbook.impact.dependents import Dependent
from roundbook.logbook.plans.plan import Plan, read_plan
from roundbook.logbook.plans.standing import PlanStanding, plan_standings, renewal


def plan_dependents(connection: Connection, matrix: Row[Any]) -> list[Dependent]:
    """Return every version of a plan that rests on a matrix, by name and version.

    And those that would if they were saved today, except where they rest on another revision of
    the same scores: they are told of under that one.

    Parameters
    ----------
    matrix : row of `roundbook.logbook.lookup.find_matrix`
    """
    rows = connection.execute(
        text(_PLANS), {"matrix": matrix.id, "task": matrix.task_id, "measure": matrix.measure}
    ).all()
    plans = [read_plan(row) for row in rows]
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
            rows[last[row.name]],
            plans[last[row.name]],
            standings[last[row.name]],
        )
        for place, row in enumerate(rows)
        if row.rests or (matrix.id in standings[place].missed and not row.rests_on_revision)
    ]


# With all versions of each name that has one of this measure: the last may be of any, or of none.
# Whether one would rest on the matrix today, its standing tells.
_PLANS = """
SELECT plan.name, plan.version, plan.result, plan.note, plan.saved_at, plan.saved_by,
       task.name AS task,
       array_agg(rests_on.variance_estimate_id ORDER BY rests_on.position)
           FILTER (WHERE rests_on.position IS NOT NULL) AS computed,
       array_agg(rests_on.published_variance_id ORDER BY rests_on.position)
           FILTER (WHERE rests_on.position IS NOT NULL) AS published,
       coalesce(bool_or(estimate.matrix_id = asked.id), false) AS rests,
       coalesce(bool_or((matrix.round_id, matrix.measure_id, matrix.assessments)
                        = (asked.round_id, asked.measure_id, asked.assessments)), false)
           AS rests_on_revision
FROM roundbook.plan
LEFT JOIN roundbook.task ON task.id = plan.task_id
JOIN roundbook.matrix AS asked ON asked.id = :matrix
LEFT JOIN roundbook.plan_estimate AS rests_on ON rests_on.plan_id = plan.id
LEFT JOIN roundbook.variance_estimate AS estimate ON estimate.id = rests_on.variance_estimate_id
LEFT JOIN roundbook.matrix ON matrix.id = estimate.matrix_id
WHERE plan.name IN (
    SELECT name FROM roundbook.plan
    WHERE task_id = :task AND result #>> '{estimate,measure}' = :measure
)
GROUP BY plan.id, task.name
ORDER BY plan.name, plan.version
"""


def _dependent(
    row: Row[Any],
    standing: PlanStanding,
    last_row: Row[Any],
    last_plan: Plan,
    last: PlanStanding,
) -> Dependent:
    said = standing.said()
    renew = None
    if said and not last.said():
        said.append(f"version {last_row.version} takes its place")
    elif said and last.empty:
        said.append("no round has a variance to plan from")
    elif said:
        renew = renewal(row.name, last_plan, last_row.note)
    return Dependent(
        kind="plan",
        name=f"plan '{row.name}' version {row.version}",
        where=f"task '{row.task}'",
        saved_at=row.saved_at,
        saved_by=row.saved_by,
        stale=bool(said),
        why="; ".join(said) or None,
        renew=renew,
        rests=row.rests,
    )
