"""A measure's variance over the rounds of a task, as results: by round, pooled, of the next round.

Nothing here opens a database: plans from a given variance read these models too.
"""

from __future__ import annotations

from datetime import date
from typing import Literal, NamedTuple

from pydantic import ConfigDict, Field

from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.withdrawals import WithdrawnMatrix
from roundbook.requests.fields import PoolBy
from roundbook.statistics.variance.pooled import NextRound

# One-way: around each run's own mean, V_E. Two-way: around run and topic means, V_2.
VarianceKind = Literal["one-way", "two-way"]
_PREFIX = {"one-way": "", "two-way": "two_way_"}


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


class RoundOfKind(NamedTuple):
    """What `RoundVariance` has of one kind of residual variance."""

    variance: float | None
    dof: int | None
    interval: Interval | None
    interval_reason: str | None


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

    def of_kind(self, kind: VarianceKind) -> RoundOfKind:
        """Return what it has of a kind."""
        return RoundOfKind(*(getattr(self, _PREFIX[kind] + name) for name in RoundOfKind._fields))


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


class PooledOfKind(NamedTuple):
    """What `Pooled` has of one kind of residual variance."""

    variance: float | None
    dof: int | None
    rounds: list[str]
    interval: Interval | None
    interval_reason: str | None
    next_round: NextRound | None


class Pooled(Result):
    """The variance pooled over rounds: sum(w * variance) / sum(w).

    `interval` counts the teams of a round as others than those of every other round, and
    `returning_interval` as the same in all; it is there of two rounds or more.

    `weights` says what w is: ``dof``, or ``topics`` for topics - 1. `topics` counts the different
    topics of all rounds. The two-way residual variance is pooled over `two_way_rounds`, those that
    have one.
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
    returning_interval: Interval | None = None
    next_round: NextRound | None = None
    two_way_variance: float | None = None
    two_way_dof: int | None = None
    two_way_rounds: list[str] = Field(default_factory=list)
    two_way_homogeneity: Homogeneity | None = None
    two_way_interval: Interval | None = None
    two_way_interval_reason: str | None = None
    two_way_returning_interval: Interval | None = None
    two_way_next_round: NextRound | None = None

    def of_kind(self, kind: VarianceKind) -> PooledOfKind:
        """Return what it has of a kind."""
        return PooledOfKind(*(getattr(self, _PREFIX[kind] + name) for name in PooledOfKind._fields))


class TeamsOfRounds(Result):
    """How many known teams have runs in the rounds of a history.

    `returning` are those in two of the rounds or more, `in_every_round` those in all of two or more;
    who took part in a round that is only published is not known.
    `some_unknown` are the rounds with runs whose team is not known.
    """

    teams: int
    returning: int
    in_every_round: int
    some_unknown: list[str]


class VarianceHistory(Result):
    """A measure's variance in each round, and pooled.

    `mixed` are the assessments asked for, the preferred first, where there were several: a round
    then counts by the first of them that it has. `withdrawn` are the rounds left out for that.
    """

    task: str
    measure: str
    scale: str
    assessments: str
    # The keys that came later have defaults: a saved plan is read back by this model.
    mixed: list[str] = Field(default_factory=list)
    rounds: list[RoundVariance]
    pooled: Pooled
    teams: TeamsOfRounds | None = None
    withdrawn: list[WithdrawnMatrix] = Field(default_factory=list)
    software: str = SOFTWARE


class VarianceHistories(Result):
    """The variance history of several measures, the least stable first.

    A measure is the less stable the larger its largest variance is over its smallest; measures
    with one round come last. `undated` are rounds left out because only those since a day are
    asked for, and their date is not recorded.
    """

    task: str
    scale: str
    since: date | None
    undated: list[str]
    histories: list[VarianceHistory]
    withdrawn: list[WithdrawnMatrix]
    software: str = SOFTWARE
