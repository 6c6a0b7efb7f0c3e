"""Variance estimates: computed once, when a matrix is logged, and read from then on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from service.database.tables import variance_estimate
from service.logbook.factors import FittedFactors
from service.logbook.result import SOFTWARE
from service.logbook.storing import StoredMatrix
from service.statistics.bootstrap import bootstrap_variance
from service.statistics.standardisation import standardise, std_ab, std_cdf
from service.statistics.two_way import two_way_variance
from service.statistics.variance import ResidualVariance, residual_variance
from service.statistics.variance_interval import chi_square_interval

# Of the topic bootstrap; stored with every interval. Logging must stay quick, so matrices past
# 200,000 scores get fewer resamples, down to 200 from a million scores on.
RESAMPLES, LEVEL, SEED = 1000, 0.95, 0
_MOST_WORK, _FEWEST = 200_000_000, 200

Scores = npt.NDArray[np.float64]


def store_estimates(
    connection: Connection,
    stored: StoredMatrix,
    fitted: FittedFactors | None,
    *,
    raw: ResidualVariance | None,
) -> dict[str, float]:
    """Store a matrix's residual variances, with their intervals; return them by scale.

    Without factors, or with fewer than two topics left after dropping those without spread,
    there is none on a standardised scale.

    Parameters
    ----------
    raw : ResidualVariance, optional
        The variance on the raw scale, unless that is stored already.
    """
    scaled: dict[str, Scores] = {} if raw is None else {"raw": stored.scores}
    if fitted is not None:
        mean, sd, scores = fitted.factors.mean, fitted.factors.sd, stored.scores
        if fitted.zero_sd == "drop":
            kept = sd > 0
            mean, sd, scores = mean[kept], sd[kept], scores[kept]
        if len(scores) >= 2:
            std = standardise(scores, mean, sd)
            scaled |= {"std-ab": std_ab(std), "std-cdf": std_cdf(std)}
    rows, variances = [], {}
    for scale, on_scale in scaled.items():
        estimate = raw if scale == "raw" and raw is not None else residual_variance(on_scale)
        variances[scale] = estimate.variance
        rows.append(
            {
                "matrix_id": stored.matrix_id,
                "factor_set_id": None if scale == "raw" or fitted is None else fitted.factor_set_id,
                "scale": scale,
                "topics": estimate.topics,
                "runs": estimate.runs,
                "sum_of_squares": estimate.sum_of_squares,
                "dof": estimate.dof,
                "variance": estimate.variance,
                **_two_way(on_scale),
                **_intervals(on_scale, estimate),
                "software": SOFTWARE,
            }
        )
    if rows:
        connection.execute(variance_estimate.insert(), rows)
    return variances


def _two_way(scores: Scores) -> dict[str, float | int | None]:
    if scores.shape[1] < 2:
        return {"two_way_sum_of_squares": None, "two_way_dof": None}
    found = two_way_variance(scores)
    return {"two_way_sum_of_squares": found.sum_of_squares, "two_way_dof": found.dof}


def _intervals(scores: Scores, estimate: ResidualVariance) -> dict[str, float | int | None]:
    chi_square = chi_square_interval(estimate.sum_of_squares, estimate.dof, LEVEL)
    resamples = min(RESAMPLES, max(_FEWEST, _MOST_WORK // scores.size))
    found = bootstrap_variance(scores, resamples=resamples, level=LEVEL, seed=SEED)
    known = found.low is not None
    return {
        "level": LEVEL,
        "chi_square_low": chi_square.low,
        "chi_square_high": chi_square.high,
        "bootstrap_low": found.low,
        "bootstrap_high": found.high,
        "bootstrap_resamples": resamples if known else None,
        "bootstrap_seed": SEED if known else None,
    }


def read_estimates(connection: Connection, matrix_id: int) -> dict[str, float]:
    """Return a matrix's variance by scale, by its latest factors."""
    rows = connection.execute(
        select(variance_estimate.c.scale, variance_estimate.c.variance)
        .where(variance_estimate.c.matrix_id == matrix_id)
        .order_by(variance_estimate.c.factor_set_id)
    )
    return {row.scale: row.variance for row in rows}
