"""The chart of pilots of fewer teams."""

from __future__ import annotations

from roundbook.presentation.charts.of_studies.pilots import draw, drawn_points

__all__ = ["draw", "drawn_points"]
