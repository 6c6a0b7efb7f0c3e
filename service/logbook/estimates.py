"""Variance estimates: computed once, when a matrix is logged, and read from then on."""

from __future__ import annotations

from sqlalchemy import Connection, select

from service.database.tables import variance_estimate
from service.logbook.factors import FittedFactors
from service.logbook.result import SOFTWARE
from service.logbook.storing import StoredMatrix
from service.statistics.standardisation import Scale, scale_scores
from service.statistics.variance import ResidualVariance, residual_variance

_STANDARDISED: tuple[Scale, ...] = ("std-ab", "std-cdf")


def store_estimates(
    connection: Connection,
    stored: StoredMatrix,
    raw: ResidualVariance,
    fitted: FittedFactors | None,
) -> dict[str, float]:
    """Store a matrix's residual variance on every scale; return them by scale.

    Without factors, or with fewer than two topics left after dropping those without spread,
    only the raw scale has one.
    """
    estimates: dict[str, ResidualVariance] = {"raw": raw}
    if fitted is not None:
        mean, sd, scores = fitted.factors.mean, fitted.factors.sd, stored.scores
        if fitted.zero_sd == "drop":
            kept = sd > 0
            mean, sd, scores = mean[kept], sd[kept], scores[kept]
        if len(scores) >= 2:
            for scale in _STANDARDISED:
                estimates[scale] = residual_variance(scale_scores(scores, mean, sd, scale))
    connection.execute(
        variance_estimate.insert(),
        [
            {
                "matrix_id": stored.matrix_id,
                "factor_set_id": None if scale == "raw" or fitted is None else fitted.factor_set_id,
                "scale": scale,
                "topics": estimate.topics,
                "runs": estimate.runs,
                "sum_of_squares": estimate.sum_of_squares,
                "dof": estimate.dof,
                "variance": estimate.variance,
                "software": SOFTWARE,
            }
            for scale, estimate in estimates.items()
        ],
    )
    return {scale: estimate.variance for scale, estimate in estimates.items()}


def read_estimates(connection: Connection, matrix_id: int) -> dict[str, float]:
    """Return a matrix's variance by scale, by its latest factors."""
    rows = connection.execute(
        select(variance_estimate.c.scale, variance_estimate.c.variance)
        .where(variance_estimate.c.matrix_id == matrix_id)
        .order_by(variance_estimate.c.factor_set_id)
    )
    return {row.scale: row.variance for row in rows}
