"""Charts of studies, each drawn by the module of `of_studies` that is named after the study."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import altair as alt

    from roundbook.logbook.studies.study import Study


def study_chart(study: Study) -> alt.ConcatChart:
    """Draw the chart of a study."""
    chart: alt.ConcatChart = _module(study).draw(study)
    return chart


def study_points(study: Study) -> list[dict[str, Any]]:
    """Return the points of a study's chart; see `study_chart`."""
    points: list[dict[str, Any]] = _module(study).drawn_points(study)
    return points


def _module(study: Study) -> Any:  # noqa: ANN401
    name = study.study.replace("-", "_")
    return import_module(f"roundbook.presentation.charts.of_studies.{name}")
