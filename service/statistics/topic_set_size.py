"""Topic set size design for a one-way ANOVA: how many topics a given power takes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtri, chndtrinc

from service.errors import ImpossibleStatistic
from service.statistics.anova_power import MISS, anova_power, effect_size
from service.statistics.design_input import (
    ENGINES,
    MOST_TOPICS,
    Engine,
    Floats,
    broadcast_floats,
    check_counts,
    check_engine,
    check_errors,
    check_sizes,
)
from service.statistics.whole_search import smallest_whole

__all__ = ["ENGINES", "MOST_TOPICS", "Engine", "TopicSetSize", "anova_power", "anova_topics"]


@dataclass(frozen=True, eq=False)
class TopicSetSize:
    """Topic set sizes of a grid of designs; all arrays have the grid's shape, () for one design.

    Attributes
    ----------
    topics : int array
        Smallest adequate topic set size n.
    achieved_power : float array
        Power with that many topics, at least ``1 - beta``.
    runs, min_d, variance, alpha, beta : array
        The designs asked for.
    engine : {'exact', 'sakai'}
        How the power was computed.
    """

    topics: NDArray[np.int64]
    achieved_power: Floats
    runs: NDArray[np.int64]
    min_d: Floats
    variance: Floats
    alpha: Floats
    beta: Floats
    engine: Engine


def anova_topics(
    runs: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    engine: Engine = "exact",
) -> TopicSetSize:
    """Smallest topic set size n >= 2 with power >= 1 - beta; all but `engine` broadcasts.

    The power is :func:`anova_power`'s (Sakai, AIRS 2016, for the design and engine `sakai`).

    Parameters
    ----------
    runs : array_like of int
        Number of runs m, whole and at least 2.
    min_d : array_like of float
        In the measure's unit, positive.
    variance : array_like of float
        Residual variance of the measure, positive.
    alpha, beta : array_like of float
        Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above ``alpha``.
    engine : {'exact', 'sakai'}
        Noncentral F, or the approximation of the published spreadsheets.

    Returns
    -------
    TopicSetSize

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, the power asked for is not above alpha, or a design
        needs more than 10 million topics.

    Notes
    -----
    The exact power rises with n. That of `sakai` is undefined up to some n, and for large effects
    or a large alpha may fall from there before it rises; so its first defined n is tried on its
    own, and the search, which needs a rise, begins after it.

    Examples
    --------
    >>> anova_topics([2, 10], 0.1, 0.05).topics.tolist()
    [80, 158]
    """
    check_engine(engine)
    m, difference, residual, level, miss_allowed = broadcast_floats(
        runs, min_d, variance, alpha, beta
    )
    check_counts("A number of runs", m)
    check_sizes("A minD", difference)
    check_sizes("A variance", residual)
    check_errors(level, miss_allowed)
    effect = effect_size(difference, residual)
    # Without minD and variance, so that one inversion serves the whole grid of effects.
    start = _guess(_noncentrality(*broadcast_floats(runs, alpha, beta)), effect)
    n, power = _solve(
        engine,
        start.ravel(),
        runs=m.ravel(),
        effect=effect.ravel(),
        alpha=level.ravel(),
        beta=miss_allowed.ravel(),
    )
    size = TopicSetSize(
        n.reshape(m.shape),
        power.reshape(m.shape),
        m.astype(np.int64),
        difference,
        residual,
        level,
        miss_allowed,
        engine,
    )
    _check_found(size)
    return size


def _noncentrality(runs: Floats, alpha: Floats, beta: Floats) -> Floats:
    # With infinitely many topics phiA * F is chi-square, whose noncentrality has an inverse; the
    # topic set size it implies is short of the exact one by a few topics only, whatever the size.
    return np.asarray(chndtrinc(chdtri(runs - 1, alpha), runs - 1, beta), dtype=np.float64)


def _guess(noncentrality: Floats, effect: Floats) -> NDArray[np.int64]:
    n = np.nan_to_num(noncentrality / effect, nan=2.0)
    return np.asarray(np.ceil(np.clip(n, 2, MOST_TOPICS)), dtype=np.int64)


def _solve(
    engine: Engine,
    start: NDArray[np.int64],
    *,
    runs: Floats,
    effect: Floats,
    alpha: Floats,
    beta: Floats,
) -> tuple[NDArray[np.int64], Floats]:
    def miss(n: NDArray[np.int64], cells: NDArray[np.intp]) -> Floats:
        return MISS[engine](n.astype(np.float64), runs[cells], effect[cells], alpha[cells])

    def adequate(n: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return miss(n, cells) <= beta[cells]

    def defined(n: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return ~np.isnan(miss(n, cells))

    cells = np.arange(runs.size)
    lowest = np.full(runs.shape, 2, dtype=np.int64)
    if engine == "sakai":
        lowest = np.minimum(smallest_whole(defined, lowest, lowest, MOST_TOPICS), MOST_TOPICS)
        start = np.where(adequate(lowest, cells), lowest, np.maximum(start, lowest))
    n = smallest_whole(adequate, start, lowest, MOST_TOPICS)
    return n, 1 - miss(n, cells)


def _check_found(size: TopicSetSize) -> None:
    endless = np.flatnonzero(size.topics > MOST_TOPICS)
    if endless.size:
        first = endless[0]
        raise ImpossibleStatistic(
            f"m = {size.runs.flat[first]} runs, minD {size.min_d.flat[first]:g} and variance"
            f" {size.variance.flat[first]:g} (alpha {size.alpha.flat[first]:g},"
            f" beta {size.beta.flat[first]:g}) would take more than {MOST_TOPICS:,} topics:"
            " ask for a larger minD."
        )
