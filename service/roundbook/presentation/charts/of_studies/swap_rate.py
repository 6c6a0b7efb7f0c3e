"""Swap rates by the size of the difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import lines_by_scale
from roundbook.presentation.charts.style import GREY, points_of, styled
from roundbook.presentation.studies.common import heading
from roundbook.presentation.studies.swap_rate import topics_of_sets

if TYPE_CHECKING:
    from roundbook.logbook.studies.swap_rate import SwapRates


def drawn_points(study: SwapRates) -> list[dict[str, Any]]:
    """Return each scale's swap rates by the difference on the first topics, in scores and in sds.

    Bins without comparisons are left out.
    """
    return [
        {
            "scale": scale.scale,
            "unit": unit,
            "low": row.low,
            "rate": row.rate,
            "comparisons": row.count,
        }
        for scale in study.scales
        for unit, sizes in (("score", scale), ("sd", scale.in_sds))
        if sizes is not None
        for row in sizes.bins
        if row.rate is not None
    ]


def draw(study: SwapRates) -> alt.ConcatChart:
    """Draw swap rates against the difference, in the unit of the scores and in standard deviations.

    The units of raw and standardised scores differ, so only the second panel may be read across
    scales, and with care.
    """
    points, names = drawn_points(study), [scale.scale for scale in study.scales]
    titles = {"score": "Difference on the first topics", "sd": "Difference, in sds of the scale"}
    y = alt.Y("rate:Q", title="Swap rate", scale=alt.Scale(zero=True))
    level = points_of([{"rate": study.level}]).mark_rule(color=GREY, strokeDash=[4, 3])
    panels = []
    for unit, title in titles.items():
        drawn = [point for point in points if point["unit"] == unit]
        if drawn:
            x = alt.X("low:Q", title=title)
            tooltip = ["scale:N", "low:Q", "rate:Q", "comparisons:Q"]
            panels.append(
                lines_by_scale(drawn, names, level.encode(y=y), x=x, y=y, tooltip=tooltip)
            )
    return styled(panels, f"{heading(study)} Rates between sets of {topics_of_sets(study)}.")
