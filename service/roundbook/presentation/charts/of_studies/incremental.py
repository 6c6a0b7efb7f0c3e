"""Pairs of runs that the first topics are enough for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import lines_by_scale
from roundbook.presentation.charts.style import styled
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.incremental import IncrementalStudy


def drawn_points(study: IncrementalStudy) -> list[dict[str, Any]]:
    """Return the share of pairs that the first topics are enough for, by the sd and its limit."""
    return [
        {"scale": scale.scale, "topics": step.topics, "rule": rule, "share": share}
        for scale in study.scales
        for step in scale.steps
        for rule, share in (("sd", step.enough), ("upper limit", step.enough_surely))
    ]


def draw(study: IncrementalStudy) -> alt.ConcatChart:
    """Draw the share of pairs with enough first topics, a panel for each rule, a line a scale."""
    points, names = drawn_points(study), [scale.scale for scale in study.scales]
    limit = f"upper {100 * study.confidence:g}% limit of the sd"
    titles = {"sd": "By the sd so far", "upper limit": f"By the {limit}"}
    share = alt.Scale(domain=[0, 1])
    panels = [
        lines_by_scale(
            [point for point in points if point["rule"] == rule],
            names,
            mark={},
            x=alt.X("topics:Q", title="First topics"),
            y=alt.Y("share:Q", title=title, scale=share, axis=alt.Axis(format="%")),
            tooltip=["scale:N", "topics:Q", "share:Q"],
        )
        for rule, title in titles.items()
    ]
    caption = f"Pairs of runs with topics enough for a difference of {study.difference:g}."
    return styled(panels, f"{heading(study)} {caption}")
