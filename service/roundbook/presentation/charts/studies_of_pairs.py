"""Charts of studies of all pairs of runs: ASL curves, swap rates, rounds, incremental topics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import lines_by_scale
from roundbook.presentation.charts.style import GREY, names_axis, points_of, styled
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.across_rounds import AcrossRounds
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower
    from roundbook.logbook.studies.incremental import IncrementalStudy
    from roundbook.logbook.studies.swap_rate import SwapRates


def asl_points(study: DiscriminativePower) -> list[dict[str, Any]]:
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


def asl_chart(study: DiscriminativePower) -> alt.ConcatChart:
    """Draw the ASL curves of all scales in one panel, and alpha as a line across them."""
    names = [scale.scale for scale in study.scales]
    x = alt.X("rank:Q", title="Pairs of runs, from the largest p value to the smallest")
    y = alt.Y("p:Q", title="p value, randomised Tukey HSD", scale=alt.Scale(domain=[0, 1]))
    alpha = points_of([{"p": study.alpha}]).mark_rule(color=GREY, strokeDash=[4, 3])
    panel = lines_by_scale(
        asl_points(study),
        names,
        alpha.encode(y=y),
        mark={"interpolate": "step-after"},
        x=x,
        y=y,
        tooltip=["scale:N", "rank:Q", "p:Q"],
    )
    return styled([panel], f"{heading(study)} The lower the curve, the more pairs are told apart.")


def swap_points(study: SwapRates) -> list[dict[str, Any]]:
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


def swap_chart(study: SwapRates) -> alt.ConcatChart:
    """Draw swap rates against the difference, in the unit of the scores and in standard deviations.

    The units of raw and standardised scores differ, so only the second panel may be read across
    scales, and with care.
    """
    points, names = swap_points(study), [scale.scale for scale in study.scales]
    titles = {"score": "Difference on the first topics", "sd": "Difference, in sds of the scale"}
    y = alt.Y("rate:Q", title="Swap rate", scale=alt.Scale(zero=True))
    level = points_of([{"rate": study.level}]).mark_rule(color=GREY, strokeDash=[4, 3])
    panels = []
    for unit, title in titles.items():
        drawn = [point for point in points if point["unit"] == unit]
        if drawn:
            x = alt.X("low:Q", title=title)
            tooltip = ["scale:N", "low:Q", "rate:Q", "comparisons:Q"]
            panels.append(
                lines_by_scale(drawn, names, level.encode(y=y), x=x, y=y, tooltip=tooltip)
            )
    return styled(panels, f"{heading(study)} Rates between sets of {study.topics_each} topics.")


def round_points(study: AcrossRounds) -> list[dict[str, Any]]:
    """Return a point for each round and scale: the share of pairs told apart and the swap rate."""
    return [
        {"name": row.round, "scale": scale.scale, "share": scale.share, "overall": scale.overall}
        for row in study.rounds
        for scale in row.scales
    ]


def rounds_chart(study: AcrossRounds) -> alt.ConcatChart:
    """Draw discriminative power and swap rate over the rounds, a line a scale."""
    points, rounds = round_points(study), [row.round for row in study.rounds]
    names = [scale.scale for scale in study.scales]
    x = names_axis("Round", rounds)
    titles = {"share": "Pairs told apart", "overall": "Differences turned round"}
    panels = [
        lines_by_scale(
            points,
            names,
            x=x,
            y=alt.Y(f"{figure}:Q", title=title, axis=alt.Axis(format="%")),
            tooltip=["name:N", "scale:N", f"{figure}:Q"],
        )
        for figure, title in titles.items()
    ]
    return styled(
        panels,
        f"{heading(study)} More pairs told apart and fewer differences turned round are better.",
    )


def step_points(study: IncrementalStudy) -> list[dict[str, Any]]:
    """Return the share of pairs that the first topics are enough for, by the sd and its limit."""
    return [
        {"scale": scale.scale, "topics": step.topics, "rule": rule, "share": share}
        for scale in study.scales
        for step in scale.steps
        for rule, share in (("sd", step.enough), ("upper limit", step.enough_surely))
    ]


def steps_chart(study: IncrementalStudy) -> alt.ConcatChart:
    """Draw the share of pairs with enough first topics, a panel for each rule, a line a scale."""
    points, names = step_points(study), [scale.scale for scale in study.scales]
    limit = f"upper {100 * study.confidence:g}% limit of the sd"
    titles = {"sd": "By the sd so far", "upper limit": f"By the {limit}"}
    share = alt.Scale(domain=[0, 1])
    panels = [
        lines_by_scale(
            [point for point in points if point["rule"] == rule],
            names,
            mark={},
            x=alt.X("topics:Q", title="First topics"),
            y=alt.Y("share:Q", title=title, scale=share, axis=alt.Axis(format="%")),
            tooltip=["scale:N", "topics:Q", "share:Q"],
        )
        for rule, title in titles.items()
    ]
    caption = f"Pairs of runs with topics enough for a difference of {study.difference:g}."
    return styled(panels, f"{heading(study)} {caption}")
