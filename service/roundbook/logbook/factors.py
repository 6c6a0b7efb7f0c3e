"""Standardisation factors: each topic's mean and sd over the standardising runs, by version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, case, func, select, text

from roundbook.database.tables import factor_set, factor_set_run, matrix, matrix_run, run, withdrawn
from roundbook.errors import NotRecordedError
from roundbook.logbook.lookup import Series, find_series, of_series, read_current_matrix
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.recorded_runs import known_pool
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix
from roundbook.requests.factors import FactorsRequest
from roundbook.statistics.standardisation import Factors, Scale, scale_scores, usable_topics


class Factor(Result):
    """One topic's factors; `sd` is the sample sd (ddof 1) over `runs` runs."""

    topic: str
    mean: float
    sd: float
    runs: int


class FactorSet(Result):
    """One version of a round's factors, topics in the matrix's order.

    `withdrawn` is the reason why their matrix is withdrawn, None if it is not. `pool_now` is the
    number of runs known today to have contributed to the pool, if factors of pooled runs were
    fitted on others than these; else None.
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
    pool_now: int | None = None
    zero_sd: str
    zero_sd_topics: list[str]
    reason: str | None
    fitted_at: datetime
    fitted_by: str
    software: str
    withdrawn: str | None
    factors: list[Factor]


class LoadedFactors(NamedTuple):
    """A factor set as (topics,) arrays, in the matrix's topic order."""

    row: Row[Any]
    topics: list[str]
    mean: npt.NDArray[np.float64]
    sd: npt.NDArray[np.float64]

    def usable(self) -> dict[str, int]:
        """Return the indices, by name, of the topics on which scores can be standardised."""
        usable = usable_topics(self.sd, self.row.zero_sd)
        return {name: index for index, name in enumerate(self.topics) if usable[index]}

    def standardised(
        self, topics: Sequence[str], scores: npt.NDArray[np.float64], scale: Scale
    ) -> npt.NDArray[np.float64]:
        """Return the (topics, runs) scores of usable topics on a scale."""
        usable = self.usable()
        chosen = [usable[name] for name in topics]
        return scale_scores(scores, self.mean[chosen], self.sd[chosen], scale)


class Standardising(NamedTuple):
    """The standardising runs: 'all', 'pooled' or 'chosen', and a (runs,) mask of them."""

    kind: str
    mask: npt.NDArray[np.bool_]


class OutdatedFactors(Result):
    """Factors that were used although their matrix is superseded or withdrawn.

    `status` is ``superseded`` (by the matrix `replaced_by`) or ``withdrawn``, with the `reason`.
    """

    version: int
    round: str
    matrix: int
    revision: int
    status: str
    replaced_by: int | None
    reason: str


_listed = factor_set_run.c.run_id.is_not(None)
_in_pool = func.coalesce(run.c.contributed_to_pool, False)
# The number of a matrix's runs known today to have contributed to the pool, if a factor set of
# pooled runs was fitted on others than these; else null.
POOL_NOW = case(
    (
        factor_set.c.standardising == "pooled",
        select(case((func.bool_or(_in_pool != _listed), func.count().filter(_in_pool))))
        .select_from(matrix_run)
        .join(run, run.c.id == matrix_run.c.run_id)
        .outerjoin(
            factor_set_run,
            (factor_set_run.c.factor_set_id == factor_set.c.id)
            & (factor_set_run.c.run_id == run.c.id),
        )
        .where(matrix_run.c.matrix_id == factor_set.c.matrix_id)
        .correlate(factor_set)
        .scalar_subquery(),
    )
).label("pool_now")


def show_factors(session: Session, request: FactorsRequest) -> FactorSet:
    """Return one version of a round's factors, by default the latest.

    Raises
    ------
    NotRecordedError
        When the task, round, measure or version does not exist.
    """
    series = find_series(
        session.connection, request.task, request.round, request.measure, request.assessments
    )
    return read_factor_set(session.connection, request.task, series, request.version)


