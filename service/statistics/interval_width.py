"""Expected width of the confidence interval of a difference between two runs.

The expected full width of the t interval at level ``1 - alpha``, from normal scores, is

- paired, both runs on the same n topics: ``2 t(1 - alpha/2; n - 1) G(n - 1) sd_diff / sqrt(n)``;
- two-sample, n topics each: ``2 t(1 - alpha/2; 2n - 2) G(2n - 2) sd sqrt(2 / n)``;

where ``G(phi) = sqrt(2 / phi) Gamma((phi + 1) / 2) / Gamma(phi / 2)`` is the expected sample sd in
units of the true one (Sakai, ICTIR 2016). This is no approximation, and it is what the published
spreadsheets compute: the engines `exact` and `sakai` coincide, so that there is none to choose.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln

from service.statistics.design_input import (
    Floats,
    broadcast_floats,
    check_counts,
    check_probabilities,
)
from service.statistics.t_power import critical_t


def paired_unit_width(topics: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """Return the expected full width of a paired difference's interval, in units of ``sd_diff``.

    Parameters
    ----------
    topics : array_like of int
        Topic set size n, whole and at least 2.
    alpha : array_like of float
        One less the confidence level, in [1e-30, 1).

    Returns
    -------
    float array of the broadcast shape

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range.

    Examples
    --------
    >>> paired_unit_width([10, 100]).round(4).tolist()
    [1.3916, 0.3958]
    """
    n, level = _checked_topics(topics, alpha)
    return _unit_width(n - 1, level) / np.sqrt(n)


def two_sample_unit_width(topics: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """Return the expected full width of a two-sample difference's interval, in units of ``sd``.

    Parameters
    ----------
    topics : array_like of int
        Topics of each run, whole and at least 2.
    alpha : array_like of float
        One less the confidence level, in [1e-30, 1).

    Returns
    -------
    float array of the broadcast shape

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range.

    Examples
    --------
    >>> two_sample_unit_width([10, 100]).round(4).tolist()
    [1.8532, 0.5571]
    """
    n, level = _checked_topics(topics, alpha)
    return _unit_width(2 * n - 2, level) * np.sqrt(2 / n)


def expected_sd(dof: Floats) -> Floats:
    """``G(phi)``, the expected sample sd of normal values in units of their true sd; unchecked."""
    few = np.minimum(dof, 1e3)
    exact = np.sqrt(2 / few) * np.exp(gammaln((few + 1) / 2) - gammaln(few / 2))
    # The difference of two large logarithms loses digits, just where the series is exact.
    r = 1 / dof
    series = 1 + r * (-1 / 4 + r * (1 / 32 + r * (5 / 128 - r * 21 / 2048)))
    return np.asarray(np.where(dof > 1e3, series, exact))


def _checked_topics(topics: ArrayLike, alpha: ArrayLike) -> tuple[Floats, Floats]:
    n, level = broadcast_floats(topics, alpha)
    check_counts("A topic set size", n)
    check_probabilities("Alpha", level)
    return n, level


def _unit_width(dof: Floats, alpha: Floats) -> Floats:
    return 2 * critical_t(dof, alpha) * expected_sd(dof)
