"""Searches for the smallest adequate whole number or effect, for all cells of a grid at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
