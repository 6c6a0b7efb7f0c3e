"""Noncentral distributions and Sakai's approximations of them, behind the power of every test.

All functions compute the probability of a miss, ``1 - power``, which keeps its digits when it is
small. They take arrays of one shape and check nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import scipy

from roundbook.statistics.score_matrix import Floats

Engine = Literal["exact", "sakai"]
ENGINES: tuple[Engine, ...] = ("exact", "sakai")

# Beyond this noncentrality SciPy's noncentral F is slow, and from 1e12 on it returns NaN.
_HUGE = 1e8


def effect_size(min_d: Floats, variance: Floats) -> Floats:
    """Return the noncentrality per topic, ``minD^2 / (2 variance)``, within 1e-200 and 1e200."""
    with np.errstate(over="ignore", under="ignore"):
        root = np.clip(min_d / np.sqrt(variance), 1e-100, 1e100)
    return np.asarray(root * root / 2)


def exact_f_miss(between: Floats, within: Floats, noncentrality: Floats, alpha: Floats) -> Floats:
    """Return ``P(F'(phiA, phiE, lambda) <= Fc)`` with the noncentral F distribution."""
    return _noncentral_f(between, within, noncentrality, _critical_f(between, within, alpha))


def sakai_f_miss(between: Floats, within: Floats, noncentrality: Floats, alpha: Floats) -> Floats:
    """Return the approximation behind the published spreadsheets; NaN where it is undefined.

    With ``w = phiA Fc / phiE``, ``c = (phiA + 2 lambda) / (phiA + lambda)`` and ``phi* = (phiA +
    lambda)^2 / (phiA + 2 lambda)`` the power is ``Phi((sqrt(c (2 phi* - 1)) - sqrt(w (2 phiE -
    1))) / sqrt(c - w))``, undefined where ``c - w <= 0``, as with very few topics (Sakai, AIRS
    2016; Sakai and Shang, EVIA 2016).
    """
    w = between * _critical_f(between, within, alpha) / within
    c = (between + 2 * noncentrality) / (between + noncentrality)
    phi = (between + noncentrality) / c
    root = np.sqrt(np.where(c > w, c - w, np.nan))
    z = (np.sqrt(c * (2 * phi - 1)) - np.sqrt(w * (2 * within - 1))) / root
    return np.asarray(scipy.special.ndtr(-z), dtype=np.float64)


def exact_t_miss(dof: Floats, noncentrality: Floats, critical: Floats) -> Floats:
    """Return ``P(-w <= T' <= w)`` with the noncentral t distribution, given ``ncp^2``.

    Both tails are computed at once, as ``T'^2`` is noncentral F with 1 and phi degrees of freedom.
    SciPy's noncentral t gives NaN for many tails that are almost empty.
    """
    return _noncentral_f(np.ones_like(dof), dof, noncentrality, critical * critical)


def sakai_t_miss(dof: Floats, noncentrality: Floats, critical: Floats) -> Floats:
    """Return Sakai's normal approximation of the same probability.

    With ``s = sqrt(1 + w^2 / (2 phi))`` and ``k = 1 - 1 / (4 phi)`` the power is ``Phi((-w k - ncp)
    / s) + 1 - Phi((w k - ncp) / s)`` (Sakai, ICTIR 2016).
    """
    k = 1 - 1 / (4 * dof)
    s = np.sqrt(1 + critical * critical / (2 * dof))
    shift = np.sqrt(noncentrality)
    return np.asarray(
        scipy.special.ndtr((critical * k - shift) / s)
        - scipy.special.ndtr((-critical * k - shift) / s)
    )


F_MISS: dict[Engine, Callable[[Floats, Floats, Floats, Floats], Floats]] = {
    "exact": exact_f_miss,
    "sakai": sakai_f_miss,
}
T_MISS: dict[Engine, Callable[[Floats, Floats, Floats], Floats]] = {
    "exact": exact_t_miss,
    "sakai": sakai_t_miss,
}


def critical_t(dof: Floats, alpha: Floats) -> Floats:
    """Return the two-sided critical value ``t(1 - alpha/2; dof)``; `dof` may be infinite."""
    # From the other tail of F(1, dof), as forming 1 - alpha/2 would lose a small alpha.
    return np.asarray(1 / np.sqrt(scipy.special.fdtri(np.minimum(dof, 1e300), 1.0, alpha)))


def expected_sd(dof: Floats) -> Floats:
    """Return the expected sample sd of normal values in units of their true sd.

    ``G(phi) = sqrt(2 / phi) Gamma((phi + 1) / 2) / Gamma(phi / 2)``.
    """
    few = np.minimum(dof, 1e3)
    exact = np.sqrt(2 / few) * np.exp(
        scipy.special.gammaln((few + 1) / 2) - scipy.special.gammaln(few / 2)
    )
    # The difference of two large logarithms loses digits, just where the series is exact.
    r = 1 / dof
    series = 1 + r * (-1 / 4 + r * (1 / 32 + r * (5 / 128 - r * 21 / 2048)))
    return np.asarray(np.where(dof > 1e3, series, exact))


def _critical_f(between: Floats, within: Floats, alpha: Floats) -> Floats:
    # The reciprocal of the other tail's quantile: forming 1 - alpha would lose a small alpha.
    return np.asarray(1 / scipy.special.fdtri(within, between, alpha))


def _noncentral_f(between: Floats, within: Floats, noncentrality: Floats, value: Floats) -> Floats:
    """Return the cumulative probability of the noncentral F distribution."""
    huge = noncentrality > _HUGE
    below = scipy.special.ncfdtr(between, within, np.where(huge, 1.0, noncentrality), value)
    # For noncentralities in the thousands SciPy gives some NaN, all in the far lower tail: 2.4
    # million random designs of every kind had none with a probability above 1e-48.
    below = np.where(np.isnan(below), 0.0, below)
    if huge.any():
        # The numerator of F' hardly varies then: whether F' <= Fc depends on its denominator only.
        bound = (between + noncentrality) * (within / (between * value))
        below = np.where(huge, scipy.special.chdtrc(within, bound), below)
    return np.asarray(below, dtype=np.float64)
