"""Charts of a round's standardisation factors: each topic's mean and standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.limits import MOST_TOPICS
from roundbook.presentation.charts.style import (
    ACCENT,
    HEIGHT,
    INK,
    layered,
    names_axis,
    points_of,
    room_for,
    styled,
)
from roundbook.presentation.figures import short
from roundbook.presentation.tables import thinned

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet


def factor_points(factors: FactorSet) -> list[dict[str, Any]]:
    """Return a point for each topic: its mean, one sd to either side; the hardest topic first."""
    ordered = sorted(factors.factors, key=lambda factor: factor.mean)
    return [topic_point(factor.topic, factor.mean, factor.sd) for factor in ordered]


def topic_point(topic: str, mean: float, sd: float) -> dict[str, Any]:
    """Return a topic's mean and sd as a point of `topics_panel`."""
    return {"name": topic, "mean": mean, "sd": sd, "low": mean - sd, "high": mean + sd}


def factor_chart(factors: FactorSet, width: int | None = None) -> alt.ConcatChart:
    """Draw a round's factors topic by topic.

    Parameters
    ----------
    width : int, optional
        Width in a page, which shows a bounded number of topics; None for a file, which shows all.
    """
    return styled(
        [topics_panel(factor_points(factors), factors.measure, width)],
        f"{factors.task}, round '{factors.round}': factors of {factors.measure}, version"
        f" {factors.version}",
    )


def topics_panel(
    points: Sequence[dict[str, Any]], measure: str, width: int | None
) -> alt.LayerChart:
    """Draw the mean and one sd to either side of each topic, in the order given."""
    thin = thinned(points, min(MOST_TOPICS, width // 6)) if width else list(points)
    drawn = points_of(
        point | {"text": f"topic {point['name']}: {short(point['mean'])}, sd {short(point['sd'])}"}
        for point in thin
    )
    room = width or room_for(len(thin))
    x = names_axis("topic, the hardest first", [point["name"] for point in thin], room)
    y = alt.Y("low:Q", title=f"{measure}: mean ± sd", axis=alt.Axis(tickCount=5))
    return layered(
        drawn.mark_rule(color=ACCENT, strokeWidth=3, opacity=0.5).encode(
            x=x, y=y, y2="high:Q", description="text:N", tooltip="text:N"
        ),
        drawn.mark_point(filled=True, size=26, opacity=1, color=INK).encode(
            x=x, y="mean:Q", description="text:N", tooltip="text:N"
        ),
        width=room,
        height=HEIGHT,
    )