def read_factor_set(
    connection: Connection, task: str, series: Series, version: int | None = None
) -> FactorSet:
    """Return one version of the factors of a series, by default the latest."""
    sets = _factor_sets(connection, series)
    row = _of_version(connection, series, sets, version)
    loaded = load_factors(connection, row)
    return FactorSet(
        **row._mapping,
        task=task,
        round=series.round,
        measure=series.measure,
        versions=[entry.version for entry in sets],
        matrix=row.matrix_id,
        zero_sd_topics=list(compress(loaded.topics, loaded.sd == 0)),
        factors=[
            Factor(topic=name, mean=mean, sd=sd, runs=row.runs)
            for name, mean, sd in zip(
                loaded.topics, loaded.mean.tolist(), loaded.sd.tolist(), strict=True
            )
        ],
    )


def find_factor_set(connection: Connection, series: Series, version: int | None = None) -> Row[Any]:
    """Return the factor set of a version, by default the latest.

    ``revision`` is that of the version's matrix, and ``withdrawn`` the reason why this matrix is
    withdrawn at present, None if it is not.

    Raises
    ------
    NotRecordedError
        Naming the existing versions.
    WithdrawnError
        When no version is given and the latest one's matrix is withdrawn.
    """
    return _of_version(connection, series, _factor_sets(connection, series), version)


def _factor_sets(connection: Connection, series: Series) -> Sequence[Row[Any]]:
    """Return all factor sets of a series, oldest first; see `find_factor_set` for their columns."""
    return connection.execute(
        select(factor_set, matrix.c.revision, withdrawn.c.reason.label("withdrawn"), POOL_NOW)
        .join(matrix, matrix.c.id == factor_set.c.matrix_id)
        .outerjoin(withdrawn, withdrawn.c.matrix_id == factor_set.c.matrix_id)
        .where(of_series(factor_set, series))
        .order_by(factor_set.c.version)
    ).all()


def _of_version(
    connection: Connection, series: Series, sets: Sequence[Row[Any]], version: int | None
) -> Row[Any]:
    """Return the factor set of a version, of those of a series; see `find_factor_set`."""
    where = f"Round '{series.round}' has no {series.measure}"
    if not sets:
        raise NotRecordedError(
            f"{where} standardisation factors: they need a logged score matrix of at least two"
            " runs.",
            round=series.round,
            measure=series.measure,
        )
    recorded = ", ".join(str(row.version) for row in sets)
    if version is None:
        row = read_current_matrix(connection, series)
        if row is None or row.id != sets[-1].matrix_id:
            raise NotRecordedError(
                f"{where} factors of its current scores, which one run cannot have; of earlier"
                f" revisions it has factor version {recorded}.",
                round=series.round,
                measure=series.measure,
            )
        return sets[-1]
    for row in sets:
        if row.version == version:
            return row
    raise NotRecordedError(
        f"{where} factor version {version}; it has {recorded}.",
        round=series.round,
        measure=series.measure,
        version=version,
    )


def latest_factors(connection: Connection, matrix_id: int) -> Row[Any] | None:
    """Return the ``factor_set`` row of the latest factors of a matrix, None without any."""
    return connection.execute(
        select(factor_set)
        .where(factor_set.c.matrix_id == matrix_id)
        .order_by(factor_set.c.version.desc())
        .limit(1)
    ).one_or_none()


def load_factors(connection: Connection, row: Row[Any]) -> LoadedFactors:
    """Return the factors of a ``factor_set`` row as arrays."""
    topics, mean, sd = zip(*read_factors(connection, [row.id])[row.id], strict=True)
    return LoadedFactors(row, list(topics), np.array(mean), np.array(sd))


