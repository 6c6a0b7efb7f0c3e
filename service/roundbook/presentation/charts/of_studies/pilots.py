"""Pilots of fewer teams or topics, for both studies of pilots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH, by_scale
from roundbook.presentation.charts.style import (
    GREY,
    HEIGHT,
    layered,
    points_of,
    styled,
)
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.pilots import PilotStudy


def drawn_points(study: PilotStudy) -> list[dict[str, Any]]:
    """Return a point for each size of pilots: mean, 95% range, and the value of the whole round.

    Sizes of which no pilot has a variance are left out.
    """
    return [
        {
            "scale": scale.scale,
            "figure": figure,
            "size": size.size,
            "mean": spread.mean,
            "low": spread.low,
            "high": spread.high,
            "whole": whole,
        }
        for scale in study.scales
        for size in scale.sizes
        for figure, spread, whole in (
            ("variance", size.variance, scale.variance),
            ("planned", size.planned, scale.planned),
        )
        if spread.mean is not None
    ]


def draw(study: PilotStudy) -> alt.ConcatChart:
    """Draw the variance and the topics planned by it against the size of the pilot."""
    points, names = drawn_points(study), [scale.scale for scale in study.scales]
    noun = "Topics" if study.study == "topic-subsets" else "Teams"
    x = alt.X("size:Q", title=f"{noun} of a pilot", scale=alt.Scale(zero=False))
    panels = []
    for figure, title in (("variance", "Variance"), ("planned", "Topics planned")):
        drawn = points_of([point for point in points if point["figure"] == figure])
        y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
        lines = by_scale(names)
        panels.append(
            layered(
                drawn.mark_rule(color=GREY, strokeDash=[4, 3]).encode(
                    y=alt.Y("whole:Q", title=title), color=lines["color"]
                ),
                drawn.mark_area(opacity=0.15).encode(
                    x=x, y=alt.Y("low:Q", title=title), y2="high:Q", color=lines["color"]
                ),
                drawn.mark_line(strokeWidth=2, point=True).encode(
                    x=x,
                    y=y,
                    tooltip=["scale:N", "size:Q", "mean:Q", "low:Q", "high:Q", "whole:Q"],
                    **lines,
                ),
                width=WIDTH,
                height=HEIGHT,
            )
        )
    legend = "Mean of the pilots drawn from this round, 95% of them, and, dashed, all of it."
    return styled(panels, f"{heading(study)} {legend}")
