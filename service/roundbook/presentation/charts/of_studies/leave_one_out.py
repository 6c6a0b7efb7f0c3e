"""The means of runs in a round and where they are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.style import (
    ACCENT,
    GREY,
    SQUARE,
    layered,
    points_of,
    styled,
)
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out import LeaveOneOutStudy


def drawn_points(study: LeaveOneOutStudy) -> list[dict[str, Any]]:
    """Return a point for each scale and run: its mean in the round and where it is left out."""
    return [{"scale": scale.scale, **dict(run)} for scale in study.scales for run in scale.left_out]


def draw(study: LeaveOneOutStudy) -> alt.ConcatChart:
    """Draw the means left out against those in the round, a panel a scale, with the diagonal."""
    points, panels = drawn_points(study), []
    for scale in study.scales:
        drawn = [
            point | {"team": point["team"] or "-"}
            for point in points
            if point["scale"] == scale.scale
        ]
        means = [point[name] for point in drawn for name in ("official", "left_out")]
        limits = [{"mean": limit} for limit in (min(means), max(means))]
        within = alt.Scale(domain=[limit["mean"] for limit in limits], nice=True)
        across = "Mean, all there" if study.reassessed else "Mean in the round"
        up = "Mean where left out"
        diagonal = points_of(limits).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1)
        marks = points_of(drawn).mark_circle(color=ACCENT, opacity=0.7, size=40)
        panels.append(
            layered(
                diagonal.encode(
                    x=alt.X("mean:Q", title=across, scale=within),
                    y=alt.Y("mean:Q", title=up, scale=within),
                ),
                marks.encode(
                    x=alt.X("official:Q", title=across, scale=within),
                    y=alt.Y("left_out:Q", title=up, scale=within),
                    tooltip=["run:N", "team:N", "official:Q", "left_out:Q", "rank_shift:Q"],
                ),
                width=SQUARE,
                height=SQUARE,
                title=scale.scale,
            )
        )
    below = "Below the diagonal a run gets less where it is left out."
    return styled(panels, f"{heading(study)} {below}", columns=3)
