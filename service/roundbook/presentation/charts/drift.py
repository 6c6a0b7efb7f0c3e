"""Charts of drift: shifts and sd ratios of later rounds, and the shared topics of two rounds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import altair as alt

from roundbook.errors import InputError
from roundbook.presentation.charts.style import (
    ACCENT,
    FAINT,
    HEIGHT,
    HELD,
    INK,
    LETTER,
    LINE,
    RUST,
    SAID,
    SQUARE,
    layered,
    names_axis,
    points_of,
    room_for,
    short_names,
    styled,
)
from roundbook.presentation.figures import MOST_ROUNDS, MOST_TOPICS, interval_phrase, short
from roundbook.presentation.tables import thinned

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftCurve, DriftReport

_COLOURS = {"held": HELD, "aged": RUST, "undecided": FAINT, "unbridged": FAINT}
_SHAPES = {"held": "circle", "aged": "triangle-up", "undecided": "square", "unbridged": "cross"}
_MOST_NAMED = 8
# Room above the highest interval for its verdict, and for as much below the lowest, in pixels; and
# the number of characters of a round in an axis title.
_PADDING, _LONGEST_ROUND = 18, 20


def curve_points(curve: DriftCurve, statistic: str = "shift") -> list[dict[str, Any]]:
    """Return a point for each later round with a ``shift``, or ``sd_ratio``, and its 95% interval.

    The statistic is that for systems and topics like these, which the verdicts rest on.
    """
    points = []
    for later in curve.rounds:
        like = later.systems_like_these
        value = None if like is None else getattr(like, statistic)
        if value is not None:
            low, high = getattr(like, f"{statistic}_95") or (None, None)
            points.append(
                {
                    "name": later.round,
                    "verdict": later.verdict,
                    "value": value,
                    "low": low,
                    "high": high,
                    "topics": later.shared_topics,
                }
            )
    return points


def curve_chart(curve: DriftCurve, width: int | None = None) -> alt.ConcatChart:
    """Draw an ageing curve: the shift above, the sd ratio below, each with its margins.

    For a page, of a `width`, only the shift of the latest rounds is drawn; for a file all.

    Raises
    ------
    InputError
        When no later round has a shift.
    """
    if not curve_points(curve):
        raise InputError(
            f"There is nothing to draw: no round after '{curve.from_round}' has a shift for systems"
            " and topics like these."
        )
    # A page has room for one panel.
    statistics = ("shift",) if width else ("shift", "sd_ratio")
    panels = [_draw(curve, statistic, width) for statistic in statistics]
    return styled(
        panels,
        f"{curve.task}: ageing of the {curve.measure} factors of round '{curve.from_round}', with"
        " 95% intervals; a change within the band does not matter",
    )


def _draw(curve: DriftCurve, statistic: str, width: int | None) -> alt.LayerChart:
    """Draw the later rounds' shifts or sd ratios over the band of those that do not matter."""
    if statistic == "shift":
        rounds = [curve.from_round, *(later.round for later in curve.rounds)]
        title = f"shift, in sds of {short_names(rounds, _LONGEST_ROUND)[0]}"
        low, unmoved, high = -curve.margin, 0.0, curve.margin
        scale = alt.Scale(zero=True, nice=False, padding=_PADDING)
    else:
        title = "ratio of sds, log scale"
        low, unmoved, high = 1 / curve.sd_ratio_margin, 1.0, curve.sd_ratio_margin
        scale = alt.Scale(type="log", nice=False, padding=_PADDING)
    names = [later.round for later in curve.rounds][-MOST_ROUNDS if width else 0 :]
    points = [
        point
        | {
            "top": point["value"] if point["high"] is None else point["high"],
            "text": f"{point['name']}: {short(point['value'])}"
            + interval_phrase(point["low"], point["high"])
            + f", {point['verdict']}, {point['topics']} shared topics",
        }
        for point in curve_points(curve, statistic)
        if point["name"] in names
    ]
    room = width or room_for(len(names))
    x = names_axis("", names, room)
    y = alt.Y("value:Q", title=title, scale=scale, axis=alt.Axis(tickCount=5))
    verdicts = {point["verdict"] for point in points}
    # Each point has its verdict above it, or all verdicts are in a legend.
    fits = all(LETTER * len(verdict) + 6 <= (room - 60) / len(names) for verdict in verdicts)
    of_all = [verdict for verdict in _COLOURS if verdict in verdicts]
    legend = None if fits else alt.Legend(title=None, values=of_all, symbolOpacity=1)
    colour, shape = (
        channel(
            "verdict:N",
            scale=alt.Scale(domain=list(looks), range=list(looks.values())),
            legend=legend,
        )
        for channel, looks in ((alt.Color, _COLOURS), (alt.Shape, _SHAPES))
    )
    band = points_of([{"low": low, "high": high}])
    spans = points_of(point for point in points if point["low"] is not None)
    return layered(
        band.mark_rect(color=HELD, opacity=0.13, aria=False).encode(
            y=alt.Y("low:Q", title=title, scale=scale), y2=alt.Y2("high:Q")
        ),
        points_of([{"value": unmoved}]).mark_rule(color=FAINT, aria=False).encode(y=y),
        spans.mark_rule(strokeWidth=2).encode(
            x=x,
            y=alt.Y("low:Q", scale=scale),
            y2=alt.Y2("high:Q"),
            color=colour,
            **SAID,
        ),
        points_of(points)
        .mark_point(filled=True, size=60, opacity=1)
        .encode(x=x, y=y, color=colour, shape=shape, **SAID),
        points_of(points if fits else [])
        .mark_text(baseline="bottom", dy=-5, fontSize=11)
        .encode(x=x, y=alt.Y("top:Q"), text=alt.Text("verdict:N"), color=colour),
        width=room,
        height=HEIGHT,
    )


