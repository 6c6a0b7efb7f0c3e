"""Searches for the smallest topic set, difference or width, for all cells of a grid at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design.distributions import effect_size, in_sds
from roundbook.statistics.design.inputs import Grid, impossible, refuse_undefined
from roundbook.statistics.score_matrix import Bools, Floats, Ints

Adequate = Callable[[Ints, NDArray[np.intp]], Bools]
Miss = Callable[[Floats, NDArray[np.intp]], Floats]

# Logarithms of effects are searched from 1e-200 to 1e200: for a bracket of 1/16, then by halving it
# down to 1e-13, about the precision of the distribution functions.
_BRACKET = 1 / 16
_LIMIT = int(460 / _BRACKET)
_HALVINGS = 40


def smallest_whole(adequate: Adequate, start: Ints, lowest: Ints, limit: int) -> Ints:
    """Smallest whole number in ``lowest..limit`` that is adequate, for every cell.

    From `start`, strides of 1, 2, 4, … until adequate and inadequate numbers bracket the answer,
    then bisection: the cost grows with the logarithm of the distance from `start`, not of the
    range.

    Parameters
    ----------
    adequate : callable
        ``adequate(numbers, cells)`` returns for each number whether it is adequate for the cell
        with that flat index. Within ``lowest..limit`` no inadequate number may follow an adequate
        one.
    start, lowest : (cells,) int array
        A guess within ``lowest..limit`` (a near one is quicker), and the smallest number to
        consider.

    Returns
    -------
    (cells,) int array
        ``limit + 1`` where not even `limit` is adequate.
    """
    downward = adequate(start, np.arange(start.size))
    # Invariant: all up to `low` are inadequate (or out of range), all from `high` on adequate.
    low = np.where(downward, lowest - 1, start)
    high = np.where(downward, start, limit + 1)
    striding = np.ones(start.shape, dtype=np.bool_)
    stride = 1
    while (cells := np.flatnonzero(high - low > 1)).size:
        below, above, down = low[cells], high[cells], downward[cells]
        middle = (below + above) // 2
        step = np.where(
            down, np.maximum(above - stride, middle), np.minimum(below + stride, middle)
        )
        probe = np.where(striding[cells], step, middle)
        reached = adequate(probe, cells)
        high[cells] = np.where(reached, probe, above)
        low[cells] = np.where(reached, below, probe)
        striding[cells] &= reached == down
        stride = min(2 * stride, limit)
    return high


def least_effect(miss: Miss, beta: Floats, start: Floats) -> Floats:
    """Smallest effect for which the probability of a miss is at most `beta`, for every cell.

    Parameters
    ----------
    miss : callable
        ``miss(effects, cells)`` is the probability of a miss for the cells with these indices. It
        falls with the effect; NaN, for an effect at which it is undefined, counts as a miss.
    beta : (cells,) float array
    start : (cells,) float array
        A positive guess for each cell; a near one is quicker.

    Returns
    -------
    (cells,) float array
        Exact to a relative 1e-11 and never below the answer, so that rounding on the way back,
        from effect to topics, does not cost a topic. 0 where an effect of 1e-200 suffices, and
        infinity where one of 1e200 does not.
    """

    def enough(steps: Ints, cells: NDArray[np.intp]) -> Bools:
        return np.asarray(miss(np.exp(steps * _BRACKET), cells) <= beta[cells])

    guess = np.clip(np.log(start) / _BRACKET, -_LIMIT, _LIMIT).astype(np.int64)
    steps = smallest_whole(enough, guess, np.full_like(guess, -_LIMIT), _LIMIT)
    cells = np.flatnonzero((steps > -_LIMIT) & (steps <= _LIMIT))
    high = steps[cells] * _BRACKET
    low = high - _BRACKET
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        reached = miss(np.exp(middle), cells) <= beta[cells]
        low, high = np.where(reached, low, middle), np.where(reached, middle, high)
    effect = np.where(steps > _LIMIT, np.inf, 0.0)
    effect[cells] = np.exp(high) * (1 + 1e-12)
    return effect


def topics_for_power(grid: Grid, enough: Floats) -> Ints:
    """Smallest topic set of each test, one more than the most where none suffices.

    `enough` is the noncentrality that suffices if the variance is known.
    """
    effects = effect_size(grid.min_d, grid.variance)
    start = _start(enough / effects)
    runs, effect, alpha, beta = (
        axis.ravel() for axis in (grid.runs, effects, grid.alpha, grid.beta)
    )
    miss_of, engine = grid.kind.miss, grid.engine
    assert miss_of is not None

    def miss(n: Ints, cells: NDArray[np.intp]) -> Floats:
        return miss_of(engine, n.astype(np.float64), runs[cells], effect[cells], alpha[cells])

    def adequate(n: Ints, cells: NDArray[np.intp]) -> Bools:
        return miss(n, cells) <= beta[cells]

    lowest = np.full(runs.shape, 2, dtype=np.int64)
    if engine == "sakai":
        defined = smallest_whole(
            lambda n, cells: ~np.isnan(miss(n, cells)), lowest, lowest, MOST_TOPICS
        )
        lowest = np.minimum(defined, MOST_TOPICS)
        first_will_do = adequate(lowest, np.arange(runs.size))
        start = np.where(first_will_do, lowest, np.maximum(start, lowest))
    return smallest_whole(adequate, start, lowest, MOST_TOPICS)


def topics_for_width(grid: Grid) -> Ints:
    """Smallest topic set of each interval, one more than the most where none suffices."""
    unit_width = grid.kind.unit_width
    assert unit_width is not None
    level = grid.alpha.ravel()
    widths = in_sds(grid.min_d, grid.variance).ravel()

    def adequate(n: Ints, cells: NDArray[np.intp]) -> Bools:
        return unit_width(n.astype(np.float64), level[cells]) <= widths[cells]

    # With many topics the width is proportional to one over their square root.
    many = np.full(level.shape, float(MOST_TOPICS))
    start = _start(many * np.square(unit_width(many, level) / widths))
    return smallest_whole(adequate, start, np.full_like(start, 2), MOST_TOPICS)


def least_difference(grid: Grid) -> Floats:
    """Smallest minD, or width, for which the topics suffice, in residual sds."""
    kind, engine = grid.kind, grid.engine
    if kind.unit_width is not None:
        # Slightly more, so that rounding on the way back does not cost a topic.
        return kind.unit_width(grid.topics, grid.alpha) * (1 + 1e-12)
    assert kind.miss is not None
    assert kind.enough is not None
    n, m, alpha, beta = (axis.ravel() for axis in (grid.topics, grid.runs, grid.alpha, grid.beta))
    miss_of = kind.miss

    def miss(effect: Floats, cells: NDArray[np.intp]) -> Floats:
        return miss_of(engine, n[cells], m[cells], effect, alpha[cells])

    start = kind.enough(m, alpha, beta) / n
    effect = least_effect(miss, beta, np.nan_to_num(np.maximum(start, 1e-9), nan=1.0))
    refuse_undefined(np.isinf(effect), grid)
    trifling = np.flatnonzero(effect == 0)
    if trifling.size:
        facts, power = grid.cell(trifling[0], "topics"), 1 - float(beta[trifling[0]])
        raise impossible("any_min_d", **facts, engine=engine, power=power)
    return np.sqrt(2 * effect).reshape(grid.topics.shape)


def _start(guess: Floats) -> Ints:
    n = np.clip(np.nan_to_num(guess, nan=2.0), 2, MOST_TOPICS)
    return np.ceil(n).astype(np.int64).ravel()
