"""The chart of a plan: power, or an interval's width, against the number of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np

from roundbook.presentation.charts.style import (
    COLOURS,
    DASHED,
    DASHES,
    HEIGHT,
    LEGEND_OF_LINES,
    SAID,
    layered,
    points_of,
    styled,
)
from roundbook.presentation.figures import short
from roundbook.presentation.plans import headline
from roundbook.requests.plans import INTERVALS
from roundbook.statistics.design import DESIGNS, design_curve

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan, PlanCell

_SIZES = 60
# At most so many entries of the legend are in a line, which a phone has room for.
_IN_A_LINE = 4


def power_points(plan: Plan) -> list[dict[str, Any]]:
    """Return the points of each cell's curve: power, or the interval's width, by number of topics.

    All cells have the same numbers, from a quarter of the smallest topic set planned to one and a
    half times the largest; those for which the engine is not defined are left out.
    """
    sizes = [cell.topics for cell in plan.cells]
    topics = np.unique(np.geomspace(max(2, min(sizes) / 4), 1.5 * max(sizes), _SIZES).round())
    points = []
    for cell in plan.cells:
        design = (cell.min_d, cell.variance, plan.alpha)
        curve = design_curve(plan.design, topics, *design, runs=cell.m, engine=plan.engine)
        points += [
            _point(cell, int(size), float(value))
            for size, value in zip(topics, curve, strict=True)
            if np.isfinite(value)
        ]
    return points


def planned_points(plan: Plan) -> list[dict[str, Any]]:
    """Return a point for each cell: its topics, and their power, or their interval's width."""
    values = [
        (cell, cell.width if plan.design in INTERVALS else cell.achieved_power)
        for cell in plan.cells
    ]
    return [_point(cell, cell.topics, value) for cell, value in values if value is not None]


def _point(cell: PlanCell, topics: int, value: float) -> dict[str, Any]:
    return {"m": cell.m, "min_d": f"{cell.min_d:.4g}", "topics": topics, "value": value}


def power_chart(plan: Plan) -> alt.ConcatChart:
    """Draw a plan: power against topics, a panel for each number of runs."""
    curves, planned = power_points(plan), planned_points(plan)
    differences = list(dict.fromkeys(point["min_d"] for point in planned))
    panels = []
    for m in dict.fromkeys(cell.m for cell in plan.cells):
        drawn = [point for point in curves if point["m"] == m]
        marked = [point for point in planned if point["m"] == m]
        title = f"m = {m} runs" if DESIGNS[plan.design].takes_runs else "Two runs"
        panels.append(_panel(plan, drawn, marked, differences, title))
    return styled(panels, headline(plan), columns=3)


def _ticks(curves: list[dict[str, Any]]) -> list[int]:
    """Return the ticks 1, 2, 5, 10, ... that lie within the curves."""
    sizes = [point["topics"] for point in curves]
    steps = (digit * 10**power for power in range(7) for digit in (1, 2, 5))
    return [size for size in steps if min(sizes) <= size <= max(sizes)]


def _panel(
    plan: Plan,
    curves: list[dict[str, Any]],
    planned: list[dict[str, Any]],
    differences: list[str],
    title: str,
) -> alt.LayerChart:
    width = plan.design in INTERVALS
    x = alt.X(
        "topics:Q",
        title="Topics, log scale",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(values=_ticks(curves), labelOverlap=True, labelSeparation=4),
    )
    y = alt.Y(
        "value:Q",
        title="Expected full width" if width else "Power",
        scale=alt.Scale(zero=True) if width else alt.Scale(domain=[0, 1]),
    )
    heading = "Width" if width else "minD"
    numbers = range(len(differences))
    looks: tuple[list[Any], ...] = (
        [COLOURS[number % len(COLOURS)] for number in numbers],
        # Lines of the same colour have other dashes.
        [DASHES[(number + number // len(COLOURS)) % len(DASHES)] for number in numbers],
    )
    colours, dashes = (alt.Scale(domain=differences, range=look) for look in looks)
    legend = alt.Legend(**LEGEND_OF_LINES, columns=min(len(differences), _IN_A_LINE))
    colour = alt.Color("min_d:N", title=heading, scale=colours, legend=legend)
    dash = alt.StrokeDash("min_d:N", title=heading, scale=dashes, legend=legend)
    lines = points_of(curves).mark_line(strokeWidth=2)
    drawn = points_of(
        point
        | {
            "text": f"{point['topics']} topics: {'width' if width else 'power'}"
            f" {short(point['value'])}, {heading} {point['min_d']}",
        }
        for point in planned
    )
    marks = drawn.mark_point(filled=True, size=70, opacity=1)
    layers = [
        lines.encode(x=x, y=y, color=colour, strokeDash=dash),
        marks.encode(x=x, y=y, color=colour, **SAID),
    ]
    if not width and plan.solve != "power":
        level = points_of([{"value": 1 - plan.beta}]).mark_rule(**DASHED, aria=False)
        layers.insert(0, level.encode(y=y))
    return layered(*layers, width=260, height=HEIGHT, title=title)
