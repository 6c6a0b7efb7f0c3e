"""Requests about the variances of a measure over the rounds of a task."""

from __future__ import annotations

from datetime import date
from typing import Self

from pydantic import Field, field_validator, model_validator

from roundbook.errors import RequestError
from roundbook.requests.base import Request
from roundbook.requests.fields import (
    DEFAULT_ASSESSMENTS,
    Assessments,
    Create,
    DryRun,
    MeasureName,
    MixedAssessments,
    Revise,
    RoundLabel,
    ScoresScale,
    SeenRevision,
    TaskName,
    Weights,
)


class VarianceRequest(Request):
    """A measure's variance in each round of a task, and pooled."""

    task: TaskName
    measure: MeasureName
    scale: ScoresScale = "raw"
    assessments: MixedAssessments = ()
    pool_by: Weights = "dof"


class VarianceHistoryRequest(Request):
    """The variances of all measures of a task over its rounds, or of some."""

    task: TaskName
    measures: tuple[str, ...] = Field((), description="Only this one; repeat.")
    rounds: tuple[str, ...] = Field((), description="Only this one; repeat.")
    since: date | None = Field(None, description="Only rounds held then or later.")
    scale: ScoresScale = "raw"
    assessments: Assessments = None
    pool_by: Weights = "dof"


_MOST = 2**31 - 1


class RecordVarianceRequest(Request):
    """A variance that was published without its score matrix, to be recorded."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    variance: float = Field(description="The residual variance, within runs.")
    runs: int = Field(ge=1, le=_MOST, description="Number of runs.")
    topics: int = Field(ge=2, le=_MOST, description="Number of topics.")
    source: str = Field(description="Where it is published.")
    teams: int | None = Field(None, description="Number of teams of the runs.")
    scale: ScoresScale = "raw"
    assessments: str = Field(DEFAULT_ASSESSMENTS, description="Which assessments.")
    revise: Revise = None
    expected_revision: SeenRevision = None
    create: Create = False
    dry_run: DryRun = False

    @field_validator("variance")
    @classmethod
    def _of_scores(cls, variance: float) -> float:
        if not 1e-100 <= variance <= 1e100:
            raise ValueError(
                "a variance is a number above 0, and within what scores can have (1e-100 to 1e100),"
                f" not {variance:g}"
            )
        return variance

    @model_validator(mode="after")
    def _teams_of_runs(self) -> Self:
        if self.teams is not None and not 1 <= self.teams <= self.runs:
            reason = f"{self.runs} runs are of 1 to {self.runs} teams, not of {self.teams}"
            raise RequestError("teams", reason)
        return self
