"""Results as charts of a page: as wide as they are told, without title and legend.

A page has each of them twice, for a desk and for a phone, and says above what they show; its style
sheet has light and dark for the colours that are used here, and no others. What is drawn is
bounded, whatever the record holds.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Sequence
from struct import pack
from typing import TYPE_CHECKING, Any, TypeVar

import altair as alt
import numpy as np

from roundbook.errors import InputError
from roundbook.presentation.charts.drift import curve_points, topic_points
from roundbook.presentation.charts.factors import factor_points
from roundbook.presentation.charts.limits import MOST_ROUNDS, MOST_TOPICS
from roundbook.presentation.charts.style import points_of
from roundbook.presentation.charts.variances import variance_points

if TYPE_CHECKING:
    from roundbook.logbook.drift.curve import DriftCurve
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.matrices.overview import ScoreOverview
    from roundbook.logbook.variance_history import VarianceHistory

INK, FAINT, ACCENT, RUST, GREEN = "#1d2327", "#5c656c", "#0f6b7a", "#a63a18", "#2f7d4f"
_VERDICTS = {"held": GREEN, "aged": RUST}
_SHAPES = {"held": "circle", "aged": "triangle-up", "undecided": "square", "unbridged": "cross"}
HEIGHT, SQUARE = 230, 300
# How wide a letter of a label is, and how high its line.
_LETTER, _LINE = 6.6, 13
# How much room a name of an axis has at least.
_NARROWEST = 20
# From few to much, readable on light and on dark paper.
_LOW, _HIGH = (233, 241, 242), (7, 62, 72)
_Point = TypeVar("_Point")


def thinned(points: Sequence[_Point], most: int) -> list[_Point]:
    """Return at most so many of some points, evenly spaced, the first and the last among them."""
    if len(points) <= most:
        return list(points)
    return [points[round(place * (len(points) - 1) / (most - 1))] for place in range(most)]


def variances(history: VarianceHistory, width: int) -> alt.LayerChart:
    """Draw each round's variance with its interval; the pooled one as a line in its own as a band."""
    points = variance_points(history)[-MOST_ROUNDS:]
    pooled = history.pooled
    limits = [value for point in points for value in (point["variance"], point["high"])]
    levels = [("pooled", pooled.variance)]
    if pooled.next_round is not None and pooled.next_round.u80 is not None:
        levels.append(("planning", pooled.next_round.u80))
    top = 1.1 * max(value for value in (*limits, *dict(levels).values()) if value is not None)
    spans = [point | {"high": point["high"] or top} for point in points if point["low"] is not None]
    x = _names("", [point["name"] for point in points], width)
    y = alt.Y(
        "variance:Q",
        title=f"residual variance, {history.scale} scale",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(format="~g", tickCount=5),
    )
    layers = []
    if pooled.interval is not None:
        low, high = pooled.interval.low, pooled.interval.high
        band = points_of([{"low": low, "high": top if high is None else high}])
        layers.append(
            band.mark_rect(color=ACCENT, opacity=0.13).encode(y=alt.Y("low:Q"), y2="high:Q")
        )
    layers += [
        points_of([{"variance": value}])
        .mark_rule(color=ACCENT, strokeDash=[1, 0] if name == "planning" else [4, 3])
        .encode(y=y)
        for name, value in levels
    ]
    layers += [
        points_of(spans).mark_rule(color=INK, strokeWidth=2).encode(x=x, y="low:Q", y2="high:Q"),
        points_of(points)
        .mark_point(filled=True, size=60, opacity=1, color=INK)
        .encode(x=x, y=y, shape=_shape("open", {False: "circle", True: "triangle-up"})),
        *(
            _text(name, "variance", value, dx=4, color=ACCENT).encode(x=alt.value("width"))
            for name, value in _apart(levels, _LINE * top / (HEIGHT - 40))
        ),
    ]
    return _drawn(layers, width, HEIGHT, right=58)


