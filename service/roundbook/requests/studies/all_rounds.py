"""Requests of studies of all rounds of a task that have a measure."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from roundbook.requests.fields import VarianceScale
from roundbook.requests.studies.pairs import (
    LargestSwapRate,
    Permutations,
    PlusOne,
    TellingApart,
    TopicsEach,
    TopicSetPairs,
    WithReplacement,
    check_topic_sets,
)
from roundbook.requests.studies.study import StudyRequest, refuse_file_fields


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


class AcrossRoundsRequest(AllRoundsRequest):
    """Discriminative power and swap rate of every round of a task that has the measure."""

    study: Literal["across-rounds"] = "across-rounds"
    trials: Permutations = 10_000
    alpha: TellingApart = 0.05
    plus_one: PlusOne = False
    swap_trials: TopicSetPairs = 1_000
    level: LargestSwapRate = 0.05
    topics_each: TopicsEach = None
    with_replacement: WithReplacement = False

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_topic_sets(self.topics_each, with_replacement=self.with_replacement)
        return self


class LeaveOneOutRoundsRequest(AllRoundsRequest):
    """Whether each round of a task would have scored teams fairly that were not there.

    By the factors of the others and, where runs and assessments are recorded, by the assessments
    that there had been without the team. Raw scores only change by the assessments.
    """

    study: Literal["leave-one-out-rounds"] = "leave-one-out-rounds"

    @property
    def rests_on(self) -> tuple[str, ...]:
        """It depends on factors, and on runs and relevance assessments."""
        return ("factor_set", "run_upload", "qrels")

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams: yes, teams are left out."""
        return True

    @property
    def shares_topics(self) -> bool:
        """Whether it depends on shared topics: yes, the ageing of factors does."""
        return True

    @model_validator(mode="after")
    def _standardised(self) -> Self:
        if set(self.scales) == {"raw"}:
            raise ValueError(
                "Raw scores stay as they are by the factors, whoever is left out: name another"
                " `scale` too"
            )
        return self
