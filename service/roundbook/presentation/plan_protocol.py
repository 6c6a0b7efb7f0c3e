"""A plan in a paragraph to paste into an overview paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.interval_reasons import no_interval
from roundbook.logbook.plans.plan import plan_variance_kind, variance_at
from roundbook.presentation.phrases import joined
from roundbook.presentation.variance_differences import disagreement
from roundbook.presentation.variances import (
    AS_ELSEWHERE,
    below_planning,
    of_assessments,
    only_these,
    returning_cases,
    spread_of,
    teams_return,
    unknown_teams,
)
from roundbook.requests.plans import INTERVALS, PAIRED
from roundbook.statistics.design import DESIGNS
from roundbook.statistics.standardisation import SLOPE

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan, PlanCell
    from roundbook.logbook.variance_history import Interval, VarianceHistory, VarianceKind

_METHOD = "T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016"
# A plan of more cells than this gives the range of its answers.
_LISTED = 12
_DESIGNED = "The topic set was designed for"


def protocol(plan: Plan) -> str:
    """Return a plan in one paragraph: design, engine, error rates, variance, sizes, method."""
    designed = _design(plan, _DESIGNED)
    return " ".join([designed, *_variance(plan), _assumed(plan), _answers(plan), _method(plan)])


def basis(plan: Plan, *, saved: bool = False) -> str:
    """Return the caption of a table of a plan's sizes: design, variance, assumptions, method.

    By a plan that is `saved` a topic set was designed.
    """
    design = _design(plan, _DESIGNED if saved else "Topics that a next round would need by")
    return " ".join([design, *_variance(plan), _assumed(plan), _method(plan)])


def _design(plan: Plan, start: str) -> str:
    kind, computed = DESIGNS[plan.design], f"computed by {plan.software}"
    if plan.design in INTERVALS:
        return (
            f"The topic set was designed by the expected full width of the"
            f" {100 * (1 - plan.alpha):.10g}% confidence {kind.title} ({computed})."
        )
    power = "" if plan.solve == "power" else f", beta = {plan.beta:g} (power {1 - plan.beta:.10g})"
    family = "F" if plan.design in ("anova", "two-way") else "t"
    engine = f"with the noncentral {family} distribution (engine exact)"
    if plan.engine == "sakai":
        carried = (
            "" if kind.sakai_published else " carried over to this design, which is not published"
        )
        engine = f"with the approximation of Sakai's published spreadsheets{carried} (engine sakai)"
    runs = "the best and the worst of m runs" if kind.takes_runs else "two runs"
    return (
        f"{start} a {kind.title} with alpha = {plan.alpha:g}{power},"
        f" {computed} {engine}; minD is the smallest difference between {runs} that is worth"
        " detecting."
    )


_VARIANCE_NAMES: dict[VarianceKind, str] = {
    "one-way": "The one-way residual variance (around run means)",
    "two-way": "The two-way residual variance (around run and topic means)",
}


def _variance(plan: Plan) -> list[str]:
    """Return the sentences on the variance planned with: its value, rounds and interval."""
    if plan.variance is None:
        return []
    variance, history, doubled = _VARIANCE_NAMES[plan_variance_kind(plan)], plan.estimate, ""
    if plan.design in PAIRED:
        variance = "The residual variance" if history is None else variance
        pooled = None if history is None else history.pooled
        # On a standardised scale the two-way variance may be the larger one.
        larger = pooled is not None and pooled.variance < (pooled.two_way_variance or 0)
        why = {
            "paired": " (its mean over all pairs of runs)",
            "conservative": " (as if the runs had no topics in common"
            f"{'' if larger else ', which is conservative'})",
        }.get(plan.variance_of or "", "")
        doubled = f", and that of a difference between two runs as twice it{why}"
    if history is None:
        return [f"{variance} of the scores was taken as {plan.variance:.5g}{doubled}."]
    sentences = [
        f"{variance} of {history.measure} ({history.scale} scale{of_assessments(history)}) was"
        f" taken as"
        f" {plan.variance:.5g}{doubled}{_origin(plan, history)}.",
        *_standardised(history),
        *_published(plan, history),
    ]
    if plan.variance_planning is not None and plan.variance_at == "pooled":
        sentences.append(
            "The planning variance, which"
            f" {below_planning(history, plan_variance_kind(plan))} are expected to stay below"
            f" {AS_ELSEWHERE}, is {plan.variance_planning:.5g}."
        )
    return sentences + _rounds(plan, history)


def _rounds(plan: Plan, history: VarianceHistory) -> list[str]:
    """Return the sentences on topics and teams that rounds share, and on rounds that disagree."""
    sentences = []
    if plan.variance_at in ("pooled", "planning"):
        sentences = [*_shared_topics(plan, history), *_returning_teams(plan, history)]
    if plan.variance_at == "given":
        return []
    disagreeing = disagreement(history, plan_variance_kind(plan))
    sentences += filter(None, [_unknown_teams(plan, history)])
    return [*sentences, disagreeing.sentence] if disagreeing else sentences


def _shared_topics(plan: Plan, history: VarianceHistory) -> list[str]:
    pooled = history.pooled
    rounds = pooled.of_kind(plan_variance_kind(plan)).rounds
    others = [row for row in history.rounds if row.round not in rounds]
    # Rounds published without scores have, as far as is known, topics of their own.
    if pooled.topics is None or any(row.origin == "matrix" for row in others):
        return []
    different = pooled.topics - sum(row.topics for row in others)
    topics = sum(row.topics for row in history.rounds if row.round in rounds)
    if different >= topics:
        return []
    counted = ", which the interval takes into account" if plan.interval else ""
    return [
        f"The rounds share topics: they have {different} different ones, {topics} counted round by"
        f" round{counted}."
    ]


def _returning_teams(plan: Plan, history: VarianceHistory) -> list[str]:
    of_kind = history.pooled.of_kind(plan_variance_kind(plan))
    returning, teams = of_kind.returning_interval, history.teams
    if plan.interval is None or returning is None or teams is None or not teams_return(history):
        return []
    return [
        f"{returning_cases(teams)}; the interval counts it as a new team and is too narrow by that:"
        f" with the same teams in all rounds it is {_limits(returning)}."
    ]


def _unknown_teams(plan: Plan, history: VarianceHistory) -> str | None:
    kind, interval = plan_variance_kind(plan), plan.interval
    if plan.variance_at == "latest":
        history = history.model_copy(update={"rounds": history.rounds[-1:]})
        interval = history.rounds[-1].of_kind(kind).interval
    if interval is None or only_these(history, kind):
        return None
    return unknown_teams(history, "interval is")


def _published(plan: Plan, history: VarianceHistory) -> list[str]:
    """Return the sentence on the rounds whose variances were published without their scores."""
    if plan.variance_at == "given":
        return []
    of_plan = history.pooled.of_kind(plan_variance_kind(plan)).rounds
    if plan.variance_at == "latest":
        of_plan = [history.rounds[-1].round]
    rows = [row for row in history.rounds if row.origin == "published" and row.round in of_plan]
    if not rows:
        return []
    sources = "; ".join(f"{row.round}: {row.source}" for row in rows)
    intervals = [row.interval for row in rows if row.interval is not None]
    spread = f"; its spread over topics and runs is {spread_of(intervals[0])}" if intervals else ""
    return [
        f"{'It was' if len(of_plan) == 1 else 'Some of it was'} published without the scores"
        f" ({sources}){spread}."
    ]


def _standardised(history: VarianceHistory) -> list[str]:
    """Return the sentence on the factors of standardised scores, and the unit of a difference."""
    if history.scale == "raw":
        return []
    sentence = "Each round's scores were standardised by its own factors"
    if history.scale == "std-ab":
        sentence += (
            f"; a difference of {SLOPE:g} is one standard deviation of the standardising runs on a"
            " topic"
        )
    return [f"{sentence}."]


def _origin(plan: Plan, history: VarianceHistory) -> str:
    kind = plan_variance_kind(plan)
    match plan.variance_at:
        case "given":
            return ", a value given for it"
        case "latest":
            last = history.rounds[-1]
            of_kind = last.of_kind(kind)
            of_round = f"that of the latest round, {last.round} of {history.task}"
            return f": {of_round}{_interval(of_kind.interval, of_kind.interval_reason)}"
        case "planning":
            pooled = variance_at(history, kind, "pooled")
            return (
                f": the planning variance, which {below_planning(history, kind)} are"
                f" expected to stay below {AS_ELSEWHERE}. The pooled variance is {pooled:.5g}:"
                f" {_pooled(plan, history, kind)}"
            )
        case _:
            return f": {_pooled(plan, history, kind)}"


def _pooled(plan: Plan, history: VarianceHistory, kind: VarianceKind) -> str:
    pooled = history.pooled.of_kind(kind)
    rounds, by_dof = pooled.rounds, history.pooled.weights == "dof"
    weights = "their degrees of freedom" if by_dof else "their topics less one"
    origin = f"that of round {rounds[0]} of {history.task}"
    if len(rounds) > 1:
        origin = (
            f"pooled by {weights} over {len(rounds)} rounds of {history.task} ({', '.join(rounds)})"
        )
    interval = _interval(plan.interval, pooled.interval_reason, only_these(history, kind))
    return f"{origin}, {pooled.dof} degrees of freedom{interval}"


def _interval(interval: Interval | None, reason: str | None, only: str | None = None) -> str:
    if interval is None:
        return f", without an interval since {no_interval(reason)}" if reason else ""
    text = f", with a {100 * interval.level:.10g}% interval {_limits(interval)}"
    if interval.of is None:
        return f"{text} ({interval.method})"
    scope = "systems and topics like these"
    if only is not None or interval.of == "these runs":
        scope = f"topics like these, and {only or 'these runs'}"
    method = "from sizes alone" if interval.method == "published" else interval.method
    return f"{text} ({method}, for other {scope}; it does not count that rounds differ)"


def _limits(interval: Interval) -> str:
    high = "without an upper limit" if interval.high is None else f"to {interval.high:.5g}"
    return f"from {interval.low:.5g} {high}"


def _assumed(plan: Plan) -> str:
    """Return the sentence on what the plan assumes beyond its variance."""
    kind = DESIGNS[plan.design]
    runs = "runs" if kind.takes_runs else "two runs"
    topics = "on the same topics" if kind.shares_topics else "on topics of their own each"
    alike = " that differ as pairs of runs do on average" if plan.variance_of == "paired" else ""
    assumed = [f"{runs} {topics}{alike}", "normal scores of one variance"]
    if plan.estimate is not None and plan.variance_at != "given":
        systems = only_these(plan.estimate, plan_variance_kind(plan)) or "systems like these"
        assumed.append(f"a next round of the same kind with {systems}")
    return f"The plan assumes {joined(assumed)}."


_ANSWER = {
    "topics": "The design needs",
    "power": "This gives a power of",
    "min-d": "The smallest difference that this suffices for is",
    "m": "This suffices for",
}


def _answers(plan: Plan) -> str:
    """Return the sentence with the plan's answers, or with their range where there are many."""
    if len(plan.cells) > _LISTED:
        return f"Over {len(plan.cells)} designs, {_range(plan)}."
    variance = f"{plan_variance_kind(plan)} residual variance"
    if plan.design in PAIRED:
        variance = "residual variance, taken as half that of a difference,"
    start = _ANSWER.get(plan.solve, f"The largest {variance} that this suffices for is")
    return f"{start} {'; '.join(_answer(plan, cell) for cell in plan.cells)}."