def ageing(curve: DriftCurve, width: int) -> alt.LayerChart:
    """Draw the shift of each later round with its interval, its verdict beside it.

    Raises
    ------
    InputError
        When no later round has a shift.
    """
    points = curve_points(curve, "shift")[-MOST_ROUNDS:]
    if not points:
        raise InputError("There is nothing to draw: no later round has a shift.")
    names = [later.round for later in curve.rounds][-MOST_ROUNDS:]
    x = _names("", names, width)
    # Wide enough for the words beside the last point.
    room = (width - 60) / len(names)
    labels, last, free = [], None, 0.0
    for point in points:
        start = names.index(point["name"]) * room
        if point["verdict"] != last and start >= free:
            labels.append(point)
            last, free = point["verdict"], start + _LETTER * len(point["verdict"]) + 16
    y = alt.Y(
        "value:Q",
        title=f"shift, in sds of {curve.from_round}",
        scale=alt.Scale(zero=True, nice=False, padding=10),
        axis=alt.Axis(tickCount=5),
    )
    colour = _by_verdict(points)
    drawn = points_of(points)
    spans = points_of(point for point in points if point["low"] is not None)
    layers = [
        points_of([{"low": -curve.margin, "high": curve.margin}])
        .mark_rect(color=GREEN, opacity=0.13)
        .encode(y="low:Q", y2="high:Q"),
        points_of([{"value": 0}]).mark_rule(color=FAINT).encode(y=y),
        spans.mark_rule(strokeWidth=2).encode(x=x, y="low:Q", y2="high:Q", color=colour),
        drawn.mark_point(filled=True, size=60, opacity=1).encode(
            x=x, y=y, color=colour, shape=_shape("verdict", _SHAPES)
        ),
        points_of(labels)
        .mark_text(align="left", dx=9, fontSize=11)
        .encode(x=x, y="value:Q", text="verdict:N", color=colour),
    ]
    return _drawn(layers, width, HEIGHT, right=12 if len(names) > 2 else 0)


def means(report: DriftReport, width: int) -> alt.LayerChart:
    """Draw each shared topic's mean later against that then; the largest shifts are named.

    Raises
    ------
    InputError
        When the rounds share no topic.
    """
    return _then_and_later(report, width, "mean")


def sds(report: DriftReport, width: int) -> alt.LayerChart:
    """Draw each shared topic's sd later against that then, and name the most changed; see `means`."""
    return _then_and_later(report, width, "sd")


def _then_and_later(report: DriftReport, width: int, what: str) -> alt.LayerChart:
    if not report.topics:
        raise InputError("The rounds share no topic, so there is nothing to draw.")
    moved = sorted(
        (
            {
                "name": topic.topic,
                "from": getattr(topic, f"{what}_from"),
                "to": getattr(topic, f"{what}_to"),
            }
            for topic in report.topics
        ),
        key=lambda point: -abs(point["to"] - point["from"]),
    )
    points = [*moved[:MOST_TOPICS], *thinned(moved[MOST_TOPICS:], MOST_TOPICS)]
    values = [point[side] for point in points for side in ("from", "to")]
    low, high = min(0.0, *values), max(values) * 1.05 or 1.0
    side = min(width, SQUARE)
    scale = alt.Scale(domain=[low, high], nice=False)
    axis = alt.Axis(tickCount=5)
    x, y = (
        alt.X("from:Q", title=f"{what} over runs, {report.from_round}", scale=scale, axis=axis),
        alt.Y("to:Q", title=f"{what} over runs, {report.to_round}", scale=scale, axis=axis),
    )
    layers = [
        points_of([{"from": low, "to": low}, {"from": high, "to": high}])
        .mark_line(color=FAINT, strokeDash=[4, 3], strokeWidth=1)
        .encode(x=x, y=y),
        points_of(points)
        .mark_point(filled=True, size=36, opacity=0.85, color=ACCENT)
        .encode(x=x, y=y),
        points_of(_named(points, (high - low) / (side - 60)))
        .mark_text(align="left", dx=6, fontSize=11, color=INK)
        .encode(x=x, y=y, text="name:N"),
    ]
    return _drawn(layers, side, SQUARE)


