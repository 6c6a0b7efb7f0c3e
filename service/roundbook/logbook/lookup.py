"""Look-up of tasks, rounds, assessments labels and series by their names.

What is not recorded is refused with a `NotRecordedError` that says what is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from sqlalchemy import ColumnElement, Connection, FromClause, Row, Table, and_, func, select, text

from roundbook.database.tables import matrix, measure, round_, task, withdrawn
from roundbook.errors import InputError, NotRecordedError, WithdrawnError
from roundbook.logbook.measures import find_measure
from roundbook.logbook.names import is_named, near_name
from roundbook.logbook.withdrawals import IS_LATEST, LATEST

if TYPE_CHECKING:
    from roundbook.requests.matrices import LoggingRequest
    from roundbook.requests.variances import RecordVarianceRequest


class Series(NamedTuple):
    """A series of revisions: a round's scores by one measure, under one assessments label."""

    round_id: int
    measure_id: int
    assessments: str
    round: str
    measure: str


class TaskSeries(NamedTuple):
    """A measure of a task, by one assessments label: a series in each of its rounds."""

    task_id: int
    task: str
    measure_id: int
    measure: str
    assessments: str


def of_series(table: FromClause, series: object) -> ColumnElement[bool]:
    """Return the condition that rows belong to a series, or to that of a row or another table."""
    names = ("round_id", "measure_id", "assessments")
    return and_(*(table.c[name] == getattr(series, name) for name in names))


def find_task(
    connection: Connection, name: str, *, lock: bool = False, way_out: str = "list tasks"
) -> int:
    """Return a task's id; `lock` keeps out other writers of the task until the transaction ends.

    The `way_out` of the error differs for commands that can create the task.
    """
    query = select(task.c.id).where(is_named(task.c.name, name)).order_by(task.c.id)
    task_id = connection.execute(query.with_for_update(key_share=True) if lock else query).scalar()
    if task_id is not None:
        return int(task_id)
    # It may be a round, named in the task's place.
    rounds = select(task.c.name).join(round_, round_.c.task_id == task.c.id).order_by(task.c.id)
    owners = connection.execute(rounds.where(is_named(round_.c.label, name)).limit(3)).scalars()
    if tasks := " or ".join(f"'{owner}'" for owner in owners):
        meant, way_out = f"; did you mean round '{name}' of task {tasks}?", "list tasks"
    else:
        names = connection.execute(select(task.c.name).order_by(task.c.id)).scalars()
        meant = suggestion(name, names)
    raise NotRecordedError(f"There is no task '{name}'{meant}", way_out=way_out, task=name)


def suggestion(name: str, recorded: Iterable[str]) -> str:
    """Return the end of a sentence on an unknown name, with a similar name as a suggestion."""
    near = near_name(normalize("NFC", name), recorded)
    return f"; did you mean '{near}'?" if near else "."


def find_round(
    connection: Connection,
    task_id: int,
    task_name: str,
    label: str,
    *,
    way_out: str = "list rounds",
) -> int:
    """Return a round's id; `way_out` as in `find_task`."""
    round_id = round_named(connection, task_id, label)
    if round_id is None:
        of_task = select(round_.c.label).where(round_.c.task_id == task_id)
        labels = connection.execute(of_task.order_by(round_.c.ordinal)).scalars()
        raise NotRecordedError(
            f"Task '{task_name}' has no round '{label}'{suggestion(label, labels)}",
            way_out=way_out,
            task=task_name,
            round=label,
        )
    return round_id


def round_named(connection: Connection, task_id: int, label: str) -> int | None:
    """Return the id of a task's round of this label, None if it has none."""
    of_label = round_.c.task_id == task_id, is_named(round_.c.label, label)
    return connection.execute(select(round_.c.id).where(*of_label).order_by(round_.c.id)).scalar()


