"""A plan in words: its headline, and a paragraph to paste into an overview paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from service.logbook.plans.design import is_test
from service.statistics.design import DESIGNS

if TYPE_CHECKING:
    from service.logbook.plans.plan import Plan, PlanCell
    from service.logbook.variances import VarianceHistory

_METHOD = "T. Sakai, Topic set size design, Information Retrieval Journal 19, 256-283, 2016"
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
    origin = "as given"
    if plan.estimate:
        pooled = ", ".join(plan.estimate.pooled.rounds)
        origin = f"{plan.estimate.measure} on the {plan.scale} scale, pooled over rounds {pooled}"
    return f"{line}, variance {plan.variance:.5g} ({origin})"


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
    family = "F" if plan.design == "anova" else "t"
    engine = (
        f"with the noncentral {family} distribution (engine exact)"
        if plan.engine == "exact"
        else "with the approximation of Sakai's published spreadsheets (engine sakai)"
    )
    runs = "the best and the worst of m runs" if plan.design == "anova" else "two runs"
    return [
        f"The topic set was designed for a {title} with alpha = {plan.alpha:g}{power}, {computed}"
        f" {engine}; minD is the smallest difference between {runs} that is worth detecting."
    ]


def _variance(plan: Plan) -> list[str]:
    twice = plan.design.startswith("paired")
    paired = " and that of a difference as twice it" if twice else ""
    if plan.variance is None:
        return []
    if plan.estimate is None:
        return [f"The residual variance of the scores was taken as {plan.variance:.5g}{paired}."]
    return [_pooled(plan.estimate, plan.variance, paired)]


def _pooled(history: VarianceHistory, variance: float, paired: str) -> str:
    pooled = history.pooled
    weights = "their degrees of freedom" if pooled.weights == "dof" else "their topics less one"
    origin = f"that of round {pooled.rounds[0]} of {history.task}"
    if len(pooled.rounds) > 1:
        origin = (
            f"pooled by {weights} over {len(pooled.rounds)} rounds of {history.task}"
            f" ({', '.join(pooled.rounds)})"
        )
    label = "" if history.assessments == "official" else f", {history.assessments} assessments"
    sentence = (
        f"The residual variance of {history.measure} ({history.scale} scale{label}) was taken as"
        f" {variance:.5g}{paired}: {origin}, {pooled.dof} degrees of freedom"
    )
    if pooled.interval:
        found = pooled.interval
        sentence += (
            f", with a {100 * found.level:.10g}% interval from {found.low:.5g} to {found.high:.5g}"
            f" ({found.method})"
        )
    return sentence + "."


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
        "m": f"m = {cell.m}" if plan.design == "anova" else None,
        "min-d": f"{_difference(plan)} = {cell.min_d:.6g}",
        "topics": f"n = {cell.topics}",
    }
    told = [words for name, words in given.items() if words and name != plan.solve]
    answer = f"{found[plan.solve]} for {' and '.join(told)}"
    if cell.solved_upper is not None:
        digits = ".10g" if plan.solve in ("topics", "m") else ".3g"
        answer += f" ({cell.solved_upper:{digits}} at the upper end of the interval)"
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
