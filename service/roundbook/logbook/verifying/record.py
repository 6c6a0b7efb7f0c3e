"""Verification of a record: every hash, factor, variance, saved result and event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from sqlalchemy import Connection, Executable, func, select, union

from roundbook.database.run_tables import qrels, run_upload
from roundbook.database.table_parts import among
from roundbook.database.tables import (
    event,
    factor_set,
    matrix,
    result,
    round_,
    task,
    variance_estimate,
)
from roundbook.logbook.lookup import find_task
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.logbook.verifying.differences import (
    Difference,
    DifferenceKind,
    DifferencesOfKind,
    ResultNotComputed,
    Verification,
)
from roundbook.logbook.verifying.events import event_differences
from roundbook.logbook.verifying.matrices import matrix_differences, team_differences
from roundbook.logbook.verifying.runs import run_differences
from roundbook.logbook.verifying.saved_results import result_differences
from roundbook.requests.record import VerifyRequest


def verify_record(
    session: Session, request: VerifyRequest, progress: ReportProgress = ignore_progress
) -> Verification:
    """Compute everything derived again, and count the differences from what is stored.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    ids = _ids(connection, task_id)
    counts: Counter[DifferenceKind] = Counter()
    first: dict[DifferenceKind, Difference] = {}
    not_computed = []

    def tell(step: str) -> None:
        session.work.progress(step, 0, 0)  # may raise, to end a verification that takes too long
        progress(step)

    for difference in differences(connection, ids, tell):
        if isinstance(difference, ResultNotComputed):
            not_computed.append(difference)
        else:
            counts[difference.kind] += 1
            first.setdefault(difference.kind, difference)
    of_matrices = [
        select(func.count()).where(among(table.c.matrix_id, ids["matrix"])).scalar_subquery()
        for table in (factor_set, variance_estimate)
    ]
    factor_sets, variances = connection.execute(select(*of_matrices)).one()
    events = select(func.count()).select_from(event)
    if task_id is not None:
        events = events.where(event.c.task_id == task_id)
    return Verification(
        status="different" if counts else "verified",
        tasks=list(
            connection.execute(
                select(task.c.name).where(task.c.id.in_(ids["task"])).order_by(task.c.id)
            ).scalars()
        ),
        matrices=len(ids["matrix"]),
        factor_sets=factor_sets,
        variances=variances,
        results=len(ids["result"]),
        events=connection.execute(events).scalar_one(),
        uploads=len(ids["run_upload"]),
        qrels=len(ids["qrels"]),
        differences=[
            DifferencesOfKind(kind=kind, count=count, first=first[kind])
            for kind, count in counts.items()
        ],
        not_computed=not_computed,
    )


def differences(
    connection: Connection,
    ids: Mapping[str, Sequence[int]],
    progress: ReportProgress = ignore_progress,
) -> Iterator[Difference | ResultNotComputed]:
    """Yield the differences in some rows, and the saved results that were not computed again.

    `ids` has by table the ids of tasks, rounds, matrices, uploads, assessments and saved results.
    """
    yield from matrix_differences(connection, ids["matrix"], progress)
    yield from team_differences(connection, ids["round"])
    # Archives of earlier versions have none.
    uploads, assessments = ids.get("run_upload", ()), ids.get("qrels", ())
    yield from run_differences(connection, uploads, assessments, progress)
    progress("Verifying the events ...")
    yield from event_differences(connection, ids["task"], ids["matrix"])
    yield from result_differences(connection, ids["result"], progress)


def _ids(connection: Connection, task_id: int | None) -> dict[str, list[int]]:
    """Return, by table, the ids of the rows of a task, or of all rows."""
    rounds = select(round_.c.id)
    if task_id is not None:
        rounds = rounds.filter_by(task_id=task_id)
    results = select(result.c.id).order_by(result.c.id)
    queries: dict[str, Executable] = {
        # Tasks that only events refer to are included, as their rows may be missing.
        "task": union(select(task.c.id), select(event.c.task_id).where(event.c.task_id > 0)),
        "round": rounds.order_by(round_.c.id),
        "matrix": select(matrix.c.id).where(matrix.c.round_id.in_(rounds)).order_by(matrix.c.id),
        "run_upload": select(run_upload.c.id).where(run_upload.c.round_id.in_(rounds)),
        "qrels": select(qrels.c.id).where(qrels.c.round_id.in_(rounds)),
        "result": results if task_id is None else results.where(result.c.task_id == task_id),
    }
    if task_id is not None:
        queries["task"] = select(task.c.id).where(task.c.id == task_id)
    return {name: list(connection.execute(query).scalars()) for name, query in queries.items()}
