"""Scores by topic, and errors, where the lists are drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH
from roundbook.presentation.charts.style import (
    ACCENT,
    HEIGHT,
    layered,
    names_axis,
    points_of,
    styled,
)
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.per_topic_variance import PerTopicVarianceStudy


def drawn_points(study: PerTopicVarianceStudy) -> list[dict[str, Any]]:
    """Return a point for each topic: the sd of a run's score, the topic that varies most first."""
    (scale,) = study.scales
    return [
        {"name": row.topic, "sd": row.sd, "mean": row.mean, "relevant": row.relevant}
        for row in sorted(scale.by_topic, key=lambda topic: -topic.sd)
    ]


def draw(study: PerTopicVarianceStudy) -> alt.ConcatChart:
    """Draw the sd of scores by topic, and how often the drawn documents put the other run ahead."""
    (scale,) = study.scales
    points = drawn_points(study)
    topics = (
        points_of(points)
        .mark_bar(color=ACCENT)
        .encode(
            x=names_axis("Topic", [point["name"] for point in points], WIDTH),
            y=alt.Y("sd:Q", title="sd of a run's AP over the draws"),
            tooltip=["name:N", "sd:Q", "mean:Q", "relevant:Q"],
        )
    )
    rates = [
        {"low": row.low, "rate": row.rate, "comparisons": row.count}
        for row in scale.bins
        if row.rate is not None
    ]
    errors = (
        points_of(rates)
        .mark_line(strokeWidth=2, point={"color": ACCENT}, color=ACCENT)
        .encode(
            x=alt.X("low:Q", title="Drawn difference"),
            y=alt.Y("rate:Q", title="Other run ahead", axis=alt.Axis(format="%")),
            tooltip=["low:Q", "rate:Q", "comparisons:Q"],
        )
    )
    panels = [layered(panel, width=WIDTH, height=HEIGHT) for panel in (topics, errors)]
    return styled(panels, heading(study))
