"""Leave-one-out over the rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH, lines_by_scale
from roundbook.presentation.charts.style import (
    names_axis,
    styled,
)
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds


def drawn_points(study: LeaveOneOutRounds) -> list[dict[str, Any]]:
    """Return a point for each round, scale and way of leaving out: Kendall's tau and mean loss."""
    return [
        {"name": row.round, "by": by, "scale": scale.scale, "tau": scale.tau, "bias": scale.bias}
        for row in study.rounds
        for by, scales in (
            ("factors", row.scales),
            ("assessments", row.reassessed.scales if row.reassessed is not None else []),
        )
        for scale in scales
        if scale.tau is not None
    ]


def draw(study: LeaveOneOutRounds) -> alt.ConcatChart:
    """Draw Kendall's tau over the rounds, a line a scale.

    One panel is of teams left out of the factors, the other of the assessments too.
    """
    points, rounds = drawn_points(study), [row.round for row in study.rounds]
    names = [scale.scale for scale in study.scales]
    # Both panels have the same limits, so that they can be compared.
    least = min((point["tau"] for point in points), default=0)
    within = alt.Scale(domain=[min(least, 0.9), 1], nice=True)
    titles = {"factors": "Tau, factors left", "assessments": "Tau, assessments left too"}
    panels = [
        lines_by_scale(
            [point for point in points if point["by"] == by],
            names,
            x=names_axis("Round", rounds, WIDTH),
            y=alt.Y("tau:Q", title=title, scale=within),
            tooltip=["name:N", "scale:N", "tau:Q", "bias:Q"],
        )
        for by, title in titles.items()
        if any(point["by"] == by for point in points)
    ]
    return styled(
        panels, f"{heading(study)} Means with and without each team: the lower, the less fair."
    )
