"""What a plan answers, cell by cell or in its range, as a sentence of its protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.plans.design import is_test
from roundbook.logbook.plans.variance import PAIRED, kind_of
from roundbook.statistics.design import DESIGNS

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan, PlanCell

# More cells than these are given by their range.
_LISTED = 12

_ANSWER = {
    "topics": "The design needs",
    "power": "This gives a power of",
    "min-d": "The smallest difference that this suffices for is",
    "m": "This suffices for",
}


def answers(plan: Plan) -> str:
    """Return what was solved for, with what it was solved from."""
    if len(plan.cells) > _LISTED:
        return f"Over {len(plan.cells)} designs, {_range(plan)}."
    start = _ANSWER.get(plan.solve) or f"The largest {_variance(plan)} that this suffices for is"
    return f"{start} {'; '.join(_answer(plan, cell) for cell in plan.cells)}."


def _variance(plan: Plan) -> str:
    if plan.design in PAIRED:
        return "residual variance, taken as half that of a difference,"
    return f"{kind_of(plan) or 'one-way'} residual variance"


def _answer(plan: Plan, cell: PlanCell) -> str:
    solved_for = {
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
    parts = [words for name, words in given.items() if words and name != plan.solve]
    answer = f"{solved_for[plan.solve]} for {' and '.join(parts)}"
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
    parts = []
    for name, values in spans.items():
        ends = (min(values), max(values))
        low, high = (f"{end:.10g}" if name in "mn" else f"{end:.4g}" for end in ends)
        parts.append(f"{name} = {low}" if low == high else f"{name} goes from {low} to {high}")
    return " and ".join(parts)


def _difference(plan: Plan) -> str:
    return "minD" if is_test(plan) else "width"
