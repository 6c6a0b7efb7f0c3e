"""The smallest adequate whole number, for a whole grid of cells at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Adequate = Callable[[NDArray[np.int64], NDArray[np.intp]], NDArray[np.bool_]]


def smallest_whole(
    adequate: Adequate, start: NDArray[np.int64], lowest: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """Smallest whole number in ``lowest..limit`` that is adequate, for every cell.

    From `start`, strides of 1, 2, 4, … until adequate and inadequate numbers bracket the answer,
    then bisection: the cost is the logarithm of how far off `start` was, not of the range.

    Parameters
    ----------
    adequate : callable
        ``adequate(numbers, cells)`` tells for each number whether it is adequate for the cell with
        that flat index. Within ``lowest..limit`` no inadequate number may follow an adequate one.
    start : (cells,) int array
        A guess for each cell, within ``lowest..limit``; any will do, a near one is quick.
    lowest : (cells,) int array
        The smallest number to consider for each cell.
    limit : int
        The largest number to consider.

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
        found = adequate(probe, cells)
        high[cells] = np.where(found, probe, above)
        low[cells] = np.where(found, below, probe)
        striding[cells] &= found == down
        stride = min(2 * stride, limit)
    return high
