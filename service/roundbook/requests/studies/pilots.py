"""Requests for studies of pilots smaller than a round."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from roundbook.limits import MOST_TRIALS, PILOT_TEAMS, PILOT_TOPICS
from roundbook.requests.plans import ALPHA, BETA
from roundbook.requests.studies.study import (
    Share,
    StudyRequest,
    check_power,
    check_runs_in_files,
)


class PilotRequest(StudyRequest):
    """What smaller pilots than a round would have found, and how many topics they would have planned.

    Topics are planned as by `plan` with one-way ANOVA: `m` runs, minD, alpha and beta.
    """

    trials: int = Field(100, ge=1, le=MOST_TRIALS, description="Pilots of each size, at random.")
    min_d: float = Field(
        0.15,
        gt=0,
        lt=math.inf,
        description="The plan's smallest difference between the best and the worst run worth"
        " detecting.",
    )
    m: int = Field(10, ge=2, description="The plan's number of runs to compare.")
    alpha: Share = Field(ALPHA, description="The plan's type I error rate.")
    beta: float = Field(BETA, description="The plan's type II error rate: 1 - power.")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_power(self.alpha, self.beta)
        return self


class TopicSubsetsRequest(PilotRequest):
    """What pilots of all runs on fewer topics would have found."""

    study: Literal["topic-subsets"] = "topic-subsets"
    topics: tuple[int, ...] = Field(
        (),
        description=f"Topics of a pilot; repeat. (default: {', '.join(map(str, PILOT_TOPICS))}, where"
        " there are more)",
    )


class LeaveTeamsOutRequest(PilotRequest):
    """What pilots of fewer teams would have found."""

    study: Literal["leave-teams-out"] = "leave-teams-out"
    teams_left: tuple[int, ...] = Field(
        (),
        description=f"Teams of a pilot; repeat. (default: {', '.join(map(str, PILOT_TEAMS))}, ten times"
        " these, and so on, where there are more)",
    )
    every_number: bool = Field(
        default=False, description="Pilots of every number of teams from 1 on."
    )
    mode: Literal["keep", "reduce"] = Field(
        "keep",
        description="keep: the scores as they are. reduce: computed anew from the round's runs,"
        " without the relevance assessments that are due to teams left out alone.",
    )
    pool_depth: int | None = Field(
        None,
        ge=1,
        description="With `mode` reduce: to which rank runs fed the pool. (default: the largest to"
        " which 95% is judged)",
    )
    teams: Path | None = Field(None, description="With `file`: which team sent which run.")
    qrels: Path | None = Field(
        None,
        description="With `mode` reduce, and runs in `file` in place of scores: their relevance"
        " assessments.",
    )

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams: yes, teams are drawn."""
        return True

    @property
    def rests_on(self) -> tuple[str, ...]:
        """It depends on scores, or on runs and relevance assessments."""
        return ("run_upload", "qrels") if self.mode == "reduce" else super().rests_on

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.every_number and self.teams_left:
            raise ValueError("`every_number` is of all numbers of teams: leave out `teams_left`")
        if self.mode == "keep" and self.pool_depth is not None:
            raise ValueError(
                "`pool_depth` goes with `mode` reduce: the assessments are kept as they are"
            )
        check_runs_in_files(self, "`mode` reduce", scored_anew=self.mode == "reduce")
        if self.mode == "reduce" and set(self.scales) != {"raw"}:
            raise ValueError(
                "`mode` reduce is of raw scores: fewer assessments would make other factors"
            )
        return self
