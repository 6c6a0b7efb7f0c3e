"""Standardisation factors: each topic's mean and sd over the standardising runs, by version."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import factor, factor_set, matrix, matrix_topic, topic
from roundbook.logbook.lookup import Series, factor_sets, find_factor_set, find_series
from roundbook.logbook.matrices.listing import read_status
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.recorded_runs import known_pool
from roundbook.logbook.session import Session
from roundbook.logbook.storing import StoredMatrix
from roundbook.requests.factors import FactorsRequest
from roundbook.statistics.standardisation.factors import Factors


class Factor(Result):
    """One topic's factors; `sd` is the sample sd (ddof 1) over `runs` runs."""

    topic: str
    mean: float
    sd: float
    runs: int


class FactorSet(Result):
    """One version of a round's factors, topics in the matrix's order.

    `withdrawn` is why the matrix they were fitted on is withdrawn, None where it is not.
    """

    task: str
    round: str
    measure: str
    assessments: str
    version: int
    versions: list[int]
    matrix: int
    revision: int
    standardising: str
    zero_sd: str
    zero_sd_topics: list[str]
    reason: str | None
    fitted_at: datetime
    fitted_by: str
    software: str
    withdrawn: str | None
    factors: list[Factor]


class LoadedFactors(NamedTuple):
    """A factor set as arrays: (topics,) each, in the matrix's topic order."""

    row: Row[Any]
    topics: list[str]
    mean: npt.NDArray[np.float64]
    sd: npt.NDArray[np.float64]


class Standardising(NamedTuple):
    """The standardising runs: 'all', 'pooled' or 'chosen', and a (runs,) mask of them."""

    which: str
    mask: npt.NDArray[np.bool_]


class FittedFactors(NamedTuple):
    """A factor set just stored."""

    factor_set_id: int
    version: int
    standardising: str
    zero_sd: str
    factors: Factors


class OutdatedFactors(Result):
    """Factors that were used though the matrix they were fitted on counts no more.

    `status` is ``superseded``, by the matrix `replaced_by`, or ``withdrawn``; `reason` says why.
    """

    version: int
    round: str
    matrix: int
    revision: int
    status: str
    replaced_by: int | None
    reason: str


def show_factors(session: Session, request: FactorsRequest) -> FactorSet:
    """Return one version of a round's factors, by default the latest.

    Raises
    ------
    NotRecordedError
        When the task, round, measure or version is not there.
    """
    series = find_series(
        session.connection, request.task, request.round, request.measure, request.assessments
    )
    return read_factor_set(session.connection, request.task, series, request.version)


def read_factor_set(
    connection: Connection, task: str, series: Series, version: int | None = None
) -> FactorSet:
    """Return one version of a series' factors, by default the latest."""
    loaded = load_factors(connection, find_factor_set(connection, series, version))
    row = loaded.row
    revision = connection.execute(
        select(matrix.c.revision).where(matrix.c.id == row.matrix_id)
    ).scalar_one()
    return FactorSet(
        task=task,
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        version=row.version,
        versions=[other.version for other in factor_sets(connection, series)],
        matrix=row.matrix_id,
        revision=revision,
        standardising=row.standardising,
        zero_sd=row.zero_sd,
        zero_sd_topics=[name for name, sd in zip(loaded.topics, loaded.sd, strict=True) if sd == 0],
        reason=row.reason,
        fitted_at=row.fitted_at,
        fitted_by=row.fitted_by,
        software=row.software,
        withdrawn=row.withdrawn,
        factors=[
            Factor(topic=name, mean=mean, sd=sd, runs=row.runs)
            for name, mean, sd in zip(
                loaded.topics, loaded.mean.tolist(), loaded.sd.tolist(), strict=True
            )
        ],
    )


def load_factors(connection: Connection, row: Row[Any]) -> LoadedFactors:
    """Return the factors of a ``factor_set`` row as arrays."""
    rows = connection.execute(
        select(topic.c.name, factor.c.mean, factor.c.sd)
        .join(topic, topic.c.id == factor.c.topic_id)
        .join(
            matrix_topic,
            (matrix_topic.c.matrix_id == factor.c.matrix_id)
            & (matrix_topic.c.topic_id == factor.c.topic_id),
        )
        .where(factor.c.factor_set_id == row.id)
        .order_by(matrix_topic.c.position)
    ).all()
    return LoadedFactors(
        row,
        [topic_row.name for topic_row in rows],
        np.array([topic_row.mean for topic_row in rows], dtype=float),
        np.array([topic_row.sd for topic_row in rows], dtype=float),
    )


def outdated_factors(connection: Connection, row: Row[Any]) -> OutdatedFactors | None:
    """Return that a ``factor_set`` row's matrix counts no more; None where it does."""
    origin = read_status(connection, row.matrix_id)
    if origin.standing == "current":
        return None
    return OutdatedFactors(
        version=row.version,
        round=origin.round,
        matrix=origin.id,
        revision=origin.revision,
        status=origin.standing,
        replaced_by=origin.replaced_by if origin.standing == "superseded" else None,
        reason=origin.why,
    )


def standardising_runs(contributed: list[bool | None]) -> Standardising:
    """Choose the standardising runs: those that contributed to the pool where that is known.

    Parameters
    ----------
    contributed : per run, None where unknown
    """
    if known_pool(contributed) == "part":
        return Standardising("pooled", np.array(contributed, dtype=bool))
    return Standardising("all", np.ones(len(contributed), dtype=bool))


class Fit(NamedTuple):
    """Factors that were fitted, on which runs, what becomes of ties by them, and why."""

    factors: Factors
    standardising: Standardising
    zero_sd: str
    reason: str | None


def store_factors(
    session: Session, series: Series, stored: StoredMatrix, fit: Fit
) -> FittedFactors:
    """Store the factors of a matrix as its series' next version."""
    connection, standardising, factors = session.connection, fit.standardising, fit.factors
    mask = standardising.mask
    sets = factor_sets(connection, series)
    version = sets[-1].version + 1 if sets else 1
    factor_set_id = connection.execute(
        factor_set.insert()
        .values(
            matrix_id=stored.matrix_id,
            round_id=series.round_id,
            measure_id=series.measure_id,
            assessments=series.assessments,
            version=version,
            standardising=standardising.which,
            runs=int(mask.sum()),
            zero_sd=fit.zero_sd,
            reason=fit.reason,
            software=SOFTWARE,
            fitted_by=session.user,
        )
        .returning(factor_set.c.id)
    ).scalar_one()
    if standardising.which != "all":
        connection.execute(
            text(
                "INSERT INTO roundbook.factor_set_run (factor_set_id, matrix_id, run_id)"
                " SELECT :factor_set, :matrix, unnest(CAST(:runs AS bigint[]))"
            ),
            {
                "factor_set": factor_set_id,
                "matrix": stored.matrix_id,
                "runs": stored.run_ids[mask].tolist(),
            },
        )
    connection.execute(
        text(
            "INSERT INTO roundbook.factor (factor_set_id, matrix_id, topic_id, mean, sd)"
            " SELECT :factor_set, :matrix, * FROM unnest("
            "CAST(:topics AS bigint[]), CAST(:means AS float8[]), CAST(:sds AS float8[]))"
        ),
        {
            "factor_set": factor_set_id,
            "matrix": stored.matrix_id,
            "topics": stored.topic_ids.tolist(),
            "means": factors.mean.tolist(),
            "sds": factors.sd.tolist(),
        },
    )
    return FittedFactors(factor_set_id, version, standardising.which, fit.zero_sd, factors)