def topic_points(report: DriftReport, statistic: str = "mean") -> list[dict[str, Any]]:
    """Return a point for each shared topic: its mean, or ``sd``, over the runs in either round."""
    return [
        {
            "name": topic.topic,
            "from": getattr(topic, f"{statistic}_from"),
            "to": getattr(topic, f"{statistic}_to"),
        }
        for topic in report.topics
    ]


def topics_chart(
    report: DriftReport, width: int | None = None, statistic: Literal["mean", "sd"] = "mean"
) -> alt.ConcatChart:
    """Draw each shared topic's mean, or sd, in the later round against that in the first.

    The topics that moved most are named. For a page, of a `width`, a bounded number is drawn.

    Raises
    ------
    InputError
        When the rounds share no topic.
    """
    points = topic_points(report, statistic)
    if not points:
        raise InputError("The rounds share no topic, so there is nothing to draw.")
    drawn = sorted(points, key=lambda point: -abs(point["to"] - point["from"]))
    if width:
        drawn = [*drawn[:MOST_TOPICS], *thinned(drawn[MOST_TOPICS:], MOST_TOPICS)]
    drawn = [
        point
        | {"text": f"topic {point['name']}: {short(point['from'])}, later {short(point['to'])}"}
        for point in drawn
    ]
    values = [point[side] for point in points for side in ("from", "to")]
    low, high = min(0.0, *values), max(values) * 1.05 or 1.0
    scale, axis = alt.Scale(domain=[low, high], nice=False), alt.Axis(tickCount=5)
    of_from, of_to = short_names([report.from_round, report.to_round], _LONGEST_ROUND)
    x, y = (
        channel(f"{side}:Q", title=f"{statistic} over runs, {label}", scale=scale, axis=axis)
        for channel, side, label in ((alt.X, "from", of_from), (alt.Y, "to", of_to))
    )
    panel = layered(
        points_of([{"from": low, "to": low}, {"from": high, "to": high}])
        .mark_line(color=FAINT, strokeDash=[4, 3], strokeWidth=1, aria=False)
        .encode(x=x, y=y),
        points_of(drawn)
        .mark_point(filled=True, size=36, opacity=0.85, color=ACCENT)
        .encode(x=x, y=y, **SAID),
        points_of(_named(drawn, (high - low) / (SQUARE - 60)))
        .mark_text(align="left", dx=6, fontSize=11, color=INK)
        .encode(x=x, y=y, text=alt.Text("name:N")),
        width=SQUARE,
        height=SQUARE,
    )
    return styled([panel], f"Topics shared, first round against later: {statistic} over the runs")


sd_points, sds_chart = partial(topic_points, statistic="sd"), partial(topics_chart, statistic="sd")


def _named(points: Sequence[dict[str, Any]], pixel: float) -> list[dict[str, Any]]:
    """Return the first points whose names overlap neither another name nor another point."""
    boxes: list[tuple[float, float, float]] = []
    named: list[dict[str, Any]] = []
    right = max(point["from"] for point in points)
    for point in points:
        start, end = point["from"] + 5 * pixel, point["from"] + (8 + 7 * len(point["name"])) * pixel
        middle, half = point["to"], LINE / 2 * pixel
        free = end <= right + 20 * pixel
        free &= all(
            end < box[0] or start > box[1] or abs(middle - box[2]) > 2 * half for box in boxes
        )
        free &= not any(
            neighbour is not point
            and start - 3 * pixel < neighbour["from"] < end + 3 * pixel
            and abs(neighbour["to"] - middle) < half + 3 * pixel
            for neighbour in points
        )
        if free:
            boxes.append((start, end, middle))
            named.append(point)
        if len(named) == _MOST_NAMED:
            break
    return named
