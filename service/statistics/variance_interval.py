"""The chi-square interval of a residual variance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import gammainccinv, gammaincinv

from service.errors import ImpossibleStatistic


@dataclass(frozen=True)
class VarianceInterval:
    """Chi-square interval of a variance.

    Attributes
    ----------
    low, high : float or None
        Its limits; None where they cannot be known.
    variance : float
        ``sum_of_squares / dof``.
    reason : str or None
        Why there are no limits, where there are none.
    level, sum_of_squares, dof
        The input.
    """

    low: float | None
    high: float | None
    variance: float
    reason: str | None
    level: float
    sum_of_squares: float
    dof: int


def chi_square_interval(sum_of_squares: float, dof: int, level: float = 0.95) -> VarianceInterval:
    """Interval of a variance from its sum of squares and degrees of freedom.

    ``[SS / chi2(1 - a/2; dof), SS / chi2(a/2; dof)]`` with ``a = 1 - level`` and ``chi2(p; dof)``
    the quantile of the chi-square distribution (Snedecor and Cochran, Statistical Methods).

    It takes scores for normal, and for independent of each other: the ``m (n - 1)`` dof of a
    one-way residual variance count every score, though runs on the same topics rise and fall
    together. The interval is then too narrow; the topic bootstrap
    (:func:`service.statistics.bootstrap.bootstrap_variance`) makes neither assumption.

    Parameters
    ----------
    sum_of_squares : float
        Squared residuals summed (score unit squared), not negative.
    dof : int
        Degrees of freedom, at least 1.
    level : float
        Confidence level, in (0, 1).

    Returns
    -------
    VarianceInterval
        Without limits, and with the reason, for a sum of squares of 0.

    Raises
    ------
    ImpossibleStatistic
        If the sum of squares is negative or not finite, `dof` no whole number of at least 1, or
        the level not between 0 and 1.

    Examples
    --------
    >>> found = chi_square_interval(4.9, 49)
    >>> found.variance, round(found.low, 4), round(found.high, 4)
    (0.1, 0.0698, 0.1553)
    """
    if not (sum_of_squares >= 0 and math.isfinite(sum_of_squares)):
        raise ImpossibleStatistic(
            "The interval of a variance needs a sum of squares that is finite and not negative,"
            f" not {sum_of_squares}."
        )
    if not (math.isfinite(dof) and dof >= 1 and dof == math.floor(dof)):
        raise ImpossibleStatistic(
            f"The interval of a variance needs whole degrees of freedom of at least 1, not {dof}."
        )
    check_level(level)
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    if sum_of_squares > 0:
        tail = (1 - level) / 2
        # chi2(p; dof) is 2 gammaincinv(dof / 2, p): from either tail without forming 1 - tail.
        low = sum_of_squares / (2 * float(gammainccinv(dof / 2, tail)))
        high = sum_of_squares / (2 * float(gammaincinv(dof / 2, tail)))
    else:
        reason = (
            "A variance of 0 has no interval: scores that never vary tell nothing of its error."
        )
    variance = sum_of_squares / dof
    return VarianceInterval(low, high, variance, reason, level, sum_of_squares, int(dof))


def check_level(level: float) -> None:
    """Raise ImpossibleStatistic unless a confidence level lies strictly between 0 and 1."""
    if not 0 < level < 1:
        raise ImpossibleStatistic(f"A confidence level must be between 0 and 1, not {level}.")
