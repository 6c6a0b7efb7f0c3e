"""Charts of studies, each drawn by the module for its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import altair as alt

from roundbook.presentation.charts import studies_of_pairs as pairs
from roundbook.presentation.charts import studies_of_pilots as pilots
from roundbook.presentation.charts import studies_of_runs as runs

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import Study


class _Drawing(NamedTuple):
    """The function that draws a study, and the one that returns the points of its chart."""

    draw: Callable[[Any], alt.ConcatChart]
    points: Callable[[Any], list[dict[str, Any]]]


_DRAWINGS = {
    "discriminative-power": _Drawing(pairs.asl_chart, pairs.asl_points),
    "swap-rate": _Drawing(pairs.swap_chart, pairs.swap_points),
    "across-rounds": _Drawing(pairs.rounds_chart, pairs.round_points),
    "incremental": _Drawing(pairs.steps_chart, pairs.step_points),
    "change": _Drawing(runs.change_chart, runs.change_points),
    "leave-one-out": _Drawing(runs.left_out_chart, runs.left_out_points),
    "leave-one-out-rounds": _Drawing(runs.reusability_chart, runs.reusability_points),
    "leave-teams-out": _Drawing(pilots.pilots_chart, pilots.pilot_points),
    "topic-subsets": _Drawing(pilots.pilots_chart, pilots.pilot_points),
    "per-topic-variance": _Drawing(pilots.redrawn_chart, pilots.redrawn_points),
}


def study_chart(study: Study) -> alt.ConcatChart:
    """Draw the chart of a study."""
    return _DRAWINGS[study.study].draw(study)


def study_points(study: Study) -> list[dict[str, Any]]:
    """Return the points of a study's chart; see `study_chart`."""
    return _DRAWINGS[study.study].points(study)