def recorded_round(
    connection: Connection, task_name: str, label: str, *, lock: bool = False
) -> Row[Any]:
    """Return a task's round as `read_round` does; `lock` as in `find_task`."""
    task_id = find_task(connection, task_name, lock=lock)
    return read_round(connection, find_round(connection, task_id, task_name, label))


def read_round(connection: Connection, round_id: int) -> Row[Any]:
    """Return a row of ``round``, with the name of its ``task``."""
    return connection.execute(
        select(round_, task.c.name.label("task"))
        .join(task, task.c.id == round_.c.task_id)
        .where(round_.c.id == round_id)
    ).one()


def find_series(
    connection: Connection, task: str, round_label: str, measure: str, assessments: str | None
) -> Series:
    """Return the series of a round, measure and assessments label; see `choose_assessments`."""
    task_id = find_task(connection, task)
    round_id = find_round(connection, task_id, task, round_label)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    label = choose_assessments(
        connection, task_id, measure_id, measure, assessments, round_id=round_id
    )
    return Series(round_id, measure_id, label, round_label.strip(), measure)


def find_task_series(
    connection: Connection, task: str, measure: str, assessments: str | None
) -> TaskSeries:
    """Return the series of a task's rounds for a measure and assessments label."""
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    label = choose_assessments(connection, task_id, measure_id, measure, assessments)
    return TaskSeries(task_id, task, measure_id, measure, label)


def choose_assessments(
    connection: Connection,
    task_id: int,
    measure_id: int,
    measure: str,
    assessments: str | None,
    *,
    round_id: int | None = None,
) -> str:
    """Return the assessments label to read: the one asked for, or the only one.

    Scores from different assessments are never mixed, so a label must be named if the task (or the
    round) has several. A label whose scores are all withdrawn counts only if it is named, or if the
    scores of all labels are withdrawn.

    Raises
    ------
    InputError
        When there are several labels and none is named.
    """
    labels = _labels(connection, task_id, round_id, measure_id)
    where = "task" if round_id is None else "round"
    if assessments is not None:
        spelled = normalize("NFC", assessments.strip())
        for label in labels:
            if normalize("NFC", label) == spelled:
                return label
    if not labels:
        raise NotRecordedError(f"This {where} has nothing for measure {measure}.", measure=measure)
    if assessments is not None:
        raise NotRecordedError(
            f"This {where} has no assessments '{assessments}' of {measure}; it has {', '.join(labels)}.",
            measure=measure,
            assessments=assessments,
        )
    current = [label for label, is_current in labels.items() if is_current] or list(labels)
    if len(current) > 1:
        raise InputError(
            f"{measure} is recorded under several assessments in this {where}"
            f" ({', '.join(current)}), which are never mixed.",
            way_out="several assessments",
            measure=measure,
        )
    return current[0]


def recorded_assessments(connection: Connection, task_id: int, label: str) -> list[str]:
    """Return the spellings, if any, by which a task has an assessments label."""
    spelled = normalize("NFC", label.strip())
    return [name for name in _labels(connection, task_id) if normalize("NFC", name) == spelled]


def other_assessments(connection: Connection, task_id: int, label: str) -> list[str]:
    """Return the task's assessments labels if `label` is none of them, as it may be mistyped.

    Else the list is empty. Labels whose scores are all withdrawn are left out.
    """
    labels = _labels(connection, task_id)
    if label in {normalize("NFC", recorded) for recorded in labels}:
        return []
    return [recorded for recorded, is_current in labels.items() if is_current]


def _labels(
    connection: Connection, task_id: int, round_id: int | None = None, measure_id: int | None = None
) -> dict[str, bool]:
    """Return assessments labels in order, with whether they have scores that are not withdrawn.

    Without a measure, labels that only relevance assessments have are included.
    """
    values = {"task": task_id, "round": round_id, "measure": measure_id}
    rows = connection.execute(_LABELS, values).all()
    # Sorted here, as collations differ between databases.
    return dict(sorted((str(row.assessments), bool(row.is_current)) for row in rows))


