"""What all charts look like: colours that the colour-blind tell apart, on light and on dark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import altair as alt

# Of Okabe and Ito's palette those that have a contrast of 3 and more on white and on near black.
BLUE, VERMILLION, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
GREY = "#767676"
COLOURS = [BLUE, VERMILLION, GREEN, PURPLE]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
HEIGHT = 240
_NARROWEST, _WIDEST, _STEP = 240, 720, 48
# How many characters a line of the title has.
_TITLE = 90


def points_of(points: Iterable[Mapping[str, Any]]) -> alt.Chart:
    """Return a chart of points without any mark yet."""
    return alt.Chart(alt.InlineData(values=[dict(point) for point in points]))


def step(number: int) -> alt.Step:
    """Return how wide each of so many names on an axis is, so that all of them fill a page."""
    names = max(number, 1)
    return alt.Step(max(6, min(max(_STEP, _NARROWEST / names), _WIDEST / names)))


def names_axis(title: str, names: list[str]) -> alt.X:
    """Return an axis of the points' `name`, in the order given."""
    axis = alt.Axis(labelAngle=0 if len("".join(names)) < 80 else -60, labelOverlap="greedy")
    # All names are on the axis, those without anything drawn too.
    return alt.X("name:O", title=title, scale=alt.Scale(domain=names), axis=axis)


def layered(
    *layers: alt.Chart, width: float | alt.Step, height: int, title: str = ""
) -> alt.LayerChart:
    """Return marks drawn over each other, the last on top."""
    panel = alt.LayerChart(layer=list(layers), width=width, height=height)
    return panel.properties(title=title) if title else panel


def styled(panels: Sequence[alt.LayerChart], title: str, columns: int = 1) -> alt.ConcatChart:
    """Return panels with their title and the looks of all charts; the page shows through."""
    chart = alt.ConcatChart(concat=list(panels), columns=columns, background="transparent")
    dressed: alt.ConcatChart = chart.properties(title=wrap(title, _TITLE)).configure(
        font="sans-serif",
        title=alt.TitleConfig(anchor="start", fontSize=12),
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(gridOpacity=0.6, labelFontSize=11, titleFontSize=11),
        legend=alt.LegendConfig(labelLimit=320),
    )
    return dressed


def fitted(chart: alt.ConcatChart, width: int) -> alt.ConcatChart:
    """Return a chart for a page: without its title, which the page has, its panels side by side.

    Where there is room for one only, they are below each other.

    Parameters
    ----------
    width : int
        Of the whole, in pixels.
    """
    columns = max(1, min(len(chart.concat), width // _NARROWEST))
    # Beside each panel are its axis, a title and what separates it from the next.
    room = width // columns - 62
    panels = [panel.properties(width=room, height=HEIGHT - 40) for panel in chart.concat]
    fitted = chart.copy()
    fitted.concat, fitted.columns, fitted.title = panels, columns, alt.Undefined
    dressed: alt.ConcatChart = fitted.configure_legend(
        orient="top", labelLimit=320, titleFontSize=11, labelFontSize=11, titleFontWeight="normal"
    ).configure_axis(labelFontSize=11, titleFontSize=11, titleFontWeight="normal", gridOpacity=0.6)
    return dressed
