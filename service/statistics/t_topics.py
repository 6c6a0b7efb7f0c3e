"""Topic set size design for the paired and the two-sample t test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from service.errors import ImpossibleStatistic
from service.statistics.anova_power import effect_size
from service.statistics.design_input import (
    MOST_TOPICS,
    Engine,
    Floats,
    broadcast_floats,
    check_engine,
    check_errors,
    check_sizes,
)
from service.statistics.t_power import T_MISS, difference_variance
from service.statistics.whole_search import smallest_whole


@dataclass(frozen=True, eq=False)
class TTopicSetSize:
    """Topic set sizes of a grid of designs; all arrays have the grid's shape, () for one design.

    Attributes
    ----------
    topics : int array
        Smallest adequate topic set size n; of each run, if two-sample.
    achieved_power : float array
        Power with that many topics, at least ``1 - beta``.
    min_d, variance, alpha, beta : float array
        The designs asked for. `variance` is that of the differences between two runs if paired,
        the residual variance if two-sample.
    engine : {'exact', 'sakai'}
        How the power was computed.
    """

    topics: NDArray[np.int64]
    achieved_power: Floats
    min_d: Floats
    variance: Floats
    alpha: Floats
    beta: Floats
    engine: Engine


def paired_t_topics(
    min_d: ArrayLike,
    variance: ArrayLike | None = None,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    variance_diff: ArrayLike | None = None,
    engine: Engine = "exact",
) -> TTopicSetSize:
    """Smallest n >= 2 with which a paired t test has power >= 1 - beta.

    The power is :func:`service.statistics.t_power.paired_t_power`'s (Sakai, ICTIR 2016). All
    arguments but `engine` broadcast.

    Parameters
    ----------
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float, optional
        Residual variance of the measure, positive; not used if `variance_diff` is given.
    alpha, beta : array_like of float
        Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above ``alpha``.
    variance_diff : array_like of float, optional
        Variance over topics of the difference between two runs; ``2 * variance`` if not given.
    engine : {'exact', 'sakai'}
        Noncentral t, or the approximation of the published spreadsheets.

    Returns
    -------
    TTopicSetSize

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, neither variance is given, the power asked for is not
        above alpha, or a design needs more than 10 million topics.

    Notes
    -----
    With two or three topics `sakai` claims too much: a power of 0.29 for two topics and no effect.
    Sizes that small, which only a large effect or little power can ask for, are better `exact`.

    Examples
    --------
    >>> int(paired_t_topics(0.5, variance_diff=1.0).topics)
    34
    """
    check_engine(engine)
    spread = difference_variance(variance, variance_diff)
    grid = broadcast_floats(min_d, spread, alpha, beta)
    return _solve(grid, _paired_dof, 2, engine)


def two_sample_t_topics(
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    engine: Engine = "exact",
) -> TTopicSetSize:
    """Smallest n >= 2 with which a two-sample t test has power >= 1 - beta.

    The power is :func:`service.statistics.t_power.two_sample_t_power`'s (Sakai, ICTIR 2016). All
    arguments but `engine` broadcast.

    Parameters
    ----------
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float
        Residual variance of the measure, common to the runs, positive.
    alpha, beta : array_like of float
        Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above ``alpha``.
    engine : {'exact', 'sakai'}
        Noncentral t, or the approximation of the published spreadsheets.

    Returns
    -------
    TTopicSetSize

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, the power asked for is not above alpha, or a design
        needs more than 10 million topics.

    Examples
    --------
    >>> two_sample_t_topics([0.5, 1.0], 1.0).topics.tolist()
    [64, 17]
    """
    check_engine(engine)
    grid = broadcast_floats(min_d, variance, alpha, beta)
    return _solve(grid, _two_sample_dof, 1, engine)


def _paired_dof(topics: Floats) -> Floats:
    return topics - 1


def _two_sample_dof(topics: Floats) -> Floats:
    return 2 * topics - 2


def _solve(
    grid: tuple[Floats, ...], dof: Callable[[Floats], Floats], residuals: int, engine: Engine
) -> TTopicSetSize:
    min_d, variance, alpha, beta = grid
    check_sizes("A minD", min_d)
    check_sizes("A variance", variance)
    check_errors(alpha, beta)
    # The variance given holds that many residual variances.
    effect = effect_size(min_d, variance / residuals).ravel()
    level, allowed = alpha.ravel(), beta.ravel()

    def miss(topics: NDArray[np.int64], cells: NDArray[np.intp]) -> Floats:
        n = topics.astype(np.float64)
        return T_MISS[engine](dof(n), n * effect[cells], level[cells])

    def adequate(topics: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return miss(topics, cells) <= allowed[cells]

    cells = np.arange(effect.size)
    lowest = np.full(effect.shape, 2, dtype=np.int64)
    # The answer with infinitely many dof and one tail, which is short by a few topics only.
    shift = np.maximum(-ndtri(level / 2) - ndtri(allowed), 0)
    start = np.ceil(np.clip(shift * shift / effect, 2, MOST_TOPICS)).astype(np.int64)
    # The power of `sakai` may fall with the first topics before it rises: so n = 2 is tried on its
    # own, and past it all is a rise, or a fall below what 2 topics gave and then a rise.
    start = np.where(adequate(lowest, cells), lowest, start)
    n = smallest_whole(adequate, start, lowest, MOST_TOPICS)
    power = 1 - miss(n, cells)
    size = TTopicSetSize(
        n.reshape(min_d.shape),
        power.reshape(min_d.shape),
        min_d,
        variance,
        alpha,
        beta,
        engine,
    )
    _check_found(size)
    return size


def _check_found(size: TTopicSetSize) -> None:
    endless = np.flatnonzero(size.topics > MOST_TOPICS)
    if endless.size:
        first = endless[0]
        raise ImpossibleStatistic(
            f"MinD {size.min_d.flat[first]:g} and variance {size.variance.flat[first]:g}"
            f" (alpha {size.alpha.flat[first]:g}, beta {size.beta.flat[first]:g}) would take more"
            f" than {MOST_TOPICS:,} topics: ask for a larger minD."
        )
