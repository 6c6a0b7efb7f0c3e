"""Charts of studies with a line for each scale: their points, and their panels with a caption."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.style import (
    COLOURS,
    DASHED,
    DASHES,
    HEIGHT,
    LEGEND_OF_LINES,
    PANEL,
    layered,
    names_axis,
    points_of,
    tooltips,
)
from roundbook.presentation.studies.swap_rate import topics_of_sets

if TYPE_CHECKING:
    from roundbook.logbook.studies.across_rounds import AcrossRounds
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower
    from roundbook.logbook.studies.incremental import IncrementalStudy
    from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds
    from roundbook.logbook.studies.pilots import PilotStudy
    from roundbook.logbook.studies.swap_rate import SwapRates

Points = list[dict[str, Any]]
Panels = tuple[list[alt.LayerChart], str]


def asl_points(study: DiscriminativePower) -> Points:
    """Return each scale's p values of Tukey HSD in descending order, by the pair's rank from 1.

    Of more than 200 pairs these are 200 at evenly spaced ranks.
    """
    points = []
    for scale in study.scales:
        last = max(1, len(scale.asl) - 1)
        points += [
            {"scale": scale.scale, "rank": 1 + round(index * (scale.pairs - 1) / last), "p": p}
            for index, p in enumerate(scale.asl)
        ]
    return points


def asl_panels(study: DiscriminativePower, points: Points) -> Panels:
    """Draw the ASL curves of all scales in one panel, and alpha as a line across them."""
    x = alt.X("rank:Q", title="Pairs of runs, from the largest p value to the smallest")
    y = alt.Y("p:Q", title="p value, randomised Tukey HSD", scale=alt.Scale(domain=[0, 1]))
    panel = _lines_by_scale(
        study,
        points,
        _rule("p", study.alpha, y),
        mark={"interpolate": "step-after"},
        x=x,
        y=y,
        tooltip=tooltips({"scale:N": "Scale", "rank:Q": "Rank of the pair", "p:Q": "p value"}),
    )
    return [panel], "The lower the curve, the more pairs are told apart."


def swap_points(study: SwapRates) -> Points:
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


def swap_panels(study: SwapRates, points: Points) -> Panels:
    """Draw swap rates against the difference, in the unit of the scores and in standard deviations.

    The units of raw and standardised scores differ, so only the second panel may be read across
    scales, and with care.
    """
    titles = {"score": "Difference on the first topics", "sd": "Difference, in sds of the scale"}
    y = alt.Y("rate:Q", title="Swap rate", scale=alt.Scale(zero=True))
    panels = []
    for unit, title in titles.items():
        drawn = [point for point in points if point["unit"] == unit]
        if drawn:
            x = alt.X("low:Q", title=title)
            named = {"scale:N": "Scale", "low:Q": title, "rate:Q": "Swap rate"}
            tooltip = tooltips(named | {"comparisons:Q": "Comparisons"})
            level = _rule("rate", study.level, y)
            panels.append(_lines_by_scale(study, drawn, level, x=x, y=y, tooltip=tooltip))
    return panels, f"Rates between sets of {topics_of_sets(study)}."


def power_points(study: AcrossRounds) -> Points:
    """Return a point for each round and scale: the share of pairs told apart and the swap rate."""
    return [
        {"name": row.round, "scale": scale.scale, "share": scale.share, "overall": scale.overall}
        for row in study.rounds
        for scale in row.scales
    ]


def power_panels(study: AcrossRounds, points: Points) -> Panels:
    """Draw discriminative power and swap rate over the rounds, a line a scale."""
    x = names_axis("Round", [row.round for row in study.rounds])
    titles = {"share": "Pairs told apart", "overall": "Differences turned round"}
    panels = [
        _lines_by_scale(
            study,
            points,
            x=x,
            y=alt.Y(f"{figure}:Q", title=title, axis=alt.Axis(format="%")),
            tooltip=tooltips({"name:N": "Round", "scale:N": "Scale", f"{figure}:Q": title}),
        )
        for figure, title in titles.items()
    ]
    return panels, "More pairs told apart and fewer differences turned round are better."


def enough_points(study: IncrementalStudy) -> Points:
    """Return the share of pairs that the first topics are enough for, by the sd and its limit."""
    return [
        {"scale": scale.scale, "topics": step.topics, "rule": rule, "share": share}
        for scale in study.scales
        for step in scale.steps
        for rule, share in (("sd", step.enough), ("upper limit", step.enough_surely))
    ]


def enough_panels(study: IncrementalStudy, points: Points) -> Panels:
    """Draw the share of pairs with enough first topics, a panel for each rule, a line a scale."""
    limit = f"upper {100 * study.confidence:g}% limit of the sd"
    titles = {"sd": "By the sd so far", "upper limit": f"By the {limit}"}
    share = alt.Scale(domain=[0, 1])
    panels = [
        _lines_by_scale(
            study,
            [point for point in points if point["rule"] == rule],
            mark={},
            x=alt.X("topics:Q", title="First topics"),
            y=alt.Y("share:Q", title=title, scale=share, axis=alt.Axis(format="%")),
            tooltip=tooltips({"scale:N": "Scale", "topics:Q": "First topics", "share:Q": title}),
        )
        for rule, title in titles.items()
    ]
    return panels, f"Pairs of runs with topics enough for a difference of {study.difference:g}."


def fairness_points(study: LeaveOneOutRounds) -> Points:
    """Return a point for each round, scale and way of leaving out: Kendall's tau and mean loss."""
    return [
        {"name": row.round, "by": by, "scale": scale.scale, "tau": scale.tau, "bias": scale.bias}
        for row in study.rounds
        for by, scales in (
            ("factors", row.scales),
            ("assessments", row.reassessed.scales if row.reassessed is not None else []),
        )
        for scale in scales
        if scale.tau is not None
    ]


