"""Power of a one-way ANOVA over m runs to tell the best from the worst of them.

The effect is minD, the smallest difference between the best and the worst run that is worth
detecting. All engines share ``phiA = m - 1``, ``phiE = m (n - 1)``, the noncentrality
``lambda = n minD^2 / (2 variance)`` and the critical value ``Fc = F(1 - alpha; phiA, phiE)``.
They compute the probability of a miss, ``1 - power``, which keeps its digits when it is small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chdtrc, fdtri, ncfdtr, ndtr

from service.statistics.design_input import (
    Engine,
    Floats,
    broadcast_floats,
    check_counts,
    check_engine,
    check_probabilities,
    check_sizes,
)

# Beyond this noncentrality SciPy's noncentral F is slow, and from 1e12 on it returns NaN.
_HUGE = 1e8


def anova_power(
    topics: ArrayLike,
    runs: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    *,
    engine: Engine = "exact",
) -> Floats:
    """Power of a one-way ANOVA to detect minD; every argument but `engine` broadcasts.

    ``exact``: ``P(F'(phiA, phiE, lambda) > Fc)`` with the noncentral F distribution.
    ``sakai``: the normal approximation behind the published spreadsheets (Sakai, AIRS 2016; Sakai
    and Shang, EVIA 2016): with ``w = phiA Fc / phiE``, ``c = (phiA + 2 lambda) / (phiA + lambda)``
    and ``phi* = (phiA + lambda)^2 / (phiA + 2 lambda)``,
    ``Phi((sqrt(c (2 phi* - 1)) - sqrt(w (2 phiE - 1))) / sqrt(c - w))``.

    Parameters
    ----------
    topics, runs : array_like of int
        Topic set size n and number of runs m, whole and at least 2.
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float
        Residual variance of the measure, positive.
    alpha : array_like of float
        Type I error probability, in [1e-30, 1).
    engine : {'exact', 'sakai'}

    Returns
    -------
    float array of the broadcast shape
        NaN where ``c - w <= 0``: with very few topics `sakai` is not defined.

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range or the engine unknown.

    Examples
    --------
    >>> anova_power([79, 80], 2, 0.1, 0.05).round(4).tolist()
    [0.7977, 0.8027]
    """
    check_engine(engine)
    n, m, difference, residual, level = broadcast_floats(topics, runs, min_d, variance, alpha)
    check_counts("A topic set size", n)
    check_counts("A number of runs", m)
    check_sizes("A minD", difference)
    check_sizes("A variance", residual)
    check_probabilities("Alpha", level)
    return 1 - MISS[engine](n, m, effect_size(difference, residual), level)


def effect_size(min_d: Floats, variance: Floats) -> Floats:
    """Noncentrality per topic, ``minD^2 / (2 variance)``, kept within 1e-200 and 1e200."""
    with np.errstate(over="ignore", under="ignore"):
        root = np.clip(min_d / np.sqrt(variance), 1e-100, 1e100)
    return np.asarray(root * root / 2)


def exact_miss(topics: Floats, runs: Floats, effect: Floats, alpha: Floats) -> Floats:
    """Type II error probability by the noncentral F distribution; unchecked, same shapes."""
    between, within, noncentrality = runs - 1, runs * (topics - 1), topics * effect
    critical = _critical_value(between, within, alpha)
    huge = noncentrality > _HUGE
    miss = ncfdtr(between, within, np.where(huge, 1.0, noncentrality), critical)
    # For noncentralities in the thousands SciPy has spots of NaN, all where the probability, summed
    # by hand, is below 1e-130.
    miss = np.where(np.isnan(miss), 0.0, miss)
    if huge.any():
        # The numerator of F' hardly varies then: F' <= Fc is a matter of its denominator alone.
        bound = (between + noncentrality) * (within / (between * critical))
        miss = np.where(huge, chdtrc(within, bound), miss)
    return np.asarray(miss, dtype=np.float64)


def sakai_miss(topics: Floats, runs: Floats, effect: Floats, alpha: Floats) -> Floats:
    """Type II error probability by Sakai's approximation, NaN if undefined; unchecked."""
    between, within, noncentrality = runs - 1, runs * (topics - 1), topics * effect
    w = between * _critical_value(between, within, alpha) / within
    c = (between + 2 * noncentrality) / (between + noncentrality)
    phi = (between + noncentrality) / c
    root = np.sqrt(np.where(c > w, c - w, np.nan))
    z = (np.sqrt(c * (2 * phi - 1)) - np.sqrt(w * (2 * within - 1))) / root
    return np.asarray(ndtr(-z), dtype=np.float64)


MISS: dict[Engine, Callable[[Floats, Floats, Floats, Floats], Floats]] = {
    "exact": exact_miss,
    "sakai": sakai_miss,
}


def _critical_value(between: Floats, within: Floats, alpha: Floats) -> Floats:
    # The reciprocal of the other tail's quantile: forming 1 - alpha would lose a small alpha.
    return np.asarray(1 / fdtri(within, between, alpha))
