"""Why a task tells no variance to plan from, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.plans.variance import PAIRED, VarianceAt, VarianceKind, pooled_rounds
from roundbook.logbook.variance_words import no_interval

if TYPE_CHECKING:
    from roundbook.logbook.plans.design import Design
    from roundbook.logbook.pooling import Pooled
    from roundbook.logbook.variances import VarianceHistory


def no_variance(
    history: VarianceHistory, design: Design, kind: VarianceKind, at: VarianceAt
) -> str:
    """Return that a task does not have the variance which a plan would take, in a sentence."""
    if kind == "two-way" and history.pooled.two_way_variance is None:
        instead = "--variance-of conservative" if design.design in PAIRED else "--design anova"
        return (
            f"No round of task '{history.task}' has a two-way variance of {history.measure}, which"
            f" the design {design.design} takes: log a score matrix of two runs or more, or plan"
            f" with {instead}."
        )
    if at == "latest":
        return (
            f"The latest round, '{history.rounds[-1].round}', has no two-way variance of"
            f" {history.measure}; plan with --variance-at pooled."
        )
    return (
        f"The rounds of task '{history.task}' do not tell the planning variance of"
        f" {history.measure}: {no_planning_variance(history.pooled, kind)}; plan with --variance-at"
        " pooled, or a value."
    )


def zero_variance(history: VarianceHistory, kind: VarianceKind, at: VarianceAt) -> str:
    """Return that the variance which a plan would take is 0, in a sentence."""
    where = f"its rounds ({', '.join(pooled_rounds(history.pooled, kind))})"
    if at == "latest":
        where = f"its latest round ({history.rounds[-1].round})"
    why = "every run scores the same on all topics"
    if kind == "two-way":
        why = "runs differ by the same amount on all topics"
    which = "two-way variance" if kind == "two-way" else "variance"
    return (
        f"No plan follows from task '{history.task}': the {at} {which} of {history.measure}"
        f" on the {history.scale} scale is 0, since in {where} {why}; plan from"
        " another measure, or give a --variance."
    )


def no_planning_variance(pooled: Pooled, kind: VarianceKind) -> str:
    """Return why a pooled variance of a kind has no planning variance, as a clause."""
    reason = pooled.interval_reason if kind == "one-way" else pooled.two_way_interval_reason
    return no_interval(reason or "unbounded")
