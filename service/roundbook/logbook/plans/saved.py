"""Saved plans: what was decided, from which estimates, and whether these still stand."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import plan as plan_table
from roundbook.database.tables import plan_estimate
from roundbook.database.tables import task as task_table
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import check_name, find_task
from roundbook.logbook.plans.plan import Plan, read_plan
from roundbook.logbook.plans.standing import StaleEstimate, plan_standings, renewal
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session


class PlanEntry(Result):
    """A version of a saved plan: when it was decided, by whom and with which software.

    `version` counts from 1 within a name; `versions` is how many there are.
    """

    name: str
    version: int
    versions: int
    task: str | None
    note: str | None
    saved_at: datetime
    saved_by: str
    software: str


class SavedPlan(PlanEntry):
    """A plan just saved; `status` is ``saved``, or ``unchanged`` if its content was there."""

    status: Literal["saved", "unchanged"]
    plan: Plan


class ShownPlan(PlanEntry):
    """A saved plan as it was, and what has changed since.

    `stale` are the estimates it rests on that are no longer the current ones, `new_rounds` those
    that the pool would have today and had not; `renew` is the command that saves it anew, None
    where there is neither.
    """

    stale: list[StaleEstimate]
    new_rounds: list[str]
    renew: str | None
    plan: Plan


class ListedPlan(PlanEntry):
    """The latest version of a saved plan, in brief; sizes are None for a plan without cells.

    `stale` is whether an estimate it rests on is no longer current, or a round that it left out as
    withdrawn counts again; a round held since makes no plan stale.
    """

    measure: str | None
    scale: str | None
    design: str
    solve: str
    engine: str
    fewest_topics: int | None
    most_topics: int | None
    stale: bool


class PlanList(Result):
    """The saved plans, of one task or of all, by name."""

    task: str | None
    plans: list[ListedPlan]


def save_plan(session: Session, name: str, plan: Plan, *, note: str | None = None) -> SavedPlan:
    """Save a plan under a name, as its next version; the same content again is ``unchanged``.

    Parameters
    ----------
    note : str, optional
        Why; leaving it out is no other content.

    Raises
    ------
    InputError
        When the name or the note cannot be used.
    AlreadyRecordedError
        When the name is that of another task's plan.
    """
    name, note = check_name("plan", name), _noted(note)
    connection = session.connection
    # Versions count up without a gap, and two plans of one name cannot be saved at once. To
    # lock the table would need the right to change what is saved.
    connection.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended('roundbook.plan ' || :name, 0))"),
        {"name": name},
    )
    task_id = find_task(connection, plan.estimate.task) if plan.estimate else None
    versions = _versions(connection, name)
    last = versions[-1] if versions else None
    if last is not None:
        other = [row.task for row in versions if row.task_id not in (None, task_id)]
        if task_id is not None and other:
            raise AlreadyRecordedError(
                f"'{name}' is a plan of task '{other[0]}' already; choose another name."
            )
        if note in (None, last.note) and _content(read_plan(last)) == _content(plan):
            return SavedPlan(**_entry(last, versions), status="unchanged", plan=read_plan(last))
    saved = connection.execute(
        plan_table.insert()
        .values(
            name=name,
            task_id=task_id,
            version=(last.version if last else 0) + 1,
            note=note,
            result=plan.model_dump(mode="json"),
            software=plan.software,
            saved_by=session.user,
        )
        .returning(plan_table.c.id)
    ).scalar_one()
    rows = [
        {
            "plan_id": saved,
            "position": position,
            "variance_estimate_id": each.estimate if each.origin == "matrix" else None,
            "published_variance_id": each.estimate if each.origin != "matrix" else None,
        }
        for position, each in enumerate(plan.estimate.rounds if plan.estimate else ())
    ]
    if rows:
        connection.execute(plan_estimate.insert(), rows)
    record_event(
        connection,
        "plan saved",
        who=session.user,
        why=note,
        task_id=task_id,
        details={"plan": name, "version": (last.version if last else 0) + 1},
    )
    versions = _versions(connection, name)
    return SavedPlan(**_entry(versions[-1], versions), status="saved", plan=plan)


def list_plans(session: Session, task: str | None = None) -> PlanList:
    """Return the latest version of every saved plan, of one task or of all; whether each stands.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if task is None else find_task(connection, task)
    rows = connection.execute(text(_LATEST), {"task": task_id}).all()
    standings = plan_standings(
        connection,
        [
            (read_plan(row), list(zip(row.computed or (), row.published or (), strict=True)))
            for row in rows
        ],
    )
    return PlanList(
        task=task,
        plans=[
            ListedPlan(
                **{name: getattr(row, name) for name in ListedPlan.model_fields if name != "stale"},
                stale=bool(standing.said()),
            )
            for row, standing in zip(rows, standings, strict=True)
        ],
    )


