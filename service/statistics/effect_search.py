"""The smallest effect that a test detects, for a whole grid of cells at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from service.statistics.design_input import Floats
from service.statistics.whole_search import smallest_whole

Miss = Callable[[Floats, NDArray[np.intp]], Floats]

# Logarithms of effects are searched from 1e-200 to 1e200: for a bracket of 1/16, then by halving it
# down to 1e-13, which is about what the distribution functions can tell apart.
_BRACKET = 1 / 16
_LIMIT = int(460 / _BRACKET)
_HALVINGS = 40


def least_effect(miss: Miss, beta: Floats, start: Floats) -> Floats:
    """Smallest effect for which the probability of a miss is at most `beta`, for every cell.

    Parameters
    ----------
    miss : callable
        ``miss(effects, cells)`` is the probability of a miss for the cells with these indices. It
        falls with the effect; NaN, for an effect at which it is undefined, counts as a miss.
    beta : (cells,) float array
    start : (cells,) float array
        A positive guess for each cell; any will do, a near one is quick.

    Returns
    -------
    (cells,) float array
        Exact to a relative 1e-11 and never below the answer, so that rounding on the way back,
        from effect to topics, does not cost a topic. 0 where an effect of 1e-200 suffices, and
        infinity where one of 1e200 does not.
    """

    def enough(steps: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.asarray(miss(np.exp(steps * _BRACKET), cells) <= beta[cells])

    guess = np.clip(np.log(start) / _BRACKET, -_LIMIT, _LIMIT).astype(np.int64)
    steps = smallest_whole(enough, guess, np.full_like(guess, -_LIMIT), _LIMIT)
    cells = np.flatnonzero((steps > -_LIMIT) & (steps <= _LIMIT))
    high = steps[cells] * _BRACKET
    low = high - _BRACKET
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        found = miss(np.exp(middle), cells) <= beta[cells]
        low, high = np.where(found, low, middle), np.where(found, middle, high)
    effect = np.where(steps > _LIMIT, np.inf, 0.0)
    effect[cells] = np.exp(high) * (1 + 1e-12)
    return effect
