"""The published rounds of the record and their tasks, which anyone may see over HTTP."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import Connection, distinct, func, select

from roundbook.database.tables import matrix, measure, round_, task


class PublishedPart(NamedTuple):
    """The published part of a task: the number of its rounds, and the measures of their scores."""

    rounds: int
    measures: list[str]


def published_rounds(connection: Connection, task_name: str) -> dict[str, bool]:
    """Return, by label, whether each round of a task, named in NFC, is published."""
    rows = connection.execute(
        select(round_.c.label, round_.c.status)
        .join(task, task.c.id == round_.c.task_id)
        .where(func.normalize(task.c.name) == task_name)
    )
    return {row.label: row.status == "published" for row in rows}


def published_tasks(connection: Connection) -> dict[str, PublishedPart]:
    """Return the tasks that have published rounds, by name."""
    rows = connection.execute(
        select(
            task.c.name,
            func.count(distinct(round_.c.id)),
            func.array_remove(func.array_agg(distinct(measure.c.name)), None),
        )
        .join(round_, round_.c.task_id == task.c.id)
        .outerjoin(matrix, matrix.c.round_id == round_.c.id)
        .outerjoin(measure, measure.c.id == matrix.c.measure_id)
        .where(round_.c.status == "published")
        .group_by(task.c.name)
    )
    return {name: PublishedPart(*part) for name, *part in rows}
