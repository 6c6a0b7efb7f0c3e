"""Which variance a plan takes from a task: the kind that its design needs, and at which limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from roundbook.logbook.pooling import DISAGREE
from roundbook.logbook.variance_words import disagreement
from roundbook.statistics.design import DESIGNS
from roundbook.statistics.design import Design as DesignName

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.pooling import Interval, NextRound, Pooled, RoundVariance
    from roundbook.logbook.variances import VarianceHistory

# One-way: around each run's own mean, V_E. Two-way: around run and topic means, V_2.
VarianceKind = Literal["one-way", "two-way"]
# Of a paired difference: twice V_2, what it is on average, or twice V_E, as published plans do.
VarianceOf = Literal["paired", "conservative"]
VarianceAt = Literal["pooled", "planning", "latest", "given"]

PAIRED: tuple[DesignName, ...] = ("paired-t", "paired-width")


def variance_kind(design: DesignName, variance_of: VarianceOf | None) -> VarianceKind:
    """Return which residual variance a design takes: two-way where the runs share topics."""
    shared = DESIGNS[design].shares_topics and variance_of != "conservative"
    return "two-way" if shared else "one-way"


def kind_of(plan: Plan) -> VarianceKind | None:
    """Return which residual variance a plan takes; None for a given one of a paired difference.

    Plans saved before there were two kinds do not say so: from a task they took the one-way.
    """
    if plan.variance_kind is not None:
        return plan.variance_kind
    if plan.design in PAIRED:
        return None if plan.estimate is None else "one-way"
    return variance_kind(plan.design, None)


def variance_at(history: VarianceHistory, kind: VarianceKind, at: VarianceAt) -> float | None:
    """Return a task's variance: pooled, the planning variance, or the latest round's.

    None where it is not known.
    """
    pooled = history.pooled
    if at == "pooled":
        return pooled.variance if kind == "one-way" else pooled.two_way_variance
    if at == "planning":
        following = next_round(pooled, kind)
        return None if following is None else following.u80
    return round_variance(history.rounds[-1], kind)


def round_variance(row: RoundVariance, kind: VarianceKind) -> float | None:
    """Return a round's variance of a kind, None where it is not known."""
    return row.variance if kind == "one-way" else row.two_way_variance


def round_interval(row: RoundVariance, kind: VarianceKind) -> Interval | None:
    """Return the interval of a round's variance of a kind."""
    return row.interval if kind == "one-way" else row.two_way_interval


def next_round(pooled: Pooled, kind: VarianceKind) -> NextRound | None:
    """Return the limits for the next round's variance of a kind."""
    return pooled.next_round if kind == "one-way" else pooled.two_way_next_round


def pooled_interval(pooled: Pooled, kind: VarianceKind) -> Interval | None:
    """Return the interval of the pooled variance of a kind."""
    return pooled.interval if kind == "one-way" else pooled.two_way_interval


def pooled_rounds(pooled: Pooled, kind: VarianceKind) -> list[str]:
    """Return the rounds that a variance of a kind is pooled over."""
    return pooled.rounds if kind == "one-way" else pooled.two_way_rounds


def warning(history: VarianceHistory, kind: VarianceKind) -> str | None:
    """Return that the rounds disagree about their variances of a kind, None where they do not."""
    if kind == "one-way":
        return history.pooled.warning
    values = {row.round: row.two_way_variance for row in history.rounds}
    known = {name: value for name, value in values.items() if value is not None}
    test = history.pooled.two_way_homogeneity
    p_value = None if test is None else test.p_value
    zeros = [name for name, value in known.items() if value == 0]
    return disagreement(
        zeros,
        len(known),
        p_value if p_value is not None and p_value < DISAGREE else None,
        None if zeros or not known else max(known.values()) / min(known.values()),
    )
