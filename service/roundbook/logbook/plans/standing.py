"""Does a saved plan still stand? The estimates it rests on, against today's."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection

from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.plans.design import is_test
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.variance import PAIRED
from roundbook.logbook.pooling import RoundVariance
from roundbook.logbook.result import Result
from roundbook.logbook.variances import VarianceHistory, counting_estimates
from roundbook.logbook.withdrawals import WithdrawnMatrix, read_withdrawn

RestsOn = Sequence[tuple[int | None, int | None]]


class StaleEstimate(Result):
    """An estimate that a plan rests on and that is no longer the current one of its round.

    `was` is the variance planned with, `now` today's, None where there is none any more.
    """

    round: str
    was: float
    now: float | None
    why: str


class PlanStanding(NamedTuple):
    """A plan's stale estimates, and the rounds that its pool would have today and had not.

    `restored` are those of the new rounds that it left out as withdrawn. `missed` are the matrices
    whose estimates would take the place of stale ones or stand for restored rounds. `empty` is
    whether no round has an estimate any more that it could be saved anew from.
    """

    stale: list[StaleEstimate]
    new_rounds: list[str]
    restored: list[str]
    missed: frozenset[int | None]
    empty: bool = False

    def said(self) -> list[str]:
        """Return why it stands no more, round by round; a round held since is no reason."""
        return [
            *(f"round '{each.round}': {each.why}" for each in self.stale),
            *(f"round '{each}': left out as withdrawn, and counts again" for each in self.restored),
        ]


def plan_standings(
    connection: Connection, plans: Sequence[tuple[Plan, RestsOn]]
) -> list[PlanStanding]:
    """Return where each plan stands; the number of queries does not depend on that of plans.

    Parameters
    ----------
    plans : sequence of (plan, rests on)
        With each, for each round of its history in order, the ids of the variance estimate or of
        the published variance that it was taken from.
    """
    asked = {
        (history.task, history.measure, history.scale)
        for plan, _ in plans
        if (history := plan.estimate) is not None
    }
    today = {each: _today(connection, *each) for each in sorted(asked)}
    return [
        PlanStanding([], [], [], frozenset())
        if (history := plan.estimate) is None
        else _compare(history, rests_on, *today[history.task, history.measure, history.scale])
        for plan, rests_on in plans
    ]


def _today(
    connection: Connection, task: str, measure: str, scale: str
) -> tuple[list[RoundVariance], list[WithdrawnMatrix]]:
    task_id = find_task(connection, task)
    measure_id, _ = find_measure(connection, task_id, task, measure)
    return (
        counting_estimates(connection, task_id, measure_id, scale),
        read_withdrawn(connection, task_id, measures=[measure_id]),
    )


def _compare(
    history: VarianceHistory,
    rests_on: RestsOn,
    counting: list[RoundVariance],
    withdrawn: list[WithdrawnMatrix],
) -> PlanStanding:
    labels = history.mixed or [history.assessments]
    gone = {each.round for each in withdrawn if each.assessments in labels}
    # Of several assessments, a round counts by the first of them that it has.
    found = {
        each.ordinal: each
        for label in reversed(labels)
        for each in counting
        if each.assessments == label
    }
    current = dict(sorted(found.items()))
    stale, taken = [], []
    for was, (computed, published) in zip(history.rounds, rests_on, strict=True):
        now = current.pop(was.ordinal, None)
        other = now is None or (now.origin, now.estimate) != (
            ("matrix", computed) if computed is not None else ("published", published)
        )
        if other or _collection_declared(was, now):
            taken += [now] if other and now is not None else []
            stale.append(
                StaleEstimate(
                    round=was.round,
                    was=was.variance,
                    now=None if now is None else now.variance,
                    why=_why(was, now, withdrawn=was.round in gone),
                )
            )
    left_out = {each.round for each in history.withdrawn}
    restored = [each for each in current.values() if each.round in left_out]
    return PlanStanding(
        stale,
        [each.round for each in current.values()],
        [each.round for each in restored],
        frozenset(each.matrix for each in (*taken, *restored)),
        empty=not found,
    )


def _collection_declared(was: RoundVariance, now: RoundVariance | None) -> bool:
    """Return whether a round's collection became known: it tells which topics rounds share."""
    known = "collection" in was.model_fields_set
    return known and now is not None and was.collection != now.collection


def _why(was: RoundVariance, now: RoundVariance | None, *, withdrawn: bool) -> str:
    if withdrawn:
        return "its score matrix was withdrawn"
    if now is None:
        return "it has no variance on this scale any more"
    reasons = (
        (was.origin != now.origin, "its score matrix was logged since"),
        (
            was.estimate == now.estimate,
            "its document collection was declared, which tells the topics that rounds share",
        ),
        (
            now.origin == "published",
            f"the published value was corrected (revision {now.revision})",
        ),
        (
            was.revision != now.revision,
            f"its score matrix was corrected (revision {now.revision})",
        ),
        (
            was.factor_version != now.factor_version,
            f"its factors were fitted anew (version {now.factor_version})",
        ),
    )
    teams = "its teams became known, which its interval rests on"
    return next((reason for holds, reason in reasons if holds), teams)


def renewal(name: str, plan: Plan, note: str | None) -> str:
    """Return the command that saves a plan anew, from today's estimates, with its note."""
    words = ["roundbook", "plan", "save", name]
    history = plan.estimate
    if history is not None:
        words += ["--task", history.task, "--measure", history.measure]
        words += ["--scale", history.scale] if history.scale != "raw" else []
        for label in history.mixed or [history.assessments]:
            # Named even where it is the only one: others may come before the command is run.
            words += ["--assessments", label]
        if history.pooled.weights != "dof":
            words += ["--pool-by", history.pooled.weights]
        variance_of = plan.variance_of
        if variance_of is None and plan.design in PAIRED:
            variance_of = "conservative"  # what plans took before there was a choice
        words += ["--variance-of", variance_of] if variance_of else []
        if plan.variance_at == "given":
            words += ["--variance-at", repr(plan.variance)]
        elif plan.variance_at not in (None, "pooled"):
            words += ["--variance-at", plan.variance_at]
    elif plan.variance is not None:
        words += ["--variance", repr(plan.variance)]
    words += ["--design", plan.design] if plan.design != "anova" else []
    words += ["--solve", plan.solve] if plan.solve != "topics" else []
    for option, values in (("--m", plan.m), ("--min-d", plan.min_d), ("--topics", plan.topics)):
        for value in values:
            words += [option, repr(value)]
    words += ["--alpha", repr(plan.alpha)]
    words += ["--beta", repr(plan.beta)] if is_test(plan) and plan.solve != "power" else []
    words += ["--engine", plan.engine]
    words += ["--note", note] if note is not None else []
    return shlex.join(words)
