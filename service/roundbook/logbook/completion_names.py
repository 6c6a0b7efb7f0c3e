"""The names in a record, for completion while a user types.

The module imports no tables, as who presses Tab waits for it.
"""

from __future__ import annotations

from sqlalchemy import text

from roundbook.logbook.result import Result
from roundbook.logbook.session import Session


class TaskNames(Result):
    """A task, its rounds in order, and the measures with scores or published variances."""

    task: str
    rounds: list[str]
    measures: list[str]


class RecordNames(Result):
    """The names in a record."""

    tasks: list[TaskNames]
    results: list[str]
    plans: list[str]


_TASKS = text("""
    SELECT name AS task,
           ARRAY(SELECT label FROM roundbook.round WHERE task_id = task.id ORDER BY ordinal)
               AS rounds,
           ARRAY(SELECT measure.name FROM roundbook.measure WHERE measure.id IN (
               SELECT measure_id FROM roundbook.matrix
               JOIN roundbook.round ON round.id = round_id WHERE task_id = task.id
               UNION
               SELECT measure_id FROM roundbook.published_variance
               JOIN roundbook.round ON round.id = round_id WHERE task_id = task.id
           ) ORDER BY measure.name) AS measures
    FROM roundbook.task ORDER BY task.id
""")
_RESULTS = text("SELECT DISTINCT name, kind FROM roundbook.result ORDER BY name")


def list_names(session: Session) -> RecordNames:
    """Return the names in a record."""
    results = session.connection.execute(_RESULTS).all()
    return RecordNames(
        tasks=[TaskNames(**row) for row in session.connection.execute(_TASKS).mappings()],
        results=list(dict.fromkeys(row.name for row in results)),
        plans=[row.name for row in results if row.kind == "plan"],
    )
