"""Requests about the standardisation factors of a round."""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, DryRun, MeasureName, RoundLabel, TaskName, ZeroSd


class FactorsRequest(Request):
    """One version of a round's factors."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    version: int | None = Field(None, description="Default: the latest.")
    assessments: Assessments = None


class FitRequest(Request):
    """A further version of a round's factors, fitted on other standardising runs."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    reason: str = Field(description="Why a further version is fitted.")
    runs: tuple[str, ...] = Field(
        ("pooled",),
        description="The standardising runs: pooled, all, or a run's tag; repeat.",
    )
    zero_sd: ZeroSd = Field("average", description="Topics on which these runs tie: 0, or dropped.")
    assessments: Assessments = None
    dry_run: DryRun = False
