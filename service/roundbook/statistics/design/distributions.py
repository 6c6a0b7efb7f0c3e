"""Distributions behind topic set size designs: noncentral F and t, and the studentized range.

Of F and t the probability of a miss is computed, ``1 - power``, which keeps its digits when it is
small, exactly and by Sakai's approximations. All functions take arrays of one shape and check
nothing.

The studentized range is that of Tukey's HSD test. The range W of m independent standard normal
values has the density

    f(w) = m (m - 1) / (2 pi) exp(-w^2 / 4)
           int exp(-v^2) (Phi(w/2 - v) - Phi(-w/2 - v))^(m - 2) dv

where v is the middle of the range. Divided by an independent sample sd with phi degrees of freedom
it is the studentized range Q, with

    P(Q > q) = int f(w) P(chi2(phi) <= phi w^2 / q^2) dw.

Both integrands are positive, so that the sums keep the digits of a small probability. For one
alpha and m, ln q is a smooth function of 1/phi down to 0, the infinite degrees of freedom: it is
solved for a few phi and interpolated between them. SciPy's ``studentized_range.ppf`` takes a tenth
of a second for one quantile, this a hundredth for those of all phi.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal

import numpy as np
import scipy
from numpy.polynomial import Chebyshev

from roundbook.statistics.score_matrix import Floats

Engine = Literal["exact", "sakai"]
ENGINES: tuple[Engine, ...] = ("exact", "sakai")

# Beyond this noncentrality SciPy's noncentral F is slow, and from 1e12 on it returns NaN.
_HUGE = 1e8

# The trapezoid rule is exact to rounding for a smooth function that vanishes this fast.
_STEP = 0.08
_MIDDLES = np.arange(0, 6.6, _STEP)
_MIDDLE_WEIGHTS = np.where(_MIDDLES > 0, 2, 1) * _STEP * np.exp(-_MIDDLES * _MIDDLES)

_NODES = 256
_DEGREE = 32
_MOST_STEPS = 50


def in_sds(min_d: Floats, variance: Floats) -> Floats:
    """Return a difference, or width, in units of the residual sd, within 1e-100 and 1e100."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.clip(min_d / np.sqrt(variance), 1e-100, 1e100))


def effect_size(min_d: Floats, variance: Floats) -> Floats:
    """Return the noncentrality per topic, ``minD^2 / (2 variance)``, within 1e-200 and 1e200."""
    root = in_sds(min_d, variance)
    return root * root / 2


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
    / s) + 1 - Phi((w k - ncp) / s)`` (Sakai, Information Retrieval Journal 19, 2016).
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


def range_quantile(alpha: Floats, runs: Floats, dof: Floats) -> Floats:
    """Value that the range of m standard normals over a sample sd exceeds with probability alpha.

    Parameters
    ----------
    alpha : float array
        Upper tail probability, in [1e-30, 1).
    runs : float array
        Number m of values that the range is of, whole and at least 2.
    dof : float array
        Degrees of freedom phi of the sd, at least 1; infinity for a known sd.

    Returns
    -------
    float array of the same shape
        To a relative 1e-8 for m up to 200 and alpha from 0.001 to 0.2, to 1e-5 with more values or
        an alpha from 1e-30 to 0.9, to 1e-3 for an alpha beyond.

    Examples
    --------
    >>> range_quantile(np.array([0.05]), np.array([10.0]), np.array([100.0])).round(4).tolist()
    [4.5768]
    """
    # The range of two values is the size of their difference.
    quantile = np.asarray(np.sqrt(2) * critical_t(dof, alpha))
    keys = np.stack([alpha.ravel(), runs.ravel()])
    flat, phi = quantile.reshape(-1), dof.reshape(-1)
    for level, m in np.unique(keys[:, keys[1] > 2], axis=1).T:
        cells = np.flatnonzero((keys[0] == level) & (keys[1] == m))
        shift, log_quantile = _interpolant(float(level), float(m))
        flat[cells] = np.exp(log_quantile(1 / (phi[cells] + shift)))
    return np.asarray(flat.reshape(dof.shape))


