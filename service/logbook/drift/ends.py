"""The two rounds that drift compares, as they stand in the record."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, literal, select

from service.database.tables import (
    current_matrix,
    factor_set,
    factor_set_run,
    matrix,
    round_,
    run,
    score_vector,
)
from service.errors import NotRecorded
from service.logbook.factors import LoadedFactors, load_factors
from service.logbook.lookup import Series, find_factor_set
from service.logbook.storing import load_matrix


class Fitted(NamedTuple):
    """A round that has factors, with the latest of them."""

    round_id: int
    round: str
    collection: str | None
    factor_set_id: int
    version: int
    matrix: int
    revision: int


class End(NamedTuple):
    """One of the two rounds: its latest factors and the scores they were fitted on.

    `revision` is that of the matrix; `scores` is (topics, runs) with the topics in the order of the
    factors; `standardising` a (runs,) mask; `runs` and `systems` name each run and, where it was
    said, its system.
    """

    series: Series
    collection: str | None
    revision: int
    factors: LoadedFactors
    scores: npt.NDArray[np.float64]
    standardising: npt.NDArray[np.bool_]
    runs: list[str]
    systems: list[str | None]


def rounds_with_factors(
    connection: Connection, task_id: int, task: str, measure_id: int, measure: str, label: str
) -> list[Fitted]:
    """Return the rounds of a task that have factors of a measure, in the task's order.

    Raises
    ------
    NotRecorded
        When there are fewer than the two that drift compares.
    """
    rows = connection.execute(
        select(
            round_.c.id,
            round_.c.label,
            round_.c.collection,
            factor_set.c.id,
            factor_set.c.version,
            current_matrix.c.id,
            current_matrix.c.revision,
        )
        .join(factor_set, factor_set.c.round_id == round_.c.id)
        .join(current_matrix, current_matrix.c.id == factor_set.c.matrix_id)
        .where(
            round_.c.task_id == task_id,
            factor_set.c.measure_id == measure_id,
            factor_set.c.assessments == label,
        )
        .order_by(round_.c.ordinal, factor_set.c.version)
    )
    # By round, the last version of each replacing those before it.
    latest = {row[0]: Fitted(*row) for row in rows}
    if len(latest) < 2:
        only = next(iter(latest.values()), None)
        have = f"only round '{only.round}' has" if only else "no round has"
        raise NotRecorded(
            f"Drift compares the factors of two rounds, and {have} {measure} factors ({label}"
            f" assessments) in task '{task}'; log another round of at least two runs."
        )
    return list(latest.values())


def load_end(connection: Connection, series: Series) -> End:
    """Return a round's latest factors and the scores they were fitted on.

    Raises
    ------
    NotRecorded
        When it has no factors.
    """
    factors = load_factors(connection, find_factor_set(connection, series))
    row = connection.execute(select(matrix).where(matrix.c.id == factors.row.matrix_id)).one()
    loaded = load_matrix(connection, row)
    place = {name: index for index, name in enumerate(loaded.topics)}
    runs = _runs(connection, factors.row)
    return End(
        series=series,
        collection=connection.execute(
            select(round_.c.collection).where(round_.c.id == series.round_id)
        ).scalar_one(),
        revision=row.revision,
        factors=factors,
        scores=loaded.scores[[place[name] for name in factors.topics]],
        standardising=np.array([each.standardises for each in runs], dtype=bool),
        runs=[each.tag for each in runs],
        systems=[each.system for each in runs],
    )


def _runs(connection: Connection, factors: Row[Any]) -> list[Row[Any]]:
    listed = (
        select(factor_set_run.c.run_id)
        .where(
            factor_set_run.c.factor_set_id == factors.id,
            factor_set_run.c.run_id == run.c.id,
        )
        .exists()
    )
    return list(
        connection.execute(
            select(
                run.c.tag,
                run.c.system,
                # Where all runs standardise, none is listed.
                (literal(factors.standardising == "all") | listed).label("standardises"),
            )
            .join(score_vector, score_vector.c.run_id == run.c.id)
            .where(score_vector.c.matrix_id == factors.matrix_id)
            .order_by(score_vector.c.position)
        )
    )
