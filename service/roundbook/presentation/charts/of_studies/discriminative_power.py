"""The ASL curves of discriminative power."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import lines_by_scale
from roundbook.presentation.charts.style import GREY, points_of, styled
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower


def drawn_points(study: DiscriminativePower) -> list[dict[str, Any]]:
    """Return each scale's p values of Tukey HSD in descending order, by the pair's rank from 1.

    Of more than 200 pairs these are 200 at evenly spaced ranks.
    """
    points = []
    for scale in study.scales:
        last = max(1, len(scale.asl) - 1)
        points += [
            {"scale": scale.scale, "rank": 1 + round(index * (scale.pairs - 1) / last), "p": p}
            for index, p in enumerate(scale.asl)
        ]
    return points


def draw(study: DiscriminativePower) -> alt.ConcatChart:
    """Draw the ASL curves of all scales in one panel, and alpha as a line across them."""
    names = [scale.scale for scale in study.scales]
    x = alt.X("rank:Q", title="Pairs of runs, from the largest p value to the smallest")
    y = alt.Y("p:Q", title="p value, randomised Tukey HSD", scale=alt.Scale(domain=[0, 1]))
    alpha = points_of([{"p": study.alpha}]).mark_rule(color=GREY, strokeDash=[4, 3])
    panel = lines_by_scale(
        drawn_points(study),
        names,
        alpha.encode(y=y),
        mark={"interpolate": "step-after"},
        x=x,
        y=y,
        tooltip=["scale:N", "rank:Q", "p:Q"],
    )
    return styled([panel], f"{heading(study)} The lower the curve, the more pairs are told apart.")
