"""The history of a score matrix: its revisions, withdrawals, restorations and factors."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor_set, matrix, withdrawal
from roundbook.formats import CompleteMatrix
from roundbook.logbook.lookup import find_matrix
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.requests.matrices import ShowHistory

_Scores = LoadedMatrix | CompleteMatrix
What = Literal["logged", "revised", "withdrawn", "restored", "factors fitted"]


class Changes(Result):
    """What a revision changed against the one before.

    `cells_changed` and `largest_change`, the size of the largest one, are over the `cells` of the
    topics and runs that both have.
    """

    cells: int
    cells_changed: int
    largest_change: float | None
    largest_topic: str | None
    largest_run: str | None
    topics_added: list[str]
    topics_removed: list[str]
    runs_added: list[str]
    runs_removed: list[str]


class HistoryEntry(Result):
    """One thing that was done: when, by whom and why."""

    at: datetime
    who: str
    what: What
    matrix: int
    revision: int
    factor_version: int | None
    why: str | None
    changes: Changes | None


class MatrixHistory(Result):
    """All that was done to a round's scores of one measure by some assessments, in order."""

    task: str
    round: str
    measure: str
    assessments: str
    entries: list[HistoryEntry]


def show_history(session: Session, request: ShowHistory) -> MatrixHistory:
    """Return the history of the series that a matrix is a revision of.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    """
    entries: list[HistoryEntry] = []
    before: LoadedMatrix | None = None
    connection = session.connection
    series = find_matrix(connection, request.matrix)
    revisions = connection.execute(
        select(matrix)
        .where(
            matrix.c.round_id == series.round_id,
            matrix.c.measure_id == series.measure_id,
            matrix.c.assessments == series.assessments,
        )
        .order_by(matrix.c.revision)
    ).all()
    for row in revisions:
        loaded = load_matrix(connection, row) if len(revisions) > 1 else None
        changes = None
        if before is not None and loaded is not None:
            changes = compare_scores(before, loaded)
        entries += _revision(connection, row, changes)
        before = loaded
    return MatrixHistory(
        task=series.task,
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        entries=entries,
    )


def compare_scores(before: _Scores, after: _Scores) -> Changes:
    """Return what changed from some scores to others, whatever the order of topics and runs."""
    topics, topics_removed, topics_added = _compared(before.topics, after.topics)
    runs, runs_removed, runs_added = _compared(before.runs, after.runs)
    was, now = _part(before, topics, runs), _part(after, topics, runs)
    change = np.abs(now - was)
    changed = int(np.count_nonzero(change))
    size, of_topic, of_run = None, None, None
    if changed:
        topic, run = np.unravel_index(int(change.argmax()), change.shape)
        size, of_topic, of_run = float(change[topic, run]), topics[topic], runs[run]
    return Changes(
        cells=change.size,
        cells_changed=changed,
        largest_change=size,
        largest_topic=of_topic,
        largest_run=of_run,
        topics_added=topics_added,
        topics_removed=topics_removed,
        runs_added=runs_added,
        runs_removed=runs_removed,
    )


def _compared(
    before: Sequence[str], after: Sequence[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return the names in both, those only before and those only after."""
    was, now = set(before), set(after)
    both = [name for name in after if name in was]
    gone = [name for name in before if name not in now]
    return both, gone, [name for name in after if name not in was]


def _part(loaded: _Scores, topics: list[str], runs: list[str]) -> npt.NDArray[np.float64]:
    at_topic = {name: index for index, name in enumerate(loaded.topics)}
    at_run = {name: index for index, name in enumerate(loaded.runs)}
    rows = np.array([at_topic[name] for name in topics], dtype=np.intp)
    columns = np.array([at_run[name] for name in runs], dtype=np.intp)
    return loaded.scores[np.ix_(rows, columns)]


def _revision(connection: Connection, row: Row[Any], changes: Changes | None) -> list[HistoryEntry]:
    """Return a revision, and all that was done to it before the next one came, in order."""
    first = _entry(
        row, row.logged_at, row.logged_by, "revised" if changes else "logged", row.reason
    )
    fitted = connection.execute(
        select(factor_set).where(factor_set.c.matrix_id == row.id).order_by(factor_set.c.version)
    )
    fits = [
        _entry(row, fit.fitted_at, fit.fitted_by, "factors fitted", fit.reason).model_copy(
            update={"factor_version": fit.version}
        )
        for fit in fitted
    ]
    decided = connection.execute(
        select(withdrawal).where(withdrawal.c.matrix_id == row.id).order_by(withdrawal.c.number)
    )
    decisions = [
        _entry(
            row,
            decision.decided_at,
            decision.decided_by,
            "withdrawn" if decision.withdrawn else "restored",
            decision.reason,
        )
        for decision in decided
    ]
    # Each of the two is in its own order, also where the clock was set back.
    others = heapq.merge(fits, decisions, key=lambda entry: entry.at)
    return [first.model_copy(update={"changes": changes}), *others]


def _entry(row: Row[Any], at: datetime, who: str, what: What, why: str | None) -> HistoryEntry:
    return HistoryEntry(
        at=at,
        who=who,
        what=what,
        matrix=row.id,
        revision=row.revision,
        factor_version=None,
        why=why,
        changes=None,
    )
