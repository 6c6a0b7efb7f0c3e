"""Studies, drawn: the ASL curves of discriminative power, swap rates by difference, rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.errors import InputError
from roundbook.presentation.charts.style import (
    COLOURS,
    DASHES,
    GREY,
    HEIGHT,
    layered,
    names_axis,
    points_of,
    styled,
)
from roundbook.presentation.studies.common import DRAWN, heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.across_rounds import AcrossRounds
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower
    from roundbook.logbook.studies.study import Study
    from roundbook.logbook.studies.swap_rate import SwapRates

_WIDTH = 420


def study_chart(study: Study) -> alt.ConcatChart:
    """Draw a study.

    Raises
    ------
    InputError
        When there is no drawing of its kind.
    """
    if study.study not in DRAWN:
        raise InputError(f"A study '{study.study}' is not drawn; {', '.join(DRAWN)} are.")
    return _DRAW[study.study](study)


def study_points(study: Study) -> list[dict[str, Any]]:
    """Return the points of a study's chart; see `study_chart`."""
    if study.study not in _POINTS:
        raise InputError(f"A study '{study.study}' is not drawn; {', '.join(_POINTS)} are.")
    return _POINTS[study.study](study)


def asl_points(study: DiscriminativePower) -> list[dict[str, Any]]:
    """Return each scale's p values of Tukey HSD in descending order, by the pair's rank from 1.

    Of more than 200 pairs these are 200 at evenly spaced ranks.
    """
    points = []
    for scale in study.scales:
        last = max(1, len(scale.asl) - 1)
        points += [
            {
                "scale": scale.scale,
                "rank": 1 + round(place * (scale.pairs - 1) / last),
                "p": p,
            }
            for place, p in enumerate(scale.asl)
        ]
    return points


def asl_chart(study: DiscriminativePower) -> alt.ConcatChart:
    """Draw the ASL curves of all scales in one picture, and alpha across them."""
    names = [scale.scale for scale in study.scales]
    x = alt.X("rank:Q", title="Pairs of runs, from the largest p value to the smallest")
    y = alt.Y("p:Q", title="p value, randomised Tukey HSD", scale=alt.Scale(domain=[0, 1]))
    alpha = points_of([{"p": study.alpha}]).mark_rule(color=GREY, strokeDash=[4, 3])
    curves = points_of(asl_points(study)).mark_line(strokeWidth=2, interpolate="step-after")
    panel = layered(
        alpha.encode(y=y),
        curves.encode(x=x, y=y, tooltip=["scale:N", "rank:Q", "p:Q"], **_by_scale(names)),
        width=_WIDTH,
        height=HEIGHT,
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
            "low": one.low,
            "rate": one.rate,
            "comparisons": one.count,
        }
        for scale in study.scales
        for unit, sizes in (("score", scale), ("sd", scale.in_sds))
        if sizes is not None
        for one in sizes.bins
        if one.rate is not None
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
        if not drawn:
            continue
        lines = points_of(drawn).mark_line(strokeWidth=2, point=True)
        marked = lines.encode(
            x=alt.X("low:Q", title=title),
            y=y,
            tooltip=["scale:N", "low:Q", "rate:Q", "comparisons:Q"],
            **_by_scale(names),
        )
        panels.append(layered(level.encode(y=y), marked, width=_WIDTH, height=HEIGHT))
    return styled(panels, f"{heading(study)} Rates between sets of {study.topics_each} topics.")


def round_points(study: AcrossRounds) -> list[dict[str, Any]]:
    """Return each round's share of pairs told apart and swap rate, scale beside scale."""
    return [
        {
            "name": one.round,
            "scale": scale.scale,
            "share": scale.share,
            "overall": scale.overall,
        }
        for one in study.rounds
        for scale in one.scales
    ]


def rounds_chart(study: AcrossRounds) -> alt.ConcatChart:
    """Draw discriminative power and swap rate over the rounds, a line a scale."""
    points, rounds = round_points(study), [one.round for one in study.rounds]
    names = [scale.scale for scale in study.scales]
    x = names_axis("Round", rounds)
    titles = {"share": "Pairs told apart", "overall": "Differences turned round"}
    panels = [
        layered(
            points_of(points)
            .mark_line(strokeWidth=2, point=True)
            .encode(
                x=x,
                y=alt.Y(f"{figure}:Q", title=title, axis=alt.Axis(format="%")),
                tooltip=["name:N", "scale:N", f"{figure}:Q"],
                **_by_scale(names),
            ),
            width=_WIDTH,
            height=HEIGHT,
        )
        for figure, title in titles.items()
    ]
    return styled(panels, heading(study))


def _by_scale(names: Sequence[str]) -> dict[str, Any]:
    legend = alt.Legend(symbolType="stroke", symbolSize=400, symbolStrokeWidth=2)
    colours, dashes = (alt.Scale(domain=list(names), range=of) for of in (COLOURS, DASHES))
    return {
        "color": alt.Color("scale:N", title="Scale", scale=colours, legend=legend),
        "strokeDash": alt.StrokeDash("scale:N", title="Scale", scale=dashes),
    }


_DRAW: dict[str, Callable[[Any], alt.ConcatChart]] = dict(
    zip(DRAWN, (asl_chart, swap_chart, rounds_chart), strict=True)
)
_POINTS: dict[str, Callable[[Any], list[dict[str, Any]]]] = {
    "discriminative-power": asl_points,
    "swap-rate": swap_points,
    "across-rounds": round_points,
}
