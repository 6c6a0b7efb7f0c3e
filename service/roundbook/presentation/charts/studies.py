"""Charts of studies: their points, and their panels with a caption."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import altair as alt

from roundbook.presentation.charts import scale_lines
from roundbook.presentation.charts.scale_lines import Panels, Points
from roundbook.presentation.charts.style import (
    ACCENT,
    DASHED,
    FAINT,
    HEIGHT,
    PANEL,
    RUST,
    SQUARE,
    layered,
    names_axis,
    points_of,
    short_names,
    styled,
    tooltips,
)
from roundbook.presentation.studies.common import study_heading

if TYPE_CHECKING:
    from roundbook.logbook.studies.change import ChangeStudy
    from roundbook.logbook.studies.leave_one_out import LeaveOneOutStudy
    from roundbook.logbook.studies.per_topic_variance import PerTopicVarianceStudy
    from roundbook.logbook.studies.study import Study

# The height of a system's name in pixels, with space around it, and its number of characters.
_NAME, _LONGEST_NAME = 18, 11


def study_chart(study: Study) -> alt.ConcatChart:
    """Draw the chart of a study."""
    chart = CHARTS[study.study]
    panels, caption = chart.panels(study, chart.points(study))
    return styled(panels, f"{study_heading(study)} {caption}", columns=chart.columns)


def study_points(study: Study) -> Points:
    """Return the points of a study's chart; see `study_chart`."""
    return CHARTS[study.study].points(study)


def _change_points(study: ChangeStudy) -> Points:
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


def _change_panels(study: ChangeStudy, points: Points) -> Panels:
    """Draw a line from each system's mean in one round to that in the other, the pivot on top.

    In the later round systems are named, the pivot first, where their names have room.
    """
    rounds = list(dict.fromkeys(point["name"] for point in points))
    kinds = alt.Scale(domain=["pivot", "other systems"], range=[RUST, FAINT])
    x = names_axis("Round", rounds, PANEL)
    y = alt.Y("mean:Q", title="Mean", scale=alt.Scale(zero=False))
    colour = alt.Color("of:N", title="Among", scale=kinds, legend=alt.Legend(title=None))
    lines = [
        points_of([point for point in points if point["of"] == kind])
        .mark_line(strokeWidth=width, point=True)
        .encode(
            x=x,
            y=y,
            detail=alt.Detail("system:N", title="System"),
            color=colour,
            tooltip=tooltips({"system:N": "System", "name:N": "Round", "mean:Q": "Mean"}),
        )
        for kind, width in (("other systems", 1), ("pivot", 3))
    ]
    names = (
        points_of(_named(points))
        .mark_text(align="left", dx=7, fontSize=11)
        .encode(x=x, y=y, text=alt.Text("label:N"), color=colour)
    )
    panel = layered(*lines, names, width=PANEL, height=HEIGHT)
    return [panel], f"The mean of each system beside the pivot {study.pivot}."


def _named(points: Points) -> Points:
    """Return the later of each system's two points with its name, where that overlaps no other."""
    later = points[1::2]
    means = [point["mean"] for point in points]
    apart = (max(means) - min(means)) * _NAME / HEIGHT
    systems = [point["system"] for point in later]
    labels = dict(zip(systems, short_names(systems, _LONGEST_NAME), strict=True))
    named: Points = []
    for point in sorted(later, key=lambda point: point["of"] != "pivot"):
        if all(abs(point["mean"] - other["mean"]) > apart for other in named):
            named.append(point | {"label": labels[point["system"]]})
    return named


def _left_out_points(study: LeaveOneOutStudy) -> Points:
    """Return a point for each scale and run: its mean in the round and where it is left out."""
    return [{"scale": scale.scale, **dict(run)} for scale in study.scales for run in scale.left_out]


def _left_out_panels(study: LeaveOneOutStudy, points: Points) -> Panels:
    """Draw the means left out against those in the round, a panel a scale, with the diagonal."""
    panels = []
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
        diagonal = points_of(limits).mark_line(**DASHED, strokeWidth=1)
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
                    tooltip=tooltips(
                        {"run:N": "Run", "team:N": "Team", "official:Q": across, "left_out:Q": up}
                        | {"rank_shift:Q": "Ranks lost"}
                    ),
                ),
                width=SQUARE,
                height=SQUARE,
                title=scale.scale,
            )
        )
    return panels, "Below the diagonal a run gets less where it is left out."


def _redrawn_points(study: PerTopicVarianceStudy) -> Points:
    """Return a point for each topic: the sd of a run's score, the topic that varies most first."""
    (scale,) = study.scales
    return [
        {"name": row.topic, "sd": row.sd, "mean": row.mean, "relevant": row.relevant}
        for row in sorted(scale.by_topic, key=lambda topic: -topic.sd)
    ]


def _redrawn_panels(study: PerTopicVarianceStudy, points: Points) -> Panels:
    """Draw the sd of scores by topic, and how often the drawn documents put the other run ahead."""
    (scale,) = study.scales
    sd = "sd of a run's AP over the draws"
    topics = (
        points_of(points)
        .mark_bar(color=ACCENT)
        .encode(
            x=names_axis("Topic", [point["name"] for point in points], PANEL),
            y=alt.Y("sd:Q", title=sd),
            tooltip=tooltips(
                {
                    "name:N": "Topic",
                    "sd:Q": sd,
                    "mean:Q": "Mean",
                    "relevant:Q": "Relevant documents",
                }
            ),
        )
    )
    rates = [
        {"low": row.low, "rate": row.rate, "comparisons": row.count}
        for row in scale.bins
        if row.rate is not None
    ]
    errors = (
        points_of(rates)
        .mark_line(strokeWidth=2, point={"color": ACCENT}, color=ACCENT)
        .encode(
            x=alt.X("low:Q", title="Drawn difference"),
            y=alt.Y("rate:Q", title="Other run ahead", axis=alt.Axis(format="%")),
            tooltip=tooltips(
                {"low:Q": "Drawn difference", "rate:Q": "Other run ahead"}
                | {"comparisons:Q": "Comparisons"}
            ),
        )
    )
    return [layered(panel, width=PANEL, height=HEIGHT) for panel in (topics, errors)], ""


class _Chart(NamedTuple):
    """A study's chart: its points, what draws them in panels with a caption, and panels a row."""

    points: Callable[[Any], Points]
    panels: Callable[[Any, Points], Panels]
    columns: int = 1


_PILOTS = _Chart(scale_lines.pilot_points, scale_lines.pilot_panels)
CHARTS = {
    "discriminative-power": _Chart(scale_lines.asl_points, scale_lines.asl_panels),
    "swap-rate": _Chart(scale_lines.swap_points, scale_lines.swap_panels),
    "across-rounds": _Chart(scale_lines.power_points, scale_lines.power_panels),
    "incremental": _Chart(scale_lines.enough_points, scale_lines.enough_panels),
    "change": _Chart(_change_points, _change_panels),
    "leave-one-out": _Chart(_left_out_points, _left_out_panels, columns=3),
    "leave-one-out-rounds": _Chart(scale_lines.fairness_points, scale_lines.fairness_panels),
    "leave-teams-out": _PILOTS,
    "topic-subsets": _PILOTS,
    "per-topic-variance": _Chart(_redrawn_points, _redrawn_panels),
}
