"""Studies, drawn: each by the module of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import altair as alt

from roundbook.presentation.charts.studies_of_pairs import (
    asl_chart,
    asl_points,
    round_points,
    rounds_chart,
    step_points,
    steps_chart,
    swap_chart,
    swap_points,
)
from roundbook.presentation.charts.studies_of_pilots import (
    pilot_points,
    pilots_chart,
    redrawn_chart,
    redrawn_points,
)
from roundbook.presentation.charts.studies_of_runs import (
    change_chart,
    change_points,
    left_out_chart,
    left_out_points,
    reusability_chart,
    reusability_points,
)

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import Study


class _Drawing(NamedTuple):
    """How a study is drawn, and what are the points of it."""

    draw: Callable[[Any], alt.ConcatChart]
    points: Callable[[Any], list[dict[str, Any]]]


_DRAWINGS = {
    "discriminative-power": _Drawing(asl_chart, asl_points),
    "swap-rate": _Drawing(swap_chart, swap_points),
    "across-rounds": _Drawing(rounds_chart, round_points),
    "incremental": _Drawing(steps_chart, step_points),
    "change": _Drawing(change_chart, change_points),
    "leave-one-out": _Drawing(left_out_chart, left_out_points),
    "leave-one-out-rounds": _Drawing(reusability_chart, reusability_points),
    "leave-teams-out": _Drawing(pilots_chart, pilot_points),
    "topic-subsets": _Drawing(pilots_chart, pilot_points),
    "per-topic-variance": _Drawing(redrawn_chart, redrawn_points),
}


def study_chart(study: Study) -> alt.ConcatChart:
    """Draw a study."""
    return _DRAWINGS[study.study].draw(study)


def study_points(study: Study) -> list[dict[str, Any]]:
    """Return the points of a study's chart; see `study_chart`."""
    return _DRAWINGS[study.study].points(study)
