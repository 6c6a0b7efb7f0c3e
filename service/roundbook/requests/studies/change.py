"""The request for the study of how the systems of two rounds changed."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from roundbook.errors import RequestError
from roundbook.limits import MOST_TRIALS
from roundbook.requests.studies.study import Share, StudyRequest


class ChangeRequest(StudyRequest):
    """How the systems of two rounds changed, alone and beside a pivot."""

    study: Literal["change"] = "change"
    round: str | None = Field(None, description="The round to compare with; none with `file`.")
    to_round: str | None = Field(None, description="The other round; none with `file`.")
    pivot: str | None = Field(
        None,
        description="The system, or its run, that the others are compared with; needed.",
    )
    match: Literal["system", "tag"] = Field(
        "system",
        description="What makes runs of both rounds one system: that their system is recorded, or"
        " that they have one tag, as in files.",
    )
    files: tuple[Path, ...] = Field(
        (), description="Scores of the earlier round, without a record. Repeat."
    )
    to_files: tuple[Path, ...] = Field((), description="Scores of the other round. Repeat.")
    level: Share = Field(0.95, description="Of the intervals.")
    trials: int = Field(
        10_000, ge=1, le=MOST_TRIALS, description="Resamples of the topics of both rounds."
    )

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Both rounds of the study."""
        return (self.round, self.to_round)

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams or systems: yes, if runs are matched by system."""
        return self.match == "system"

    @field_validator("to_round")
    @classmethod
    def _strip(cls, label: str | None) -> str | None:
        return None if label is None else label.strip()

    @model_validator(mode="after")
    def _two_rounds(self) -> Self:
        if (self.round is None) != (self.to_round is None):
            missing = "round" if self.round is None else "to_round"
            message = "a change is between two rounds of a task, and the other one is not given"
            raise RequestError(missing, message)
        if bool(self.files) != bool(self.to_files):
            raise ValueError(
                "A change is between two rounds of a task, or from `file` to `to_file`"
            )
        if set(self.scales) != {"raw"}:
            raise ValueError(
                "A change is of raw scores: those standardised within a round have one mean each"
                " round"
            )
        return self
