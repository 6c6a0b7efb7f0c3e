"""Lines of several scales in one panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import altair as alt

from roundbook.presentation.charts.style import COLOURS, DASHES, HEIGHT, layered, points_of

WIDTH = 420


def by_scale(names: Sequence[str]) -> dict[str, Any]:
    """Return the colour and the dashes of a line for each scale."""
    legend = (
        alt.Legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=2, symbolOpacity=1)
        if len(names) > 1
        else None
    )
    colours, dashes = (alt.Scale(domain=list(names), range=look) for look in (COLOURS, DASHES))
    return {
        "color": alt.Color("scale:N", title="Scale", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("scale:N", title="Scale", scale=dashes, legend=legend),
    }


def lines_by_scale(
    points: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    *below: alt.Chart,
    mark: Mapping[str, Any] = MappingProxyType({"point": True}),
    **encoding: Any,  # noqa: ANN401
) -> alt.LayerChart:
    """Return a panel with a line for each scale, over the layers in `below`.

    Parameters
    ----------
    points : sequence of mapping
        Each with its `scale`.
    mark : mapping
        The look of a line besides its colour and dashes.
    encoding
        Axes and tooltip.
    """
    lines = points_of(points).mark_line(strokeWidth=2, **mark)
    encoded = lines.encode(**encoding, **by_scale(names))
    return layered(*below, encoded, width=WIDTH, height=HEIGHT)
