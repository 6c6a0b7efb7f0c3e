"""Requests of studies: what the scores of a round, or of files, bear."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, Layout, MeasureName, Missing, VarianceScale

_MOST_TRIALS = 1_000_000


class StudyRequest(Request):
    """A study of one score matrix: that of a round, or of files without a record.

    Raises
    ------
    RequestError
        When neither or both are named.
    """

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
    file_measure: str | None = Field(
        None, description="What the files call the measure, if otherwise."
    )
    missing: Missing = Field("reject", description="Missing scores in the files.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What of the record it is computed from."""
        return ("matrix",) if set(self.scales) == {"raw"} else ("factor_set",)

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Which rounds it is of."""
        return (self.round,)

    @property
    def by_teams(self) -> bool:
        """Whether it rests on what is known of the runs' teams."""
        return False

    @field_validator("scales", mode="before")
    @classmethod
    def _known_and_once(cls, scales: tuple[str, ...]) -> tuple[str, ...]:
        known = get_args(VarianceScale)
        unknown = [scale for scale in scales if scale not in known]
        if unknown:
            message = f"`scale` takes {', '.join(known)}, not '{unknown[0]}'"
            raise ValueError(message)
        return tuple(dict.fromkeys(scales or ("raw",)))

    @model_validator(mode="after")
    def _round_or_files(self) -> Self:
        if bool(self.files) == (self.task is not None) or (self.task is None) != (
            self.round is None
        ):
            message = "A study is of a task's round, or of the scores in `file`"
            raise ValueError(message)
        return self


class DiscriminativePowerRequest(StudyRequest):
    """How many pairs of runs the scores tell apart, and which."""

    study: Literal["discriminative-power"] = "discriminative-power"
    trials: int = Field(
        10_000, ge=1, le=_MOST_TRIALS, description="Permutations of the Tukey HSD test."
    )
    resamples: int = Field(
        1_000, ge=1, le=_MOST_TRIALS, description="Of the bootstrap test beside it."
    )
    alpha: float = Field(0.05, description="A pair is told apart if its p value is below.")
    plus_one: bool = Field(
        default=False, description="Count the scores themselves as a permutation: (count+1)/(B+1)."
    )

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return _between("alpha", alpha)


class SwapRateRequest(StudyRequest):
    """How often a difference between two runs turns round on other topics."""

    study: Literal["swap-rate"] = "swap-rate"
    trials: int = Field(1_000, ge=1, le=_MOST_TRIALS, description="Pairs of topic sets.")
    level: float = Field(0.05, description="Largest swap rate of the needed difference.")
    topics_each: int | None = Field(
        None, ge=1, description="Topics on either side. (default: half of them)"
    )
    with_replacement: bool = Field(
        default=False,
        description="Take samples of all topics, which overlap, in place of disjoint halves; their"
        " rates are lower.",
    )

    @field_validator("level")
    @classmethod
    def _check_level(cls, level: float) -> float:
        return _between("level", level)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.with_replacement and self.topics_each is not None:
            message = "`with_replacement` takes samples of all topics: leave out `topics_each`"
            raise ValueError(message)
        return self


def _between(name: str, share: float) -> float:
    if not 0 < share < 1:
        message = f"`{name}` must be between 0 and 1, not {share:g}"
        raise ValueError(message)
    return share
