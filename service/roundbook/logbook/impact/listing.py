"""Impact: everything that rests on a score matrix, whether it still stands, how to renew it."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor_set
from roundbook.logbook.drift.standing import read_reports, report_standings
from roundbook.logbook.factor_standing import scores_why
from roundbook.logbook.impact.dependents import Dependent
from roundbook.logbook.impact.factors import factor_dependents
from roundbook.logbook.impact.plans import plan_dependents
from roundbook.logbook.lookup import Series, find_matrix, latest_matrix
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session


class Impact(Result):
    """What rests on a score matrix: factor versions, variance estimates, plans, drift reports.

    And the plans that would if they were saved today, as they left it out or had another variance.

    `standing` is ``current``, ``superseded`` by a later revision, or ``withdrawn``, and `why` says
    by which or why.
    """

    matrix: int
    task: str
    round: str
    measure: str
    assessments: str
    revision: int
    standing: Literal["current", "superseded", "withdrawn"]
    why: str | None
    dependents: list[Dependent]


def show_impact(session: Session, number: int) -> Impact:
    """Return everything that rests on a score matrix; the queries do not grow with its number.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    """
    connection = session.connection
    row = find_matrix(connection, number)
    newest = _newest(connection, row)
    dependents = _dependents(connection, row, newest)
    standing: Literal["current", "superseded", "withdrawn"] = "current"
    if row.revision < newest.revision:
        standing = "superseded"
    elif newest.withdrawn is not None:
        standing = "withdrawn"
    return Impact(
        matrix=row.id,
        task=row.task,
        round=row.round,
        measure=row.measure,
        assessments=row.assessments,
        revision=row.revision,
        standing=standing,
        why=scores_why(row.revision, newest.id, newest.revision, newest.withdrawn),
        dependents=dependents,
    )


def stale_dependents(connection: Connection, number: int) -> list[Dependent]:
    """Return what rests on a matrix and stands no more, as this transaction sees it."""
    row = find_matrix(connection, number)
    found = _dependents(connection, row, _newest(connection, row))
    return [each for each in found if each.stale]


def _newest(connection: Connection, row: Row[Any]) -> Row[Any]:
    series = Series(row.round_id, row.measure_id, row.assessments, row.round, row.measure)
    newest = latest_matrix(connection, series)
    assert newest is not None  # this one, if no later one
    return newest


def _dependents(connection: Connection, row: Row[Any], newest: Row[Any]) -> list[Dependent]:
    return [
        *factor_dependents(connection, row, newest),
        *plan_dependents(connection, row),
        *_report_dependents(connection, row),
    ]


def _report_dependents(connection: Connection, row: Row[Any]) -> list[Dependent]:
    own = set(
        connection.execute(
            select(factor_set.c.id).where(factor_set.c.matrix_id == row.id)
        ).scalars()
    )
    reports = read_reports(connection, row.task_id)
    standings = report_standings(connection, reports)
    return [
        Dependent(
            kind="drift report",
            name=f"drift report {each.number}",
            where=f"rounds '{each.from_round}' and '{each.to_round}'",
            saved_at=each.saved_at,
            saved_by=each.saved_by,
            stale=standings[each.task, each.number].why is not None,
            why=standings[each.task, each.number].why,
            renew=standings[each.task, each.number].renew,
        )
        for each in reports
        if own & {each.from_factor_set_id, each.to_factor_set_id}
    ]
