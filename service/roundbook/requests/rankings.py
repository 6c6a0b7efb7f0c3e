"""Requests about rankings of a round's runs: to compare them, and how reliable they are."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from roundbook.limits import MOST_COUNTED, MOST_RESAMPLES
from roundbook.requests.base import Request
from roundbook.requests.fields import (
    Anonymous,
    Assessments,
    MeasureName,
    Positive,
    RoundLabel,
    RunsToCompare,
    Share,
    StandardisedScale,
    TaskName,
)


class RankRequest(Request):
    """Run rankings to compare: raw with standardised, or by two factor versions."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    scale: StandardisedScale = Field("std-ab", description="The standardised scale to compare.")
    versions: tuple[int, int] | None = Field(
        None, description="Compare two factor versions, instead of raw."
    )
    resamples: int = Field(2000, le=MOST_RESAMPLES, description="Of the bootstrap over topics.")
    seed: int = Field(0, ge=0, description="Of the bootstrap.")
    assessments: Assessments = None
    anonymous: Anonymous = False


class GeneralisabilityRequest(Request):
    """The variance components and reliability of a task's rounds, or of one."""

    task: TaskName
    measure: MeasureName
    round: str | None = Field(None, description="Only this one.")
    target: Share = Field(0.95, description="The reliability wanted, between 0 and 1.")
    level: Share = Field(0.95, description="Of the intervals; repeat for a table of several.")
    more_levels: tuple[Share, ...] = Field((), description="Other levels, of that table.")
    topic_counts: tuple[Annotated[int, Field(ge=1, le=MOST_COUNTED)], ...] = Field(
        (), description="Reliabilities with so many topics, in a table; repeat it."
    )
    m: RunsToCompare = Field(10, description="Runs of the topic set size design beside.")
    min_d: Positive = Field(0.1, description="Its minD.")
    assessments: Assessments = None
