"""Quantiles of the studentized range, the critical values of Tukey's HSD test.

The range W of m independent standard normal values has the density

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

import numpy as np
import scipy
from numpy.polynomial import Chebyshev

from roundbook.statistics.design.power import critical_t
from roundbook.statistics.score_matrix import Floats

# The trapezoid rule is exact to rounding for a smooth function that vanishes this fast.
_STEP = 0.08
_MIDDLES = np.arange(0, 6.6, _STEP)
_MIDDLE_WEIGHTS = np.where(_MIDDLES > 0, 2, 1) * _STEP * np.exp(-_MIDDLES * _MIDDLES)

_NODES = 256
_DEGREE = 32
_MOST_STEPS = 50


def range_quantile(alpha: Floats, runs: Floats, dof: Floats) -> Floats:
    """Value that the range of m standard normals over a sample sd exceeds with probability alpha.

    Parameters
    ----------
    alpha : float array
        Upper tail probability, in [1e-30, 1); like all arguments of one shape and not checked.
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
