"""The request for the generalisability of rounds."""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, MeasureName, TaskName


class GeneralisabilityRequest(Request):
    """The variance components and reliability of a task's rounds, or of one."""

    task: TaskName
    measure: MeasureName
    round: str | None = Field(None, description="Only this one.")
    target: float = Field(0.95, description="The reliability wanted, between 0 and 1.")
    level: float = Field(0.95, description="Of the intervals; repeat for a table of several.")
    more_levels: tuple[float, ...] = Field((), description="Other levels, of that table.")
    topic_counts: tuple[int, ...] = Field(
        (), description="Reliabilities with so many topics, in a table; repeat it."
    )
    m: int = Field(10, description="Runs of the topic set size design beside.")
    min_d: float = Field(0.1, description="Its minD.")
    assessments: Assessments = None
