"""The look of all charts, in colours that differ on light and dark, also to the colour-blind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import Any

import altair as alt

from roundbook.presentation.tables import thinned

# The colours of the pages, and those that replace them on dark pages.
INK, FAINT, ACCENT, RUST, HELD = "#1d2327", "#5c656c", "#0f6b7a", "#a63a18", "#2f7d4f"
ON_DARK = {
    INK: "#e6eaec",
    FAINT: "#a8b2b8",
    ACCENT: "#5cc0d0",
    RUST: "#f0906c",
    HELD: "#74c795",
}
# For lines beside each other: the colours of Okabe and Ito's palette with a contrast of at least 3
# on white and on near black.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
GREY = "#767676"
LEGEND_OF_LINES: dict[str, Any] = {
    "symbolType": "stroke",
    "symbolSize": 400,
    "symbolStrokeWidth": 2,
    "symbolOpacity": 1,
}
# A dashed line, of a limit or of equality.
DASHED: dict[str, Any] = {"color": GREY, "strokeDash": [4, 3]}
# What a mark says to a screen reader and at the pointer is the point's `text`.
SAID = {"description": alt.Description("text:N"), "tooltip": alt.Tooltip("text:N")}
# The common look of charts.
_LOOK = alt.Config(
    font="Inter, system-ui, sans-serif",
    title=alt.TitleConfig(anchor="start", fontSize=12),
    view=alt.ViewConfig(stroke=None),
    axis=alt.AxisConfig(
        gridOpacity=0.6,
        labelFontSize=11,
        titleFontSize=11,
        titleFontWeight="normal",
        # Room for labels in a wider font.
        titlePadding=11,
        labelSeparation=8,
        domain=False,
        ticks=False,
        labelPadding=5,
    ),
    axisX=alt.AxisConfig(grid=False),
    legend=alt.LegendConfig(
        orient="top",
        labelLimit=320,
        titleFontSize=11,
        labelFontSize=11,
        titleFontWeight="normal",
    ),
)
HEIGHT, PANEL, SQUARE = 240, 420, 300
# The width of a letter of a label and the height of its line, in pixels.
LETTER, LINE = 6.6, 13
_NARROWEST, _WIDEST, _STEP = 240, 720, 48
_LONGEST_LABEL = 110
# The number of characters in a line of the title.
_TITLE = 90


def points_of(points: Iterable[Mapping[str, Any]]) -> alt.Chart:
    """Return a chart that holds points, and has no mark yet."""
    return alt.Chart(alt.InlineData(values=[dict(point) for point in points]))


def tooltips(titles: Mapping[str, str]) -> list[alt.Tooltip]:
    """Return what a mark says at the pointer: its fields under their titles.

    A field that has the title of an axis or of the legend is said once, in the axis's format.
    """
    return [alt.Tooltip(field, title=title) for field, title in titles.items()]


def room_for(number: int) -> int:
    """Return the width in pixels of a chart in a file with `number` names on an axis."""
    return max(6 * number, min(max(_STEP * number, _NARROWEST), _WIDEST))


def names_axis(title: str, names: Sequence[str], width: int | None = None) -> alt.X:
    """Return an axis of the points' `name`, in the order given, with as many labels as have room.

    All names have a place on the axis, also those without a point.
    """
    room = width or room_for(len(names))
    labels = list(names)
    longest = LETTER * max(map(len, names), default=1)
    if longest > min(_LONGEST_LABEL, room / max(1, len(names)) - 6):
        labels = _without_alike(names, int(_LONGEST_LABEL / LETTER))
        longest = LETTER * max(map(len, labels))
    every = max(1, int(-(-len(names) * (longest + 6) // room)))
    axis = alt.Axis(
        **labelled(names[::every], labels[::every]),
        labelAngle=0,
        labelLimit=_LONGEST_LABEL,
        # An axis beside the panel may make it narrower than `width`.
        labelOverlap="greedy",
        # A label that would be cut off is left out.
        labelBound=LINE,
    )
    return alt.X("name:O", title=title or None, scale=alt.Scale(domain=list(names)), axis=axis)


def short_names(names: Sequence[str], most: int) -> list[str]:
    """Return names as labels of at most `most` characters; as they are if none is longer."""
    if max(map(len, names)) <= most:
        return list(names)
    return _without_alike(names, most)


def _without_alike(names: Sequence[str], most: int) -> list[str]:
    """Return names without the words that all of them begin and end with.

    What is longer than `most` characters then is cut in the middle.
    """
    if len(names) < 2:
        return [shortened(name, most) for name in names]
    # Numbers and words stay whole.
    words = [re.findall(r"[^\W_]+|[\W_]+", name) for name in names]
    start = _alike(words)
    end = _alike([of_name[start:][::-1] for of_name in words])
    before, after = ("…" if cut else "" for cut in (start, end))
    return [
        shortened(f"{before}{''.join(of_name[start : len(of_name) - end])}{after}", most)
        for of_name in words
    ]


def _alike(words: Sequence[Sequence[str]]) -> int:
    """Return how many of the first words all names have."""
    differing = (len(set(column)) > 1 for column in zip(*words, strict=False))
    return next((index for index, differs in enumerate(differing) if differs), min(map(len, words)))


def shortened(name: str, most: int) -> str:
    """Return a name of at most `most` characters, a longer one cut in the middle."""
    if len(name) <= most:
        return name
    return f"{name[: most // 2]}…{name[len(name) - (most - 1) // 2 :]}"


def labelled(names: Sequence[str], labels: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of an axis that shows labels in place of some of its names."""
    # The labels are found by their place, and all stand in one literal: Vega takes a literal such
    # as 'constructor' for a property of JavaScript's objects, and draws nothing.
    last = len(names) - 1
    return {
        "values": alt.ExprRef(expr=f"slice({_split(names)}, 1)"),
        "labelExpr": f"{_split(labels)}[1 + (round(datum.index * {last}) || 0)]",
    }


