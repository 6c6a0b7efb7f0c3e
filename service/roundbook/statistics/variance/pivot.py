"""Limits of a variance from the variance of its logarithm."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

# An upper limit of a thousand times the variance bounds nothing.
_LEAST_PIVOT = 0.1


def variance_quantile(
    variance: ArrayLike, spread: ArrayLike, topics: ArrayLike, probability: float
) -> NDArray[np.float64]:
    """Limit that the true variance stays below with some confidence.

    ``V (1 - s^2/9 - t s/3)^-3``, with ``t`` the quantile of Student's t on ``(n - 1)/2`` dof: the
    cube-root pivot of Wilson and Hilferty (PNAS 17, 1931). Half the topics' dof, because the
    variance of ln V is itself estimated, from squares with long tails.

    Parameters
    ----------
    variance : array_like of float
        Estimates V, in squared units of the score.
    spread : array_like of float
        The variance ``s^2`` of ln V; NaN where it is not known.
    topics : array_like of int
        Number of topics ``n``.
    probability : float
        Confidence of the one-sided limit, in (0, 1).

    Returns
    -------
    float array
        Of the common shape; NaN where there is no limit: no `spread`, a pivot of .1 or less, or a
        lower limit from a spread too large for the pivot.

    Examples
    --------
    >>> limits = [variance_quantile(0.05, 0.02, 50, share) for share in (0.025, 0.975)]
    >>> [round(float(limit), 6) for limit in limits]
    [0.038086, 0.068452]
    """
    squared = np.asarray(spread, dtype=np.float64)
    # A single topic has no spread, and so no use for its quantile.
    dof = np.maximum(np.asarray(topics) - 1, 1) / 2
    centre = 1 - squared / 9
    pivot = centre - stdtrit(dof, probability) * np.sqrt(squared) / 3
    # With the spread the centre falls below 0, and a lower limit would begin to rise beyond V.
    known = (pivot > _LEAST_PIVOT) & ((centre > _LEAST_PIVOT) | (pivot >= 1))
    limits = np.asarray(variance) * np.where(known, pivot, np.nan) ** -3
    return np.asarray(limits, dtype=np.float64)
