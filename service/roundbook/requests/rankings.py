"""The request to compare rankings of a round's runs."""

from __future__ import annotations

from pydantic import Field

from roundbook.limits import MOST_RESAMPLES
from roundbook.requests.base import Request
from roundbook.requests.fields import (
    Anonymous,
    Assessments,
    MeasureName,
    RoundLabel,
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
    seed: int = Field(0, description="Of the bootstrap.")
    assessments: Assessments = None
    anonymous: Anonymous = False
