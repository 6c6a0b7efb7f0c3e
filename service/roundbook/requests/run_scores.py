"""The request to compare a round's logged scores with those computed from its runs."""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import ROUNDING, Assessments, MeasureName, RoundLabel, TaskName


class CompareScores(Request):
    """A logged score matrix to compare with the scores computed from runs and assessments."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    assessments: Assessments = None
    tolerance: float = Field(
        ROUNDING,
        ge=0,
        description="Scores that differ by no more are the same: tools print 4 digits.",
    )
    limit: int = Field(20, ge=0, le=10**9, description="List so many of the cells that differ.")
