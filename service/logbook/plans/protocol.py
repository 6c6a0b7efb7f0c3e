"""A plan in words: its headline, and a paragraph to paste into an overview paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.logbook.plans.design import is_test
from service.logbook.plans.variance import PAIRED, VarianceKind
from service.statistics.design import DESIGNS

if TYPE_CHECKING:
    from service.logbook.plans.plan import Alternative, Plan, PlanCell
    from service.logbook.pooling import Interval
    from service.logbook.variances import VarianceHistory

_METHOD = "T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016"
STAYS_BELOW = "4 of 5 next rounds of this kind stay below"
# More cells than these are told by their range.
_LISTED = 12

_SOLVED_FOR = {
    "topics": "Topics needed",
    "power": "Power",
    "min-d": "Smallest minD",
    "variance": "Largest variance",
    "m": "Most runs",
}


def headline(plan: Plan) -> str:
    """Return what a plan answers, for which design and from which variance, in one line."""
    what = _SOLVED_FOR[plan.solve]
    rates = f"confidence {100 * (1 - plan.alpha):.10g}%"
    if is_test(plan):
        beta = "" if plan.solve == "power" else f", beta {plan.beta:g}"
        rates = f"alpha {plan.alpha:g}{beta}, engine {plan.engine}"
    elif plan.solve == "min-d":
        what = "Smallest width"
    line = f"{what}: {DESIGNS[plan.design].title}, {rates}"
    if plan.variance is None:
        return line
    which = "two-way variance" if plan.variance_kind == "two-way" else "variance"
    return f"{line}, {which} {plan.variance:.5g} ({_origin(plan)})"


def _origin(plan: Plan) -> str:
    if plan.estimate is None:
        return "as given"
    measure = f"{plan.estimate.measure} on the {plan.scale} scale"
    rounds = ", ".join(plan.estimate.pooled.rounds)
    match plan.variance_at:
        case "planning":
            return f"{measure}, the planning variance from rounds {rounds}: {STAYS_BELOW}"
        case "latest":
            return f"{measure}, of the latest round {plan.estimate.rounds[-1].round}"
        case "given":
            return f"{measure}, as given"
        case _:
            return f"{measure}, pooled over rounds {rounds}"


_BESIDE = {
    "pooled": "by the pooled variance {0:.5g}",
    "planning": "by the planning variance {0:.5g}: " + STAYS_BELOW,
    "paired": "by 2 x {0:.5g}, the two-way variance, which a difference of two runs has on average",
    "conservative": "by 2 x {0:.5g}, the one-way variance, as published plans do (Sakai)",
}


def beside(alternative: Alternative) -> str:
    """Return what stands beside a plan, as a clause."""
    if alternative.name in _BESIDE:
        return _BESIDE[alternative.name].format(alternative.variance)
    kind = "two-way" if alternative.variance_kind == "two-way" else "one-way"
    label = DESIGNS[alternative.design].label
    return f"{label}, by the {kind} variance {alternative.variance:.5g}"


def fits(plan: Plan) -> list[str]:
    """Return which experiment the plan's design fits, and the designs beside it."""
    shown = [plan.design, *(each.design for each in plan.alternatives)]
    return [f"{name}: {DESIGNS[name].fits}" for name in dict.fromkeys(shown)]


def protocol(plan: Plan) -> str:
    """Return a plan in one paragraph: design, engine, error rates, variance, sizes, method."""
    return " ".join(
        [
            *_design(plan),
            *_variance(plan),
            _answers(plan),
            f"The method is that of {_METHOD}.",
        ]
    )


def _design(plan: Plan) -> list[str]:
    title, computed = DESIGNS[plan.design].title, f"computed by {plan.software}"
    if not is_test(plan):
        return [
            f"The topic set was designed by the expected full width of the"
            f" {100 * (1 - plan.alpha):.10g}% confidence {title} ({computed})."
        ]
    power = "" if plan.solve == "power" else f", beta = {plan.beta:g} (power {1 - plan.beta:.10g})"
    kind = DESIGNS[plan.design]
    family = "F" if plan.design in ("anova", "two-way") else "t"
    approximation = (
        "of Sakai's published spreadsheets"
        if kind.sakai_published
        else "of Sakai's published spreadsheets carried over to this design, which is not published"
    )
    engine = (
        f"with the noncentral {family} distribution (engine exact)"
        if plan.engine == "exact"
        else f"with the approximation {approximation} (engine sakai)"
    )
    runs = "the best and the worst of m runs" if kind.takes_runs else "two runs"
    return [
        f"The topic set was designed for a {title} with alpha = {plan.alpha:g}{power}, {computed}"
        f" {engine}; minD is the smallest difference between {runs} that is worth detecting."
    ]


