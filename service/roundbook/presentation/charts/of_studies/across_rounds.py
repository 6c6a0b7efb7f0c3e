"""Discriminative power and swap rate over the rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import lines_by_scale
from roundbook.presentation.charts.style import names_axis, styled
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.across_rounds import AcrossRounds


def drawn_points(study: AcrossRounds) -> list[dict[str, Any]]:
    """Return a point for each round and scale: the share of pairs told apart and the swap rate."""
    return [
        {"name": row.round, "scale": scale.scale, "share": scale.share, "overall": scale.overall}
        for row in study.rounds
        for scale in row.scales
    ]


def draw(study: AcrossRounds) -> alt.ConcatChart:
    """Draw discriminative power and swap rate over the rounds, a line a scale."""
    points, rounds = drawn_points(study), [row.round for row in study.rounds]
    names = [scale.scale for scale in study.scales]
    x = names_axis("Round", rounds)
    titles = {"share": "Pairs told apart", "overall": "Differences turned round"}
    panels = [
        lines_by_scale(
            points,
            names,
            x=x,
            y=alt.Y(f"{figure}:Q", title=title, axis=alt.Axis(format="%")),
            tooltip=["name:N", "scale:N", f"{figure}:Q"],
        )
        for figure, title in titles.items()
    ]
    return styled(
        panels,
        f"{heading(study)} More pairs told apart and fewer differences turned round are better.",
    )
