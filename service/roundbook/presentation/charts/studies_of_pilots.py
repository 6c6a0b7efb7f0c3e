"""Charts of studies of smaller pilots, and of lists that are drawn anew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH, by_scale
from roundbook.presentation.charts.style import (
    ACCENT,
    GREY,
    HEIGHT,
    layered,
    names_axis,
    points_of,
    styled,
)
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.per_topic_variance import PerTopicVarianceStudy
    from roundbook.logbook.studies.pilots import PilotStudy


def pilot_points(study: PilotStudy) -> list[dict[str, Any]]:
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


def pilots_chart(study: PilotStudy) -> alt.ConcatChart:
    """Draw the variance and the topics planned by it against the size of the pilot."""
    points, names = pilot_points(study), [scale.scale for scale in study.scales]
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


def redrawn_points(study: PerTopicVarianceStudy) -> list[dict[str, Any]]:
    """Return a point for each topic: the sd of a run's score, the topic that varies most first."""
    (scale,) = study.scales
    return [
        {"name": row.topic, "sd": row.sd, "mean": row.mean, "relevant": row.relevant}
        for row in sorted(scale.by_topic, key=lambda topic: -topic.sd)
    ]


def redrawn_chart(study: PerTopicVarianceStudy) -> alt.ConcatChart:
    """Draw the sd of scores by topic, and how often the drawn documents put the other run ahead."""
    (scale,) = study.scales
    points = redrawn_points(study)
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
