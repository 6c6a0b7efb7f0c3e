"""Trends: whether a figure falls or rises from round to round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roundbook.statistics.significance import kendall_test


@dataclass(frozen=True)
class Trend:
    """The trend of a figure over the rounds.

    Attributes
    ----------
    rounds : int
        Number of rounds that have the figure.
    first, last : float
        The figure in the first and in the last of these rounds.
    lower, higher : int
        Rounds in which it is lower, or higher, than in the one before.
    order_tau : float or None
        Kendall's tau-b between the figure and the order of the rounds: -1 if it falls every time.
        None with fewer than three rounds, or where all are equal.
    p : float or None
        Two-sided, of no trend (Mann, Econometrica 1945): exact where no two rounds are equal.
    """

    rounds: int
    first: float
    last: float
    lower: int
    higher: int
    order_tau: float | None
    p: float | None


def round_trend(figures: Sequence[float]) -> Trend:
    """Return the trend of a figure over the rounds.

    `figures` are one a round, in their order; at least one.

    Examples
    --------
    >>> trend = round_trend([0.90, 0.85, 0.86, 0.75])
    >>> trend.lower, trend.higher, round(trend.order_tau, 3), round(trend.p, 3)
    (2, 1, -0.667, 0.333)
    """
    values = np.asarray(figures, dtype=np.float64)
    steps = np.diff(values)
    test = kendall_test(np.arange(values.size, dtype=np.float64), values)
    return Trend(
        values.size,
        float(values[0]),
        float(values[-1]),
        int((steps < 0).sum()),
        int((steps > 0).sum()),
        test.statistic,
        test.p_value,
    )