_LABELS = text(f"""
SELECT assessments, bool_or(is_current) AS is_current
FROM (
    SELECT round_id, measure_id, assessments, withdrawn IS NULL AS is_current
    FROM {LATEST} AS matrix
    JOIN roundbook.round ON round.id = round_id AND round.task_id = :task
    WHERE CAST(:measure AS bigint) IS NULL OR measure_id = :measure
    UNION ALL
    SELECT round_id, measure_id, assessments, true FROM roundbook.published_variance
    WHERE CAST(:measure AS bigint) IS NULL OR measure_id = :measure
    UNION ALL
    SELECT round_id, NULL, assessments, false FROM roundbook.qrels
    WHERE CAST(:measure AS bigint) IS NULL
) AS labelled
JOIN roundbook.round ON round.id = labelled.round_id
WHERE round.task_id = :task AND (CAST(:round AS bigint) IS NULL OR round.id = :round)
GROUP BY assessments
""")  # noqa: S608


def revisions_by_measure(
    connection: Connection,
    table: Table,
    request: LoggingRequest | RecordVarianceRequest,
    *conditions: ColumnElement[bool],
) -> Sequence[Row[Any]]:
    """Return the latest revision of each measure in a request's round and assessments label.

    `table` has the revisions: ``matrix`` or ``published_variance``. A row has the measure's ``name``
    and ``spellings``, and the ``revision``. The task, round and label may be new.
    """
    rows: Sequence[Any] = connection.execute(
        select(measure.c.name, measure.c.spellings, func.max(table.c.revision).label("revision"))
        .join_from(table, measure, measure.c.id == table.c.measure_id)
        .join(round_, round_.c.id == table.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .where(
            is_named(task.c.name, request.task),
            is_named(round_.c.label, request.round),
            is_named(table.c.assessments, request.assessments),
            *conditions,
        )
        .group_by(measure.c.id)
    ).all()
    return rows


def latest_matrix(connection: Connection, series: Series) -> Row[Any] | None:
    """Return the latest revision of a score matrix, withdrawn or not; None if none is logged.

    ``withdrawn`` is the reason why it is withdrawn at present, None if it is not.
    """
    return connection.execute(
        select(matrix, withdrawn.c.reason.label("withdrawn"))
        .outerjoin(withdrawn, withdrawn.c.matrix_id == matrix.c.id)
        .where(of_series(matrix, series), text(IS_LATEST))
    ).one_or_none()


def read_current_matrix(connection: Connection, series: Series) -> Row[Any] | None:
    """Return the current revision of a score matrix, None if none is logged.

    Raises
    ------
    WithdrawnError
        When the latest revision is withdrawn; an earlier one never replaces it.
    """
    row = latest_matrix(connection, series)
    if row is not None and row.withdrawn is not None:
        raise withdrawn_error(series, row)
    return row


def find_logged(
    connection: Connection, task: str, round_label: str, measure: str, assessments: str | None
) -> tuple[Series, Row[Any]]:
    """Return a series, as `find_series`, and its current matrix; there must be one."""
    series = find_series(connection, task, round_label, measure, assessments)
    row = read_current_matrix(connection, series)
    if row is None:
        raise NotRecordedError(
            f"Round '{series.round}' has no logged scores of {series.measure}.",
            way_out="log scores",
            task=task,
            round=series.round,
            measure=series.measure,
        )
    return series, row


def withdrawn_error(series: Series, row: Row[Any], *, again: bool = False) -> WithdrawnError:
    """Return the error for a score matrix whose latest revision is withdrawn, with the reason.

    `again` is whether these very scores are logged again.
    """
    return WithdrawnError(
        f"The {series.measure} scores of round '{series.round}' (matrix {row.id}) are withdrawn:"
        f" {row.withdrawn.rstrip('.')}.",
        way_out="restore instead" if again else "withdrawn matrix",
        matrix=row.id,
        round=series.round,
        measure=series.measure,
    )