def _named(points: Sequence[dict[str, Any]], pixel: float, most: int = 8) -> list[dict[str, Any]]:
    """Return the first points whose names have room: beside no other name and over no point."""
    boxes: list[tuple[float, float, float]] = []
    named: list[dict[str, Any]] = []
    right = max(point["from"] for point in points)
    for point in points:
        start, end = point["from"] + 5 * pixel, point["from"] + (8 + 7 * len(point["name"])) * pixel
        middle, half = point["to"], _LINE / 2 * pixel
        free = end <= right + 20 * pixel
        free &= all(
            end < there[0] or start > there[1] or abs(middle - there[2]) > 2 * half
            for there in boxes
        )
        free &= not any(
            other is not point
            and start - 3 * pixel < other["from"] < end + 3 * pixel
            and abs(other["to"] - middle) < half + 3 * pixel
            for other in points
        )
        if free:
            boxes.append((start, end, middle))
            named.append(point)
        if len(named) == most:
            break
    return named


def factors(fitted: FactorSet, width: int) -> alt.LayerChart:
    """Draw each topic's mean and one sd to either side, the hardest first."""
    points = factor_points(fitted)
    return _topics(points, fitted.measure, width)


def topics(overview: ScoreOverview, width: int) -> alt.LayerChart:
    """Draw the mean and one sd to either side of each topic's scores, the hardest first."""
    points = [
        {
            "name": topic.topic,
            "mean": topic.mean,
            "low": topic.mean - (topic.sd or 0.0),
            "high": topic.mean + (topic.sd or 0.0),
        }
        for topic in overview.topics
    ]
    return _topics(points, overview.measure, width)


