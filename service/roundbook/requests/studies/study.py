"""The bases of all requests for studies: of one round or of files, and of all rounds."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self, get_args

from pydantic import Field, field_validator, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    Assessments,
    FileMeasure,
    Layout,
    MeasureName,
    Missing,
    VarianceScale,
)


class StudyRequest(Request):
    """A study of one score matrix: that of a round, or of files without a record."""

    # Whether it depends on which topics the rounds share, under any of their ids.
    shares_topics: ClassVar[bool] = False

    task: str | None = Field(None, description="The task's name; none with `file`.")
    round: str | None = Field(None, description="The round's label; none with `file`.")
    measure: MeasureName
    scales: tuple[VarianceScale, ...] = Field(
        ("raw",), description="A scale of the scores; repeat to see several beside each other."
    )
    seed: int = Field(0, ge=0, description="Of all that is drawn.")
    assessments: Assessments = None
    files: tuple[Path, ...] = Field(
        (), description="Study the scores in this file, without a record. Repeat."
    )
    layout: Layout = Field("auto", description="How the files are laid out.")
    file_measure: FileMeasure = None
    missing: Missing = Field("reject", description="Missing scores in the files.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Kinds of rows of the record that the study is computed from."""
        return ("matrix",) if set(self.scales) == {"raw"} else ("factor_set",)

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Rounds of the study; an empty tuple stands for all that have the measure."""
        return (self.round,)

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams."""
        return False

    @field_validator("scales", mode="before")
    @classmethod
    def _distinct_scales(cls, scales: tuple[str, ...]) -> tuple[str, ...]:
        choices = get_args(VarianceScale)
        unknown = [scale for scale in scales if scale not in choices]
        if unknown:
            raise ValueError(f"`scale` takes {', '.join(choices)}, not '{unknown[0]}'")
        return tuple(dict.fromkeys(scales or ("raw",)))

    @model_validator(mode="after")
    def _round_or_files(self) -> Self:
        if bool(self.files) == (self.task is not None) or (self.task is None) != (
            self.round is None
        ):
            raise ValueError("A study is of a task's round, or of the scores in `file`")
        return self


class AllRoundsRequest(StudyRequest):
    """A study of every round of a task that has the measure."""

    scales: tuple[VarianceScale, ...] = Field(
        get_args(VarianceScale), description="The scales that are beside each other."
    )

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Empty: the study is of all rounds that have the measure."""
        return ()

    @model_validator(mode="after")
    def _round_or_files(self) -> Self:
        if self.task is None or self.round is not None or self.files:
            raise ValueError(
                "A study of all rounds is of a task: name the task, and no round or file"
            )
        refuse_file_fields(self, "a study of all rounds is of what is logged")
        return self


def check_power(alpha: float, beta: float) -> None:
    """Raise ValueError unless the power, 1 - beta, is between alpha and 1."""
    if not 0 < beta < 1 - alpha:
        raise ValueError(f"`beta` must be between 0 and 1 - alpha, not {beta:g}")


def refuse_file_fields(request: StudyRequest, reason: str) -> None:
    """Raise ValueError when a request has options for score files, but no score files."""
    for name in ("layout", "file_measure", "missing"):
        if getattr(request, name) != StudyRequest.model_fields[name].default:
            raise ValueError(f"`{name}` is of score files, and {reason}: leave it out")
