"""The ageing curve, drawn: each later round's shift and sd ratio against the first round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.errors import InputError
from roundbook.presentation.charts.style import (
    BLUE,
    GREEN,
    GREY,
    HEIGHT,
    PURPLE,
    VERMILLION,
    layered,
    names_axis,
    points_of,
    step,
    styled,
)

if TYPE_CHECKING:
    from roundbook.logbook.drift.curve import DriftCurve
    from roundbook.logbook.drift.report import DriftReport

_COLOURS = {"held": BLUE, "aged": VERMILLION, "undecided": PURPLE, "unbridged": GREEN}
_SHAPES = {"held": "circle", "aged": "triangle-up", "undecided": "square", "unbridged": "cross"}


def curve_points(curve: DriftCurve, statistic: str) -> list[dict[str, Any]]:
    """Return the later rounds that have a ``shift``, or an ``sd_ratio``, with its 95% interval.

    It is that for systems and topics like these, which the verdicts rest on.
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


def curve_chart(curve: DriftCurve) -> alt.ConcatChart:
    """Draw an ageing curve: the shift above, the sd ratio below, each with its margins.

    Raises
    ------
    InputError
        When no later round has a shift.
    """
    if not curve_points(curve, "shift"):
        raise InputError(
            f"There is nothing to draw: no round after '{curve.from_round}' has a shift for systems"
            " and topics like these."
        )
    ratio = curve.sd_ratio_margin
    shift = _draw(
        curve,
        "shift",
        f"Shift, in standard deviations of '{curve.from_round}'",
        (-curve.margin, 0, curve.margin),
        alt.Scale(zero=True, nice=False, padding=10),
    )
    spread = _draw(
        curve,
        "sd_ratio",
        "Ratio of standard deviations, log scale",
        (1 / ratio, 1, ratio),
        alt.Scale(type="log", nice=False, padding=10),
    )
    return styled(
        [shift, spread],
        f"{curve.task}: ageing of the {curve.measure} factors of round '{curve.from_round}', with"
        " 95% intervals; a change within the grey band does not matter",
    )


def _draw(
    curve: DriftCurve,
    statistic: str,
    title: str,
    levels: tuple[float, float, float],
    scale: alt.Scale,
) -> alt.LayerChart:
    points = curve_points(curve, statistic)
    names = [later.round for later in curve.rounds]
    verdicts = [name for name in _COLOURS if any(later.verdict == name for later in curve.rounds)]
    low, unmoved, high = levels
    x = names_axis("Later round", names)
    band = points_of([{"low": low, "high": high}]).mark_rect(color=GREY, opacity=0.2)
    line = points_of([{"value": unmoved}]).mark_rule(color=GREY)
    spans = points_of(point for point in points if point["low"] is not None)
    colour = alt.Color(
        "verdict:N",
        title="Verdict",
        scale=alt.Scale(domain=verdicts, range=[_COLOURS[name] for name in verdicts]),
    )
    shape = alt.Shape(
        "verdict:N",
        title="Verdict",
        scale=alt.Scale(domain=verdicts, range=[_SHAPES[name] for name in verdicts]),
    )
    y = alt.Y("value:Q", title=title, scale=scale)
    tooltip = ["name:N", "verdict:N", "value:Q", "low:Q", "high:Q", "topics:Q"]
    marks = points_of(points).mark_point(filled=True, size=80, opacity=1)
    return layered(
        band.encode(y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q"),
        line.encode(y=y),
        spans.mark_rule(strokeWidth=2).encode(
            x=x, y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour
        ),
        marks.encode(x=x, y=y, color=colour, shape=shape, tooltip=tooltip),
        width=step(len(names)),
        height=180,
    )


def topic_points(report: DriftReport) -> list[dict[str, Any]]:
    """Return the shared topics' means over the runs in both rounds."""
    return [
        {"name": topic.topic, "from": topic.mean_from, "to": topic.mean_to}
        for topic in report.topics
    ]


def topics_chart(report: DriftReport) -> alt.ConcatChart:
    """Draw each shared topic's mean in the later round against that in the first.

    Raises
    ------
    InputError
        When the rounds share no topic.
    """
    points = topic_points(report)
    if not points:
        raise InputError("The rounds share no topic, so there is nothing to draw.")
    values = [point[side] for point in points for side in ("from", "to")]
    domain = alt.Scale(domain=[min(0, *values), max(values)], nice=True)
    corners = [{"x": min(0, *values)}, {"x": max(values)}]
    line = points_of(corners).mark_line(strokeDash=[4, 3], color=GREY)
    dots = points_of(points).mark_point(filled=True, size=45, opacity=0.8, color=BLUE)
    panel = layered(
        line.encode(x=alt.X("x:Q", scale=domain), y=alt.Y("x:Q", scale=domain)),
        dots.encode(
            x=alt.X("from:Q", title=f"Mean over runs, {report.from_round}", scale=domain),
            y=alt.Y("to:Q", title=f"Mean over runs, {report.to_round}", scale=domain),
            tooltip=["name:N", "from:Q", "to:Q"],
        ),
        width=HEIGHT,
        height=HEIGHT,
    )
    return styled([panel], "Topics shared, first round against later")
