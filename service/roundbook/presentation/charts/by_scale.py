"""Lines of several scales in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from roundbook.presentation.charts.style import COLOURS, DASHES

WIDTH = 420


def by_scale(names: Sequence[str]) -> dict[str, Any]:
    """Return the colour and the dashes of a line for each scale."""
    legend = (
        alt.Legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=2, symbolOpacity=1)
        if len(names) > 1
        else None
    )
    colours, dashes = (alt.Scale(domain=list(names), range=of) for of in (COLOURS, DASHES))
    return {
        "color": alt.Color("scale:N", title="Scale", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("scale:N", title="Scale", scale=dashes, legend=legend),
    }
