"""Variance estimates: stored when a matrix is logged, renewed when teams of runs become known."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, func, select, text

from roundbook.database.tables import current_matrix, factor_set, round_, variance_estimate
from roundbook.logbook.factors import Fit, Standardising, load_factors
from roundbook.logbook.lookup import Series
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.logbook.variance_history import is_other_scale
from roundbook.logbook.withdrawals import IS_LATEST
from roundbook.statistics.standardisation import (
    Scale,
    fit_factors,
    rescale,
    scores_on_scale,
    standardise,
    usable_topics,
)
from roundbook.statistics.variance.parts import MatrixVariances, variance_parts

Array = npt.NDArray[np.float64]
# The scales beside the raw one that variances are estimated on.
STANDARDISED: tuple[Scale, ...] = ("std-ab", "std-cdf")
# The columns that depend on the teams of runs.
_RENEWED = ("clusters", "runs_part", "two_way_runs_part")
# The largest relative difference of two variances that is rounding alone.
_SAME = 1e-12


class MatrixStatistics(NamedTuple):
    """The statistics of a score matrix: its factors, if it has any, and its variances by scale."""

    fit: Fit | None
    parts: dict[str, MatrixVariances]


def matrix_statistics(
    scores: Array,
    team_ids: Sequence[int | None],
    standardising: Standardising | None,
    zero_sd: str,
) -> MatrixStatistics:
    """Return the statistics that are stored with a matrix.

    Without factors, or with fewer than two topics after dropping those with sd 0, there is no
    variance on a standardised scale.

    Parameters
    ----------
    scores : (topics, runs) float array
    team_ids : one for each run, None where the team is unknown
    standardising : the runs to fit factors on, None for none
    """
    parts = {"raw": variance_parts(scores, team_ids)}
    if standardising is None:
        return MatrixStatistics(None, parts)
    mask = standardising.mask
    factors = fit_factors(scores, None if mask.all() else mask)
    kept = usable_topics(factors.sd, zero_sd)
    if kept.sum() >= 2:
        usable = scores if kept.all() else scores[kept]
        std = standardise(usable, factors.mean[kept], factors.sd[kept])
        parts |= {scale: variance_parts(rescale(std, scale), team_ids) for scale in STANDARDISED}
    return MatrixStatistics(Fit(factors, standardising, zero_sd), parts)


def store_estimates(
    connection: Connection,
    stored: LoadedMatrix,
    computed: MatrixStatistics,
    fitted: Row[Any] | None,
) -> dict[str, float]:
    """Store a matrix's residual variances with the data of their intervals; return them by scale.

    `fitted` is the ``factor_set`` row of the factors that the standardised scales rest on.
    """
    topic_ids = dict.fromkeys(computed.parts, stored.topic_ids)
    if computed.fit is not None:
        usable = usable_topics(computed.fit.factors.sd, computed.fit.zero_sd)
        topic_ids |= dict.fromkeys(STANDARDISED, stored.topic_ids[usable])
    rows = [
        {
            "matrix_id": stored.row.id,
            "factor_set_id": None if scale == "raw" or fitted is None else fitted.id,
            "scale": scale,
            "version": 1,
            "software": SOFTWARE,
            **estimate_columns(scale_parts),
            "topic_ids": topic_ids[scale].tolist(),
        }
        for scale, scale_parts in computed.parts.items()
    ]
    if rows:
        connection.execute(variance_estimate.insert(), rows)
    return {scale: scale_parts.one_way.variance for scale, scale_parts in computed.parts.items()}


def estimate_columns(parts: MatrixVariances) -> dict[str, Any]:
    """Return the columns of a ``variance_estimate`` row from the statistics of a score matrix."""
    columns = {name: getattr(parts, name) for name in ("topics", "runs", "clusters")}
    columns["variance"] = parts.one_way.variance
    for prefix, part in (("", parts.one_way), ("two_way_", parts.two_way)):
        for name in ("sum_of_squares", "dof", "runs_part"):
            columns[prefix + name] = None if part is None else getattr(part, name)
        columns[f"{prefix}topic_squares"] = None if part is None else part.by_topic.tolist()
    return columns


def renew_runs_parts(
    connection: Connection, round_id: int, teams_before: Mapping[int, int | None] | None = None
) -> list[str]:
    """Renew the variance estimates whose runs' teams became known or were corrected.

    Estimates in force of the round's latest matrices get a further version if their runs now form
    fewer clusters than those they were computed with. Only the runs' part and the clusters differ;
    earlier versions stay.

    Returned are their measures, one entry for each estimate that was renewed.

    Parameters
    ----------
    teams_before : mapping from run id to team id, optional
        The former teams of corrected runs. Then all estimates are renewed whose runs' clusters
        changed, whether there are more or fewer now.
    """
    rows = estimates_in_force(connection, [round_id], outdated=teams_before is None)
    by_matrix: dict[int, list[Row[Any]]] = {}
    for row in rows:
        by_matrix.setdefault(row.matrix_id, []).append(row)
    renewed = []
    for matrix_id, estimates in by_matrix.items():
        stored = load_matrix(connection, find_matrix(connection, matrix_id))
        if teams_before is not None:
            run_teams = zip(stored.run_ids.tolist(), stored.team_ids, strict=True)
            before = [teams_before.get(run_id, team_id) for run_id, team_id in run_teams]
            if _clusters(before) == _clusters(stored.team_ids):
                continue
        for estimate in estimates:
            scores = stored.scores
            if estimate.factor_set_id is not None:
                factor_row = select(factor_set).where(factor_set.c.id == estimate.factor_set_id)
                factors = load_factors(connection, connection.execute(factor_row).one())
                scores = scores_on_scale(
                    scores, factors.mean, factors.sd, estimate.scale, factors.row.zero_sd
                )
            columns = estimate_columns(variance_parts(scores, stored.team_ids))
            connection.execute(
                text(_NEXT_VERSION),
                {
                    "id": estimate.id,
                    **{name: columns[name] for name in _RENEWED},
                    "software": SOFTWARE,
                },
            )
            renewed.append(estimate.measure)
    return renewed


def _clusters(team_ids: Sequence[int | None]) -> list[int]:
    """Return, for each run, the first run of its cluster; a run of unknown team is alone."""
    first: dict[int, int] = {}
    return [
        index if team is None else first.setdefault(team, index)
        for index, team in enumerate(team_ids)
    ]


def estimates_in_force(
    connection: Connection, rounds: Sequence[int], *, outdated: bool
) -> list[Row[Any]]:
    """Return the estimates in force in some rounds, or only the `outdated` ones.

    The runs of an outdated one form fewer clusters today, as teams became known. A row has `id`,
    `matrix_id`, `factor_set_id`, `scale`, `clusters`, `clusters_today` (by the teams known today)
    and the name of the `measure`.
    """
    return list(connection.execute(_IN_FORCE, {"rounds": list(rounds), "outdated": outdated}))


# The latest version of each estimate by the latest factors, for the latest revisions of a round's
# matrices, with the number of clusters by the teams known today.
_IN_FORCE = text(f"""
SELECT latest.id, latest.matrix_id, latest.factor_set_id, latest.scale, latest.clusters,
       today.clusters AS clusters_today, measure.name AS measure
