"""An interval for a pooled variance, from those of the variances it was pooled from."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from service.errors import ImpossibleStatistic


@dataclass(frozen=True, eq=False)
class PooledInterval:
    """Interval of a weighted mean of variances.

    Attributes
    ----------
    low, high : float
        Its limits, in squared units of the score; `low` is not below 0.
    variance : float
        The weighted mean.
    variances, lows, highs, weights : (matrices,) float array
        The input; the weights as shares that sum to 1.
    """

    low: float
    high: float
    variance: float
    variances: NDArray[np.float64]
    lows: NDArray[np.float64]
    highs: NDArray[np.float64]
    weights: NDArray[np.float64]


def pooled_interval(
    variances: ArrayLike, lows: ArrayLike, highs: ArrayLike, weights: ArrayLike
) -> PooledInterval:
    """Combine the intervals of several variances into one of their weighted mean.

    With shares ``w_C``, ``low = V - sqrt(sum (w_C (V_C - low_C))^2)`` and
    ``high = V + sqrt(sum (w_C (high_C - V_C))^2)``: the method of variance estimates recovery,
    which keeps the skew of the single intervals (Zou and Donner, Statistics in Medicine 27, 2008).
    It takes the variances for independent; rounds that share topics are so only in part.

    Parameters
    ----------
    variances, lows, highs : (matrices,) array_like of float
        Each variance with the limits of its interval, all of one confidence level, which is that
        of the result too.
    weights : (matrices,) array_like of float
        What each counts in the mean, such as its degrees of freedom; positive.

    Returns
    -------
    PooledInterval

    Raises
    ------
    ImpossibleStatistic
        If there is no variance, the lengths differ, a number is not finite, a variance lies
        outside its interval, or a weight is not positive.

    Examples
    --------
    >>> found = pooled_interval([0.04, 0.08], [0.03, 0.06], [0.06, 0.11], [1, 1])
    >>> round(found.low, 4), round(found.variance, 4), round(found.high, 4)
    (0.0488, 0.06, 0.078)
    """
    values, low, high, share = _checked(variances, lows, highs, weights)
    share = share / share.sum()
    mean = math.fsum((share * values).tolist())
    below = math.hypot(*(share * (values - low)).tolist())
    above = math.hypot(*(share * (high - values)).tolist())
    return PooledInterval(max(mean - below, 0.0), mean + above, mean, values, low, high, share)


def _checked(*inputs: ArrayLike) -> list[NDArray[np.float64]]:
    arrays = [np.asarray(values, dtype=np.float64) for values in inputs]
    values, low, high, weights = arrays
    if len({array.shape for array in arrays}) != 1 or values.ndim != 1 or not values.size:
        raise ImpossibleStatistic(
            "The interval of a pooled variance needs a variance, two limits and a weight for each"
            f" matrix: the shapes are {', '.join(str(array.shape) for array in arrays)}."
        )
    if not all(np.isfinite(array).all() for array in arrays) or not (weights > 0).all():
        raise ImpossibleStatistic(
            "The interval of a pooled variance needs finite numbers and positive weights."
        )
    if not ((low <= values) & (values <= high) & (low >= 0)).all():
        raise ImpossibleStatistic(
            "The interval of a pooled variance needs each variance within its own limits."
        )
    return arrays
