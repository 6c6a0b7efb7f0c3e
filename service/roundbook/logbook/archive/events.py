"""The events of an archive: each decision and each saved result must have been told of."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, text

from roundbook.database.tables import drift_report, event, matrix, plan, withdrawal
from roundbook.errors import BadFileError
from roundbook.logbook.archive.tables import IMPORTED, table_member

_WITHDRAWALS = text("""
SELECT matrix_id, decided.withdrawals, told.events
FROM unnest(CAST(:matrices AS bigint[])) AS matrix_id
CROSS JOIN LATERAL (
    SELECT count(*) AS withdrawals FROM roundbook.withdrawal
    WHERE withdrawal.matrix_id = matrix_id.matrix_id
) AS decided
CROSS JOIN LATERAL (
    SELECT count(*) AS events FROM roundbook.event
    WHERE event.matrix_id = matrix_id.matrix_id
        AND event.what IN ('matrix withdrawn', 'matrix restored')
) AS told
WHERE withdrawals <> events
ORDER BY matrix_id
LIMIT 1
""")

_IMPORTS = text("SELECT id FROM roundbook.event WHERE what = :what AND id = ANY(:events) LIMIT 1")

# A plan may have begun as one of no task, whose events an archive of some tasks leaves out.
_SAVED = """
SELECT (SELECT count(*) FROM roundbook.{table} WHERE task_id IS NOT NULL AND id = ANY(:saved)),
       (SELECT count(*) FROM roundbook.event
        WHERE what = :what AND task_id IS NOT NULL AND id = ANY(:events))
"""


def check_told(connection: Connection, ids: Mapping[str, Mapping[int, int]], file: str) -> None:
    """Refuse an archive in which a decision or a saved result has no event, or an import has one.

    Parameters
    ----------
    ids : by table, what id each number of the archive has become
    """
    own = connection.execute(
        _IMPORTS, {"what": IMPORTED, "events": list(ids[event.name].values())}
    ).scalar()
    if own is not None:
        raise BadFileError(
            f"an event says '{IMPORTED}', which is told of the database it happened to alone",
            f"{file}/{table_member(event)}",
        )
    numbers = {made: number for number, made in ids[matrix.name].items()}
    untold = connection.execute(_WITHDRAWALS, {"matrices": list(numbers)}).one_or_none()
    if untold is not None:
        raise BadFileError(
            f"matrix {numbers[untold.matrix_id]} has {untold.withdrawals} withdrawals and"
            f" restorations, and {untold.events} events of them",
            f"{file}/{table_member(withdrawal)}",
        )
    for table, what in ((plan, "plan saved"), (drift_report, "drift report saved")):
        saved, told = connection.execute(
            text(_SAVED.format(table=table.name)),
            {
                "saved": list(ids[table.name].values()),
                "what": what,
                "events": list(ids[event.name].values()),
            },
        ).one()
        if told != saved:
            raise BadFileError(
                f"{saved} rows are of a task, and {told} events of a task say '{what}'",
                f"{file}/{table_member(table)}",
            )
