"""The mean of some values with its t intervals, and the position of an interval to a margin."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from roundbook.statistics.score_matrix import Floats
from roundbook.statistics.ties import centred_rows

Interval = tuple[float, float]


@dataclass(frozen=True)
class TInterval:
    """Mean of some values with its t intervals.

    Attributes
    ----------
    mean : float or None
        None without a value.
    within_90, within_95 : (float, float) or None
        Its two-sided t intervals; None with fewer than two values.
    """

    mean: float | None = None
    within_90: Interval | None = None
    within_95: Interval | None = None


def t_interval(values: Floats) -> TInterval:
    """Mean with its t intervals ``mean ± t(1 - alpha/2; n - 1) sd / sqrt(n)``, sd with ddof 1.

    Parameters
    ----------
    values : (n,) float array
        Finite; not checked.

    Returns
    -------
    TInterval
        Equal values have exactly this value as mean and as both limits.

    Examples
    --------
    >>> t_interval(np.array([0.1, 0.3])).mean
    0.2
    """
    if values.size == 0:
        return TInterval()
    (centre,), (deviations,) = centred_rows(values[np.newaxis])
    mean, dof = float(centre), values.size - 1
    if dof == 0:
        return TInterval(mean)
    error = math.sqrt(float(np.sum(deviations**2)) / dof / values.size)
    return TInterval(mean, t_limits(mean, error, dof, 0.90), t_limits(mean, error, dof, 0.95))


def t_limits(centre: float, error: float, dof: float, level: float) -> Interval:
    """Limits ``centre ± t((1 + level) / 2; dof) error`` of a two-sided t interval."""
    half = float(scipy.special.stdtrit(dof, (1 + level) / 2)) * error
    return centre - half, centre + half


def inside(interval: Interval | None, margin: float) -> bool:
    """Whether there is an interval and all of it lies within ``[-margin, margin]``."""
    return interval is not None and -margin <= interval[0] and interval[1] <= margin


def outside(interval: Interval | None, margin: float) -> bool:
    """Whether there is an interval and none of it lies within ``[-margin, margin]``."""
    return interval is not None and (interval[0] > margin or interval[1] < -margin)