def fairness_panels(study: LeaveOneOutRounds, points: Points) -> Panels:
    """Draw Kendall's tau over the rounds, a line a scale.

    One panel is of teams left out of the factors, the other of the assessments too.
    """
    # Both panels have the same limits, so that they can be compared.
    least = min((point["tau"] for point in points), default=0)
    within = alt.Scale(domain=[min(least, 0.9), 1], nice=True)
    titles = {"factors": "Tau, factors left", "assessments": "Tau, assessments left too"}
    panels = [
        _lines_by_scale(
            study,
            [point for point in points if point["by"] == by],
            x=names_axis("Round", [row.round for row in study.rounds], PANEL),
            y=alt.Y("tau:Q", title=title, scale=within),
            tooltip=tooltips(
                {"name:N": "Round", "scale:N": "Scale", "tau:Q": title, "bias:Q": "Bias"}
            ),
        )
        for by, title in titles.items()
        if any(point["by"] == by for point in points)
    ]
    return panels, "Means with and without each team: the lower, the less fair."


def pilot_points(study: PilotStudy) -> Points:
    """Return a point for each size of pilots: mean, 95% range, and the value of the whole round.

    Sizes of which no pilot has a variance are left out.
    """
    return [
        {
            "scale": scale.scale,
            "figure": figure,
            "size": size.size,
            "mean": spread.mean,
            "low": spread.low,
            "high": spread.high,
            "whole": whole,
        }
        for scale in study.scales
        for size in scale.sizes
        for figure, spread, whole in (
            ("variance", size.variance, scale.variance),
            ("planned", size.planned, scale.planned),
        )
        if spread.mean is not None
    ]


def pilot_panels(study: PilotStudy, points: Points) -> Panels:
    """Draw the variance and the topics planned by it against the size of the pilot."""
    noun = "Topics" if study.study == "topic-subsets" else "Teams"
    sizes = f"{noun} of a pilot"
    x = alt.X("size:Q", title=sizes, scale=alt.Scale(zero=False))
    spread = {"low:Q": "95% from", "high:Q": "95% to", "whole:Q": "All of the round"}
    lines = _by_scale(study)
    panels = []
    for figure, title in (("variance", "Variance"), ("planned", "Topics planned")):
        drawn = points_of([point for point in points if point["figure"] == figure])
        y = alt.Y("mean:Q", title=title, scale=alt.Scale(zero=False))
        panels.append(
            layered(
                drawn.mark_rule(**DASHED).encode(
                    y=alt.Y("whole:Q", title=title), color=lines["color"]
                ),
                drawn.mark_area(opacity=0.15).encode(
                    x=x, y=alt.Y("low:Q", title=title), y2=alt.Y2("high:Q"), color=lines["color"]
                ),
                drawn.mark_line(strokeWidth=2, point=True).encode(
                    x=x,
                    y=y,
                    tooltip=tooltips(
                        {"scale:N": "Scale", "size:Q": sizes, "mean:Q": title} | spread
                    ),
                    **lines,
                ),
                width=PANEL,
                height=HEIGHT,
            )
        )
    return panels, "Mean of the pilots drawn from this round, 95% of them, and, dashed, all of it."


def _rule(field: str, value: float, y: alt.Y) -> alt.Chart:
    """Return a dashed line across a panel."""
    rule = points_of([{field: value}]).mark_rule(**DASHED)
    drawn: alt.Chart = rule.encode(y=y)
    return drawn


def _by_scale(study: Any) -> dict[str, Any]:  # noqa: ANN401
    """Return the colour and the dashes of a line for each scale."""
    names = [scale.scale for scale in study.scales]
    legend = alt.Legend(**LEGEND_OF_LINES) if len(names) > 1 else None
    colours, dashes = (alt.Scale(domain=names, range=look) for look in (COLOURS, DASHES))
    return {
        "color": alt.Color("scale:N", title="Scale", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("scale:N", title="Scale", scale=dashes, legend=legend),
    }


def _lines_by_scale(
    study: Any,  # noqa: ANN401
    points: Sequence[Mapping[str, Any]],
    *below: alt.Chart,
    mark: Mapping[str, Any] = MappingProxyType({"point": True}),
    **encoding: Any,  # noqa: ANN401
) -> alt.LayerChart:
    """Return a panel with a line for each scale of the points, over the layers in `below`.

    `mark` is the look of a line besides its colour and dashes, `encoding` axes and tooltip.
    """
    lines = points_of(points).mark_line(strokeWidth=2, **mark)
    encoded = lines.encode(**encoding, **_by_scale(study))
    return layered(*below, encoded, width=PANEL, height=HEIGHT)
