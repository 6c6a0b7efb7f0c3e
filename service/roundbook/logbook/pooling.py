"""A measure's variance in one round, and pooled over rounds, with intervals and a test."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import ConfigDict, Field

from roundbook.logbook import variance_words as words
from roundbook.logbook.result import Result
from roundbook.statistics.variance.interval import VarianceInterval
from roundbook.statistics.variance.pooled import PooledVariance
from roundbook.statistics.variance.pooled import pool as pool_variances
from roundbook.statistics.variance.rounds import PublishedVariance
from roundbook.statistics.variance.rounds import RoundVariance as StoredVariance

PoolBy = Literal["dof", "topics"]
LEVEL = 0.95
DISAGREE = 0.05

Estimate = StoredVariance | PublishedVariance


class Interval(Result):
    """A variance's interval at confidence `level`.

    `method` is ``jackknife``, or ``published`` for a value known with its sizes alone: `source`
    then names where the variance per topic and per run comes from. `of` is ``systems`` (topics and
    teams are samples) or ``these runs`` (topics alone). `high` is None where so few topics do not
    bound the variance. Saved results of before may have ``chi-square``, ``bootstrap`` and
    ``combined`` intervals.
    """

    low: float
    high: float | None
    level: float
    method: str
    of: str | None = None
    source: str | None = None
    few_topics: bool = False


class RoundVariance(Result):
    """One round's residual variance.

    `origin` is ``matrix`` (computed here from `matrix`, `revision` and, on a standardised
    scale, `factor_version`) or ``published`` (recorded from `source`, no matrix here).
    `two_way_variance` is the residual after run and topic means. `clusters` counts the teams of
    the runs, and the runs of unknown team one by one; None of a published value without its number
    of teams. Where an interval is None, its reason is a code.
    """

    # What earlier versions saved beside is kept as it was.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="allow")

    round: str
    # None only of what was saved before assessments could be mixed.
    assessments: str | None = None
    ordinal: int
    collection: str | None = None
    runs: int
    clusters: int | None = None
    topics: int
    variance: float
    dof: int
    sum_of_squares: float
    interval: Interval | None
    interval_reason: str | None = None
    two_way_variance: float | None
    two_way_dof: int | None
    two_way_interval: Interval | None = None
    two_way_interval_reason: str | None = None
    origin: str
    source: str | None
    estimate: int
    estimate_version: int | None = None
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str


class Homogeneity(Result):
    """Wald test, by F, of equal true variances; None with a `reason` where it does not exist.

    It knows which topics the rounds share, and so rejects as often as it says where nothing
    differs, or less. `dof` and `dof_residual` are those of F. Results saved before hold Bartlett's
    test, with `method` ``bartlett``.
    """

    method: str = "bartlett"
    statistic: float | None
    dof: int | None
    dof_residual: float | None = None
    p_value: float | None
    reason: str | None


class NextRound(Result):
    """Limits for the true variance of the next round of this kind.

    4 of 5 next rounds stay below `u80`, the planning variance, 19 of 20 below `u95`, and 95% lie
    between `low` and `high`; None where topics are too few. `of` is ``systems``, or ``these runs``
    where what the choice of teams adds is not known. `tau2` is the variance of the true ln V
    between rounds.
    """

    u80: float | None
    u95: float | None
    low: float | None
    high: float | None
    tau2: float | None
    of: str | None = None


class Pooled(Result):
    """The variance pooled over rounds: sum(w * variance) / sum(w).

    `weights` says what w is: ``dof``, or ``topics`` for topics - 1. `topics` counts the different
    topics of all rounds. The two-way residual variance is pooled over `two_way_rounds`, those that
    have one. `warning` is None unless the rounds disagree.
    """

    variance: float
    dof: int
    weights: PoolBy
    rounds: list[str]
    topics: int | None = None
    max_min_ratio: float | None
    homogeneity: Homogeneity
    interval: Interval | None
    interval_reason: str | None = None
    next_round: NextRound | None = None
    two_way_variance: float | None = None
    two_way_dof: int | None = None
    two_way_rounds: list[str] = Field(default_factory=list)
    two_way_homogeneity: Homogeneity | None = None
    two_way_interval: Interval | None = None
    two_way_interval_reason: str | None = None
    two_way_next_round: NextRound | None = None
    warning: str | None


def pool(
    rounds: Sequence[RoundVariance],
    one_way: Sequence[Estimate],
    two_way: Sequence[Estimate | None],
    weights: PoolBy = "dof",
) -> Pooled:
    """Pool the variances of rounds of one measure on one scale.

    Parameters
    ----------
    one_way, two_way : sequence
        What the statistics need of each round, weighed as `weights` says; None in `two_way` for a
        round without a two-way variance.
    """
    pooled = pool_variances(one_way, LEVEL)
    test = pooled.homogeneity
    disagree = test.p_value is not None and test.p_value < DISAGREE
    with_two_way = [row for row, second in zip(rounds, two_way, strict=True) if second is not None]
    of_two_way: dict[str, Any] = {}
    if with_two_way:
        known = [estimate for estimate in two_way if estimate is not None]
        judged = _judged(pool_variances(known, LEVEL))
        of_two_way = {f"two_way_{key}": value for key, value in judged.items()}
    return Pooled(
        **_judged(pooled),
        **of_two_way,
        dof=sum(row.dof for row in rounds),
        weights=weights,
        rounds=[row.round for row in rounds],
        topics=pooled.topics,
        max_min_ratio=test.max_min_ratio,
        two_way_dof=sum(row.two_way_dof or 0 for row in with_two_way) or None,
        two_way_rounds=[row.round for row in with_two_way],
        warning=words.disagreement(
            [row.round for row in rounds if row.variance == 0],
            len(rounds),
            test.p_value if disagree else None,
            test.max_min_ratio,
        ),
    )


def interval_result(
    interval: VarianceInterval, source: str | None = None
) -> tuple[Interval | None, str | None]:
    """Return an interval as a result, and the code of the reason where there is none.

    Parameters
    ----------
    source : str, optional
        Of a published variance: where its variance per topic and per run comes from.
    """
    if interval.low is None:
        return None, interval.reason
    return (
        Interval(
            low=interval.low,
            high=interval.high,
            level=interval.level,
            method="jackknife" if source is None else "published",
            of=interval.of,
            source=source,
            few_topics=interval.few_topics,
        ),
        interval.upper_reason,
    )


def _judged(pooled: PooledVariance) -> dict[str, Any]:
    test, following = pooled.homogeneity, pooled.next_round
    interval, reason = interval_result(pooled.interval)
    return {
        "variance": pooled.variance,
        "interval": interval,
        "interval_reason": reason,
        "homogeneity": Homogeneity(
            method="wald-f",
            statistic=test.statistic,
            dof=test.dof1,
            dof_residual=test.dof2,
            p_value=test.p_value,
            reason=test.reason,
        ),
        "next_round": NextRound(
            u80=following.u80,
            u95=following.u95,
            low=following.low,
            high=following.high,
            tau2=following.tau2,
            of=following.of,
        ),
    }