_LATEST = """
SELECT DISTINCT ON (plan.name)
       plan.name, plan.version, count(*) OVER (PARTITION BY plan.name) AS versions,
       task.name AS task, plan.note, plan.saved_at, plan.saved_by, plan.software,
       plan.result #>> '{estimate,measure}' AS measure, plan.result ->> 'scale' AS scale,
       plan.result ->> 'design' AS design, plan.result ->> 'solve' AS solve,
       plan.result ->> 'engine' AS engine, size.fewest_topics, size.most_topics,
       plan.result, rests_on.computed, rests_on.published
FROM roundbook.plan
LEFT JOIN roundbook.task ON task.id = plan.task_id
CROSS JOIN LATERAL (
    SELECT min((cell ->> 'topics')::bigint) AS fewest_topics,
           max((cell ->> 'topics')::bigint) AS most_topics
    FROM jsonb_array_elements(plan.result -> 'cells') AS cell
) AS size
CROSS JOIN LATERAL (
    SELECT array_agg(variance_estimate_id ORDER BY position) AS computed,
           array_agg(published_variance_id ORDER BY position) AS published
    FROM roundbook.plan_estimate WHERE plan_id = plan.id
) AS rests_on
WHERE CAST(:task AS bigint) IS NULL OR plan.task_id = :task
ORDER BY plan.name, plan.version DESC
"""


def show_plan(session: Session, name: str, *, version: int | None = None) -> ShownPlan:
    """Return a saved plan by name, the latest version or the one asked for.

    Raises
    ------
    NotRecordedError
        Naming the versions, or the command that lists the plans, there are.
    """
    name = name.strip()
    connection = session.connection
    versions = _versions(connection, name)
    if not versions:
        raise NotRecordedError(
            f"There is no saved plan '{name}' ('roundbook plan list' shows those there are)."
            f" Save one with: roundbook plan save {shlex.quote(name)} ..."
        )
    found = [row for row in versions if version in (None, row.version)]
    if not found:
        known = ", ".join(str(row.version) for row in versions)
        raise NotRecordedError(f"Plan '{name}' has no version {version}; it has {known}.")
    row = found[-1]
    rests_on = connection.execute(
        select(plan_estimate.c.variance_estimate_id, plan_estimate.c.published_variance_id)
        .where(plan_estimate.c.plan_id == row.id)
        .order_by(plan_estimate.c.position)
    ).all()
    plan = read_plan(row)
    (standing,) = plan_standings(connection, [(plan, [tuple(each) for each in rests_on])])
    stale, new_rounds = standing.stale, standing.new_rounds
    return ShownPlan(
        **_entry(row, versions),
        stale=stale,
        new_rounds=new_rounds,
        renew=renewal(name, plan, row.note) if stale or new_rounds else None,
        plan=plan,
    )


def _versions(connection: Connection, name: str) -> list[Row[Any]]:
    return list(
        connection.execute(
            select(plan_table, task_table.c.name.label("task"))
            .outerjoin(task_table, task_table.c.id == plan_table.c.task_id)
            .where(plan_table.c.name == name)
            .order_by(plan_table.c.version)
        )
    )


def _entry(row: Row[Any], versions: list[Row[Any]]) -> dict[str, Any]:
    names = ("name", "version", "task", "note", "saved_at", "saved_by", "software")
    return {name: getattr(row, name) for name in names} | {"versions": len(versions)}


def _content(plan: Plan) -> dict[str, Any]:
    # The same plan by another version of Roundbook is the same plan.
    return plan.model_dump(exclude={"software", "protocol"})


def _noted(note: str | None) -> str | None:
    note = (note or "").strip()
    if len(note) > 2000 or not note.isprintable():
        raise InputError("A note is one printable line of at most 2,000 characters.")
    return note or None