def _answer(plan: Plan, cell: PlanCell) -> str:
    difference = _difference(plan)
    answer = {
        "topics": f"n = {cell.topics} topics",
        "power": f"{cell.achieved_power or 0:.3f}",
        "min-d": f"{difference} = {cell.min_d:.4g}",
        "variance": f"{cell.variance:.5g}",
        "m": f"m = {cell.m} runs",
    }[plan.solve]
    inputs = {
        "m": f"m = {cell.m}" if DESIGNS[plan.design].takes_runs else None,
        "min-d": f"{difference} = {cell.min_d:.6g}",
        "topics": f"n = {cell.topics}",
    }
    parts = (part for name, part in inputs.items() if part and name != plan.solve)
    answer += f" for {' and '.join(parts)}"
    planning = cell.beside.get("planning")
    if planning is not None:
        digits = ".10g" if plan.solve in ("topics", "m") else ".3g"
        answer += f" ({planning:{digits}} at the planning variance)"
    return answer


def _range(plan: Plan) -> str:
    cells = plan.cells
    values: dict[str, list[float]] = {
        "m": [cell.m for cell in cells],
        _difference(plan): [cell.min_d for cell in cells],
        "n": [cell.topics for cell in cells],
    }
    if plan.solve == "power":
        values["the power"] = [cell.achieved_power or 0 for cell in cells]
    if plan.solve == "variance":
        values["the residual variance"] = [cell.variance for cell in cells]
    parts = []
    for name, of_cells in values.items():
        digits = ".10g" if name in "mn" else ".4g"
        low, high = (f"{limit:{digits}}" for limit in (min(of_cells), max(of_cells)))
        parts.append(f"{name} = {low}" if low == high else f"{name} goes from {low} to {high}")
    return " and ".join(parts)


def _difference(plan: Plan) -> str:
    return "width" if plan.design in INTERVALS else "minD"


def _method(plan: Plan) -> str:
    instead = ""
    if plan.design in ("two-way", "tukey"):
        instead = f", with the {DESIGNS[plan.design].title} in place of one-way ANOVA"
    elif plan.variance_of == "paired":
        instead = ", with the two-way in place of the one-way residual variance"
    return f"The method is that of {_METHOD}{instead}."
