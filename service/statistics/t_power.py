"""Power of a paired and of a two-sample t test to tell two runs apart.

The effect is minD, the smallest difference between two runs that is worth detecting. Both designs
come down to degrees of freedom ``phi`` and a noncentrality:

- paired, both runs on the same n topics: ``phi = n - 1``, ``ncp = sqrt(n) minD / sd_diff``;
- two-sample, each run on n topics of its own: ``phi = 2 n - 2``, ``ncp = sqrt(n / 2) minD / sd``.

With the critical value ``w = t(1 - alpha/2; phi)`` all engines compute the probability of a miss,
``1 - power``, which keeps its digits when it is small.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtri, ndtr

from service.errors import ImpossibleStatistic
from service.statistics.anova_power import effect_size, exact_miss
from service.statistics.design_input import (
    Engine,
    Floats,
    broadcast_floats,
    check_counts,
    check_engine,
    check_probabilities,
    check_sizes,
)


def paired_t_power(
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike | None = None,
    alpha: ArrayLike = 0.05,
    *,
    variance_diff: ArrayLike | None = None,
    engine: Engine = "exact",
) -> Floats:
    """Power of a two-sided paired t test to detect minD; all but `engine` broadcasts.

    ``exact``: ``P(T' > w) + P(T' < -w)`` with the noncentral t distribution.
    ``sakai``: the normal approximation behind the published spreadsheets (Sakai, ICTIR 2016): with
    ``s = sqrt(1 + w^2 / (2 phi))`` and ``k = 1 - 1 / (4 phi)``,
    ``Phi((-w k - ncp) / s) + 1 - Phi((w k - ncp) / s)``.

    Parameters
    ----------
    topics : array_like of int
        Topic set size n, whole and at least 2.
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float, optional
        Residual variance of the measure, positive; not used if `variance_diff` is given.
    alpha : array_like of float
        Type I error probability, in [1e-30, 1).
    variance_diff : array_like of float, optional
        Variance over topics of the difference between two runs (ddof 1), positive; if not given
        ``2 * variance``, its value for runs whose residuals do not correlate.
    engine : {'exact', 'sakai'}

    Returns
    -------
    float array of the broadcast shape

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, the engine unknown, or neither variance given.

    Examples
    --------
    >>> paired_t_power([33, 34], 0.5, variance_diff=1.0).round(4).tolist()
    [0.7954, 0.8078]
    """
    check_engine(engine)
    spread = difference_variance(variance, variance_diff)
    n, difference, diff_variance, level = broadcast_floats(topics, min_d, spread, alpha)
    _check_design(n, difference, diff_variance, level)
    noncentrality = n * effect_size(difference, diff_variance / 2)
    return 1 - T_MISS[engine](n - 1, noncentrality, level)


def two_sample_t_power(
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    *,
    engine: Engine = "exact",
) -> Floats:
    """Power of a two-sided two-sample t test to detect minD; all but `engine` broadcasts.

    The engines are those of :func:`paired_t_power`. The exact power is that of a one-way ANOVA of
    two runs.

    Parameters
    ----------
    topics : array_like of int
        Topics of each run, whole and at least 2: the test sees 2 n topics in all.
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float
        Residual variance of the measure, common to the runs, positive.
    alpha : array_like of float
        Type I error probability, in [1e-30, 1).
    engine : {'exact', 'sakai'}

    Returns
    -------
    float array of the broadcast shape

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range or the engine unknown.

    Examples
    --------
    >>> two_sample_t_power([63, 64], 0.5, 1.0).round(4).tolist()
    [0.7952, 0.8015]
    """
    check_engine(engine)
    n, difference, residual, level = broadcast_floats(topics, min_d, variance, alpha)
    _check_design(n, difference, residual, level)
    return 1 - T_MISS[engine](2 * n - 2, n * effect_size(difference, residual), level)


def exact_t_miss(dof: Floats, noncentrality: Floats, alpha: Floats) -> Floats:
    """Type II error probability by the noncentral t distribution; unchecked, same shapes.

    `noncentrality` is ``ncp^2``. Both tails at once, as ``T'^2`` is noncentral F: the test is an
    ANOVA of two runs on ``dof / 2 + 1`` topics. SciPy's noncentral t gives NaN for many an all but
    empty tail.
    """
    topics = dof / 2 + 1
    return exact_miss(topics, np.full_like(dof, 2.0), noncentrality / topics, alpha)


def sakai_t_miss(dof: Floats, noncentrality: Floats, alpha: Floats) -> Floats:
    """Type II error probability by Sakai's approximation; `noncentrality` is ``ncp^2``."""
    w = critical_t(dof, alpha)
    k = 1 - 1 / (4 * dof)
    s = np.sqrt(1 + w * w / (2 * dof))
    shift = np.sqrt(noncentrality)
    return np.asarray(ndtr((w * k - shift) / s) - ndtr((-w * k - shift) / s))


T_MISS: dict[Engine, Callable[[Floats, Floats, Floats], Floats]] = {
    "exact": exact_t_miss,
    "sakai": sakai_t_miss,
}


def critical_t(dof: Floats, alpha: Floats) -> Floats:
    """Two-sided critical value ``t(1 - alpha/2; dof)``; unchecked, same shapes."""
    # From the other tail of F(1, dof), as forming 1 - alpha/2 would lose a small alpha.
    return np.asarray(1 / np.sqrt(fdtri(dof, 1.0, alpha)))


def difference_variance(variance: ArrayLike | None, variance_diff: ArrayLike | None) -> ArrayLike:
    """Return `variance_diff` if given, else ``2 * variance``.

    Raises
    ------
    ImpossibleStatistic
        If neither is given, or the variance is not positive and finite.
    """
    if variance_diff is not None:
        return variance_diff
    if variance is None:
        raise ImpossibleStatistic(
            "A paired t test needs the variance of the differences, or the residual variance."
        )
    residual = broadcast_floats(variance)[0]
    check_sizes("A variance", residual)
    return np.asarray(2 * residual)


def _check_design(topics: Floats, min_d: Floats, variance: Floats, alpha: Floats) -> None:
    check_counts("A topic set size", topics)
    check_sizes("A minD", min_d)
    check_sizes("A variance", variance)
    check_probabilities("Alpha", alpha)
