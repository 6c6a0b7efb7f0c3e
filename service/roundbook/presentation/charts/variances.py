"""Charts of a measure's variance over the rounds, with intervals and the pooled variance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.style import (
    ACCENT,
    HEIGHT,
    INK,
    LINE,
    SAID,
    layered,
    names_axis,
    points_of,
    room_for,
    styled,
)
from roundbook.presentation.figures import MOST_ROUNDS, interval_phrase, short
from roundbook.presentation.variances import heading

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import VarianceHistory

_ORIGINS = {"matrix": "computed from its scores", "published": "published without scores"}


def variance_points(history: VarianceHistory) -> list[dict[str, Any]]:
    """Return a point for each round: variance and interval, `open` without an upper limit."""
    return [
        {
            "name": row.round,
            "variance": row.variance,
            "low": None if row.interval is None else row.interval.low,
            "high": None if row.interval is None else row.interval.high,
            "open": row.interval is not None and row.interval.high is None,
            "origin": _ORIGINS.get(row.origin, row.origin),
            "topics": row.topics,
            "runs": row.runs,
        }
        for row in history.rounds
    ]


def level_points(history: VarianceHistory) -> list[dict[str, Any]]:
    """Return the points of the pooled variance and, where there is one, the planning variance."""
    pooled = history.pooled
    levels = [{"level": "pooled", "variance": pooled.variance}]
    if (planning := pooled.of_kind("one-way").planning_variance) is not None:
        levels.append({"level": "planning", "variance": planning})
    return levels


def variance_chart(*histories: VarianceHistory, width: int | None = None) -> alt.ConcatChart:
    """Draw variance histories of a task, one below the other; the pooled one's interval is a band.

    For a page, of a `width`, the latest rounds are drawn; for a file all.
    """
    return styled([_draw(history, width) for history in histories], "Residual variance by round")


def _draw(history: VarianceHistory, width: int | None) -> alt.LayerChart:
    points = variance_points(history)[-MOST_ROUNDS if width else 0 :]
    levels = level_points(history)
    limits = (point[name] for point in points for name in ("variance", "high"))
    values = [*limits, *(level["variance"] for level in levels)]
    # An open interval goes up to the edge, with a tip.
    top = 1.1 * max(value for value in values if value is not None)
    drawn = [
        point
        | {
            "high": top if point["open"] else point["high"],
            "text": f"{point['name']}: {short(point['variance'])}"
            + interval_phrase(point["low"], point["high"])
            + ("" if point["origin"] == _ORIGINS["matrix"] else f", {point['origin']}"),
        }
        for point in points
    ]
    room = width or room_for(len(points))
    x = names_axis("", [point["name"] for point in points], room)
    y = alt.Y(
        "variance:Q",
        title=f"residual variance, {history.scale} scale",
        scale=alt.Scale(domain=[0, top], nice=False),
        axis=alt.Axis(format="~g", tickCount=5),
    )
    # The first word of an origin says enough; where all are computed, no legend is needed.
    legend = alt.Legend(
        title=None, labelExpr="split(datum.label, ' ')[0]", symbolFillColor=INK, symbolOpacity=1
    )
    published = any(point["origin"] != _ORIGINS["matrix"] for point in points)
    shape = alt.Shape(
        "origin:N",
        scale=alt.Scale(domain=list(_ORIGINS.values()), range=["circle", "diamond"]),
        legend=legend if published else None,
    )
    spans = points_of(point for point in drawn if point["low"] is not None)
    tips = points_of(point for point in drawn if point["open"])
    rules = points_of(levels).mark_rule(color=ACCENT, aria=False)
    dashes = alt.Scale(domain=["pooled", "planning"], range=[[4, 3], [1, 0]])
    layers = [
        rules.encode(y=y, strokeDash=alt.StrokeDash("level:N", scale=dashes, legend=None)),
        spans.mark_rule(color=INK, strokeWidth=2).encode(
            x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"), **SAID
        ),
        tips.mark_point(
            filled=True, shape="triangle-up", size=60, opacity=1, color=INK, aria=False
        ).encode(x=x, y=alt.Y("high:Q")),
        points_of(drawn)
        .mark_point(filled=True, size=60, opacity=1, color=INK)
        .encode(x=x, y=y, shape=shape, **SAID),
        points_of(_apart(levels, LINE * top / (HEIGHT - 40)))
        .mark_text(align="left", dx=4, fontSize=11, color=ACCENT)
        .encode(x=alt.value("width"), y=y, text=alt.Text("level:N")),
    ]
    if history.pooled.interval is not None:
        low, high = history.pooled.interval.low, history.pooled.interval.high
        band = points_of([{"low": low, "high": top if high is None else high}])
        layers.insert(
            0,
            band.mark_rect(color=ACCENT, opacity=0.13, aria=False).encode(
                y=alt.Y("low:Q"), y2=alt.Y2("high:Q")
            ),
        )
    return layered(*layers, width=room, height=HEIGHT, title=heading(history))


def _apart(levels: Sequence[dict[str, Any]], least: float) -> list[dict[str, Any]]:
    """Return one or two labels with their heights, moved apart where they would overlap."""
    values = [level["variance"] for level in levels]
    if len(levels) < 2 or abs(values[0] - values[1]) >= least:
        return list(levels)
    middle = sum(values) / 2
    below, above = sorted(levels, key=lambda level: level["variance"])
    return [below | {"variance": middle - least / 2}, above | {"variance": middle + least / 2}]
