"""A measure's variance in one round, and pooled over rounds."""

from __future__ import annotations

from typing import Literal

from service.logbook.result import Result
from service.statistics.homogeneity import bartlett
from service.statistics.pooled_interval import pooled_interval
from service.statistics.variance import pool_variances
from service.statistics.variance_interval import chi_square_interval

PoolBy = Literal["dof", "topics"]
LEVEL = 0.95
_DISAGREE = 0.05


class Interval(Result):
    """A variance's interval at confidence `level`.

    `method` is ``bootstrap`` (over topics, percentiles), ``chi-square`` (assumes normal and
    independent scores) or ``combined`` (from the intervals of the rounds pooled).
    """

    low: float
    high: float
    level: float
    method: str


class RoundVariance(Result):
    """One round's residual variance.

    `origin` is ``matrix`` (computed here from `matrix`, `revision` and, on a standardised
    scale, `factor_version`) or ``published`` (recorded from `source`, no matrix here).
    `two_way_variance` is the residual after run and topic means. `interval` is the bootstrap's
    where one was stored at logging, else chi-square's; None where the variance is 0.
    """

    round: str
    # None only of what was saved before assessments could be mixed.
    assessments: str | None = None
    ordinal: int
    runs: int
    topics: int
    variance: float
    dof: int
    sum_of_squares: float
    two_way_variance: float | None
    two_way_dof: int | None
    interval: Interval | None
    chi_square: Interval | None
    origin: str
    source: str | None
    estimate: int
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str


class Homogeneity(Result):
    """Bartlett's test of equal variances; None with a `reason` where it does not exist.

    Its dof treat scores as independent, which runs on the same topics are not, so it finds
    differences too readily: read it beside the max/min ratio.
    """

    statistic: float | None
    dof: int | None
    p_value: float | None
    reason: str | None


class Pooled(Result):
    """The variance pooled over rounds: sum(w * variance) / sum(w).

    `weights` says what w is: ``dof``, or ``topics`` for topics - 1. `warning` is None unless
    the rounds disagree.
    """

    variance: float
    dof: int
    weights: PoolBy
    rounds: list[str]
    max_min_ratio: float | None
    homogeneity: Homogeneity
    interval: Interval | None
    warning: str | None


def pool(rounds: list[RoundVariance], weights: PoolBy = "dof") -> Pooled:
    """Pool the variances of rounds of one measure on one scale."""
    values, dofs = [each.variance for each in rounds], [each.dof for each in rounds]
    shares = dofs if weights == "dof" else [each.topics - 1 for each in rounds]
    test = bartlett(values, dofs)
    known = [each.interval for each in rounds if each.interval is not None]
    interval = None
    if len(known) == len(rounds):
        lows, highs = [each.low for each in known], [each.high for each in known]
        combined = pooled_interval(values, lows, highs, shares)
        method = known[0].method if len(rounds) == 1 else "combined"
        interval = Interval(low=combined.low, high=combined.high, level=LEVEL, method=method)
    return Pooled(
        variance=pool_variances(values, shares).variance,
        dof=sum(dofs),
        weights=weights,
        rounds=[each.round for each in rounds],
        max_min_ratio=test.max_min_ratio,
        homogeneity=Homogeneity(
            statistic=test.statistic, dof=test.dof, p_value=test.p_value, reason=test.reason
        ),
        interval=interval,
        warning=_warning(rounds, test.p_value, test.max_min_ratio),
    )


def chi_square(sum_of_squares: float, dof: int) -> tuple[float, float] | None:
    """Return the limits of a published variance's chi-square interval, None for a variance of 0."""
    found = chi_square_interval(sum_of_squares, dof, LEVEL)
    return None if found.low is None or found.high is None else (found.low, found.high)


def intervals(
    variance: float,
    level: float,
    chi_square: tuple[float, float] | None,
    bootstrap: tuple[float, float] | None,
) -> tuple[Interval | None, Interval | None]:
    """Return a variance's best interval and its chi-square one.

    The percentile bootstrap's interval can miss its own estimate when topics are few; it is
    then widened to reach it, since no interval may exclude what it is an interval of.
    """
    plain = chi_square and Interval(
        low=chi_square[0], high=chi_square[1], level=level, method="chi-square"
    )
    if bootstrap is None:
        return plain or None, plain or None
    low, high = min(bootstrap[0], variance), max(bootstrap[1], variance)
    return Interval(low=low, high=high, level=level, method="bootstrap"), plain or None


def _warning(rounds: list[RoundVariance], p_value: float | None, ratio: float | None) -> str | None:
    zeros = [each.round for each in rounds if each.variance == 0]
    if zeros and len(zeros) < len(rounds):
        return (
            f"The rounds disagree: the variance is 0 in {', '.join(zeros)} and not in the others,"
            " so no test and no interval exist. One pooled value hides that: look for what is"
            " wrong with the scores there before you plan with it."
        )
    if p_value is None or p_value >= _DISAGREE or ratio is None:
        return None
    p = "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return (
        f"The rounds disagree (Bartlett {p}, largest over smallest {ratio:.2f}): one pooled value"
        " hides that, so plan with the upper end of its interval, or with the latest round's"
        " variance. The test takes scores for independent, which runs on the same topics are not."
    )
