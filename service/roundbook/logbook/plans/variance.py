"""Which variance a plan takes from a task: the kind that its design needs, and at which limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from roundbook.requests.plans import PAIRED, PlanDesign, VarianceOf
from roundbook.statistics.design import DESIGNS

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.variance_history import (
        Interval,
        Pooled,
        RoundVariance,
        VarianceHistory,
    )
    from roundbook.statistics.variance.pooled import NextRound

# One-way: around each run's own mean, V_E. Two-way: around run and topic means, V_2.
VarianceKind = Literal["one-way", "two-way"]
VarianceAt = Literal["pooled", "planning", "latest", "given"]


def variance_kind(design: PlanDesign, variance_of: VarianceOf | None) -> VarianceKind:
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


def round_interval(row: RoundVariance, kind: VarianceKind) -> tuple[Interval | None, str | None]:
    """Return the interval of a round's variance of a kind, and the code of why it has none."""
    if kind == "one-way":
        return row.interval, row.interval_reason
    return row.two_way_interval, row.two_way_interval_reason


def next_round(pooled: Pooled, kind: VarianceKind) -> NextRound | None:
    """Return the limits for the next round's variance of a kind."""
    return pooled.next_round if kind == "one-way" else pooled.two_way_next_round


def pooled_interval(pooled: Pooled, kind: VarianceKind) -> Interval | None:
    """Return the interval of the pooled variance of a kind."""
    return pooled.interval if kind == "one-way" else pooled.two_way_interval


def no_interval_reason(pooled: Pooled, kind: VarianceKind) -> str:
    """Return the code of why a pooled variance of a kind has no planning variance."""
    reason = pooled.interval_reason if kind == "one-way" else pooled.two_way_interval_reason
    return reason or "unbounded"


def pooled_rounds(pooled: Pooled, kind: VarianceKind) -> list[str]:
    """Return the rounds that a variance of a kind is pooled over."""
    return pooled.rounds if kind == "one-way" else pooled.two_way_rounds
