"""Does a saved plan still stand? The estimates it rests on, against today's."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from sqlalchemy import Engine

from service.errors import NotRecorded, Withdrawn
from service.logbook.plan_design import is_test
from service.logbook.plans import Plan
from service.logbook.pooling import RoundVariance
from service.logbook.result import Result
from service.logbook.variances import show_variances


class StaleEstimate(Result):
    """An estimate that a plan rests on and that is no longer the current one of its round.

    `was` is the variance planned with, `now` today's, None where there is none any more.
    """

    round: str
    was: float
    now: float | None
    why: str


def find_standing(
    engine: Engine, plan: Plan, rests_on: Sequence[tuple[int | None, int | None]]
) -> tuple[list[StaleEstimate], list[str]]:
    """Return a plan's stale estimates, and the rounds that its pool would have today and had not.

    Parameters
    ----------
    rests_on : sequence of (variance estimate, published variance)
        Of each round of the plan's history, the id of the one it was taken from.
    """
    if plan.estimate is None:
        return [], []
    history = plan.estimate
    withdrawn = set()
    try:
        found = show_variances(
            engine,
            history.task,
            history.measure,
            scale=history.scale,  # type: ignore[arg-type]  # it was one of them when saved
            assessments=history.mixed or history.assessments,
            pool_by=history.pooled.weights,
        )
        today, withdrawn = found.rounds, {each.round for each in found.withdrawn}
    except Withdrawn:
        today, withdrawn = [], {each.round for each in history.rounds}
    except NotRecorded:
        today = []
    current = {each.ordinal: each for each in today}
    stale = []
    for was, (computed, published) in zip(history.rounds, rests_on, strict=True):
        now = current.pop(was.ordinal, None)
        if now is None or (now.origin, now.estimate) != (
            ("matrix", computed) if computed is not None else ("published", published)
        ):
            stale.append(
                StaleEstimate(
                    round=was.round,
                    was=was.variance,
                    now=None if now is None else now.variance,
                    why=_why(was, now, withdrawn=was.round in withdrawn),
                )
            )
    return stale, [each.round for each in current.values()]


def _why(was: RoundVariance, now: RoundVariance | None, *, withdrawn: bool) -> str:
    if withdrawn:
        return "its score matrix was withdrawn"
    if now is None:
        return "it has no variance on this scale any more"
    if was.origin != now.origin:
        return "its score matrix was logged since"
    if now.origin == "published":
        return f"the published value was corrected (revision {now.revision})"
    if was.revision != now.revision:
        return f"its score matrix was corrected (revision {now.revision})"
    return f"its factors were fitted anew (version {now.factor_version})"


def renewal(name: str, plan: Plan) -> str:
    """Return the command that saves a plan anew, from today's estimates."""
    words = ["roundbook", "plan", "save", name]
    history = plan.estimate
    if history is not None:
        words += ["--task", history.task, "--measure", history.measure]
        words += ["--scale", history.scale] if history.scale != "raw" else []
        for label in history.mixed or [history.assessments]:
            words += ["--assessments", label] if label != "official" or history.mixed else []
        if history.pooled.weights != "dof":
            words += ["--pool-by", history.pooled.weights]
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
    return shlex.join(words)
