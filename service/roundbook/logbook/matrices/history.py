"""The history of a score matrix: its revisions, withdrawals, restorations and factors."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import matrix
from roundbook.formats import CompleteMatrix
from roundbook.logbook.lookup import of_series
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.result import Result
from roundbook.logbook.runs.storing import AssessedRuns
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.requests.fields import ROUNDING
from roundbook.requests.matrices import ShowHistory

_Scores = LoadedMatrix | CompleteMatrix


class Changes(Result):
    """The changes of a revision from the one before.

    `cells_changed` and `largest_change` (in absolute value) are over the `cells` of the topics and
    runs that both have. `cells_beyond_rounding` counts changes of more than 0.0001, as tools print
    4 digits.
    """

    cells: int
    cells_changed: int
    cells_beyond_rounding: int
    largest_change: float | None
    largest_topic: str | None
    largest_run: str | None
    topics_added: list[str]
    topics_removed: list[str]
    runs_added: list[str]
    runs_removed: list[str]


class HistoryEntry(Result):
    """A step of the history, with its time, its user and its reason."""

    at: datetime
    who: str
    what: Literal["logged", "revised", "withdrawn", "restored", "factors fitted"]
    matrix: int
    revision: int
    factor_version: int | None
    why: str | None
    changes: Changes | None


class MatrixHistory(Result):
    """The history of a round's scores of one measure and assessments label, in order."""

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
        select(matrix).where(of_series(matrix, series)).order_by(matrix.c.revision)
    ).all()
    for row in revisions:
        loaded = load_matrix(connection, row) if len(revisions) > 1 else None
        changes = revision_changes(before, loaded) if before and loaded else None
        entries += _revision(connection, row, changes)
        before = loaded
    return MatrixHistory(**series._mapping, entries=entries)


def revision_changes(before: _Scores, after: _Scores) -> Changes:
    """Return the changes between two score matrices, whatever the order of topics and runs."""
    topics, topics_removed, topics_added = compared_names(before.topics, after.topics)
    runs, runs_removed, runs_added = compared_names(before.runs, after.runs)
    was = before.scores[cells_of(before, topics, runs)]
    change = np.abs(after.scores[cells_of(after, topics, runs)] - was)
    changed = int(np.count_nonzero(change))
    size, of_topic, of_run = None, None, None
    if changed:
        topic, run = np.unravel_index(int(change.argmax()), change.shape)
        size, of_topic, of_run = float(change[topic, run]), topics[topic], runs[run]
    return Changes(
        cells=change.size,
        cells_changed=changed,
        cells_beyond_rounding=int(np.count_nonzero(change > ROUNDING)),
        largest_change=size,
        largest_topic=of_topic,
        largest_run=of_run,
        topics_added=topics_added,
        topics_removed=topics_removed,
        runs_added=runs_added,
        runs_removed=runs_removed,
    )


def compared_names(
    before: Sequence[str], after: Sequence[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return the names in both (in the order of `after`), those only before and only after."""
    names_before, names_after = set(before), set(after)
    both = [name for name in after if name in names_before]
    removed = [name for name in before if name not in names_after]
    return both, removed, [name for name in after if name not in names_before]


def cells_of(
    matrix: _Scores | AssessedRuns, topics: Sequence[str], runs: Sequence[str]
) -> tuple[npt.NDArray[np.intp], ...]:
    """Return the index (of numpy.ix_) of topics and runs in a matrix's (topics, runs) scores."""
    row_of = {name: index for index, name in enumerate(matrix.topics)}
    column_of = {name: index for index, name in enumerate(matrix.runs)}
    rows = np.array([row_of[name] for name in topics], dtype=np.intp)
    return np.ix_(rows, np.array([column_of[name] for name in runs], dtype=np.intp))


_FITS = text("""
SELECT 'factors fitted' AS what, fitted_at AS at, fitted_by AS who, reason AS why,
       version AS factor_version
FROM roundbook.factor_set WHERE matrix_id = :matrix ORDER BY version
""")
_DECISIONS = text("""
SELECT CASE WHEN withdrawn THEN 'withdrawn' ELSE 'restored' END AS what, decided_at AS at,
       decided_by AS who, reason AS why, NULL AS factor_version
FROM roundbook.withdrawal WHERE matrix_id = :matrix ORDER BY number
""")


def _revision(connection: Connection, row: Row[Any], changes: Changes | None) -> list[HistoryEntry]:
    """Return the history of one revision, up to the next one, in order."""
    of_revision = {"matrix": row.id, "revision": row.revision}
    logged = HistoryEntry(
        what="revised" if changes else "logged",
        at=row.logged_at,
        who=row.logged_by,
        why=row.reason,
        factor_version=None,
        changes=changes,
        **of_revision,
    )
    fits, decisions = (
        [
            HistoryEntry(**step._mapping, **of_revision, changes=None)
            for step in connection.execute(query, {"matrix": row.id})
        ]
        for query in (_FITS, _DECISIONS)
    )
    # Both lists keep their own order, even if the clock was set back.
    return [logged, *heapq.merge(fits, decisions, key=lambda entry: entry.at)]
