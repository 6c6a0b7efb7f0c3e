"""Withdrawal and restoration of score matrices."""

from __future__ import annotations

from datetime import datetime
from operator import not_
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import matrix, withdrawal
from roundbook.errors import InputError, RecordError
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_dependents
from roundbook.logbook.input_rows import results_of_round
from roundbook.logbook.lookup import find_task
from roundbook.logbook.matrices.listing import Scores, find_matrix
from roundbook.logbook.names import check_text
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.round_fingerprint import Publication, find_publication
from roundbook.logbook.session import Session
from roundbook.requests.matrices import RestoreMatrix, WithdrawMatrix


class CorrectedMatrix(Scores):
    """A matrix that was withdrawn or restored.

    `matrix_status` is its present one, since `decided_at` by `decided_by` for a `reason`; `status` is
    ``withdrawn``, ``restored``, or ``unchanged`` if it had that status before; with `dry_run` it is
    what would have been done.
    `impact` is what depends on it and is stale now, and `publication` has the fingerprints of a
    published round whose scores change. `renamable` is whether the round has no other scores, so that
    it may be renamed if they are another round's.
    """

    revision: int
    matrix_status: Literal["current", "withdrawn"] = Field(alias="standing")
    reason: str | None
    decided_at: datetime | None
    decided_by: str | None
    status: Literal["withdrawn", "restored", "unchanged"]
    dry_run: bool
    impact: list[Dependent]
    publication: Publication | None = Field(None, exclude_if=not_)
    renamable: bool = Field(default=False, exclude_if=not_)


def withdraw_matrix(session: Session, request: WithdrawMatrix) -> CorrectedMatrix:
    """Withdraw a round's current score matrix: it stays readable, but no longer counts.

    No earlier revision replaces it. The withdrawal can be taken back, and a correction can be
    logged as a revision, which then counts.

    Raises
    ------
    InputError
        Without a reason.
    NotRecordedError
        When there is no such matrix.
    RecordError
        When a later revision has replaced it already.
    """
    return _decide(session, request, withdrawn=True)


def restore_matrix(session: Session, request: RestoreMatrix) -> CorrectedMatrix:
    """Take a withdrawal back; see `withdraw_matrix`."""
    return _decide(session, request, withdrawn=False)


def _decide(session: Session, request: WithdrawMatrix, *, withdrawn: bool) -> CorrectedMatrix:
    number, reason = request.matrix, check_text("reason", request.reason)
    if reason is None:
        verb = "withdraw" if withdrawn else "restore"
        raise InputError(
            f"To {verb} a matrix needs a reason.", way_out="reason needed", matrix=number
        )
    connection = session.connection
    # Read again under the lock: another writer may have changed the matrix in the meantime.
    find_task(connection, find_matrix(connection, number).task, lock=True)
    row = find_matrix(connection, number)
    if row.revision < row.newest:
        raise RecordError(
            f"Matrix {number} is revision {row.revision} of {row.newest} and counts in nothing"
            " already.",
            way_out="superseded matrix",
            matrix=number,
        )
    last = connection.execute(
        select(withdrawal)
        .where(withdrawal.c.matrix_id == number)
        .order_by(withdrawal.c.number.desc())
        .limit(1)
    ).one_or_none()
    changes = withdrawn != (last is not None and last.withdrawn)
    if changes:
        last = connection.execute(
            withdrawal.insert()
            .values(
                matrix_id=number,
                number=last.number + 1 if last is not None else 1,
                withdrawn=withdrawn,
                reason=reason,
                software=SOFTWARE,
                decided_by=session.user,
            )
            .returning(withdrawal)
        ).one()
        record_event(
            session,
            "matrix withdrawn" if withdrawn else "matrix restored",
            why=reason,
            task_id=row.task_id,
            round_id=row.round_id,
            matrix_id=number,
            details={name: getattr(row, name) for name in ("measure", "assessments", "revision")},
        )
    decision = {
        "matrix": number,
        "matrix_status": "withdrawn" if withdrawn else "current",
        "reason": last and last.reason,
        "decided_at": last and last.decided_at,
        "decided_by": last and last.decided_by,
        "status": "unchanged" if not changes else "withdrawn" if withdrawn else "restored",
        "dry_run": request.dry_run,
        "impact": stale_dependents(connection, number),
        "publication": find_publication(session, row.task, row.round) if changes else None,
        "renamable": changes and withdrawn and _renamable(connection, row),
    }
    return CorrectedMatrix(**{**row._mapping, **decision})


def _renamable(connection: Connection, row: Row[Any]) -> bool:
    """Return whether a matrix is all the scores that a round has, which may be renamed."""
    if row.round_status == "published" or results_of_round(connection, row.round_id):
        return False
    number = select(func.count()).where(matrix.c.round_id == row.round_id)
    return connection.execute(number).scalar_one() == 1
