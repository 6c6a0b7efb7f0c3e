"""Topic set size design by the width of the confidence interval of a difference.

The expected full width of the t interval at level ``1 - alpha``, from normal scores, is

- paired, both runs on the same n topics: ``2 t(1 - alpha/2; n - 1) G(n - 1) sd_diff / sqrt(n)``;
- two-sample, n topics each: ``2 t(1 - alpha/2; 2n - 2) G(2n - 2) sd sqrt(2 / n)``;

where ``G(phi) = sqrt(2 / phi) Gamma((phi + 1) / 2) / Gamma(phi / 2)`` is the expected sample sd in
units of the true one (Sakai, ICTIR 2016). This is no approximation, and it is what the published
spreadsheets compute: the engines `exact` and `sakai` coincide, so that there is none to choose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, ndtri

from service.errors import ImpossibleStatistic
from service.statistics.design_input import (
    MOST_TOPICS,
    Floats,
    broadcast_floats,
    check_counts,
    check_probabilities,
    check_sizes,
)
from service.statistics.t_power import critical_t, difference_variance
from service.statistics.whole_search import smallest_whole


@dataclass(frozen=True, eq=False)
class WidthTopicSetSize:
    """Topic set sizes of a grid of designs; all arrays have the grid's shape, () for one design.

    Attributes
    ----------
    topics : int array
        Smallest adequate topic set size n; of each run, if two-sample.
    expected_width : float array
        Expected full width with that many topics, at most `width`.
    width, variance, alpha : float array
        The designs asked for. `variance` is that of the differences between two runs if paired,
        the residual variance if two-sample.
    """

    topics: NDArray[np.int64]
    expected_width: Floats
    width: Floats
    variance: Floats
    alpha: Floats


def paired_width_topics(
    width: ArrayLike,
    variance: ArrayLike | None = None,
    alpha: ArrayLike = 0.05,
    *,
    variance_diff: ArrayLike | None = None,
) -> WidthTopicSetSize:
    """Smallest n >= 2 with an expected interval of a paired difference no wider than `width`.

    Parameters
    ----------
    width : array_like of float
        Full width from limit to limit, in the measure's unit, positive.
    variance : array_like of float, optional
        Residual variance of the measure, positive; not used if `variance_diff` is given.
    alpha : array_like of float
        One less the confidence level, in [1e-30, 1).
    variance_diff : array_like of float, optional
        Variance over topics of the difference between two runs; ``2 * variance`` if not given.

    Returns
    -------
    WidthTopicSetSize

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, neither variance is given, or a design needs more than
        10 million topics.

    Examples
    --------
    >>> paired_width_topics([0.1, 0.2], variance_diff=0.1).topics.tolist()
    [156, 41]
    """
    spread = difference_variance(variance, variance_diff)
    return _solve(broadcast_floats(width, spread, alpha), paired_unit_width, 1)


def two_sample_width_topics(
    width: ArrayLike, variance: ArrayLike, alpha: ArrayLike = 0.05
) -> WidthTopicSetSize:
    """Smallest n >= 2 with an expected interval of a two-sample difference no wider than `width`.

    Parameters
    ----------
    width : array_like of float
        Full width from limit to limit, in the measure's unit, positive.
    variance : array_like of float
        Residual variance of the measure, common to the runs, positive.
    alpha : array_like of float
        One less the confidence level, in [1e-30, 1).

    Returns
    -------
    WidthTopicSetSize

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, or a design needs more than 10 million topics.

    Examples
    --------
    >>> two_sample_width_topics([0.1, 0.2], 0.05).topics.tolist()
    [155, 40]
    """
    return _solve(broadcast_floats(width, variance, alpha), two_sample_unit_width, 2)


def paired_unit_width(topics: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """Expected full width of the interval of a paired difference, in units of ``sd_diff``.

    Examples
    --------
    >>> paired_unit_width([10, 100]).round(4).tolist()
    [1.3915, 0.3959]
    """
    n, level = _checked_topics(topics, alpha)
    return _unit_width(n - 1, level) / np.sqrt(n)


def two_sample_unit_width(topics: ArrayLike, alpha: ArrayLike = 0.05) -> Floats:
    """Expected full width of the interval of a two-sample difference, in units of ``sd``.

    Examples
    --------
    >>> two_sample_unit_width([10, 100]).round(4).tolist()
    [1.8531, 0.5571]
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


def _solve(
    grid: tuple[Floats, ...], unit_width: Callable[[Floats, Floats], Floats], samples: int
) -> WidthTopicSetSize:
    width, variance, alpha = grid
    check_sizes("An interval width", width)
    check_sizes("A variance", variance)
    check_probabilities("Alpha", alpha)
    sd, level = np.sqrt(variance).ravel(), alpha.ravel()
    with np.errstate(over="ignore", under="ignore"):
        wanted = width.ravel() / sd
        # With infinitely many dof.
        guess = samples * (2 * ndtri(level / 2) / wanted) ** 2
    start = np.ceil(np.clip(np.nan_to_num(guess, nan=2.0), 2, MOST_TOPICS)).astype(np.int64)

    def adequate(topics: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return unit_width(topics.astype(np.float64), level[cells]) <= wanted[cells]

    n = smallest_whole(adequate, start, np.full_like(start, 2), MOST_TOPICS)
    size = WidthTopicSetSize(
        n.reshape(width.shape),
        (unit_width(n.astype(np.float64), level) * sd).reshape(width.shape),
        *grid,
    )
    endless = np.flatnonzero(n > MOST_TOPICS)
    if endless.size:
        first = endless[0]
        raise ImpossibleStatistic(
            f"An interval of width {width.flat[first]:g} with variance {variance.flat[first]:g}"
            f" (alpha {alpha.flat[first]:g}) would take more than {MOST_TOPICS:,} topics:"
            " ask for a wider one."
        )
    return size
