"""A plan as a table: its cells with their alternatives, and the power that rounds had."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

from roundbook.presentation.latex import latex
from roundbook.presentation.plans import alternative, headline
from roundbook.presentation.tables import Column, count, number, values_at

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan

_UPPER = "upper"


def plan_latex(plan: Plan, basis: str | None = None) -> str:
    """Return a plan's grid as a LaTeX table, with its columns explained in the caption.

    `basis` tells how the sizes were computed and what that assumes, in place of the headline.
    """
    caption = " ".join([basis or f"{headline(plan)}.", *beside(plan)])
    return latex(caption, plan_rows(plan), plan_columns(plan))


def beside(plan: Plan) -> list[str]:
    """Return a sentence on each column of alternatives, which begins with the column's heading."""
    lines = [f"{option.name}: {alternative(plan, option)}." for option in plan.alternatives]
    upper = _upper(plan)
    if upper is not None:
        lines.append(f"{_UPPER}: at {upper:.5g}, the upper end of the variance's interval.")
    return lines


def plan_columns(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of a plan: inputs, solved for, achieved, both engines, alternatives."""
    interval = plan.design.endswith("-width")
    solved = {"topics": "topics", "min-d": "min_d", "m": "m"}.get(plan.solve)
    # The column solved for comes after the inputs.
    columns = sorted((*_inputs(plan), _TOPICS), key=lambda column: column.field == solved)
    columns += [_VARIANCE] if plan.solve == "variance" else []
    columns.append(
        _plain("width", "Expected", 4) if interval else number("achieved_power", "Power")
    )
    digits = {"topics": 0, "power": 4, "min-d": 4, "variance": 5, "m": 0}[plan.solve]
    engines = [_plain(f"solved_{engine}", engine, digits) for engine in ("exact", "sakai")]
    if plan.solve == "topics":
        engines = [count("topics_exact", "exact"), count("topics_sakai", "sakai")]
    columns += [] if interval else engines
    names = [option.name for option in plan.alternatives]
    names += [_UPPER] if _upper(plan) is not None else []
    if plan.solve == "topics":
        return (*columns, *(count(f"topics_{name}", name) for name in names))
    return (*columns, *(_plain(f"solved_{name}", name, digits) for name in names))


def plan_rows(plan: Plan) -> list[SimpleNamespace]:
    """Return the rows of a plan, a cell each, with the task, the measure and the alternatives."""
    labels = values_at(plan, {"task": "estimate.task", "measure": "estimate.measure"})
    whole = plan.solve == "topics"
    prefix = "topics" if whole else "solved"
    rows = []
    for cell in plan.cells:
        values = {
            f"{prefix}_{name}": int(value) if whole and value is not None else value
            for name, value in cell.beside.items()
        }
        rows.append(SimpleNamespace(**labels, **cell.model_dump(exclude={"beside"}), **values))
    return rows


def round_columns(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of the power that rounds had."""
    return (Column("round", "Round"), _TOPICS, _VARIANCE, *_inputs(plan), *_POWERS)


def _inputs(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of m, where a design has it, and minD."""
    heading = "Width" if plan.design.endswith("-width") else "minD"
    m = (count("m", "m"),) if plan.m else ()
    return (*m, _plain("min_d", heading, 4 if plan.solve == "min-d" else 3))


def _upper(plan: Plan) -> float | None:
    """Return the upper limit of the variance, which only plans saved earlier have, or None."""
    upper: float | None = getattr(plan, "variance_upper", None)
    return upper


def _plain(field: str, heading: str, digits: int) -> Column:
    """Return a column of numbers to `digits` decimals, or to 4 significant digits where needed."""

    def write(value: float) -> str:
        fixed = f"{value:.{digits}f}"
        return fixed if abs(float(fixed) - value) <= 1e-3 * abs(value) else f"{value:.4g}"

    return Column(field, heading, write, "right")


_TOPICS = count("topics", "Topics")
_VARIANCE = _plain("variance", "Variance", 5)
_POWERS = (
    number("power_exact", "exact"),
    number("power_sakai", "sakai"),
    Column("enough", "Enough", lambda enough: "yes" if enough else "no"),
)
