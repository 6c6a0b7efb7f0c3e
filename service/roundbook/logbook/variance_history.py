"""Models of a measure's variance over a task's rounds: by round, pooled, and for the next round.

The module imports no database modules, as plans from a given variance use these models too.
"""

from __future__ import annotations

from datetime import date
from operator import not_
from statistics import median, median_low
from typing import Literal, NamedTuple

from pydantic import ConfigDict, Field

from roundbook.logbook.held_order import OutOfOrder
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.withdrawals import WithdrawnMatrix
from roundbook.measure_names import is_within_one
from roundbook.requests.fields import PoolBy
from roundbook.statistics.variance.pooled import NextRound

# One-way: around each run's own mean, V_E. Two-way: around run and topic means, V_2.
VarianceKind = Literal["one-way", "two-way"]
# What the fields of each kind begin with.
PREFIX: dict[VarianceKind, str] = {"one-way": "", "two-way": "two_way_"}
# The ratio of variances of scores on scales that differ fivefold.
_OTHER_SCALE = 25


def is_other_scale(ratio: float) -> bool:
    """Return whether variances of this ratio are so far apart that scores may differ in scale."""
    return not 1 / _OTHER_SCALE <= ratio <= _OTHER_SCALE


def largest_within_one(topics: int) -> float:
    """Return the largest one-way variance of scores from 0 to 1, half of them 0: 0.25 n / (n - 1).

    It allows for rounding.
    """
    return 0.25 * topics / (topics - 1) * (1 + 1e-9)


def weight(pool_by: PoolBy, *, dof: int, topics: int) -> float:
    """Return the weight of a round in a variance pooled by degrees of freedom or by topics."""
    return float(dof if pool_by == "dof" else topics - 1)


class Interval(Result):
    """A variance's interval at confidence `level`.

    `method` is ``jackknife``, or ``published`` for a value known with its sizes only: `source` then
    names the origin of the variance per topic and per run. `of` is ``systems`` (topics and teams
    are samples) or ``these runs`` (topics only). `high` is None if there are too few topics to
    bound the variance. Results saved by earlier versions may have ``chi-square``, ``bootstrap`` and
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
    """The fields of a `RoundVariance` for one kind of residual variance."""

    variance: float | None
    dof: int | None
    interval: Interval | None
    interval_reason: str | None


class RoundVariance(Result):
    """One round's residual variance.

    `origin` is ``matrix`` (computed here from `matrix`, `revision` and, on a standardised
    scale, `factor_version`) or ``published`` (recorded from `source`, no matrix here).
    `two_way_variance` is the residual after run and topic means. `clusters` counts the runs' teams,
    and each run of unknown team; None for a published value without its number of teams. If an
    interval is None, its reason is a code.
    """

    # Further keys of earlier versions are kept as saved.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="allow")

    round: str
    # None only in results saved before assessments could be mixed.
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
        """Return the fields for a kind of residual variance."""
        return RoundOfKind(*(getattr(self, PREFIX[kind] + name) for name in RoundOfKind._fields))


class Homogeneity(Result):
    """Wald test, by F, of equal true variances; None with a `reason` if it does not exist.

    It takes shared topics into account, so that its error rate is at most the nominal level. `dof`
    and `dof_residual` are those of F. Results saved by earlier versions hold Bartlett's test, with
    `method` ``bartlett``.
    """

    method: str = "bartlett"
    statistic: float | None
    dof: int | None
    dof_residual: float | None = None
    p_value: float | None
    reason: str | None


class PooledOfKind(NamedTuple):
    """The fields of a `Pooled` for one kind of residual variance."""

    variance: float | None
    dof: int | None
    rounds: list[str]
    interval: Interval | None
    interval_reason: str | None
    next_round: NextRound | None
    returning_interval: Interval | None
    homogeneity: Homogeneity | None

    @property
    def planning_variance(self) -> float | None:
        """The limit that about 4 of 5 next rounds stay below; None if it does not exist."""
        return None if self.next_round is None else self.next_round.u80


class Pooled(Result):
    """The variance pooled over rounds: sum(w * variance) / sum(w).

    `interval` takes the teams of each round as different from those of all other rounds,
    `returning_interval` as the same in all rounds; the latter exists for two rounds or more.

    `weights` names w: ``dof``, or ``topics`` for topics - 1. `topics` counts the distinct
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
        """Return the fields for a kind of residual variance."""
        return PooledOfKind(*(getattr(self, PREFIX[kind] + name) for name in PooledOfKind._fields))