FROM roundbook.matrix
JOIN roundbook.measure ON measure.id = matrix.measure_id
CROSS JOIN LATERAL (
    SELECT count(DISTINCT run.team_id) + count(*) FILTER (WHERE run.team_id IS NULL) AS clusters
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    WHERE matrix_run.matrix_id = matrix.id
) AS today
CROSS JOIN LATERAL (
    SELECT DISTINCT ON (estimate.scale) estimate.*
    FROM roundbook.variance_estimate AS estimate
    LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
    WHERE estimate.matrix_id = matrix.id
    ORDER BY estimate.scale, factor_set.version DESC, estimate.version DESC
) AS latest
WHERE matrix.round_id = ANY (:rounds) AND {IS_LATEST}
  AND (NOT :outdated OR latest.clusters > today.clusters)
ORDER BY latest.id
""")  # noqa: S608

_NEXT_VERSION = """
INSERT INTO roundbook.variance_estimate
    (matrix_id, factor_set_id, scale, topics, runs, sum_of_squares, dof, variance,
     two_way_sum_of_squares, two_way_dof, topic_ids, topic_squares, two_way_topic_squares,
     version, clusters, runs_part, two_way_runs_part, software)
SELECT matrix_id, factor_set_id, scale, topics, runs, sum_of_squares, dof, variance,
       two_way_sum_of_squares, two_way_dof, topic_ids, topic_squares, two_way_topic_squares,
       version + 1, :clusters, :runs_part, :two_way_runs_part, :software
FROM roundbook.variance_estimate
WHERE id = :id
"""


def read_estimates(connection: Connection, matrix_id: int) -> dict[str, float]:
    """Return a matrix's variance by scale, by its latest factors."""
    rows = connection.execute(
        select(variance_estimate.c.scale, variance_estimate.c.variance)
        .where(variance_estimate.c.matrix_id == matrix_id)
        .order_by(variance_estimate.c.factor_set_id, variance_estimate.c.version)
    )
    return {row.scale: row.variance for row in rows}


class BesideOtherRounds(NamedTuple):
    """A raw variance compared with those of the measure's other rounds in the task.

    `ratio` is that to their median, None without other rounds and if it is between 1/25 and 25.
    `same` is the number of the first matrix that has the same variance, None if none has.
    """

    ratio: float | None
    same: int | None


def beside_other_rounds(
    connection: Connection, task_id: int, series: Series, variance: float
) -> BesideOtherRounds:
    """Return how a raw variance compares with those of the measure's other rounds."""
    values = variance_estimate.c.variance
    # The order of topics and runs changes the last digits of a sum.
    alike = values.between(variance * (1 - _SAME), variance * (1 + _SAME))
    row = connection.execute(
        select(
            func.percentile_cont(0.5).within_group(values).label("median"),
            func.min(current_matrix.c.id).filter(alike).label("same"),
        )
        .join(current_matrix, current_matrix.c.id == variance_estimate.c.matrix_id)
        .join(round_, round_.c.id == current_matrix.c.round_id)
        .where(
            round_.c.task_id == task_id,
            round_.c.id != series.round_id,
            current_matrix.c.measure_id == series.measure_id,
            variance_estimate.c.scale == "raw",
            variance_estimate.c.version == 1,  # of which later ones have the variance
        )
    ).one()
    ratio = None
    if row.median and variance and is_other_scale(variance / row.median):
        # The ratio to a median near the smallest doubles may overflow.
        ratio = min(float(variance / row.median), sys.float_info.max)
    return BesideOtherRounds(ratio, row.same)