@lru_cache(maxsize=4096)
def _interpolant(alpha: float, runs: float) -> tuple[float, Chebyshev]:
    """Return a shift c and the logarithm of the quantile as a function of ``1 / (phi + c)``."""
    # For a small alpha the quantile is smooth in 1 / phi only from some phi on; the shift c makes
    # this the scale of the interpolation. For 0.15 the errors are the smallest.
    shift = 0.15 * float(np.log(_pairs(runs) / alpha))
    end = 1 / (1 + shift)
    at = end * (1 - np.cos(np.linspace(0, np.pi, _DEGREE + 1))) / 2
    finite = _log_quantiles(alpha, runs, np.maximum(1 / at[1:] - shift, 1))
    limit = _log_quantile_of_known_sd(alpha, runs)
    values = np.concatenate([[limit], finite])
    return shift, Chebyshev.fit(at, values, _DEGREE, domain=[0, end])


def _log_quantiles(alpha: float, runs: float, dof: Floats) -> Floats:
    half = dof[:, np.newaxis] / 2
    largest = _largest_range(alpha, runs)
    nodes, weights = _gauss_legendre()
    # Denser towards 0: with many degrees of freedom the second integrand ends in a step at q, which
    # is about q / sqrt(2 phi) wide.
    ranges = largest * nodes**1.5
    mass = _density(ranges, runs) * largest * 1.5 * np.sqrt(nodes) * weights
    scale = np.log(2) + half * np.log(half) - scipy.special.gammaln(half)

    def tail(log_q: Floats) -> tuple[Floats, Floats]:
        ratio = 2 * (np.log(ranges) - log_q[:, np.newaxis])
        bound = half * np.exp(ratio)
        # Not `@`: its threads would wait for each other on a busy machine.
        above = (scipy.special.gammainc(half, bound) * mass).sum(axis=1)
        return above, (np.exp(scale + half * ratio - bound) * mass).sum(axis=1)

    # Bonferroni's bound, which is above the quantile.
    start = np.log(np.sqrt(2) * critical_t(dof, np.full_like(dof, alpha / _pairs(runs))))
    return _solved(tail, alpha, start)


def _log_quantile_of_known_sd(alpha: float, runs: float) -> float:
    largest = _largest_range(alpha, runs)
    nodes, weights = _gauss_legendre()

    def tail(log_q: Floats) -> tuple[Floats, Floats]:
        q = np.exp(log_q)
        ranges = q + (largest - q) * nodes
        above = (_density(ranges, runs) * (largest - q) * weights).sum(keepdims=True)
        return above, _density(q, runs) * q

    start = np.log(-np.sqrt(2) * scipy.special.ndtri([alpha / _pairs(runs) / 2]))
    return float(_solved(tail, alpha, start)[0])


def _solved(tail: Callable[[Floats], tuple[Floats, Floats]], alpha: float, log_q: Floats) -> Floats:
    """Newton's method, on the logarithm of a tail probability that is concave in ln q."""
    for _ in range(_MOST_STEPS):
        above, slope = tail(log_q)
        step = (np.log(above) - np.log(alpha)) * above / slope
        log_q = log_q + step
        # The next step would be of the order of its square.
        if np.abs(step).max() < 1e-6:
            break
    return log_q


def _density(ranges: Floats, runs: float) -> Floats:
    half = ranges[:, np.newaxis] / 2
    between = scipy.special.ndtr(half - _MIDDLES) - scipy.special.ndtr(-half - _MIDDLES)
    middles = (between ** (runs - 2) * _MIDDLE_WEIGHTS).sum(axis=1)
    return np.asarray(_pairs(runs) / np.pi * np.exp(-(half[:, 0] ** 2)) * middles)


@cache
def _gauss_legendre() -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss-Legendre quadrature on 0..1."""
    # By Newton's method on the Legendre polynomial. NumPy's own are the eigenvalues of a matrix,
    # for which its threads wait for each other on a busy machine: half a second for these few.
    nodes = np.cos(np.pi * (np.arange(_NODES, 0, -1) - 0.25) / (_NODES + 0.5))
    slope = np.empty(_NODES)
    for _ in range(4):
        before, value = np.ones(_NODES), nodes
        for degree in range(2, _NODES + 1):
            before, value = (
                value,
                ((2 * degree - 1) * nodes * value - (degree - 1) * before) / degree,
            )
        slope = _NODES * (nodes * value - before) / (nodes**2 - 1)
        nodes = nodes - value / slope
    return (nodes + 1) / 2, 1 / ((1 - nodes**2) * slope**2)


def _largest_range(alpha: float, runs: float) -> float:
    # Beyond are some 1e-12 of alpha.
    return 2 * float(np.sqrt(np.log(_pairs(runs) / alpha) + 28))


def _pairs(runs: float) -> float:
    return runs * (runs - 1) / 2
