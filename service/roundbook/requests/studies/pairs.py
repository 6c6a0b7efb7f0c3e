"""Requests of studies of all pairs of a round's runs."""

from __future__ import annotations

import math
from typing import Literal, Self

from pydantic import Field, field_validator, model_validator

from roundbook.requests.studies.study import MOST_TRIALS, StudyRequest, between


class DiscriminativePowerRequest(StudyRequest):
    """How many pairs of runs the scores tell apart, and which."""

    study: Literal["discriminative-power"] = "discriminative-power"
    trials: int = Field(
        10_000, ge=1, le=MOST_TRIALS, description="Permutations of the Tukey HSD test."
    )
    resamples: int = Field(
        1_000, ge=1, le=MOST_TRIALS, description="Of the bootstrap test beside it."
    )
    alpha: float = Field(0.05, description="A pair is told apart if its p value is below.")
    plus_one: bool = Field(
        default=False, description="Count the scores themselves as a permutation: (count+1)/(B+1)."
    )

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return between("alpha", alpha)


class SwapRateRequest(StudyRequest):
    """How often a difference between two runs turns round on other topics."""

    study: Literal["swap-rate"] = "swap-rate"
    trials: int = Field(1_000, ge=1, le=MOST_TRIALS, description="Pairs of topic sets.")
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
        return between("level", level)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.with_replacement and self.topics_each is not None:
            message = "`with_replacement` takes samples of all topics: leave out `topics_each`"
            raise ValueError(message)
        return self


class IncrementalRequest(StudyRequest):
    """Whether the topics judged so far have the power to find a difference, and how many would."""

    study: Literal["incremental"] = "incremental"
    difference: float = Field(
        gt=0, lt=math.inf, description="Between two runs' means, on the scale: worth detecting."
    )
    alpha: float = Field(0.05, description="Chance of finding a difference where there is none.")
    beta: float = Field(0.20, description="Chance of missing it: the power is 1 less this.")
    start: int = Field(10, ge=2, description="Topics judged before the first look.")
    step: int = Field(1, ge=1, description="Topics judged between two looks.")
    confidence: float = Field(
        0.8, description="Of the upper limit of the sd that the sure rule goes by."
    )
    pair: tuple[str, ...] = Field(
        (), description="Only the pair of this run and another: name both. (default: all pairs)"
    )
    trials: int = Field(
        10_000, ge=1, le=MOST_TRIALS, description="Pairs and orders of topics to try stopping on."
    )

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return between("alpha", alpha)

    @field_validator("confidence")
    @classmethod
    def _check_confidence(cls, confidence: float) -> float:
        return between("confidence", confidence)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 0 < self.beta < 1 - self.alpha:
            message = f"`beta` must be between 0 and 1 - alpha, not {self.beta:g}"
            raise ValueError(message)
        if len(self.pair) not in (0, 2) or len(set(self.pair)) != len(self.pair):
            message = "`pair` names two runs: give it twice"
            raise ValueError(message)
        return self