def _topics(points: Sequence[dict[str, Any]], measure: str, width: int) -> alt.LayerChart:
    drawn = thinned(points, min(MOST_TOPICS, width // 6))
    x = _names("topic, the hardest first", [point["name"] for point in drawn], width)
    y = alt.Y("low:Q", title=f"{measure}: mean ± sd", axis=alt.Axis(tickCount=5))
    layers = [
        points_of(drawn)
        .mark_rule(color=ACCENT, strokeWidth=3, opacity=0.5)
        .encode(x=x, y=y, y2="high:Q"),
        points_of(drawn)
        .mark_point(filled=True, size=26, opacity=1, color=INK)
        .encode(x=x, y="mean:Q"),
    ]
    return _drawn(layers, width, HEIGHT)


def scores(overview: ScoreOverview, width: int) -> alt.LayerChart:
    """Draw the scores as a heat map, topics by runs, as one image of a pixel a cell."""
    x = _names("run, the best first", overview.cell_runs, width)
    y = alt.Y(
        "topic:O",
        title="topic, the hardest first",
        scale=alt.Scale(domain=overview.cell_topics),
        axis=alt.Axis(
            values=thinned(overview.cell_topics, 30),
            labelOverlap="greedy",
            labelSeparation=0,
            labelLimit=60,
        ),
    )
    corner = {"name": overview.cell_runs[0], "topic": overview.cell_topics[0]}
    layers = [
        points_of([corner]).mark_rect(opacity=0).encode(x=x, y=y),
        alt.Chart(alt.InlineData(values=[{}]))
        .mark_image(
            url=_image(np.asarray(overview.cells)),
            aspect=False,
            smooth=False,
            align="left",
            baseline="top",
            width=alt.ExprRef("width"),
            height=alt.ExprRef("height"),
        )
        .encode(x=alt.value(0), y=alt.value(0)),
    ]
    height = min(420, max(140, 12 * len(overview.cell_topics) + 60))
    return _drawn(layers, width, height)


def score_points(overview: ScoreOverview) -> list[dict[str, Any]]:
    """Return the cells of a heat map, each with its topic and run, or the first of several."""
    return [
        {"topic": topic, "run": run, "score": score}
        for topic, row in zip(overview.cell_topics, overview.cells, strict=True)
        for run, score in zip(overview.cell_runs, row, strict=True)
    ]


def sd_points(report: DriftReport) -> list[dict[str, Any]]:
    """Return the shared topics' standard deviations over the runs in both rounds."""
    return [
        point | {"from": topic.sd_from, "to": topic.sd_to}
        for point, topic in zip(topic_points(report), report.topics, strict=True)
    ]


def score_limits(overview: ScoreOverview) -> tuple[float, float]:
    """Return the lowest and the highest score of a heat map, its lightest and darkest cell."""
    cells = np.asarray(overview.cells)
    return float(cells.min()), float(cells.max())


def _image(cells: np.ndarray[Any, np.dtype[np.float64]]) -> str:
    """Return cells as a PNG image in an address, a pixel each, the lowest light, the highest dark."""
    low, high = cells.min(), cells.max()
    share = (cells - low) / ((high - low) or 1.0)
    colours = np.asarray(_LOW) + share[..., None] * (np.asarray(_HIGH) - np.asarray(_LOW))
    lines = colours.round().astype(np.uint8)
    # Each line of pixels begins with its filter, 0 for none.
    data = b"".join(b"\0" + line.tobytes() for line in lines)
    parts = (
        (b"IHDR", pack(">IIBBBBB", cells.shape[1], cells.shape[0], 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(data)),
        (b"IEND", b""),
    )
    encoded = b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(body)) + kind + body + pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return f"data:image/png;base64,{b64encode(encoded).decode()}"


def _names(title: str, names: Sequence[str], width: int) -> alt.X:
    """Return an axis of points' `name`; those names that would overlap are left out."""
    axis = alt.Axis(
        # Of many names it takes long to find out which overlap.
        values=thinned(names, max(2, width // _NARROWEST)),
        labelAngle=0,
        labelOverlap="greedy",
        # Letters are wider in some fonts than in that which is measured; short names hardly.
        labelSeparation=4 if max(map(len, names)) <= 4 else 14,
        labelLimit=110,
    )
    return alt.X("name:O", title=title or None, scale=alt.Scale(domain=list(names)), axis=axis)


def _shape(field: str, shapes: dict[Any, str]) -> alt.Shape:
    scale = alt.Scale(domain=list(shapes), range=list(shapes.values()))
    return alt.Shape(f"{field}:N", scale=scale, legend=None)


def _by_verdict(points: Sequence[dict[str, Any]]) -> alt.Color:
    names = list(dict.fromkeys(point["verdict"] for point in points))
    scale = alt.Scale(domain=names, range=[_VERDICTS.get(name, FAINT) for name in names])
    return alt.Color("verdict:N", scale=scale, legend=None)


def _text(words: str, field: str, value: float, *, dx: int, color: str) -> alt.Chart:
    drawn = points_of([{field: value, "words": words}]).mark_text(
        align="left", dx=dx, fontSize=11, color=color
    )
    placed: alt.Chart = drawn.encode(y=f"{field}:Q", text="words:N")
    return placed


def _apart(levels: Sequence[tuple[str, float]], least: float) -> list[tuple[str, float]]:
    """Return one or two labels with their places, moved apart where they would overlap."""
    if len(levels) < 2 or abs(levels[0][1] - levels[1][1]) >= least:
        return list(levels)
    (low, below), (high, above) = sorted(levels, key=lambda level: level[1])
    middle = (below + above) / 2
    return [(low, middle - least / 2), (high, middle + least / 2)]


def _drawn(
    layers: Sequence[alt.Chart], width: int, height: int, *, right: int = 0
) -> alt.LayerChart:
    """Return marks over each other, in all as wide and high as said, as the page has them."""
    chart = alt.LayerChart(
        layer=list(layers),
        width=width,
        height=height,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        padding={"left": 2, "top": 6, "bottom": 2, "right": right + 2},
        background="transparent",
    )
    dressed: alt.LayerChart = chart.configure(
        font="Inter, system-ui, sans-serif",
        aria=False,
        view=alt.ViewConfig(stroke=None),
        axis=alt.AxisConfig(
            gridOpacity=0.6,
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            # Fonts differ in how wide they are.
            titlePadding=11,
            labelSeparation=8,
            domain=False,
            ticks=False,
            labelPadding=5,
        ),
        axisX=alt.AxisConfig(grid=False),
    )
    return dressed
