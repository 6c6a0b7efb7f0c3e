"""The means of systems in two rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import altair as alt

from roundbook.presentation.charts.by_scale import WIDTH
from roundbook.presentation.charts.style import (
    FAINT,
    HEIGHT,
    RUST,
    layered,
    names_axis,
    points_of,
    styled,
)
from roundbook.presentation.studies import change

if TYPE_CHECKING:
    from roundbook.logbook.studies.change import ChangeStudy


def drawn_points(study: ChangeStudy) -> list[dict[str, Any]]:
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


def draw(study: ChangeStudy) -> alt.ConcatChart:
    """Draw a line from each system's mean in one round to that in the other, the pivot on top."""
    points = drawn_points(study)
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
