"""A round's standardisation factors, drawn: each topic's mean and standard deviation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.style import (
    BLUE,
    HEIGHT,
    layered,
    names_axis,
    points_of,
    step,
    styled,
)

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet


def factor_points(factors: FactorSet) -> list[dict[str, Any]]:
    """Return each topic's mean, and a standard deviation around it; the hardest topic first."""
    return [
        {
            "name": factor.topic,
            "mean": factor.mean,
            "sd": factor.sd,
            "low": factor.mean - factor.sd,
            "high": factor.mean + factor.sd,
        }
        for factor in sorted(factors.factors, key=lambda factor: factor.mean)
    ]


def factor_chart(factors: FactorSet) -> alt.ConcatChart:
    """Draw a round's factors topic by topic."""
    points = factor_points(factors)
    x = names_axis("Topic, the hardest first", [point["name"] for point in points])
    drawn = points_of(points)
    spread = drawn.mark_rule(color=BLUE, strokeWidth=2, opacity=0.6)
    means = drawn.mark_point(filled=True, size=40, opacity=1, color=BLUE)
    panel = layered(
        spread.encode(
            x=x,
            y=alt.Y("low:Q", title=f"{factors.measure}: mean of the runs, ± one sd"),
            y2="high:Q",
        ),
        means.encode(x=x, y="mean:Q", tooltip=["name:N", "mean:Q", "sd:Q"]),
        width=step(len(points)),
        height=HEIGHT,
    )
    return styled(
        [panel],
        f"{factors.task}, round '{factors.round}': factors of {factors.measure}, version"
        f" {factors.version}",
    )