def _split(names: Sequence[str]) -> str:
    """Return the expression of an array with names behind an empty text."""
    # No name holds a control character, so one can separate names.
    joined = json.dumps("".join(f"\x01{name}" for name in names))
    return f'split({joined}, "\\u0001")'


def layered(*layers: alt.Chart, width: float, height: int, title: str = "") -> alt.LayerChart:
    """Return a panel of layers drawn over each other, the last on top."""
    return alt.LayerChart(
        layer=list(layers), width=width, height=height, title=title or alt.Undefined
    )


def styled(panels: Sequence[alt.LayerChart], title: str, columns: int = 1) -> alt.ConcatChart:
    """Return a chart of panels with a title, the common look and a transparent background."""
    return alt.ConcatChart(
        concat=list(panels),
        columns=columns,
        background="transparent",
        title=wrap(title, _TITLE),
        config=_LOOK.copy(),  # whoever asked for the chart may change it
    )


def bounded(chart: alt.ConcatChart, most: int) -> tuple[alt.ConcatChart, int]:
    """Return a chart of at most `most` points a layer, and the size of the largest cut, or 0."""
    largest = max(map(_points, _layers(chart)))
    if largest <= most:
        return chart, 0
    chart = chart.copy()
    for layer in _layers(chart):
        if _points(layer) > most:
            layer.data = alt.InlineData(values=thinned(layer.data.values, most))
    return chart, largest


def _layers(chart: alt.ConcatChart) -> list[Any]:
    return [layer for panel in chart.concat for layer in panel.layer]


def _points(layer: Any) -> int:  # noqa: ANN401
    """Return how many points a layer draws; 0 if its marks are no points."""
    mark = getattr(layer.mark, "type", layer.mark)
    return len(getattr(layer.data, "values", ())) if mark in ("point", "circle") else 0


def most_drawn(chart: alt.ConcatChart) -> int:
    """Return the number of points of a chart's largest layer."""
    # Data that all layers, or panels, share is kept above them.
    holders = [chart, *chart.concat, *_layers(chart)]
    return max(len(getattr(holder.data, "values", ())) for holder in holders)


def fitted(chart: alt.ConcatChart, width: int) -> alt.ConcatChart | alt.LayerChart:
    """Return a chart for a page, of a width in pixels, its panels side by side.

    The page has the title. Where there is room for one panel only, they are below each other; a
    square one stays square.
    """
    columns = max(1, min(len(chart.concat), width // _NARROWEST))
    if len(chart.concat) > 1:
        # Beside each panel are its axis, a title and the space to the next panel.
        room = width // columns - 62
        fitted = chart.copy(deep=False)
        fitted.concat = [_sized(panel, room, HEIGHT - 40) for panel in chart.concat]
        fitted.columns, fitted.title = columns, alt.Undefined
        return fitted
    panel = _sized(chart.concat[0], width)
    panel.title = alt.Undefined
    if chart.data is not alt.Undefined:  # data that all layers share is kept above them
        panel.data = chart.data
    panel.autosize = alt.AutoSizeParams(type="fit", contains="padding")
    panel.padding = {"left": 2, "top": 6, "bottom": 2, "right": 14}
    panel.background, panel.config = "transparent", _LOOK
    return panel


def _sized(panel: Any, width: int, height: int | None = None) -> alt.LayerChart:  # noqa: ANN401
    """Return a copy of a panel with another width, and optionally height; a square stays one."""
    sized: alt.LayerChart = panel.copy(deep=False)
    if panel.width == panel.height:
        sized.width = sized.height = min(width, panel.width)
    else:
        sized.width, sized.height = width, height or panel.height
    return sized
