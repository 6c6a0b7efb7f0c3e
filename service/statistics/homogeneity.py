"""Whether several residual variances can be estimates of one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc

from service.statistics.variance import pool_variances


@dataclass(frozen=True, eq=False)
class Homogeneity:
    """Bartlett's test of equal variances.

    Attributes
    ----------
    statistic : float or None
        Bartlett's statistic, approximately chi-square if the variances are equal; None where it
        does not exist.
    dof : int or None
        Its degrees of freedom, one less than there are variances; None with `statistic`.
    p_value : float or None
        Probability of a statistic at least as large under equal variances; None with `statistic`.
    max_min_ratio : float or None
        Largest variance over smallest; None if the smallest is 0.
    reason : str or None
        Why there is no test, where there is none.
    pooled : float
        The variances averaged by degrees of freedom.
    variances : (matrices,) float array
        The input.
    dofs : (matrices,) int array
        The input.
    """

    statistic: float | None
    dof: int | None
    p_value: float | None
    max_min_ratio: float | None
    reason: str | None
    pooled: float
    variances: NDArray[np.float64]
    dofs: NDArray[np.int64]


def bartlett(variances: ArrayLike, dofs: ArrayLike) -> Homogeneity:
    """Bartlett's test that several variances, given with their dof, are equal.

    With ``k`` variances ``V_C`` on ``v_C`` degrees of freedom, ``N = sum v_C`` and the pooled
    ``V = sum v_C V_C / N``, the statistic

        ``sum v_C ln(V / V_C) / (1 + (sum 1 / v_C - 1 / N) / (3 (k - 1)))``

    is compared with chi-square on ``k - 1`` dof (Bartlett, Proc. R. Soc. A 160, 1937; Snedecor and
    Cochran, Statistical Methods).

    The test takes scores for normal and independent. The ``m (n - 1)`` dof of a one-way residual
    variance count every score as independent, which runs on the same topics are not, so the test
    finds differences too readily there: read the p-value beside the max/min ratio.

    Parameters
    ----------
    variances : (matrices,) array_like of float
        Residual variances of one measure on one scale (ddof 1); none negative.
    dofs : (matrices,) array_like of int
        Their degrees of freedom, each at least 1.

    Returns
    -------
    Homogeneity
        Without a test, and with the reason, for a single variance or if one is 0.

    Raises
    ------
    ImpossibleStatistic
        If there is no variance, the lengths differ, a variance is negative or not finite, or a
        number of degrees of freedom is not a whole number of at least 1.

    Examples
    --------
    >>> found = bartlett([0.04, 0.05, 0.09], [49, 49, 49])
    >>> round(found.statistic, 3), found.dof, round(found.p_value, 4), found.max_min_ratio
    (8.853, 2, 0.012, 2.25)
    """
    pool = pool_variances(variances, dofs)
    values = np.asarray(variances, dtype=np.float64)
    weights = np.asarray(dofs, dtype=np.float64)
    reason = _why_untested(values)
    statistic = None if reason else _statistic(values, weights, pool.variance)
    groups = values.size - 1
    return Homogeneity(
        statistic,
        None if statistic is None else groups,
        None if statistic is None else float(chdtrc(groups, statistic)),
        pool.max_min_ratio,
        reason,
        pool.variance,
        values,
        weights.astype(np.int64),
    )


def _why_untested(values: NDArray[np.float64]) -> str | None:
    if values.size == 1:
        return "There is one variance only: nothing to compare it with."
    zeros = int((values == 0).sum())
    if zeros == values.size:
        return "All variances are 0: Bartlett's test cannot tell whether they agree by chance."
    if zeros:
        return f"Bartlett's test does not exist where a variance is 0, and there are {zeros}."
    return None


def _statistic(values: NDArray[np.float64], weights: NDArray[np.float64], pooled: float) -> float:
    # sum v (r - 1) is 0 for r = V_C / V, so each term may be v (r - 1 - ln r), which is never
    # negative: nothing cancels between the terms when variances are nearly equal.
    excess = (values - pooled) / pooled
    logarithm = np.log(values) - np.log(pooled)
    near = np.abs(excess) < 0.5
    logarithm[near] = np.log1p(excess[near])
    correction = (np.sum(1 / weights) - 1 / np.sum(weights)) / (3 * (values.size - 1))
    return float(np.sum(weights * np.maximum(excess - logarithm, 0.0)) / (1 + correction))
