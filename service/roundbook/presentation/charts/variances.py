"""A measure's variance over the rounds, drawn: each round's with its interval, and the pooled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.style import (
    BLUE,
    GREEN,
    HEIGHT,
    VERMILLION,
    layered,
    names_axis,
    points_of,
    step,
    styled,
)
from roundbook.presentation.variances import heading

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import VarianceHistory

_ORIGINS = {"matrix": "computed from its scores", "published": "published without scores"}
_SHAPES = {"computed from its scores": "circle", "published without scores": "diamond"}
_POOLED, _PLANNING = "pooled", "planning: 4 of 5 next rounds stay below"


def variance_points(history: VarianceHistory) -> list[dict[str, Any]]:
    """Return each round's variance and interval; an interval without upper limit is `open`."""
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
    """Return the pooled variance, and the planning variance where there is one."""
    pooled = history.pooled
    levels = [{"level": _POOLED, "variance": pooled.variance}]
    if pooled.next_round is not None and pooled.next_round.u80 is not None:
        levels.append({"level": _PLANNING, "variance": pooled.next_round.u80})
    return levels


def variance_chart(histories: Sequence[VarianceHistory]) -> alt.ConcatChart:
    """Draw variance histories of a task, one below the other."""
    return styled(list(map(_draw, histories)), "Residual variance by round")


def _draw(history: VarianceHistory) -> alt.LayerChart:
    points, levels = variance_points(history), level_points(history)
    limits = (point[name] for point in points for name in ("variance", "high"))
    values = [*limits, *(level["variance"] for level in levels)]
    # An open interval goes up to the edge, with a tip.
    top = 1.1 * max(value for value in values if value is not None)
    spans = [
        point | {"high": top if point["open"] else point["high"]}
        for point in points
        if point["low"] is not None
    ]
    x = names_axis("Round", [point["name"] for point in points])
    y = alt.Y(
        "variance:Q",
        title="Residual variance, 95% interval",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(format="~g"),
    )
    origins = list(dict.fromkeys(point["origin"] for point in points))
    marks = points_of(points).mark_point(filled=True, size=70, opacity=1, color=BLUE)
    drawn = marks.encode(
        x=x,
        y=y,
        shape=alt.Shape(
            "origin:N",
            title="Round",
            scale=alt.Scale(domain=origins, range=[_SHAPES[origin] for origin in origins]),
        ),
        tooltip=["name:N", "variance:Q", "low:Q", "high:Q", "topics:Q", "runs:Q"],
    )
    whiskers = points_of(spans).mark_rule(color=BLUE, strokeWidth=2)
    tips = points_of([span for span in spans if span["open"]]).mark_point(
        filled=True, shape="triangle-up", size=60, opacity=1, color=BLUE
    )
    names = [level["level"] for level in levels]
    kinds = alt.Scale(domain=names, range=[VERMILLION, GREEN][: len(names)])
    lines = points_of(levels).mark_rule(strokeWidth=1.5)
    return layered(
        lines.encode(
            y=y,
            color=alt.Color("level:N", title="Variance", scale=kinds),
            strokeDash=alt.StrokeDash(
                "level:N",
                title="Variance",
                scale=alt.Scale(domain=names, range=[[1, 0], [6, 3]][: len(names)]),
            ),
        ),
        whiskers.encode(x=x, y=alt.Y("low:Q"), y2="high:Q"),
        tips.encode(x=x, y=alt.Y("high:Q")),
        drawn,
        width=step(len(points)),
        height=HEIGHT,
        title=heading(history),
    )
