"""The events of a record: their references agree, and each decision and saved result has one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Connection, text

from roundbook.logbook.lookup import read_matrices
from roundbook.logbook.verifying.differences import Difference
from roundbook.logbook.verifying.matrices import of_matrix

_REFERENCES = text("""
SELECT event.id, event.what, task.name AS task, owner.name AS owner, round.label AS round,
       matrix_round.label AS matrix_round, matrix_owner.name AS matrix_owner
FROM roundbook.event
LEFT JOIN roundbook.task ON task.id = event.task_id
LEFT JOIN roundbook.round ON round.id = event.round_id
LEFT JOIN roundbook.task AS owner ON owner.id = round.task_id
LEFT JOIN roundbook.matrix ON matrix.id = event.matrix_id
LEFT JOIN roundbook.round AS matrix_round ON matrix_round.id = matrix.round_id
LEFT JOIN roundbook.task AS matrix_owner ON matrix_owner.id = matrix_round.task_id
WHERE (task.id = ANY (:tasks) OR owner.id = ANY (:tasks) OR matrix_owner.id = ANY (:tasks))
  AND (task.id <> owner.id OR task.id <> matrix_owner.id OR round.id <> matrix_round.id)
ORDER BY event.id
""")

_MATRICES = text("""
SELECT matrix.id, changed.withdrawals, noted.logged, noted.withdrawals AS events
FROM roundbook.matrix
CROSS JOIN LATERAL (
    SELECT count(*) AS withdrawals FROM roundbook.withdrawal
    WHERE withdrawal.matrix_id = matrix.id
) AS changed
CROSS JOIN LATERAL (
    SELECT count(*) AS logged,
           count(*) FILTER (WHERE what IN ('matrix withdrawn', 'matrix restored')) AS withdrawals
    FROM roundbook.event WHERE event.matrix_id = matrix.id
) AS noted
WHERE matrix.id = ANY (:matrices)
  AND (noted.logged = 0 OR changed.withdrawals <> noted.withdrawals)
ORDER BY matrix.id
""")

_OF_ROUNDS = "round_id IN (SELECT id FROM roundbook.round WHERE task_id = task.id)"
# What is kept in a table, and which events tell of it; the first of them names it.
_KEPT = {
    # A plan may have begun as one of no task, whose events an archive of some tasks leaves out.
    "result": {
        "task_id = task.id AND kind = 'plan'": ["plan saved"],
        "task_id = task.id AND kind = 'drift'": ["drift report saved"],
    },
    "run_upload": {_OF_ROUNDS: ["runs logged"]},
    "qrels": {_OF_ROUNDS: ["assessments logged", "assessments revised"]},
}
_COUNTS = """
SELECT task.name AS task, kept.number AS recorded, noted.number AS computed
FROM roundbook.task
CROSS JOIN LATERAL (SELECT count(*) AS number FROM roundbook.{table} WHERE {of_task}) AS kept
CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM roundbook.event WHERE task_id = task.id AND what = ANY (:what)
) AS noted
WHERE task.id = ANY (:tasks) AND kept.number <> noted.number
ORDER BY task.id
"""


def event_differences(
    connection: Connection, tasks: Sequence[int], matrices: Sequence[int]
) -> Iterator[Difference]:
    """Yield where events refer to what does not belong together, or a change has no event."""
    for row in connection.execute(_REFERENCES, {"tasks": list(tasks)}):
        what = "task_id" if row.task not in (None, row.owner or row.matrix_owner) else "round_id"
        recorded, computed = (
            (row.task, row.owner or row.matrix_owner)
            if what == "task_id"
            else (row.round, row.matrix_round)
        )
        yield Difference(
            kind="event",
            table="event",
            what=what,
            event=row.id,
            task=row.task,
            recorded=recorded,
            computed=computed,
        )
    wrong = connection.execute(_MATRICES, {"matrices": list(matrices)}).all()
    names = {row.id: row for row in read_matrices(connection, [row.id for row in wrong])}
    for row in wrong:
        if row.logged == 0:
            yield of_matrix(names[row.id], "event", "event", "matrix_id")
        if row.withdrawals != row.events:
            yield of_matrix(
                names[row.id],
                "event",
                "withdrawal",
                "withdrawals",
                recorded=row.withdrawals,
                computed=row.events,
            )
    for table, events in _KEPT.items():
        for of_task, kinds in events.items():
            counts = text(_COUNTS.format(table=table, of_task=of_task))
            for row in connection.execute(counts, {"tasks": list(tasks), "what": kinds}):
                yield Difference(kind="event", table=table, what=kinds[0], **row._mapping)
