"""Charts of studies of runs that are left out, or that come back in a later round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH, lines_by_scale
from roundbook.presentation.charts.style import (
    ACCENT,
    FAINT,
    GREY,
    HEIGHT,
    RUST,
    SQUARE,
    layered,
    names_axis,
    points_of,
    styled,
)
from roundbook.presentation.studies import change
from roundbook.presentation.studies.common import heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.change import ChangeStudy
    from roundbook.logbook.studies.leave_one_out import LeaveOneOutStudy
    from roundbook.logbook.studies.leave_one_out_rounds import LeaveOneOutRounds


def left_out_points(study: LeaveOneOutStudy) -> list[dict[str, Any]]:
    """Return a point for each scale and run: its mean in the round and where it is left out."""
    return [{"scale": scale.scale, **dict(run)} for scale in study.scales for run in scale.left_out]


def left_out_chart(study: LeaveOneOutStudy) -> alt.ConcatChart:
    """Draw the means left out against those in the round, a panel a scale, with the diagonal."""
    points, panels = left_out_points(study), []
    for scale in study.scales:
        drawn = [
            point | {"team": point["team"] or "-"}
            for point in points
            if point["scale"] == scale.scale
        ]
        means = [point[name] for point in drawn for name in ("official", "left_out")]
        limits = [{"mean": limit} for limit in (min(means), max(means))]
        within = alt.Scale(domain=[limit["mean"] for limit in limits], nice=True)
        across = "Mean, all there" if study.reassessed else "Mean in the round"
        up = "Mean where left out"
        diagonal = points_of(limits).mark_line(color=GREY, strokeDash=[4, 3], strokeWidth=1)
        marks = points_of(drawn).mark_circle(color=ACCENT, opacity=0.7, size=40)
        panels.append(
            layered(
                diagonal.encode(
                    x=alt.X("mean:Q", title=across, scale=within),
                    y=alt.Y("mean:Q", title=up, scale=within),
                ),
                marks.encode(
                    x=alt.X("official:Q", title=across, scale=within),
                    y=alt.Y("left_out:Q", title=up, scale=within),
                    tooltip=["run:N", "team:N", "official:Q", "left_out:Q", "rank_shift:Q"],
                ),
                width=SQUARE,
                height=SQUARE,
                title=scale.scale,
            )
        )
    below = "Below the diagonal a run gets less where it is left out."
    return styled(panels, f"{heading(study)} {below}", columns=3)


def reusability_points(study: LeaveOneOutRounds) -> list[dict[str, Any]]:
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


def reusability_chart(study: LeaveOneOutRounds) -> alt.ConcatChart:
    """Draw Kendall's tau over the rounds, a line a scale.

    One panel is of teams left out of the factors, the other of the assessments too.
    """
    points, rounds = reusability_points(study), [row.round for row in study.rounds]
    names = [scale.scale for scale in study.scales]
    # Both panels have the same limits, so that they can be compared.
    least = min((point["tau"] for point in points), default=0)
    within = alt.Scale(domain=[min(least, 0.9), 1], nice=True)
    titles = {"factors": "Tau, factors left", "assessments": "Tau, assessments left too"}
    panels = [
        lines_by_scale(
            [point for point in points if point["by"] == by],
            names,
            x=names_axis("Round", rounds, WIDTH),
            y=alt.Y("tau:Q", title=title, scale=within),
            tooltip=["name:N", "scale:N", "tau:Q", "bias:Q"],
        )
        for by, title in titles.items()
        if any(point["by"] == by for point in points)
    ]
    return styled(
        panels, f"{heading(study)} Means with and without each team: the lower, the less fair."
    )


def change_points(study: ChangeStudy) -> list[dict[str, Any]]:
    """Return a point for each system and round: the system's mean."""
    (scale,) = study.scales
    rounds = study.from_round or "earlier", study.to_round or "later"
    return [
        {
            "system": system.system,
            "name": name,
            "mean": mean,
            "of": "pivot" if system.system == study.pivot else "other systems",
        }
        for system in scale.systems
        for name, mean in zip(rounds, (system.mean_from, system.mean_to), strict=True)
    ]


def change_chart(study: ChangeStudy) -> alt.ConcatChart:
    """Draw a line from each system's mean in one round to that in the other, the pivot on top."""
    points = change_points(study)
    rounds = list(dict.fromkeys(point["name"] for point in points))
    kinds = alt.Scale(domain=["pivot", "other systems"], range=[RUST, FAINT])
    x = names_axis("Round", rounds, WIDTH)
    y = alt.Y("mean:Q", title="Mean", scale=alt.Scale(zero=False))
    lines = [
        points_of([point for point in points if point["of"] == kind])
        .mark_line(strokeWidth=width, point=True)
        .encode(
            x=x,
            y=y,
            detail="system:N",
            color=alt.Color("of:N", title="", scale=kinds),
            tooltip=["system:N", "name:N", "mean:Q"],
        )
        for kind, width in (("other systems", 1), ("pivot", 3))
    ]
    panel = layered(*lines, width=WIDTH, height=HEIGHT)
    return styled(
        [panel], f"{change.heading(study)} The mean of each system beside the pivot {study.pivot}."
    )