def read_factors(
    connection: Connection, factor_sets: Collection[int]
) -> dict[int, list[tuple[str, float, float]]]:
    """Return topic, mean and sd by factor set, in the matrix's topic order; one query."""
    factors = defaultdict(list)
    for factor_set_id, *facts in connection.execute(_FACTORS, {"factor_sets": list(factor_sets)}):
        factors[factor_set_id].append(tuple(facts))
    return factors


_FACTORS = text("""
SELECT factor.factor_set_id, topic.name, factor.mean, factor.sd
FROM roundbook.factor
JOIN roundbook.topic ON topic.id = factor.topic_id
JOIN roundbook.matrix_topic USING (matrix_id, topic_id)
WHERE factor.factor_set_id = ANY (CAST(:factor_sets AS bigint[]))
ORDER BY matrix_topic.position
""")


def outdated_factors(connection: Connection, row: Row[Any]) -> OutdatedFactors | None:
    """Return the outdated factors of a ``factor_set`` row, None if its matrix is current."""
    origin = find_matrix(connection, row.matrix_id)
    if origin.status == "current":
        return None
    factors = {"version": row.version, "matrix": origin.id, "reason": origin.why}
    return OutdatedFactors(**{**origin._mapping, **factors})


def standardising_runs(contributed: list[bool | None]) -> Standardising:
    """Return the standardising runs: those that contributed to the pool if known, else all runs.

    It is not known of a run whose `contributed` is None.
    """
    if known_pool(contributed) == "part":
        return Standardising("pooled", np.array(contributed, dtype=bool))
    return Standardising("all", np.ones(len(contributed), dtype=bool))


def standardising_mask(
    connection: Connection, row: Row[Any], run_ids: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Return the (runs,) mask of the runs that a ``factor_set`` row was fitted on."""
    if row.standardising == "all":
        return np.ones(run_ids.size, dtype=bool)
    listed = connection.execute(
        select(factor_set_run.c.run_id).where(factor_set_run.c.factor_set_id == row.id)
    ).scalars()
    return np.isin(run_ids, list(listed))


class Fit(NamedTuple):
    """Fitted factors, with their standardising runs and their policy on tied topics."""

    factors: Factors
    standardising: Standardising
    zero_sd: str


def store_factors(
    session: Session, series: Series, stored: LoadedMatrix, fit: Fit, reason: str | None
) -> Row[Any]:
    """Store a matrix's factors as the next version of its series; return their ``factor_set`` row."""
    connection, standardising, factors = session.connection, fit.standardising, fit.factors
    mask = standardising.mask
    last = select(func.coalesce(func.max(factor_set.c.version), 0))
    fitted = connection.execute(
        factor_set.insert()
        .values(
            matrix_id=stored.row.id,
            round_id=series.round_id,
            measure_id=series.measure_id,
            assessments=series.assessments,
            version=last.where(of_series(factor_set, series)).scalar_subquery() + 1,
            standardising=standardising.kind,
            runs=int(mask.sum()),
            zero_sd=fit.zero_sd,
            reason=reason,
            software=SOFTWARE,
            fitted_by=session.user,
        )
        .returning(factor_set)
    ).one()
    ids = {"factor_set": fitted.id, "matrix": stored.row.id}
    if standardising.kind != "all":
        connection.execute(
            text(
                "INSERT INTO roundbook.factor_set_run (factor_set_id, matrix_id, run_id)"
                " SELECT :factor_set, :matrix, unnest(CAST(:runs AS bigint[]))"
            ),
            ids | {"runs": stored.run_ids[mask].tolist()},
        )
    connection.execute(
        text(
            "INSERT INTO roundbook.factor (factor_set_id, matrix_id, topic_id, mean, sd)"
            " SELECT :factor_set, :matrix, * FROM unnest("
            "CAST(:topics AS bigint[]), CAST(:means AS float8[]), CAST(:sds AS float8[]))"
        ),
        ids
        | {
            "topics": stored.topic_ids.tolist(),
            "means": factors.mean.tolist(),
            "sds": factors.sd.tolist(),
        },
    )
    return fitted