def _variance(plan: Plan) -> list[str]:
    if plan.variance is None:
        return []
    which = "The residual variance"
    if plan.variance_kind == "two-way" or plan.design in ("two-way", "tukey"):
        which = "The two-way residual variance (around run and topic means)"
    paired = " and that of a difference as twice it" if plan.design in PAIRED else ""
    if plan.estimate is None:
        return [f"{which} of the scores was taken as {plan.variance:.5g}{paired}."]
    return [f"{which} of {_taken(plan, plan.estimate, paired)}.", *_assumed(plan)]


def _taken(plan: Plan, history: VarianceHistory, paired: str) -> str:
    label = "" if history.assessments == "official" else f", {history.assessments} assessments"
    start = (
        f"{history.measure} ({history.scale} scale{label}) was taken as {plan.variance:.5g}{paired}"
    )
    if plan.variance_at == "given":
        return start
    rounds = _rounds(history, plan.variance_kind or "one-way")
    if plan.variance_at == "latest":
        return f"{start}: that of round {history.rounds[-1].round} of {history.task}"
    if plan.variance_at == "planning":
        return (
            f"{start}: the planning variance, which 4 of 5 next rounds of this kind are expected"
            f" to stay below, from {rounds}"
        )
    return f"{start}: {rounds}{_interval(plan.interval)}"


def _rounds(history: VarianceHistory, kind: VarianceKind) -> str:
    pooled = history.pooled
    rounds = pooled.rounds if kind == "one-way" else pooled.two_way_rounds
    dof = pooled.dof if kind == "one-way" else pooled.two_way_dof
    weights = "their degrees of freedom" if pooled.weights == "dof" else "their topics less one"
    origin = f"that of round {rounds[0]} of {history.task}"
    if len(rounds) > 1:
        origin = (
            f"pooled by {weights} over {len(rounds)} rounds of {history.task} ({', '.join(rounds)})"
        )
    return f"{origin}, {dof} degrees of freedom"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return ""
    high = "without an upper limit" if interval.high is None else f"to {interval.high:.5g}"
    text = f", with a {100 * interval.level:.10g}% interval from {interval.low:.5g} {high}"
    if interval.of is None:
        return f"{text} ({interval.method})"
    others = "systems and topics" if interval.of == "systems" else "topics, for these runs"
    return f"{text} ({interval.method}; for other {others} like these)"


def _assumed(plan: Plan) -> list[str]:
    """Say what the plan assumes of the next round, beyond its variance."""
    if plan.variance_at == "given":
        return []
    sentences = ["It is assumed that the next round is of the same kind, with systems like these."]
    if plan.variance_planning is not None and plan.variance_at == "pooled":
        sentences.append(
            f"{STAYS_BELOW[0].upper()}{STAYS_BELOW[1:]} the planning variance"
            f" {plan.variance_planning:.5g}."
        )
    return sentences


_ANSWER = {
    "topics": "The design needs",
    "power": "This gives a power of",
    "min-d": "The smallest difference that this suffices for is",
    "variance": "The largest residual variance that this suffices for is",
    "m": "This suffices for",
}


def _answers(plan: Plan) -> str:
    if len(plan.cells) > _LISTED:
        return f"Over {len(plan.cells)} designs, {_range(plan)}."
    return f"{_ANSWER[plan.solve]} {'; '.join(_answer(plan, cell) for cell in plan.cells)}."


def _answer(plan: Plan, cell: PlanCell) -> str:
    found = {
        "topics": f"n = {cell.topics} topics",
        "power": f"{cell.achieved_power or 0:.3f}",
        "min-d": f"{_difference(plan)} = {cell.min_d:.4g}",
        "variance": f"{cell.variance:.5g}",
        "m": f"m = {cell.m} runs",
    }
    given = {
        "m": f"m = {cell.m}" if DESIGNS[plan.design].takes_runs else None,
        "min-d": f"{_difference(plan)} = {cell.min_d:.6g}",
        "topics": f"n = {cell.topics}",
    }
    told = [words for name, words in given.items() if words and name != plan.solve]
    answer = f"{found[plan.solve]} for {' and '.join(told)}"
    planning = cell.beside.get("planning")
    if planning is not None:
        digits = ".10g" if plan.solve in ("topics", "m") else ".3g"
        answer += f" ({planning:{digits}} at the planning variance)"
    return answer


def _range(plan: Plan) -> str:
    cells = plan.cells
    spans: dict[str, list[float]] = {
        "m": [cell.m for cell in cells],
        _difference(plan): [cell.min_d for cell in cells],
        "n": [cell.topics for cell in cells],
    }
    if plan.solve == "power":
        spans["the power"] = [cell.achieved_power or 0 for cell in cells]
    if plan.solve == "variance":
        spans["the residual variance"] = [cell.variance for cell in cells]
    told = []
    for name, values in spans.items():
        ends = (min(values), max(values))
        low, high = (f"{end:.10g}" if name in "mn" else f"{end:.4g}" for end in ends)
        told.append(f"{name} = {low}" if low == high else f"{name} goes from {low} to {high}")
    return " and ".join(told)


def _difference(plan: Plan) -> str:
    return "minD" if is_test(plan) else "width"