class TeamsOfRounds(Result):
    """Numbers of known teams with runs in the rounds of a history.

    `later` is the sum of the numbers of teams in the rounds after the first, and `again` counts
    those that were in an earlier round. `returning` counts teams in at least two rounds,
    `in_every_round` teams in all of at least two rounds; the participants of rounds with published
    variances only are not known. `some_unknown` are the rounds with runs of unknown team.
    """

    teams: int
    later: int
    again: int
    returning: int
    in_every_round: int
    some_unknown: list[str]


class OtherScale(NamedTuple):
    """Rounds whose raw scores may be on another scale, such as percent.

    `ratios` are the variances of those that differ from the other rounds, as multiples of the
    median of these. `beyond` are those whose scores cannot all lie from 0 to 1, though the
    measure's do; it is empty if the ratios have them all.
    """

    ratios: dict[str, float]
    beyond: list[str]


class VarianceHistory(Result):
    """A measure's variance in each round, and pooled.

    `mixed` are the assessments labels asked for if there were several, in order of preference: a
    round counts by the first that it has. `withdrawn` are the rounds left out as withdrawn.
    `out_of_order` are its rounds whose dates contradict the order in which they are recorded.
    """

    task: str
    measure: str
    scale: str
    assessments: str
    # Later keys have defaults, as saved plans are read back by this model.
    mixed: list[str] = Field(default_factory=list)
    rounds: list[RoundVariance]
    pooled: Pooled
    teams: TeamsOfRounds | None = None
    withdrawn: list[WithdrawnMatrix] = Field(default_factory=list)
    out_of_order: list[OutOfOrder] = Field(default_factory=list, exclude_if=not_)
    software: str = SOFTWARE

    def other_scale(self, kind: VarianceKind) -> OtherScale | None:
        """Return the rounds, of those with this kind of variance, that may be on another scale."""
        if self.scale != "raw":
            return None
        rows = [row for row in self.rounds if row.of_kind(kind).variance is not None]
        beyond = []
        if is_within_one(self.measure):
            # The one-way variance tells it of either kind.
            beyond = [row.round for row in rows if row.variance > largest_within_one(row.topics)]
        values = {row.round: value for row in rows if (value := row.of_kind(kind).variance)}
        ratios: dict[str, float] = {}
        if values:
            # The typical scale is that of most rounds within the measure's bounds.
            within = [value for label, value in values.items() if label not in beyond]
            typical = median_low(within or values.values())
            usual = [value for value in values.values() if not is_other_scale(value / typical)]
            ratios = {
                label: value / median(usual)
                for label, value in values.items()
                if is_other_scale(value / typical)
            }
        if ratios.keys() >= set(beyond):
            beyond = []
        return OtherScale(ratios, beyond) if ratios or beyond else None


class VarianceHistories(Result):
    """The variance history of several measures, that of the largest ratio of variances first.

    Measures are ordered by the ratio of their largest variance to their smallest, the largest ratio
    first; measures with one round come last. `undated` are rounds without a recorded date, which
    are left out if only rounds since a day are asked for.
    """

    task: str
    scale: str
    since: date | None
    undated: list[str]
    histories: list[VarianceHistory]
    withdrawn: list[WithdrawnMatrix]
    software: str = SOFTWARE
