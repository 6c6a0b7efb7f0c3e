"""Topic set size design by the expected width of the interval of a difference.

:mod:`service.statistics.interval_width` has the formulas. Engines do not differ here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from service.errors import ImpossibleStatistic
from service.statistics.design_input import (
    MOST_TOPICS,
    Floats,
    broadcast_floats,
    check_probabilities,
    check_sizes,
)
from service.statistics.interval_width import paired_unit_width, two_sample_unit_width
from service.statistics.t_power import difference_variance
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


def _solve(
    grid: tuple[Floats, ...], unit_width: Callable[[Floats, Floats], Floats], samples: int
) -> WidthTopicSetSize:
    width, variance, alpha = grid
    check_sizes("An interval width", width)
    check_sizes("A variance", variance)
    check_probabilities("Alpha", alpha)
    sd, level = np.sqrt(variance).ravel(), alpha.ravel()
    with np.errstate(over="ignore", under="ignore"):
        wanted = np.clip(width.ravel() / sd, 1e-100, 1e100)
    # With infinitely many dof.
    guess = samples * (2 * ndtri(level / 2) / wanted) ** 2
    start = np.ceil(np.clip(guess, 2, MOST_TOPICS)).astype(np.int64)

    def adequate(topics: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return unit_width(topics.astype(np.float64), level[cells]) <= wanted[cells]

    n = smallest_whole(adequate, start, np.full_like(start, 2), MOST_TOPICS)
    size = WidthTopicSetSize(
        n.reshape(width.shape),
        (unit_width(n.astype(np.float64), level) * sd).reshape(width.shape),
        width,
        variance,
        alpha,
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
